"""C text of step programs; ``templates/c/driver/steps.h`` contains the functions that it calls."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.discrete_instructions import DiscreteEnd, DiscreteStart, Projects, SymplecticStage
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.formula_text import formula_inputs, formula_text, member, weighted_term
from symlie.runtime.steps.implicit_instructions import (
    Carried,
    Carry,
    CarryNumber,
    FirstAcceleration,
    HiddenViolation,
    ImplicitEnd,
)
from symlie.runtime.steps.instructions import (
    HISTORY,
    Add,
    Advance,
    At,
    Bracket,
    Combination,
    Difference,
    Earlier,
    End,
    Estimate,
    Instruction,
    InverseTangent,
    KeepHistory,
    Moving,
    Multipliers,
    NextStage,
    Operation,
    Residuals,
    Sum,
    VelocityAt,
    Where,
    WithStates,
)
from symlie.runtime.steps.lifetimes import END_ACCELERATION, END_LAMBDA, END_Q, END_V, arrays_of
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
from symlie.runtime.steps.values import START_V, Acceleration, Algebra

WIDTH = 120
"""Largest length of a line of C."""

_ARGUMENTS = """(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, """
_TRIAL, _OWN = "symlie_trial *restrict trial)", "symlie_real *restrict own)"


def step_header(program: Program, name: str, start: Program | None = None, first: Program | None = None) -> str:
    """Return the header ``step.h`` with the step of a method.

    Parameters
    ----------
    program
        The step.
    name
        Name of the method.
    start
        Step of the first steps of a method that reads earlier states.
    first
        Initial values of the arrays that the method carries from step to step.
    """
    return "\n".join(_header(program, name, start, first)) + "\n"


def _header(program: Program, name: str, start: Program | None, first: Program | None) -> Iterator[str]:
    """Yield the lines of the header."""
    suffix = "" if program.coordinates == "exp" else f"_{program.coordinates}"
    yield f"/* Step of {name}, printed by symlie from its step program; do not edit. */"
    yield from ("#ifndef SYMLIE_STEP_H", "#define SYMLIE_STEP_H", "")
    yield f"#define ONE_EXPONENTIAL {int(program.is_one_exponential)}"
    for kernel in ("advance", "inverse_tangent_operator", "chart"):
        yield f"#define STEP_{kernel.upper()} system_{kernel}{suffix}"
    if start is not None:
        yield f"#define EARLIER_STEPS {program.earlier_steps}"
    yield from ("", '#include "steps.h"', "")
    for line in program.lines:
        if isinstance(line.instruction, ImplicitEnd):
            yield from formula_text(line.instruction)
    for kind, header in {DiscreteEnd: "variational_solution.h", SymplecticStage: "symplectic_stage.h"}.items():
        if program.has(kind):
            yield from (f'#include "{header}"', "")
    if first is not None:
        yield from _Printer(first).initial_values()
    if start is None:
        yield from _Printer(program).functions("")
    else:
        yield from _Printer(program).functions("later_")
        yield from _Printer(start).functions("start_")
        yield from ('#include "earlier_states.h"', "")
    yield "#endif"


class _Printer:
    """Printer of one program."""

    def __init__(self, program: Program) -> None:
        self._program, self._arrays = program, arrays_of(program)
        self._features = program.features
        self._used = {x.number for line in program.lines for x in line.instruction.inputs}
        self._by_blocks = not program.features.is_fixed
        self._offsets = {"DIMENSION": "", "STORAGE": ""}
        self._own = "trial->own" if program.has_end else "own"

    def functions(self, prefix: str) -> Iterator[str]:
        """Yield the size of the workspace and the step, with a prefix of their names."""
        # A stage has its right-hand side in addition, and a velocity about which constraints are linearised.
        further = ["DIMENSION"] * (1 + self._features.has_nonlinear_rows)
        counts = Counter([*further, *self._arrays.sizes.values()])
        sizes = [f"{count}LL * {size}" for size, count in counts.items()]
        yield f"static inline long long {prefix}step_workspace(const symlie_problem *restrict P)"
        has_end, has_stages = (self._program.has(kind) for kind in (ImplicitEnd, DiscreteEnd))
        further_sizes = {"acceleration": True, "implicit": has_end, "discrete": has_stages}
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
        if not self._program.has_end:
            yield from ("    (void)status, (void)angle;", "    for (int k = 0; k < OWN; k++) own[k] = 0;")
        for for_estimate, part in groupby(lines, lambda x: x.for_estimate):
            if for_estimate:
                yield "    if (!control->with_estimate) return SYMLIE_DONE;"
            for by_blocks, group in groupby(part, lambda x: self._by_blocks and x.instruction.is_by_blocks):
                yield from (self._blocks if by_blocks else self._statements)(list(group))

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
                yield f"step_field(P, {_time(c)}, {of_stage}, {out[0]});"
            case CoordinateRate(q, x):
                yield from self._copied(x, line.results[0])
                yield f"step_coordinate_rate(P, {self._array(q)}, {out[0]});"
            case Moving(x):
                value = self._entry(x)
                yield self._loop(line, f"block.moves ? {value} : SYMLIE_NUMBER(0)" if self._by_blocks else value)
            case StorageRate(q, x):
                yield f"system_storage_rate(P, {self._array(q)}, {self._array(x)}, {out[0]});"
            case JacobianAt(c, q, v):
                yield f"step_jacobian(P, {_time(c)}, {self._array(q)}, {self._array(v)}, {out[0]});"
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
                yield self._loop(line, total.removeprefix(" + ").strip() or "0")
            case WithStates(_, x, of_states):
                yield from self._copied(x, line.results[0])
                entries = f"{out[0]}[STATE[n]] = {self._array(of_states)}[STATE[n]]"
                yield f"for (int n = 0; n < COUNT_OF_STATE; n++) {entries};"
            case Carried(name):
                if isinstance(line.results[0], Scalar):
                    yield f"const symlie_real {out[0]} = state->own[OWN_{name.upper()}];"
            case CarryNumber(name, x):
                yield f"{self._own}[OWN_{name.upper()}] = {self._number(x)};"
            case Carry(name, vector):
                place = f"{self._own}[OWN_{name.upper()} + k]"
                yield f"EACH_COMPONENT(k, {vector.size}) {place} = without_traces({self._arrays[vector]}[k]);"
            case FirstAcceleration(acceleration):
                yield f"copy(DIMENSION, {self._array(acceleration)}, trial->first_acceleration);"
            case HiddenViolation(q, v, needed):
                arguments = f"{self._array(q)}, {self._array(v)}, mass, {out[0]}"
                condition = "1" if needed is None else f"{self._arrays[needed]} != 0 || control->with_estimate"
                yield f"status = step_hidden_violation(P, work, t, {arguments}, {condition});"
                yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
            case ImplicitEnd():
                yield from self._implicit_end(instruction)
            case Projects():
                yield f"const symlie_real {out[0]} = control->project_position || control->project_velocity;"
            case SymplecticStage(theta, q):
                arguments = f"{c_number(theta)}, {self._array(q)}, {', '.join(out)}, &trial->newton"
                yield f"status = symplectic_stage(P, t, h, {arguments});"
                yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
            case DiscreteStart():
                yield from self._discrete_start(instruction, line)
            case DiscreteEnd():
                *vectors, is_damped = map(self._array, instruction.inputs)
                yield f"symlie_real {out[3]} = {is_damped};"
                results = f"&{out[3]}, {', '.join(out[:3])}, &trial->newton"
                yield f"status = discrete_end(&problem, work, t, h, {', '.join(vectors)}, {results});"
                yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
            case Operation(operator, x, y):
                yield f"const symlie_real {out[0]} = {self._number(x)} {operator} {self._number(y)};"
            case Where(condition, x, y):
                choice = f"{self._number(condition)} != 0 ? {self._number(x)} : {self._number(y)}"
                yield f"const symlie_real {out[0]} = {choice};"
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
                yield f"{condition}step_prescribe(P, {_time(c)}, {out[0]}, {out[1]});"
            case VelocityAt(c, q, v):
                yield from self._copied(v, line.results[0])
                yield f"step_prescribe(P, {_time(c)}, {self._array(q)}, {out[0]});"
            case Difference(start, end):
                yield f"system_difference(P, {self._array(start)}, {self._array(end)}, {out[0]});"
            case End():
                yield from self._end(instruction)
            case KeepHistory(theta, acceleration):
                yield from self._history(theta, acceleration)
            case Multipliers(multiplier):
                if self._array(multiplier) != END_LAMBDA:
                    yield f"copy(ROWS, {self._array(multiplier)}, {END_LAMBDA});"
            case NextStage(acceleration):
                if self._array(acceleration) != END_ACCELERATION:
                    yield f"copy(DIMENSION, {self._array(acceleration)}, {END_ACCELERATION});"
                yield "trial->acceleration_is_valid = 1;"
            case Residuals(q, v, jacobian):
                state = f"{self._array(q)}, {self._array(v)}"
                if jacobian is None:
                    yield f"measure_residuals(P, work, t + h, {state}, trial);"
                else:
                    yield f"step_residuals(P, work, t + h, {state}, {self._array(jacobian)}, trial);"
            case Estimate():
                arguments = ", ".join(map(self._array, instruction.inputs))
                yield f"trial->error = error_norm(P, control, trial, {arguments});"
            case _:
                raise AssertionError(instruction)

    def _stage(self, stage: Stage, line: Line) -> Iterator[str]:
        acceleration, multiplier = map(self._array, line.results)
        solves_velocities = self._features.constrained and not self._features.integrates_velocities
        function = "step_velocities" if solves_velocities else "step_stage"
        inputs = f"{self._array(stage.q)}, {self._array(stage.v)}"
        call = f"{function}(P, work, {_time(stage.c)}, {inputs}, angle, mass, {acceleration}, {multiplier})"
        if not stage.is_first:
            yield f"status = {call};"
            yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
        else:
            yield "if (state->acceleration_is_valid) {"
            yield f"    copy(DIMENSION, state->acceleration, {acceleration});"
            if line.results[1].number in self._used:
                yield f"    copy(ROWS, state->lambda, {multiplier});"
            yield "} else {"
            yield f"    status = {call};"
            yield "    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
            yield "}"
            yield from self._first_acceleration(acceleration)
        if self._is_after_end(line):
            yield "trial->rhs_evaluations++;"

    def _constrained_stage(self, stage: StageWithMultipliers | StageBetween, line: Line) -> Iterator[str]:
        acceleration, multiplier = map(self._array, line.results)
        point = f"{_time(stage.c)}, {self._array(stage.q)}, {self._array(stage.v)}, {self._array(stage.jacobian)}"
        if isinstance(stage, StageWithMultipliers):
            yield f"copy(ROWS, {self._array(stage.multiplier)}, {multiplier});"
            call = f"step_with_multipliers(P, work, {point}, angle, mass, {acceleration}, {multiplier})"
            yield f"if (state->acceleration_is_valid) copy(DIMENSION, state->acceleration, {acceleration});"
            yield f"else if ((status = {call}) != SYMLIE_DONE) return status;"
            yield from self._first_acceleration(acceleration)
            return
        following = ", ".join(map(self._array, (stage.next_q, stage.next_jacobian, stage.known)))
        guess = "0" if stage.guess is None else self._array(stage.guess)
        numbers = f"h * {c_number(stage.weight)}, control->baumgarte, {guess}, {int(stage.keeps_mass)}"
        results = f"angle, mass, {acceleration}, {multiplier}"
        yield f"status = step_between(P, work, {point}, {_time(stage.next_c)}, {following}, {numbers}, {results});"
        yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"

    def _discrete_start(self, start: DiscreteStart, line: Line) -> Iterator[str]:
        time = f"{_time(start.c)}, h, {self._array(start.q)}, {self._array(start.v)}"
        load = f"{self._array(start.load)}, {self._number(start.has_load)}"
        guess = f"{self._array(start.theta)}, {self._array(start.mu)}"
        solution = f"{self._number(start.is_solution)}, {self._array(start.rest)}, {int(start.c == 0)}"
        results = ", ".join(map(self._array, line.results))
        arguments = f"{time}, {load}, {guess}, {solution}, {results}, &trial->newton"
        yield f"status = discrete_start(&problem, work, {arguments});"
        yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"

    def _implicit_end(self, end: ImplicitEnd) -> Iterator[str]:
        yield "IMPLICIT_STEP(end);"
        inputs = ", ".join(f".{member(x)} = {self._arrays[x]}" for x in formula_inputs(end))
        yield f"const step_formula formula = {{{inputs}}};"
        slopes = ", ".join(self._number(f.slope) for f in (end.velocity, end.acceleration, end.rate))
        guess = "0" if end.multiplier is None else self._array(end.multiplier)
        arguments = f"{slopes}, q, {self._array(end.guess)}, {guess}, state, trial"
        yield f"status = take_implicit_step(&end, &formula, t, h, {arguments});"
        yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"

    def _first_acceleration(self, acceleration: str) -> Iterator[str]:
        reads = "if (reads_first_acceleration(control, state, trial))"
        yield f"{reads} copy(DIMENSION, {acceleration}, trial->first_acceleration);"

    def _is_after_end(self, line: Line) -> bool:
        lines = self._program.lines
        if not self._program.has_end:
            return False
        return lines.index(line) > next(k for k, x in enumerate(lines) if x.instruction is self._program.end)

    def _end(self, end: End) -> Iterator[str]:
        q, v, theta = map(self._array, end.inputs)
        if self._program.is_implicit:
            yield "trial->rhs_evaluations = trial->newton.evaluations;"
        else:
            yield f"trial->rhs_evaluations = {self._program.stages} - (state->acceleration_is_valid ? 1 : 0);"
        finite = [f"all_finite(DIMENSION, {v})"]
        if not end.is_on_group:
            finite.append(f"all_finite(STORAGE, {q})")
        if self._features.has_fields or self._features.has_coordinate_rates:
            finite.append(f"all_finite(DIMENSION, {theta})")
        yield f"status = step_end(P, angle, {' && '.join(finite)});"
        yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
        if v != END_V:
            yield f"copy(DIMENSION, {v}, {END_V});"
        yield "trial->acceleration_is_valid = 0;"
        yield f"keep_increment(P, {theta}, trial->increment);"
        yield f"system_normalize(P, {q}, {END_Q});" if end.is_on_group else f"copy(STORAGE, {q}, {END_Q});"

    def _history(self, theta: Algebra, acceleration: Acceleration | None) -> Iterator[str]:
        steps = self._program.earlier_steps
        yield f"status = step_history(P, state->q, {self._array(theta)});"
        yield "if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;"
        yield f"trial->own[OWN_COUNT] = fmin(state->own[OWN_COUNT] + 1, {steps});"
        start = {"lengths": "&h", "configurations": "state->q", "velocities": "state->v"}
        for part, count in self._program.history:
            newest = start[part] if part in start else self._array(acceleration or START_V)
            place = f"own + OWN_{part.upper()}"
            yield f"shift({count}, {HISTORY[part].size}, {newest}, state->{place}, trial->{place});"

    def _number(self, value: Scalar | float) -> str:
        return self._arrays[value] if isinstance(value, Scalar) else c_number(value)

    def _term(self, weight: Scalar | float, entry: str) -> str:
        return weighted_term(self._number(weight), entry)

    def _copied(self, value: Value, result: Value) -> Iterator[str]:
        """Yield a copy of a value to the array of a result that an instruction overwrites."""
        if self._array(value) != self._array(result):
            yield f"copy({value.size}, {self._array(value)}, {self._array(result)});"

    def _array(self, value: Value) -> str:
        offset = self._offsets.get(value.size, "")
        return f"{self._arrays[value]}{f' + {offset[0]}' if offset else ''}"

    def _entry(self, value: Value) -> str:
        return f"{self._arrays[value]}[{self._offsets[value.size]}k]"

    def _loop(self, line: Line, value: str) -> str:
        count = "DIMENSION_OF_BLOCK(&block)" if self._offsets["DIMENSION"] else line.results[0].size
        return f"EACH_COMPONENT(k, {count}) {self._entry(line.results[0])} = {value};"


def _time(c: float) -> str:
    """Return the time t + c h as C."""
    return "t" if c == 0 else "t + h" if c == 1 else f"t + {c_number(c)} * h"
