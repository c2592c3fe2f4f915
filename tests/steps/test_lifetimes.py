"""Values share arrays only if their lifetimes do not overlap."""

from __future__ import annotations

import itertools
from dataclasses import fields

import pytest

from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.instructions import At, Kernel
from symlie.runtime.steps.lifetimes import END_ACCELERATION, END_LAMBDA, END_V, arrays_of
from symlie.runtime.steps.program import Features, Program
from symlie.runtime.steps.values import PROJECTS, START_LAMBDA, START_Q, START_V, STEP_LENGTH

PROGRAMMED = [name for name in method_names() if isinstance(method(name), ProgrammedMethod)]


def check(program: Program) -> None:
    """Execute a program on names: each input must still be in its array."""
    arrays = arrays_of(program)
    content = {arrays[x]: x.number for x in (START_Q, START_V, START_LAMBDA)} | {"h": STEP_LENGTH}
    for line in program.lines:
        instruction = line.instruction
        for value in instruction.inputs:
            assert value.number == PROJECTS or content[arrays[value]] == value.number, instruction
        if not instruction.is_elementwise:
            replaced = {x.number for x in instruction.overwritten}
            others = {arrays[x] for x in instruction.inputs if x.number not in replaced}
            assert others.isdisjoint(arrays[x] for x in line.results), instruction
        for result in line.results:
            assert arrays[result] not in ("q", "v", "h", "state->lambda")
            content[arrays[result]] = result.number
    of_end: list[tuple[str, Value]] = [(END_V, program.end.v)]
    of_end += [(END_LAMBDA, x) for x in program.results("lambda")]
    of_end += [(END_ACCELERATION, x) for x in program.results("acceleration")]
    for name, value in of_end:
        assert arrays[value] != name or content[name] == value.number


@pytest.mark.parametrize("name", PROGRAMMED)
def test_inputs_are_intact(name: str) -> None:
    chosen, names = method(name), [f.name for f in fields(Features)]
    assert isinstance(chosen, ProgrammedMethod)
    changed = [pair for n in range(3) for pair in itertools.combinations(names, n)]
    for some in changed:
        check(chosen.program(Features(**{name: not getattr(Features(), name) for name in some})))


def test_instructions_overwrite_their_inputs_without_copies() -> None:
    chosen = method("rkmk_rk44")
    assert isinstance(chosen, ProgrammedMethod)
    program = chosen.program(Features(has_motions=True, has_fields=True, has_coordinate_rates=True))
    arrays = arrays_of(program)
    for line in program.lines:
        instruction = line.instruction
        if isinstance(instruction, At | Kernel) and instruction.overwritten:
            replaced = zip(instruction.overwritten, line.results, strict=True)
            copied = [x for x, y in replaced if arrays[x] != arrays[y]]
            assert all(x.number == START_V.number for x in copied), instruction


def test_arrays_do_not_grow_with_stages() -> None:
    """Slopes and accelerations of all stages are needed at the end, other values of one stage only."""
    chosen = method("rkmk_dopri5")
    assert isinstance(chosen, ProgrammedMethod)
    sizes = list(arrays_of(chosen.program(Features())).sizes.values())
    assert sizes.count("STORAGE") == 1 and sizes.count("DIMENSION") <= 2 * 6 + 3
