"""C text of step programs; ``templates/c/driver/steps.h`` contains the functions that it calls."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.discrete_instructions import (
    ContactEnd,
    DiscreteEnd,
    DiscreteStart,
    Impulses,
    OfContacts,
    Projects,
    SymplecticStage,
)
from symlie.runtime.steps.end_text import EndText
from symlie.runtime.steps.expressions import Scalar
from symlie.runtime.steps.formula_text import formula_text
from symlie.runtime.steps.implicit_instructions import (
    HiddenViolation,
    ImplicitEnd,
)
from symlie.runtime.steps.instructions import (
    Add,
    Advance,
    At,
    Bracket,
    Combination,
    Difference,
    Earlier,
    End,
    Instruction,
    InverseTangent,
    Moving,
    Operation,
    Sum,
    VelocityAt,
    Where,
    WithStates,
)
from symlie.runtime.steps.multistep_instructions import OrderChoice, StartingStep
from symlie.runtime.steps.multistep_text import MULTISTEP, MultistepText
from symlie.runtime.steps.newton_text import NewtonText
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.stage_instructions import (
    CoordinateRate,
    DependentRows,
    Field,
    JacobianAt,
    MinimalMultipliers,
    MultiplierSum,
    Stage,
    StageBetween,
    StageWithMultipliers,
    StorageRate,
)
from symlie.runtime.steps.stage_text import StageText
from symlie.runtime.steps.value_text import time_text
from symlie.runtime.steps.values import START_V

WIDTH = 120
"""Largest length of a line of C."""

_HEADERS: dict[type[Instruction], str] = {
    DiscreteEnd: "variational_solution.h",
    ContactEnd: "contact_stages.h",
    Impulses: "impulse_step.h",
    SymplecticStage: "symplectic_stage.h",
    OrderChoice: "order_choice.h",
}
"""Headers with the functions of instructions."""

_ARGUMENTS = """(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, """
_TRIAL, _OWN = "symlie_trial *restrict trial)", "symlie_real *restrict own)"


def step_header(
    program: Program,
    name: str,
    start: Program | None = None,
    first: Program | None = None,
    starter: Program | None = None,
) -> str:
    """Return the header ``step.h`` with the step of a method.

    Parameters
    ----------
    program
        The step.
    name
        Name of the method.
    start
        Program of the first steps of a method that reads earlier states.
    first
        Initial values of the method history.
    starter
        Step of the starting method, if the first steps consist of substeps.
    """
    return "\n".join(_header(program, name, start, first, starter)) + "\n"


def _header(
    program: Program, name: str, start: Program | None, first: Program | None, starter: Program | None
) -> Iterator[str]:
    """Yield the lines of the header."""
    yield f"/* Step of {name}, printed by symlie from its step program; do not edit. */"
    yield from ("#ifndef SYMLIE_STEP_H", "#define SYMLIE_STEP_H", "")
    yield from step_definitions(program)
    if start is not None:
        yield f"#define FIRST_STEPS {program.first_steps}"
    yield from ("", '#include "steps.h"', "")
    for line in program.lines:
        if isinstance(line.instruction, ImplicitEnd):
            yield from formula_text(line)
    for kind, header in _HEADERS.items():
        if program.has(kind):
            yield from (f'#include "{header}"', "")
    if first is not None:
        yield from StepPrinter(first).initial_values()
    if start is None:
        yield from StepPrinter(program).functions("")
    else:
        yield from StepPrinter(program).functions("later_")
        yield "#if SYMLIE_LANES == 1"
        if starter is not None:
            yield from StepPrinter(starter).functions("starter_")
            yield from ('#include "starting_step.h"', "")
        yield from StepPrinter(start).functions("start_")
        yield from ("#endif", '#include "earlier_states.h"', "")
    yield "#endif"


def step_definitions(program: Program) -> Iterator[str]:
    """Yield the definitions for functions of printed steps."""
    suffix = "" if program.coordinates == "exp" else f"_{program.coordinates}"
    yield f"#define ONE_EXPONENTIAL {int(program.is_one_exponential)}"
    for kernel in ("advance", "inverse_tangent_operator", "chart"):
        yield f"#define STEP_{kernel.upper()} system_{kernel}{suffix}"


class StepPrinter(StageText, NewtonText, MultistepText, EndText):
    """Printer of one program."""

    def functions(self, prefix: str) -> Iterator[str]:
        """Yield the size of the workspace and the step, with a prefix of their names."""
        # A stage has its right-hand side in addition, and a velocity about which constraints are linearised.
        further = ["DIMENSION"] * (1 + self._features.has_nonlinear_rows)
        counts = Counter([*further, *self._arrays.sizes.values()])
        sizes = [f"{count}LL * {size}" for size, count in counts.items()]
        yield f"static inline long long {prefix}step_workspace(const symlie_problem *restrict P)"
        has_end, has_stages = (self._program.has(kind) for kind in (ImplicitEnd, DiscreteEnd))
        has_start = self._program.has(StartingStep)
        further_sizes = {"acceleration": True, "implicit": has_end, "discrete": has_stages, "starting": has_start}
        further_sizes |= {"contact_stage": self._program.has(ContactEnd), "impulse": self._program.has(Impulses)}
        sizes += [f"{name}_workspace(P)" for name, is_needed in further_sizes.items() if is_needed]
        yield f"{{\n    return {' + '.join(sizes)};\n}}\n"
        yield from self._function(f"{prefix or 'method_'}step", _TRIAL)

    def initial_values(self) -> Iterator[str]:
        """Yield the function that initialises the arrays which the method carries."""
        yield from self._function("method_begin", _OWN)

    def _function(self, name: str, result: str) -> Iterator[str]:
        yield f"static inline int {name}{_ARGUMENTS}{result}\n{{"
        yield from self._body()
        yield from ("    return SYMLIE_DONE;", "}", "")

    def _body(self) -> Iterator[str]:
        """Yield the statements of the step."""
        lines = self._program.lines
        yield from ("    START(q, STORAGE);", "    START(v, DIMENSION);")
        yield from (f"    ARRAY({name}, {size});" for name, size in self._arrays.sizes.items())
        if self._by_blocks and any(x.instruction.is_by_blocks for x in lines):
            yield "    NODE_BLOCK(P, block);"
        yield from ("    symlie_real angle = SYMLIE_NUMBER(0);", "    int status;")
        if self._program.has(DiscreteEnd):
            yield "    VARIATIONAL_STEP(problem);"
        if not self._program.has(End):
            yield "    (void)q, (void)v, (void)status, (void)angle;"
        elif START_V.number not in self._used:
            yield "    (void)v;"
        yield from self._opening()
        for for_estimate, part in groupby(lines, lambda x: x.for_estimate):
            if for_estimate:
                yield "    if (!control->with_estimate) return SYMLIE_DONE;"
            for by_blocks, group in groupby(part, lambda x: self._by_blocks and x.instruction.is_by_blocks):
                yield from (self._blocks if by_blocks else self._statements)(list(group))

    def _opening(self) -> Iterator[str]:
        """Yield the initialisation of results that instructions may leave unchanged."""
        if not self._program.has_end:
            yield "    for (int k = 0; k < OWN; k++) own[k] = SYMLIE_NUMBER(0);"

    def _blocks(self, lines: Sequence[Line]) -> Iterator[str]:
        """Yield a loop over blocks of nodes."""
        self._offsets = {"DIMENSION": "d + ", "STORAGE": "s + "}
        body = list(self._statements(lines))
        self._offsets = {"DIMENSION": "", "STORAGE": ""}
        yield from ("    EACH_BLOCK(P, &block)", "    {")
        with_storage = any(isinstance(x.instruction, Advance) for x in lines)
        yield f"        const int d = block.dimension{', s = block.storage' if with_storage else ''};"
        yield from (textwrap.indent(text, "    ") for text in body)
        yield "    }"

    def _statements(self, lines: Sequence[Line]) -> Iterator[str]:
        for line in lines:
            for text in self._printed(line.instruction, line):
                yield from textwrap.wrap(
                    text, WIDTH, initial_indent="    ", subsequent_indent=" " * 8, break_long_words=False,
                    break_on_hyphens=False,
                )  # fmt: skip

    def _printed(self, instruction: Instruction, line: Line) -> Iterator[str]:
        """Yield the statements of an instruction."""
        out = [self._array(x) for x in line.results]
        P = "block.P" if self._offsets["STORAGE"] else "P"
        match instruction:
            case Stage():
                yield from self._stage(instruction, line)
            case Field(c, q, acceleration, multiplier, v):
                yield from self._copied(v, line.results[0])
                of_stage = ", ".join(map(self._array, (q, acceleration, multiplier)))
                yield f"step_field(P, {time_text(c)}, {of_stage}, {out[0]});"
            case CoordinateRate(q, x):
                yield from self._copied(x, line.results[0])
                yield f"step_coordinate_rate(P, {self._array(q)}, {out[0]});"
            case Moving(x):
                value = self._entry(x)
                yield self._loop(line, f"block.moves ? {value} : SYMLIE_NUMBER(0)" if self._by_blocks else value)
            case StorageRate(q, x):
                yield f"system_storage_rate(P, {self._array(q)}, {self._array(x)}, {out[0]});"
            case JacobianAt(c, q, v):
                yield f"step_jacobian(P, {time_text(c)}, {self._array(q)}, {self._array(v)}, {out[0]});"
            case DependentRows(jacobian):
                yield f"if (!find_dependent_rows(P, {self._array(jacobian)}, mass)) return SYMLIE_NOT_FINITE;"
            case StageWithMultipliers() | StageBetween():
                yield from self._constrained_stage(instruction, line)
            case MinimalMultipliers(multiplier, jacobian, first):
                yield f"copy(ROWS, {self._array(multiplier)}, {out[0]});"
                arguments = f"{self._array(jacobian)}, {self._array(first)}, mass, {out[0]}"
                yield f"if (!step_minimal_multipliers(P, {arguments})) return SYMLIE_NOT_FINITE;"
            case MultiplierSum(weights, terms):
                total = "".join(self._term(w, f"{self._array(x)}[k]") for w, x in zip(weights, terms, strict=True))
                yield f"EACH_COMPONENT(k, ROWS) {out[0]}[k] = SYMLIE_NUMBER(0){total};"
            case InverseTangent(theta, x):
                yield f"step_inverse_tangent({P}, {self._array(theta)}, {self._array(x)}, {out[0]});"
            case Bracket(x, y):
                yield f"step_bracket({P}, {self._array(x)}, {self._array(y)}, {out[0]});"
            case Sum(base, weights, terms):
                # The sum starts with zero, as in NumPy, so that the signs of zeros agree.
                total = "".join(self._term(w, self._entry(x)) for w, x in zip(weights, terms, strict=True))
                yield self._loop(line, f"{'' if base is None else self._entry(base) + ' + '}h * (0{total})")
            case Combination(_, weights, terms):
                total = "".join(self._term(w, self._entry(x)) for w, x in zip(weights, terms, strict=True))
                yield self._loop(line, total.removeprefix(" + ").strip() or "SYMLIE_NUMBER(0)")
            case WithStates(_, x, of_states):
                yield from self._copied(x, line.results[0])
                entries = f"{out[0]}[STATE[n]] = {self._array(of_states)}[STATE[n]]"
                yield f"for (int n = 0; n < COUNT_OF_STATE; n++) {entries};"
            case Operation("<=", x, y):
                condition = f"{self._real(x)} <= {self._real(y)}"
                yield f"const symlie_real {out[0]} = SYMLIE_WHERE({condition}, SYMLIE_NUMBER(1), SYMLIE_NUMBER(0));"
            case Operation(operator, x, y):
                yield f"const symlie_real {out[0]} = {self._number(x)} {operator} {self._number(y)};"
            case Where(kind, tested, x, y):
                values = ", ".join(self._real(v) if isinstance(v, Scalar | float) else self._entry(v) for v in (x, y))
                choice = f"SYMLIE_WHERE({self._number(tested)} != 0, {values})"
                yield f"const symlie_real {out[0]} = {choice};" if kind is Scalar else self._loop(line, choice)
            case Earlier(part, steps):
                if isinstance(line.results[0], Scalar):
                    yield f"const symlie_real {out[0]} = state->own[OWN_{part.upper()} + {steps - 1}];"
            case Add(base, power, weight, x):
                factor = "".join(["h * "] * power) + c_number(weight)
                yield self._loop(line, f"{self._entry(base)} + {factor} * {self._entry(x)}")
            case Advance(q, theta):
                yield f"angle = step_advance({P}, {self._array(q)}, {self._array(theta)}, angle, {out[0]});"
            case At(c, q, v):
                yield from self._copied(q, line.results[0])
                yield from self._copied(v, line.results[1])
                is_end = self._program.has_end and line.results[0] == self._program.end.q
                is_stage = not is_end and not line.for_estimate
                condition = "if (MOTIONS_OF_STAGES > 0) " if is_stage else ""
                yield f"{condition}step_prescribe(P, {time_text(c)}, {out[0]}, {out[1]});"
            case VelocityAt(c, q, v):
                yield from self._copied(v, line.results[0])
                yield f"step_prescribe(P, {time_text(c)}, {self._array(q)}, {out[0]});"
            case Difference(start, end):
                yield f"system_difference(P, {self._array(start)}, {self._array(end)}, {out[0]});"
            case DiscreteStart() | DiscreteEnd() | Impulses() | OfContacts():
                yield from self.newton_statements(instruction, line)
            case HiddenViolation() | ImplicitEnd() | Projects() | SymplecticStage():
                yield from self.newton_statements(instruction, line)
            case _ if isinstance(instruction, MULTISTEP):
                yield from self.multistep_statements(line)
            case _:
                yield from self.end_statements(instruction, line)
