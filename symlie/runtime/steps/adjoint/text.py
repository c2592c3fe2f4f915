"""C text of adjoint steps; ``templates/c/adjoint`` contains the functions that it calls."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.adjoint.formula_text import transposed_formula
from symlie.runtime.steps.adjoint.instructions import (
    CarriedAtEnd,
    CarriedCotangents,
    EndCotangents,
    FinishCotangents,
    StartCotangents,
    StartOfCarried,
    Transpose,
)
from symlie.runtime.steps.adjoint.transposition import differentiated_arrays, transposed
from symlie.runtime.steps.c_text import StepPrinter, step_definitions
from symlie.runtime.steps.equations import Solve, TransposedEquations
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.formula_text import formula_text
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import At, Instruction, Kernel
from symlie.runtime.steps.multistep_instructions import StartingStep
from symlie.runtime.steps.program import Line, Program, passes_acceleration
from symlie.runtime.steps.stage_instructions import Stage
from symlie.runtime.steps.value_text import RETURN_FAILURE, time_text
from symlie.runtime.steps.values import Multiplier

_SUBSTEP = "adjoint_substep"

_ARGUMENTS = """(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict masses,
                              const symlie_state *restrict state, const symlie_real *restrict ended,
                              const symlie_cotangents *after, symlie_cotangents *start)"""


def adjoint_header(
    program: Program,
    name: str,
    first: Program | None,
    start: Program | None = None,
    starter: Program | None = None,
    *,
    is_composed: bool = False,
    is_projected: bool = False,
) -> str:
    """Return the header ``adjoint_step.h`` with the adjoint of the step of a method, which may be a substep of composed
    steps, or projected onto the constraints, and with the initial values of the arrays that it carries, whose adjoint
    follows; other arguments as for `step_header`."""
    passes = passes_acceleration(program, starter)
    arrays = differentiated_arrays([program] if start is None else [program, start], passes_acceleration=passes)
    transpose = functools.partial(transposed, passes_acceleration=passes)
    is_finished = is_projected or program.features.has_redundant_rows
    kind = _SUBSTEP if is_composed else "adjoint_step" if start is None else "adjoint_later_step"
    printers = [_AdjointPrinter(transpose(program, arrays, is_finished=is_finished), kind)]
    if starter is not None:
        printers.append(_AdjointPrinter(transpose(starter, ()), "adjoint_starter_step"))
    if start is not None:
        printers.append(_AdjointPrinter(transpose(start, arrays, is_finished=is_finished), "adjoint_start_step"))
    if first is not None:
        printers.append(_AdjointPrinter(transpose(first, arrays), "adjoint_begin"))
    return "\n".join(_header(program, name, first, starter, printers)) + "\n"


def _header(
    program: Program, name: str, first: Program | None, starter: Program | None, printers: Sequence[_AdjointPrinter]
) -> Iterator[str]:
    """Yield the lines of the header."""
    yield f"/* Adjoint of the step of {name}, printed by symlie from its step program; do not edit. */"
    yield from ("#ifndef SYMLIE_ADJOINT_STEP_H", "#define SYMLIE_ADJOINT_STEP_H", "")
    yield from step_definitions(program)
    yield f"#define STARTS_FROM_ACCELERATION {int(passes_acceleration(program, starter))}"
    yield f"#define STAGES {max(1, *(printer.stages for printer in printers))}"
    yield from ("", '#include "steps.h"', '#include "adjoint_stages.h"')
    if any(printer.transposes_elements for printer in printers):
        yield '#include "element_cotangents.h"'
    if any(printer.is_finished for printer in printers):
        yield '#include "finish_cotangents.h"'
    yield ""
    for line in program.lines:
        if isinstance(line.instruction, ImplicitEnd):
            yield from formula_text(line)
            yield from transposed_formula(line)
            yield from ('#include "implicit_ends.h"', "")
    headers = [header for x in program.solutions for header in x.entry.headers]
    headers += [x.entry.transposed.header for x in program.solutions if x.entry.transposed is not None]
    yield from (f'#include "{header}"' for header in dict.fromkeys(headers) if header)
    yield from [""] if headers else []
    if first is not None:
        yield from StepPrinter(first).initial_values()
    if starter is not None:
        yield from StepPrinter(starter).functions("starter_")
        yield from ('#include "starting_step.h"', "")
    for printer in printers:
        yield from printer.adjoint()
        if printer.is_of_starter:
            yield from ('#include "starting_cotangents.h"', "")
        if printer.is_of_substeps:
            yield from StepPrinter(program).functions("")
            yield from ('#include "composed_cotangents.h"', "")
    if any(printer.is_of_first_steps for printer in printers):
        yield from (f"#define FIRST_STEPS {program.first_steps}", '#include "first_cotangents.h"', "")
    yield "#endif"


class _AdjointPrinter(StepPrinter):
    """Printer of the adjoint of a step."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program)
        self._name = name
        numbered = [x.results[0].number for x in program.lines if isinstance(x.instruction, Stage)]
        self._stage_numbers = {number: k for k, number in enumerate(numbered)}

    @property
    def stages(self) -> int:
        """Number of stages, each with a separate mass matrix, and of the changes of its end."""
        return len(self._stage_numbers) + self.is_finished

    @property
    def is_of_starter(self) -> bool:
        """True for the adjoint of the starting method."""
        return self._name == "adjoint_starter_step"

    @property
    def is_of_substeps(self) -> bool:
        """True for the adjoint of a substep of composed steps."""
        return self._name == _SUBSTEP

    @property
    def is_of_first_steps(self) -> bool:
        """True for the adjoint of the first steps, which another method takes."""
        return self._name == "adjoint_start_step"

    @property
    def transposes_elements(self) -> bool:
        """True if the adjoint contains transposed operators of group elements."""
        return any(isinstance(x, Kernel) and not x.has_time for x in self._transposed_instructions)

    @property
    def is_finished(self) -> bool:
        """True if the end of the step is projected onto the constraints, or has multipliers of minimal norm."""
        return self._program.has(FinishCotangents)

    @property
    def _transposed_instructions(self) -> list[Instruction]:
        instructions = (line.instruction for line in self._program.lines)
        return [x.of for x in instructions if isinstance(x, Transpose)]

    @property
    def _rules(self) -> list[TransposedEquations]:
        """Rules of transposed equations."""
        entries = (x.entry for x in self._transposed_instructions if isinstance(x, Solve))
        return [entry.transposed for entry in entries if entry.transposed is not None]

    def adjoint(self) -> Iterator[str]:
        """Yield the size of the workspace and the function."""
        name = self._name
        counts = Counter(["DIMENSION", *self._arrays.sizes.values()])
        sizes = [f"{count}LL * {size}" for size, count in counts.items()]
        further = {
            "trial": self._repeats,
            "starting_cotangents": self._program.has(StartingStep),
            "element": self.transposes_elements,
            "finish": self.is_finished,
            "implicit_end": self._program.has(ImplicitEnd),
        }
        names = ["adjoint_stage", *(name for name, is_needed in further.items() if is_needed)]
        names += [rule.workspace for rule in self._rules if rule.workspace]
        sizes += [f"{x}_workspace(P)" for x in dict.fromkeys([*self._workspaces(), *names])]
        yield f"static inline long long {name}_workspace(const symlie_problem *restrict P)"
        yield f"{{\n    return {' + '.join(sizes)};\n}}\n"
        yield f"static inline int {name}{_ARGUMENTS}\n{{"
        yield from ("    mass_matrix *restrict mass = masses;", "    (void)mass;")
        yield from self._body()
        yield from ("    return SYMLIE_DONE;", "}", "")

    @property
    def _repeats(self) -> bool:
        """True if the adjoint repeats an instruction with a separate result."""
        return self._program.is_implicit or self._program.has(StartingStep)

    def _opening(self) -> Iterator[str]:
        if self._repeats:
            yield from ("    TRIAL(repeated);", "    symlie_trial *restrict trial = &repeated;")

    def _first_acceleration(self, acceleration: str) -> Iterator[str]:
        return iter(())

    def _mass_of(self, acceleration: Value, before: str = "") -> str:
        mass = f"MASS_OF_STAGE({self._stage_numbers[acceleration.number]})"
        return (
            f"mass = omit_rows(P, {before}, {mass});"
            if before and self._features.has_redundant_rows
            else f"mass = {mass};"
        )

    def _checked(self, *parts: str) -> str:
        """Return a call of a function that may find a singular matrix."""
        return f"if (!{', '.join(parts)})) return SYMLIE_SINGULAR;"

    def _or_zero(self, value: Value | None) -> str:
        return "0" if value is None else self._array(value)

    def _printed(self, instruction: Instruction, line: Line) -> Iterator[str]:
        out = [self._array(x) for x in line.results]
        match instruction:
            case Stage():
                yield self._mass_of(line.results[0], before="mass")
                yield from super()._printed(instruction, line)
            case EndCotangents():
                return
            case FinishCotangents(q, v, multiplier, cotangents):
                end = self._array(q), self._array(v), "trial->lambda" if multiplier is None else self._array(multiplier)
                arguments = ", ".join([*end, *map(self._array, cotangents), "&start->gradient", *out])
                mass = f"MASS_OF_STAGE({len(self._stage_numbers)})"
                yield f"status = finish_cotangents(P, work, t, h, control, {mass}, state, {arguments});"
                yield RETURN_FAILURE
            case At(c, q, v, False):
                yield from (*self._copied(q, line.results[0]), *self._copied(v, line.results[1]))
                yield f"step_prescribe(P, {time_text(c)}, {out[0]}, {out[1]});"
            case StartCotangents(q, v, multiplier, are_added):
                function = "add_cotangent" if are_added else "take_cotangent"
                for value, name, size in ((q, "q", "DIMENSION"), (v, "v", "DIMENSION"), (multiplier, "lambda", "ROWS")):
                    yield f"{function}({size}, {self._or_zero(value)}, start->{name});"
            case CarriedCotangents(name, kind):
                yield f"copy({kind.size}, after->own + OWN_{name.upper()}, {out[0]});"
            case StartOfCarried(name, kind, x):
                yield f"take_cotangent({kind.size}, {self._or_zero(x)}, start->own + OWN_{name.upper()});"
            case CarriedAtEnd(names):
                for name, number in zip(names, line.results, strict=True):
                    if number.number in self._used:
                        yield f"const symlie_real {self._arrays[number]} = ended[OWN_{name.upper()}];"
            case Transpose():
                yield from self._transpose(instruction, out)
            case _:
                yield from super()._printed(instruction, line)

    def _transpose(self, transpose: Transpose, out: Sequence[str]) -> Iterator[str]:
        """Yield the statements of a transposed instruction."""
        read, given = map(self._array, transpose.read), map(self._or_zero, transpose.cotangents)
        gradient = "&start->gradient"
        match transpose.of:
            case Kernel("field", _, c):
                yield f"field_cotangents(P, {', '.join([time_text(c), *read, *given, gradient, *out])});"
            case Kernel(name):
                sign = "1" if name == "inverse" else "-1"
                yield f"element_transpose(P, work, {', '.join([*read, *given, sign, *out])});"
            case At(c):
                yield f"motion_cotangents(P, {', '.join([time_text(c), *read, *given, gradient, *out])});"
            case StartingStep():
                arguments = ["t, h, control, masses, state, trial->parts", *given, "start", *out]
                yield f"status = starting_cotangents(P, work, {', '.join(arguments)});"
                yield RETURN_FAILURE
            case Stage() as stage:
                yield from self._stage_cotangents(stage, transpose, out)
            case ImplicitEnd() as end:
                yield from self._implicit_end_cotangents(end, list(given), out)
            case Solve() as solve:
                yield from self._solution_cotangents(solve, transpose, out)
            case instruction:
                raise AssertionError(instruction)

    def _stage_cotangents(self, stage: Stage, transpose: Transpose, out: Sequence[str]) -> Iterator[str]:
        point, given = [self._array(x) for x in self._point(stage)], [*map(self._or_zero, transpose.cotangents)]
        results = transpose.read[len(stage.inputs) :]
        of_stage = [self._array(x) for x in results]
        time, gradient = time_text(stage.c), "start" if stage.is_first else "&start->gradient"
        match stage.condition:
            case None:
                name = "first_stage_cotangents(P, work, state" if stage.is_first else "stage_cotangents(P, work"
                arguments = [time, *point, *of_stage, *given]
            case Multiplier() as known:
                name = "known_multiplier_cotangents(P, work, state"
                arguments = [time, *point, *of_stage, self._array(known), given[0]]
            case following:
                name = "stage_between_cotangents(P, work"
                numbers = [self._array(following.known), f"h * {c_number(following.weight)}, control->baumgarte"]
                arguments = [time, *point, self._next_point(following), *numbers, *of_stage, *given]
        yield self._mass_of(results[0])
        yield self._checked(name, *arguments, "mass", gradient, *out)

    def _solution_cotangents(self, solve: Solve, transpose: Transpose, out: Sequence[str]) -> Iterator[str]:
        rule = solve.entry.transposed
        assert rule is not None
        results = transpose.read[len(solve.inputs) :]
        y = {k: self._array(x) for k, x in zip(rule.read, results, strict=True)}
        given, found = ", ".join(map(self._or_zero, transpose.cotangents)), ", ".join(out)
        texts = {"t": time_text(solve.c), "c": c_number(solve.c), "of_y": given, "of_x": found}
        yield f"status = {rule.call.format(x=list(map(self._given, solve.values)), y=y, **texts)};"
        yield RETURN_FAILURE

    def _implicit_end_cotangents(self, end: ImplicitEnd, given: Sequence[str], out: Sequence[str]) -> Iterator[str]:
        has_matrix = "KEEPS_FACTORS ? SYMLIE_ANY(end.has_factors) : trial->newton.jacobians > 0"
        of_points, points = "0", "0"
        if end.sees_end:
            # The sixth result is Bᵀη, which nothing reads.
            yield f"const symlie_real *given[] = {{{', '.join(given[7:] or ['0'])}}};"
            yield f"symlie_real *points[] = {{{', '.join(out[4:] or ['0'])}}};"
            of_points, points = "given", "points"
        ends = [*given[:6], given[6] if end.sees_end else "0", of_points, points]
        arguments = ", ".join([*ends, "&start->gradient, work", *out[:4]])
        yield f"status = implicit_end_cotangents(&end, {has_matrix}, {arguments});"
        yield RETURN_FAILURE
