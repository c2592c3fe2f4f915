"""C text of stages."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText, time_text
from symlie.runtime.steps.values import Multiplier


class StageText(ValueText):
    """Printer of stages."""

    def stage_statements(self, stage: Stage, line: Line) -> Iterator[str]:
        """Yield the statements of a stage."""
        point = ", ".join([time_text(stage.c), *(self._array(x) for x in self._point(stage))])
        match stage.condition:
            case None:
                yield from self._stage(stage, line)
            case Multiplier() as known:
                acceleration, multiplier = map(self._array, line.results)
                yield f"copy(ROWS, {self._array(known)}, {multiplier});"
                call = f"step_with_multipliers(P, work, {point}, angle, mass, {acceleration}, {multiplier})"
                yield f"if (state->acceleration_is_valid) copy(DIMENSION, state->acceleration, {acceleration});"
                yield f"else if ((status = {call}) != SYMLIE_DONE) return status;"
                yield from self._first_acceleration(acceleration)
            case following:
                given = f"{point}, {self._next_point(following)}, {self._array(following.known)}"
                guess = "0" if following.guess is None else self._array(following.guess)
                numbers = f"h * {c_number(following.weight)}, control->baumgarte, {guess}, {int(following.keeps_mass)}"
                results = f"angle, mass, {', '.join(map(self._array, line.results))}"
                yield f"status = step_between(P, work, {given}, {numbers}, {results});"
                yield RETURN_FAILURE

    def _point(self, stage: Stage) -> tuple[Value, ...]:
        """Return q, v and B, if it is known, of a stage."""
        return (stage.q, stage.v) if stage.jacobian is None else (stage.q, stage.v, stage.jacobian)

    def _next_point(self, following: NextPoint) -> str:
        """Return time, q and B of the next point."""
        return f"{time_text(following.c)}, {self._array(following.q)}, {self._array(following.jacobian)}"

    def _stage(self, stage: Stage, line: Line) -> Iterator[str]:
        acceleration, multiplier = map(self._array, line.results)
        solves_velocities = self._features.constrained and not self._features.integrates_velocities
        function = "step_velocities" if solves_velocities else "step_stage"
        inputs = f"{self._array(stage.q)}, {self._array(stage.v)}"
        call = f"{function}(P, work, {time_text(stage.c)}, {inputs}, angle, mass, {acceleration}, {multiplier})"
        if not stage.is_first:
            yield f"status = {call};"
            yield RETURN_FAILURE
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
            yield "trial->rhs_evaluations += 1;"

    def _first_acceleration(self, acceleration: str) -> Iterator[str]:
        reads = "if (reads_first_acceleration(control, state, trial))"
        yield f"{reads} copy(DIMENSION, {acceleration}, trial->first_acceleration);"

    def _is_after_end(self, line: Line) -> bool:
        lines = self._program.lines
        if not self._program.has_end:
            return False
        return lines.index(line) > next(k for k, x in enumerate(lines) if x.instruction is self._program.end)
