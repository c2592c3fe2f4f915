"""Arrays of step programs: values whose lifetimes do not overlap share an array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import Carried, End, Result
from symlie.runtime.steps.multistep_instructions import StartingStep
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.values import (
    PROJECTS,
    START_LAMBDA,
    START_Q,
    START_V,
    STEP_LENGTH,
    Acceleration,
    Algebra,
    Configuration,
    Multiplier,
)

END_Q, END_V, END_LAMBDA, END_ACCELERATION = "trial->q", "trial->v", "trial->lambda", "trial->acceleration"
"""Arrays of the result of a step."""

_ARRAYS = {"lambda": END_LAMBDA, "acceleration": END_ACCELERATION}
"""Arrays of parts of the result that instructions may compute in place."""

_OF_RUN = "SYMLIE_NUMBER(control->project_position || control->project_velocity)"
"""The value `PROJECTS`."""

IMPLICIT_RESULTS = ("q", "v", "v_dot", "lambda", "theta", "w")
"""Members of the Newton problem with the results of an implicit step."""

_LETTERS = {"STORAGE": "Q", "DIMENSION": "x", "ROWS": "l", "JACOBIAN_VALUES": "B"}


@dataclass(frozen=True)
class Arrays:
    """Arrays of a program."""

    of_value: Mapping[int, str]
    """Name of the array of each value, by its number."""
    sizes: Mapping[str, str]
    """Size of each array of the step itself, by name."""

    def __getitem__(self, value: Value) -> str:
        return self.of_value[value.number]


def arrays_of(program: Program) -> Arrays:
    """Return the arrays of a program, which the start of the step and its result have already.

    The state at the end and v' for the next step are computed in the arrays of the result.
    """
    last_use: dict[int, int] = {}
    for index, line in enumerate(program.lines):
        last_use |= {x.number: index for x in (*line.results, *line.instruction.inputs)}
    preferred = _preferred(program, last_use)
    writes_lambda = [END_LAMBDA in {preferred.get(x.number) for x in line.results} for line in program.lines]
    end_of_lambda = [*writes_lambda, True].index(True)
    of_value = {START_Q.number: "q", START_V.number: "v", START_LAMBDA.number: "state->lambda", STEP_LENGTH: "h"}
    of_value[PROJECTS] = _OF_RUN
    of_value |= {x.number: name for line in program.lines for x, name in _given(line)}
    kept = {*preferred, *of_value}
    sizes: dict[str, str] = {}
    free: dict[str, list[str]] = defaultdict(list, {Multiplier.size: [END_LAMBDA] if program.has(End) else []})

    def place(value: Value) -> str:
        if value.number in preferred:
            return preferred[value.number]
        # λ at the end of the step may overwrite earlier ones, but no later ones may overwrite it.
        usable = [name for name in free[value.size] if name != END_LAMBDA or last_use[value.number] < end_of_lambda]
        if usable:
            free[value.size].remove(usable[-1])
            return usable[-1]
        name = f"{_LETTERS[value.size]}{len(sizes) + 1}"
        sizes[name] = value.size
        return name

    def release(values: Iterable[Value]) -> None:
        for value in values:
            free[value.size].append(of_value[value.number])

    for index, line in enumerate(program.lines):
        instruction = line.instruction
        ended = {x.number: x for x in instruction.inputs if last_use[x.number] == index and x.number not in kept}
        for result, value in zip(line.results, instruction.overwritten, strict=False):
            replaced = value.number
            if replaced in ended and result.number not in preferred:
                of_value[result.number] = of_value[replaced]
                del ended[replaced]
        if instruction.is_elementwise:
            release(ended.values())
        for result in line.results:
            if result.number not in of_value:
                of_value[result.number] = place(result)
        if not instruction.is_elementwise:
            release(ended.values())
        release(x for x in line.results if last_use[x.number] == index and x.number not in kept)
    return Arrays(of_value, sizes)


def _given(line: Line) -> Iterator[tuple[Value, str]]:
    """Yield numbers, which are variables, values in the method history, and results of Newton's method."""
    instruction = line.instruction
    if isinstance(instruction, ImplicitEnd):
        yield from zip(line.results, (f"end.{name}" for name in IMPLICIT_RESULTS), strict=False)
    yield from zip(line.results, instruction.arrays, strict=False)
    for result in line.results:
        if isinstance(instruction, StartingStep) and not isinstance(result, Acceleration | Algebra):
            yield result, END_Q if isinstance(result, Configuration) else END_V
        elif isinstance(result, Scalar):
            yield result, f"n{result.number}"
        elif isinstance(instruction, Carried):
            place = f" + {instruction.steps - 1} * {result.size}" if instruction.steps else ""
            yield result, f"(state->own + OWN_{instruction.name.upper()}{place})"


def _preferred(program: Program, last_use: Mapping[int, int]) -> dict[int, str]:
    """Return the arrays of results of the step, also for the values that instructions overwrite by them."""
    found: dict[int, str] = {}
    for index, line in reversed(list(enumerate(program.lines))):
        instruction = line.instruction
        if isinstance(instruction, End):
            found[line.results[0].number] = END_Q
            found[instruction.v.number] = END_V
        elif isinstance(instruction, Result) and instruction.name in _ARRAYS:
            found[instruction.x.number] = _ARRAYS[instruction.name]
        for result, value in zip(line.results, instruction.overwritten, strict=False):
            if result.number in found and last_use[value.number] == index:
                found[value.number] = found[result.number]
    found.pop(START_V.number, None)
    return found
