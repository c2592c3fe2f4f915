"""C text of adjoint steps; ``templates/c/adjoint`` contains the functions that it calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.adjoint.formula_text import transposed_formula
from symlie.runtime.steps.adjoint.instructions import (
    AdjointTranspose,
    CarriedAtEnd,
    CarriedCotangents,
    DependentCotangents,
    EndCotangents,
    FieldCotangents,
    FirstStageCotangents,
    KnownMultiplierCotangents,
    StageBetweenCotangents,
    StageCotangents,
    StartCotangents,
    StartOfCarried,
)
from symlie.runtime.steps.adjoint.solution_instructions import (
    DiscreteEndCotangents,
    DiscreteStartCotangents,
    HiddenViolationCotangents,
    ImplicitEndCotangents,
    StartingStepCotangents,
)
from symlie.runtime.steps.adjoint.transposition import differentiated_arrays, transposed
from symlie.runtime.steps.c_text import StepPrinter, step_definitions
from symlie.runtime.steps.discrete_instructions import DiscreteEnd, DiscreteStart
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.formula_text import formula_text
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import At, Instruction
from symlie.runtime.steps.multistep_instructions import StartingStep
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.stage_instructions import STAGES, Stage, StageBetween
from symlie.runtime.steps.value_text import RETURN_FAILURE, time_text

_ARGUMENTS = """(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict masses,
                              const symlie_state *restrict state, const symlie_real *restrict ended,
                              const symlie_cotangents *after, symlie_cotangents *start)"""


def adjoint_header(
    program: Program, name: str, first: Program | None, start: Program | None = None, starter: Program | None = None
) -> str:
    """Return the header ``adjoint_step.h`` with the adjoint of the step of a method, and with the initial values of the
    arrays that it carries, whose adjoint follows; other arguments as for `step_header`."""
    arrays = differentiated_arrays([program] if start is None else [program, start])
    printers = [_AdjointPrinter(transposed(program, arrays), "adjoint_step" if start is None else "adjoint_later_step")]
    if starter is not None:
        printers.append(_AdjointPrinter(transposed(starter, ()), "adjoint_starter_step"))
    if start is not None:
        printers.append(_AdjointPrinter(transposed(start, arrays), "adjoint_start_step"))
    if first is not None:
        printers.append(_AdjointPrinter(transposed(first, arrays), "adjoint_begin"))
    return "\n".join(_header(program, name, first, starter, printers)) + "\n"


def _header(
    program: Program, name: str, first: Program | None, starter: Program | None, printers: Sequence[_AdjointPrinter]
) -> Iterator[str]:
    """Yield the lines of the header."""
    yield f"/* Adjoint of the step of {name}, printed by symlie from its step program; do not edit. */"
    yield from ("#ifndef SYMLIE_ADJOINT_STEP_H", "#define SYMLIE_ADJOINT_STEP_H", "")
    yield from step_definitions(program)
    yield f"#define STARTS_FROM_ACCELERATION {int(program.starts_from_acceleration)}"
    yield f"#define STAGES {max(1, *(printer.stages for printer in printers))}"
    yield from ("", '#include "steps.h"', '#include "adjoint_stages.h"')
    if any(printer.has(AdjointTranspose) for printer in printers):
        yield '#include "element_cotangents.h"'
    yield ""
    for line in program.lines:
        if isinstance(line.instruction, ImplicitEnd):
            yield from formula_text(line)
            yield from transposed_formula(line)
            yield from ('#include "implicit_ends.h"', "")
    if program.has(DiscreteEnd):
        yield from ('#include "variational_solution.h"', '#include "discrete_cotangents.h"', "")
    if first is not None:
        yield from StepPrinter(first).initial_values()
    if starter is not None:
        yield from StepPrinter(starter).functions("starter_")
        yield from ('#include "starting_step.h"', "")
    for printer in printers:
        yield from printer.adjoint()
        if printer.is_of_starter:
            yield from ('#include "starting_cotangents.h"', "")
    if any(printer.is_of_first_steps for printer in printers):
        yield from (f"#define FIRST_STEPS {program.first_steps}", '#include "first_cotangents.h"', "")
    yield "#endif"


class _AdjointPrinter(StepPrinter):
    """Printer of the adjoint of a step."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program)
        self._name = name
        numbered = [x.results[0].number for x in program.lines if isinstance(x.instruction, STAGES)]
        self._stage_numbers = {number: k for k, number in enumerate(numbered)}

    @property
    def stages(self) -> int:
        """Number of stages, each with a separate mass matrix."""
        return len(self._stage_numbers)

    @property
    def is_of_starter(self) -> bool:
        """True for the adjoint of the starting method."""
        return self._name == "adjoint_starter_step"

    @property
    def is_of_first_steps(self) -> bool:
        """True for the adjoint of the first steps, which another method takes."""
        return self._name == "adjoint_start_step"

    def has(self, *kinds: type[Instruction]) -> bool:
        """Return whether the adjoint contains an instruction of these kinds."""
        return self._program.has(*kinds)

    def adjoint(self) -> Iterator[str]:
        """Yield the size of the workspace and the function."""
        name = self._name
        counts = Counter(["DIMENSION", *self._arrays.sizes.values()])
        sizes = [f"{count}LL * {size}" for size, count in counts.items()]
        sizes += ["acceleration_workspace(P)", "adjoint_stage_workspace(P)"]
        if self._repeats:
            sizes.append("trial_workspace(P)")
        if self._program.has(ImplicitEnd):
            sizes.append("implicit_workspace(P)")
        if self._program.has(DiscreteStart):
            sizes += ["discrete_workspace(P)", "discrete_cotangents_workspace(P)"]
        if self._program.has(StartingStep):
            sizes += ["starting_workspace(P)", "starting_cotangents_workspace(P)"]
        if self._program.has(AdjointTranspose):
            sizes.append("element_workspace(P)")
        if self._program.has(ImplicitEndCotangents, HiddenViolationCotangents):
            sizes.append("implicit_end_workspace(P)")
        yield f"static inline long long {name}_workspace(const symlie_problem *restrict P)"
        yield f"{{\n    return {' + '.join(sizes)};\n}}\n"
        yield f"static inline int {name}{_ARGUMENTS}\n{{"
        yield from ("    mass_matrix *restrict mass = masses;", "    (void)mass;")
        yield from self._body()
        yield from ("    return SYMLIE_DONE;", "}", "")

    @property
    def _repeats(self) -> bool:
        """True if the adjoint repeats an instruction with a separate result."""
        return self._program.has(ImplicitEnd, StartingStep, DiscreteStart)

    def _opening(self) -> Iterator[str]:
        if self._repeats:
            yield from ("    TRIAL(repeated);", "    symlie_trial *restrict trial = &repeated;")

    def _first_acceleration(self, acceleration: str) -> Iterator[str]:
        return iter(())

    def _mass_of(self, acceleration: Value) -> str:
        return f"mass = MASS_OF_STAGE({self._stage_numbers[acceleration.number]});"

    def _checked(self, *parts: str) -> str:
        """Return a call of a function that may find a singular matrix."""
        return f"if (!{', '.join(parts)})) return SYMLIE_SINGULAR;"

    def _or_zero(self, value: Value | None) -> str:
        return "0" if value is None else self._array(value)

    def _printed(self, instruction: Instruction, line: Line) -> Iterator[str]:
        out = [self._array(x) for x in line.results]
        match instruction:
            case Stage() | StageBetween():
                yield self._mass_of(line.results[0])
                yield from super()._printed(instruction, line)
            case EndCotangents():
                return
            case FieldCotangents(field, x):
                point = [
                    time_text(field.c),
                    *map(self._array, field.values),
                ]
                arguments = ", ".join([*point, self._array(x), "&start->gradient", *out])
                yield f"field_cotangents(P, {arguments});"
            case At(c, q, v, False):
                yield from (*self._copied(q, line.results[0]), *self._copied(v, line.results[1]))
                yield f"step_prescribe(P, {time_text(c)}, {out[0]}, {out[1]});"
            case DependentCotangents(c, q, v, of_q, of_v):
                values = [*map(self._array, (q, v)), *map(self._or_zero, (of_q, of_v))]
                arguments = ", ".join([time_text(c), *values, "&start->gradient", *out])
                yield f"dependent_cotangents(P, {arguments});"
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
            case AdjointTranspose(x, y, is_inverse):
                arguments = f"{self._array(x)}, {self._array(y)}, {-1 if is_inverse else 1}, {out[0]}"
                yield f"element_transpose(P, work, {arguments});"
            case StartingStepCotangents(of_q, of_v, of_multiplier):
                given = ", ".join(map(self._or_zero, (of_q, of_v, of_multiplier)))
                arguments = f"t, h, control, masses, state, trial->parts, {given}, start, {', '.join(out)}"
                yield f"status = starting_cotangents(P, work, {arguments});"
                yield RETURN_FAILURE
            case ImplicitEndCotangents():
                yield from self._implicit_end_cotangents(instruction, out)
            case DiscreteStartCotangents() | DiscreteEndCotangents():
                yield f"status = {self._discrete_cotangents(instruction, out)};"
                yield RETURN_FAILURE
            case HiddenViolationCotangents(violation, x):
                at_start = ", ".join(map(self._array, (violation.q, violation.v, x)))
                given = f"t, {at_start}, mass, &start->gradient, {', '.join(out)}"
                yield f"status = hidden_violation_cotangents(P, work, {given});"
                yield RETURN_FAILURE
            case StageCotangents(stage, a, multiplier, of_a, of_multiplier):
                yield self._mass_of(a)
                point = [time_text(stage.c), *map(self._array, (stage.q, stage.v, a, multiplier))]
                is_first = isinstance(instruction, FirstStageCotangents)
                name = "first_stage_cotangents(P, work, state" if is_first else "stage_cotangents(P, work"
                gradient = "mass, start" if is_first else "mass, &start->gradient"
                yield self._checked(name, *point, *map(self._or_zero, (of_a, of_multiplier)), gradient, *out)
            case KnownMultiplierCotangents(stage, a, of_a):
                yield self._mass_of(a)
                q, v, jacobian, multiplier = stage.inputs
                inputs = (q, v, jacobian, a, multiplier, of_a)
                point = [time_text(stage.c), *map(self._array, inputs), "mass, start", *out]
                yield self._checked("known_multiplier_cotangents(P, work, state", *point)
            case StageBetweenCotangents(stage, a, multiplier, of_a, of_multiplier):
                yield self._mass_of(a)
                point = [time_text(stage.c), *map(self._array, (stage.q, stage.v, stage.jacobian))]
                following = (stage.next_q, stage.next_jacobian, stage.known)
                point += [time_text(stage.next_c), *map(self._array, following)]
                point += [f"h * {c_number(stage.weight)}, control->baumgarte", *map(self._array, (a, multiplier))]
                cotangents = [*map(self._or_zero, (of_a, of_multiplier)), "mass, &start->gradient", *out]
                yield self._checked("stage_between_cotangents(P, work", *point, *cotangents)
            case _:
                yield from super()._printed(instruction, line)

    def _discrete_cotangents(
        self, instruction: DiscreteStartCotangents | DiscreteEndCotangents, out: Sequence[str]
    ) -> str:
        """Return the call of the adjoint of a stage of a variational step."""
        given = ", ".join([*map(self._or_zero, instruction.of_results), "&start->gradient", *out])
        if isinstance(instruction, DiscreteEndCotangents):
            end = instruction.end
            inputs = (end.q_n, end.q, end.theta, instruction.v, instruction.multiplier)
            return f"discrete_end_cotangents(&problem, work, t, h, {', '.join(map(self._array, inputs))}, {given})"
        start = instruction.start
        theta, _, q, mu = map(self._array, instruction.ends)
        at = f"{time_text(start.c)}, h, {self._array(start.q)}, {self._array(start.v)}"
        numbers = f"{self._real(start.has_load)}, {self._real(start.is_solution)}"
        return f"discrete_start_cotangents(&problem, work, {at}, {numbers}, {theta}, {q}, {mu}, {given})"

    def _implicit_end_cotangents(self, instruction: ImplicitEndCotangents, out: Sequence[str]) -> Iterator[str]:
        has_matrix = "KEEPS_FACTORS ? SYMLIE_ANY(end.has_factors) : trial->newton.jacobians > 0"
        given = [*map(self._or_zero, instruction.of_results)]
        of_points, points = "0", "0"
        if instruction.end.sees_end:
            # The sixth result is Bᵀη, which nothing reads.
            yield f"const symlie_real *given[] = {{{', '.join(given[7:] or ['0'])}}};"
            yield f"symlie_real *points[] = {{{', '.join(out[4:] or ['0'])}}};"
            of_points, points = "given", "points"
        ends = [*given[:6], given[6] if instruction.end.sees_end else "0", of_points, points]
        arguments = ", ".join([*ends, "&start->gradient, work", *out[:4]])
        yield f"status = implicit_end_cotangents(&end, {has_matrix}, {arguments});"
        yield RETURN_FAILURE
