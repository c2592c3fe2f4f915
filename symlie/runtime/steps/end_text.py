"""C text of the end of a step, and of data for the next one."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.steps.expressions import Scalar
from symlie.runtime.steps.implicit_instructions import (
    Carried,
    Carry,
    CarryNumber,
    FirstAcceleration,
)
from symlie.runtime.steps.instructions import (
    HISTORY,
    End,
    Estimate,
    Instruction,
    KeepHistory,
    Multipliers,
    NextStage,
    Residuals,
)
from symlie.runtime.steps.lifetimes import END_ACCELERATION, END_LAMBDA, END_Q, END_V
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText
from symlie.runtime.steps.values import START_V, Acceleration, Configuration


class EndText(ValueText):
    """Printer of the end of a step, and of data for the next one."""

    def end_statements(self, instruction: Instruction, line: Line) -> Iterator[str]:
        """Yield the statements of an instruction at the end of a step, or for data of the next one."""
        out = [self._array(x) for x in line.results]
        match instruction:
            case Carried(name):
                if isinstance(line.results[0], Scalar):
                    yield f"const symlie_real {out[0]} = state->own[OWN_{name.upper()}];"
            case CarryNumber(name, x):
                yield f"{self._own}[OWN_{name.upper()}] = {self._real(x)};"
            case Carry(name, vector):
                entry = f"{self._arrays[vector]}[k]"
                value = entry if isinstance(vector, Configuration) else f"without_traces({entry})"
                yield f"EACH_COMPONENT(k, {vector.size}) {self._own}[OWN_{name.upper()} + k] = {value};"
            case FirstAcceleration(acceleration):
                yield f"copy(DIMENSION, {self._array(acceleration)}, trial->first_acceleration);"
            case End():
                yield from self._end(instruction)
            case KeepHistory(acceleration):
                yield from self._history(acceleration)
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

    def _end(self, end: End) -> Iterator[str]:
        q, v, theta = map(self._array, end.inputs)
        if self._program.is_implicit:
            yield "trial->rhs_evaluations = trial->newton.evaluations;"
        else:
            evaluations = f"{self._program.stages} - (state->acceleration_is_valid ? 1 : 0)"
            yield f"trial->rhs_evaluations = SYMLIE_WHOLE({evaluations});"
        finite = [f"all_finite(DIMENSION, {v})"]
        if not end.is_on_group:
            finite.append(f"all_finite(STORAGE, {q})")
        if self._features.has_fields or self._features.has_coordinate_rates:
            finite.append(f"all_finite(DIMENSION, {theta})")
        yield f"status = step_end(P, angle, {' && '.join(finite)});"
        yield RETURN_FAILURE
        if v != END_V:
            yield f"copy(DIMENSION, {v}, {END_V});"
        yield "trial->acceleration_is_valid = 0;"
        yield f"keep_increment(P, {theta}, trial->increment);"
        yield f"system_normalize(P, {q}, {END_Q});" if end.is_on_group else f"copy(STORAGE, {q}, {END_Q});"

    def _history(self, acceleration: Acceleration | None) -> Iterator[str]:
        steps = self._program.earlier_steps
        yield f"trial->own[OWN_COUNT] = fmin(state->own[OWN_COUNT] + 1, {steps});"
        start = {"lengths": "&h", "configurations": "state->q", "velocities": "state->v"}
        for part, count in self._program.history:
            newest = start[part] if part in start else self._array(acceleration or START_V)
            place = f"own + OWN_{part.upper()}"
            yield f"shift({count}, {HISTORY[part].size}, {newest}, state->{place}, trial->{place});"
