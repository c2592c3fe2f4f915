"""C text of stages."""

from __future__ import annotations

from collections.abc import Iterator

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.stage_instructions import Stage, StageBetween
from symlie.runtime.steps.value_text import RETURN_FAILURE, ValueText, time_text


class StageText(ValueText):
    """Printer of stages."""

    def stage_statements(self, stage: Stage | StageBetween, line: Line) -> Iterator[str]:
        """Yield the statements of a stage."""
        if isinstance(stage, StageBetween):
            yield from self._between(stage, line)
        elif stage.multiplier is None or stage.jacobian is None:
            yield from self._stage(stage, line)
        else:
            acceleration, multiplier = map(self._array, line.results)
            yield f"copy(ROWS, {self._array(stage.multiplier)}, {multiplier});"
            point = f"{time_text(stage.c)}, {', '.join(map(self._array, (stage.q, stage.v, stage.jacobian)))}"
            call = f"step_with_multipliers(P, work, {point}, angle, mass, {acceleration}, {multiplier})"
            yield f"if (state->acceleration_is_valid) copy(DIMENSION, state->acceleration, {acceleration});"
            yield f"else if ((status = {call}) != SYMLIE_DONE) return status;"
            yield from self._first_acceleration(acceleration)

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

    def _between(self, stage: StageBetween, line: Line) -> Iterator[str]:
        acceleration, multiplier = map(self._array, line.results)
        point = f"{time_text(stage.c)}, {self._array(stage.q)}, {self._array(stage.v)}, {self._array(stage.jacobian)}"
        following = ", ".join(map(self._array, (stage.next_q, stage.next_jacobian, stage.known)))
        guess = "0" if stage.guess is None else self._array(stage.guess)
        numbers = f"h * {c_number(stage.weight)}, control->baumgarte, {guess}, {int(stage.keeps_mass)}"
        results = f"angle, mass, {acceleration}, {multiplier}"
        yield f"status = step_between(P, work, {point}, {time_text(stage.next_c)}, {following}, {numbers}, {results});"
        yield RETURN_FAILURE

    def _first_acceleration(self, acceleration: str) -> Iterator[str]:
        reads = "if (reads_first_acceleration(control, state, trial))"
        yield f"{reads} copy(DIMENSION, {acceleration}, trial->first_acceleration);"

    def _is_after_end(self, line: Line) -> bool:
        lines = self._program.lines
        if not self._program.has_end:
            return False
        return lines.index(line) > next(k for k, x in enumerate(lines) if x.instruction is self._program.end)
