"""C text of the end of a step, and of data for the next one."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import Carried, Carry, End, ErrorNorm, Instruction, Residuals, Result
from symlie.runtime.steps.lifetimes import END_ACCELERATION, END_LAMBDA, END_Q, END_V
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText
from symlie.runtime.steps.values import Configuration


class EndText(ValueText):
    """Printer of the end of a step, and of data for the next one."""

    def end_statements(self, instruction: Instruction, line: Line) -> Iterator[str]:
        """Yield the statements of an instruction at the end of a step, or for data of the next one."""
        out = [self._array(x) for x in line.results]
        match instruction:
            case Carried(name, _, steps):
                if isinstance(line.results[0], Scalar):
                    place = f" + {steps - 1}" if steps else ""
                    yield f"const symlie_real {out[0]} = state->own[OWN_{name.upper()}{place}];"
            case Carry():
                yield self._carry(instruction)
            case End():
                yield from self._end(instruction)
            case Result():
                yield from self._result(instruction)
            case ErrorNorm():
                inputs = ", ".join(map(self._array, instruction.inputs))
                yield f"const symlie_real {out[0]} = error_norm(P, control, trial, {inputs});"
            case Residuals(q, v, jacobian):
                state = f"{self._array(q)}, {self._array(v)}"
                if jacobian is None:
                    yield f"measure_residuals(P, work, t + h, {state}, trial);"
                else:
                    yield f"step_residuals(P, work, t + h, {state}, {self._array(jacobian)}, trial);"
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

    def _carry(self, carry: Carry) -> str:
        place, x = f"OWN_{carry.name.upper()}", carry.x
        if carry.steps and isinstance(x, Value):
            newest = f"&{self._array(x)}" if isinstance(x, Scalar) else self._array(x)
            return f"shift({carry.steps}, {x.size}, {newest}, state->own + {place}, {self._own} + {place});"
        if isinstance(x, Scalar | float) or not isinstance(x, Value):
            return f"{self._own}[{place}] = {self._real(x)};"
        entry = f"{self._array(x)}[k]"
        value = entry if isinstance(x, Configuration) else f"without_traces({entry})"
        return f"EACH_COMPONENT(k, {x.size}) {self._own}[{place} + k] = {value};"

    def _result(self, result: Result) -> Iterator[str]:
        found = self._array(result.x)
        match result.name:
            case "angle":
                yield f"status = step_end(P, {found}, 1);"
                yield RETURN_FAILURE
            case "error":
                yield f"trial->error = {found};"
            case "first_acceleration":
                yield f"copy(DIMENSION, {found}, trial->first_acceleration);"
            case "lambda" if found != END_LAMBDA:
                yield f"copy(ROWS, {found}, {END_LAMBDA});"
            case "acceleration":
                if found != END_ACCELERATION:
                    yield f"copy(DIMENSION, {found}, {END_ACCELERATION});"
                yield "trial->acceleration_is_valid = 1;"
