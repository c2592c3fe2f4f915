"""C text of step programs; ``templates/c/driver/steps.h`` contains the functions that it calls."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from symlie.runtime.steps.end_text import EndText
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.formula_text import formula_text
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import (
    CONTACTS,
    SEPARATE,
    STATES,
    At,
    End,
    Instruction,
    Kernel,
    Operation,
    Sum,
    Where,
)
from symlie.runtime.steps.multistep_instructions import OrderChoice, StartingStep
from symlie.runtime.steps.multistep_text import MultistepText
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.solution_text import SolutionText
from symlie.runtime.steps.stage_instructions import Stage
from symlie.runtime.steps.stage_text import StageText
from symlie.runtime.steps.value_text import time_text
from symlie.runtime.steps.values import START_V

WIDTH = 120
"""Largest length of a line of C."""

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
    headers = [header for x in program.solutions for header in x.entry.headers]
    for header in dict.fromkeys([*headers, *(["order_choice.h"] if program.has(OrderChoice) else [])]):
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


class StepPrinter(StageText, SolutionText, MultistepText, EndText):
    """Printer of one program."""

    def functions(self, prefix: str) -> Iterator[str]:
        """Yield the size of the workspace and the step, with a prefix of their names."""
        # A stage has its right-hand side in addition, and a velocity about which constraints are linearised.
        further = ["DIMENSION"] * (1 + self._features.has_nonlinear_rows)
        counts = Counter([*further, *self._arrays.sizes.values()])
        sizes = [f"{count}LL * {size}" for size, count in counts.items()]
        yield f"static inline long long {prefix}step_workspace(const symlie_problem *restrict P)"
        sizes += [f"{name}_workspace(P)" for name in self._workspaces()]
        yield f"{{\n    return {' + '.join(sizes)};\n}}\n"
        yield from self._function(f"{prefix or 'method_'}step", _TRIAL)

    def _workspaces(self) -> list[str]:
        """Return the names of the workspaces of the functions that the step calls."""
        kinds = {"implicit": ImplicitEnd, "starting": StartingStep}
        own = ["acceleration", *(name for name, kind in kinds.items() if self._program.has(kind))]
        return list(dict.fromkeys([*own, *(name for x in self._program.solutions for name in x.entry.workspaces)]))

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
        declarations = dict.fromkeys(x.entry.declaration for x in self._program.solutions)
        yield from (f"    {text}" for text in declarations if text)
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
        with_storage = any(v.size == "STORAGE" for x in lines for v in x.results)
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
        match instruction:
            case Stage():
                yield from self.stage_statements(instruction, line)
            case Kernel():
                yield from self._kernel(instruction, line)
            case Sum(_, base, scale, weights, terms):
                total = "".join(self._term(w, self._entry(x)) for w, x in zip(weights, terms, strict=True))
                if isinstance(scale, Scalar):
                    # The sum starts with zero, as in NumPy, so that the signs of zeros agree.
                    total = f" + {self._number(scale)} * (0{total})"
                total = f"{'' if base is None else self._entry(base)}{total}"
                yield self._loop(line, total.removeprefix(" + ").strip() or "SYMLIE_NUMBER(0)")
            case Operation("<=", x, y):
                condition = f"{self._real(x)} <= {self._real(y)}"
                yield f"const symlie_real {out[0]} = SYMLIE_WHERE({condition}, SYMLIE_NUMBER(1), SYMLIE_NUMBER(0));"
            case Operation(operator, x, y):
                yield f"const symlie_real {out[0]} = {self._number(x)} {operator} {self._number(y)};"
            case Where():
                yield from self._where(instruction, line)
            case At(c, q, _, is_placed):
                for value, result in zip(instruction.overwritten, line.results, strict=True):
                    yield from self._copied(value, result)
                is_end = self._program.has_end and line.results[0] == self._program.end.q
                is_stage = not (is_placed or is_end or line.for_estimate)
                condition = "if (MOTIONS_OF_STAGES > 0) " if is_stage else ""
                point = f"{self._array(q)}, {out[0]}" if is_placed else ", ".join(out)
                yield f"{condition}step_prescribe(P, {time_text(c)}, {point});"
            case Solve():
                yield from self.solution_statements(instruction, line)
            case ImplicitEnd():
                yield from self.implicit_end_statements(instruction, line)
            case StartingStep() | OrderChoice():
                yield from self.multistep_statements(line)
            case _:
                yield from self.end_statements(instruction, line)

    def _kernel(self, kernel: Kernel, line: Line) -> Iterator[str]:
        """Yield the call of a system kernel."""
        (out,) = map(self._array, line.results)
        for value in kernel.overwritten:
            yield from self._copied(value, line.results[0])
        P = "block.P" if self._offsets["STORAGE"] else "P"
        values = [self._array(x) for x in kernel.values if x not in kernel.overwritten]
        if kernel.name == "advance":
            yield f"angle = step_advance({P}, {', '.join(values)}, angle, {out});"
            return
        function = f"{'step' if kernel.name in SEPARATE else 'system'}_{kernel.name}"
        given = ", ".join([P, *([time_text(kernel.c)] if kernel.has_time else []), *values])
        is_number = kernel.entry.is_value
        yield f"const symlie_real {out} = {function}({given});" if is_number else f"{function}({given}, {out});"

    def _where(self, where: Where, line: Line) -> Iterator[str]:
        """Yield the choice of one of two values."""
        (result,) = line.results
        out = self._array(result)
        if where.condition == CONTACTS:
            yield f"step_of_contacts(P, {', '.join(map(self._array, where.inputs))}, {out});"
        elif where.condition == STATES:
            if isinstance(where.y, Value):
                yield from self._copied(where.y, result)
            else:
                yield f"fill_zero(DIMENSION, {out});"
            entry = f"{self._array(where.x)}[STATE[n]]" if isinstance(where.x, Value) else "SYMLIE_NUMBER(0)"
            yield f"for (int n = 0; n < COUNT_OF_STATE; n++) {out}[STATE[n]] = {entry};"
        elif isinstance(where.condition, Scalar):
            values = f"{self._choice(where.x)}, {self._choice(where.y)}"
            choice = f"SYMLIE_WHERE({self._number(where.condition)} != 0, {values})"
            yield f"const symlie_real {out} = {choice};" if where.kind is Scalar else self._loop(line, choice)
        else:
            value = self._choice(where.x)
            yield self._loop(line, f"block.moves ? {value} : SYMLIE_NUMBER(0)" if self._by_blocks else value)

    def _choice(self, value: Value | float) -> str:
        """Return a number or the component of a vector."""
        return self._real(value) if isinstance(value, Scalar | float | int) else self._entry(value)
