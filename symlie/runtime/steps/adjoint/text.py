"""C text of adjoint steps; ``templates/c/adjoint`` contains the functions that it calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.adjoint.instructions import (
    BracketTranspose,
    CarriedCotangents,
    DependentCotangents,
    EndCotangents,
    FieldCotangents,
    FirstStageCotangents,
    HiddenViolationCotangents,
    ImplicitEndCotangents,
    InverseTangentGradient,
    InverseTangentTranspose,
    KnownMultiplierCotangents,
    Part,
    StageBetweenCotangents,
    StageCotangents,
    StartCotangents,
    StartOfCarried,
    TangentTranspose,
    Total,
)
from symlie.runtime.steps.adjoint.transposition import transposed
from symlie.runtime.steps.c_text import StepPrinter, step_definitions
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.formula_text import formula_text
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import At, Instruction
from symlie.runtime.steps.program import Line, Program
from symlie.runtime.steps.stage_instructions import STAGES, Stage, StageBetween, StageWithMultipliers
from symlie.runtime.steps.value_text import RETURN_FAILURE, time_text

_ARGUMENTS = """(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict masses,
                              const symlie_state *restrict state, const symlie_cotangents *after,
                              symlie_cotangents *start)"""

_OF_NODES = {
    TangentTranspose: "step_tangent_transpose",
    InverseTangentTranspose: "step_inverse_tangent_transpose",
    InverseTangentGradient: "step_inverse_tangent_gradient",
    BracketTranspose: "step_bracket_transpose",
}
"""Functions of transposed operators on nodes."""


def adjoint_header(program: Program, name: str, first: Program | None) -> str:
    """Return the header ``adjoint_step.h`` with the adjoint of the step of a method, and with the initial values of the
    arrays that it carries, whose adjoint follows."""
    printers = [_AdjointPrinter(transposed(x)) for x in (program, first) if x is not None]
    ends = [x for x in program.lines if isinstance(x.instruction, ImplicitEnd)]
    return "\n".join(
        [
            f"/* Adjoint of the step of {name}, printed by symlie from its step program; do not edit. */",
            "#ifndef SYMLIE_ADJOINT_STEP_H",
            "#define SYMLIE_ADJOINT_STEP_H",
            "",
            *step_definitions(program),
            f"#define STARTS_FROM_ACCELERATION {int(program.starts_from_acceleration)}",
            f"#define STAGES {max(1, *(printer.stages for printer in printers))}",
            "",
            '#include "steps.h"',
            '#include "adjoint_stages.h"',
            "",
            *(text for line in ends for text in formula_text(line)),
            *(['#include "implicit_ends.h"', ""] if ends else []),
            *([] if first is None else StepPrinter(first).initial_values()),
            *(text for printer in printers for text in printer.adjoint()),
            "#endif",
            "",
        ]
    )


class _AdjointPrinter(StepPrinter):
    """Printer of the adjoint of a step."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        numbered = [x.results[0].number for x in program.lines if isinstance(x.instruction, STAGES)]
        self._stage_numbers = {number: k for k, number in enumerate(numbered)}

    @property
    def stages(self) -> int:
        """Number of stages, each with a separate mass matrix."""
        return len(self._stage_numbers)

    def adjoint(self) -> Iterator[str]:
        """Yield the size of the workspace and the function."""
        name = "adjoint_begin" if self._is_first else "adjoint_step"
        counts = Counter(["DIMENSION", *self._arrays.sizes.values()])
        sizes = [f"{count}LL * {size}" for size, count in counts.items()]
        sizes += ["acceleration_workspace(P)", "adjoint_stage_workspace(P)"]
        if self._program.has(ImplicitEnd):
            sizes += ["implicit_workspace(P)", "trial_workspace(P)"]
        if self._program.has(ImplicitEndCotangents, HiddenViolationCotangents):
            sizes.append("implicit_end_workspace(P)")
        yield f"static inline long long {name}_workspace(const symlie_problem *restrict P)"
        yield f"{{\n    return {' + '.join(sizes)};\n}}\n"
        yield f"static inline int {name}{_ARGUMENTS}\n{{"
        yield "    mass_matrix *restrict mass = masses;"
        yield from self._body()
        yield from ("    return SYMLIE_DONE;", "}", "")

    @property
    def _is_first(self) -> bool:
        """True for the initial values of arrays that the method carries."""
        return any(isinstance(x.instruction, StartCotangents) and x.instruction.are_added for x in self._program.lines)

    def _opening(self) -> Iterator[str]:
        if self._program.has(ImplicitEnd):
            yield from ("    TRIAL(repeated);", "    symlie_trial *restrict trial = &repeated;")

    def _first_acceleration(self, acceleration: str) -> Iterator[str]:
        return iter(())

    def _mass_of(self, acceleration: Value) -> str:
        return f"mass = MASS_OF_STAGE({self._stage_numbers[acceleration.number]});"

    def _checked(self, *parts: str) -> str:
        """Return a call of a function that may find a singular matrix."""
        return f"if (!{', '.join(parts)})) return SYMLIE_SINGULAR;"

    def _component(self, value: Value) -> str:
        return f"{self._array(value)}[k]" if value.size == "ROWS" else self._entry(value)

    def _or_zero(self, value: Value | None) -> str:
        return "0" if value is None else self._array(value)

    def _printed(self, instruction: Instruction, line: Line) -> Iterator[str]:
        out = [self._array(x) for x in line.results]
        match instruction:
            case Stage() | StageWithMultipliers() | StageBetween():
                yield self._mass_of(line.results[0])
                yield from super()._printed(instruction, line)
            case EndCotangents():
                return
            case Total(_, powers, weights, terms):
                factors = ("".join(["h * "] * n) for n in powers)
                pairs = zip(factors, weights, map(self._component, terms), strict=True)
                total = "".join(self._term(w, f"{h}{entry}") for h, w, entry in pairs)
                count = "DIMENSION_OF_BLOCK(&block)" if self._offsets["DIMENSION"] else line.results[0].size
                target = self._component(line.results[0])
                yield f"EACH_COMPONENT(k, {count}) {target} = {total.removeprefix(' + ').strip()};"
            case FieldCotangents(field, x):
                point = [
                    time_text(field.c),
                    *map(self._array, (field.q, field.v, field.acceleration, field.multiplier)),
                ]
                arguments = ", ".join([*point, self._array(x), "&start->gradient", *out])
                yield f"field_cotangents(P, {arguments});"
            case At(c, q, v):
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
            case CarriedCotangents(name):
                yield f"copy(DIMENSION, after->own + OWN_{name.upper()}, {out[0]});"
            case StartOfCarried(name, x):
                yield f"take_cotangent(DIMENSION, {self._or_zero(x)}, start->own + OWN_{name.upper()});"
            case Part(x, of_states):
                entry = f"{out[0]}[STATE[n]] = {f'{self._array(x)}[STATE[n]]' if of_states else 'SYMLIE_NUMBER(0)'}"
                yield (
                    f"fill_zero(DIMENSION, {out[0]});" if of_states else f"copy(DIMENSION, {self._array(x)}, {out[0]});"
                )
                yield f"for (int n = 0; n < COUNT_OF_STATE; n++) {entry};"
            case ImplicitEndCotangents(_, _, of_results):
                has_matrix = "KEEPS_FACTORS ? SYMLIE_ANY(end.has_factors) : trial->newton.jacobians > 0"
                given = ", ".join([*map(self._or_zero, of_results), "&start->gradient, work", *out])
                yield f"status = implicit_end_cotangents(&end, {has_matrix}, {given});"
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
                inputs = (stage.q, stage.v, stage.jacobian, a, stage.multiplier, of_a)
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
            case _ if type(instruction) in _OF_NODES:
                P = "block.P" if self._offsets["STORAGE"] else "P"
                arguments = ", ".join([P, *map(self._array, instruction.inputs), out[0]])
                yield f"{_OF_NODES[type(instruction)]}({arguments});"
            case _:
                yield from super()._printed(instruction, line)
