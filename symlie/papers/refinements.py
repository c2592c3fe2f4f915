"""Studies of one model on several spatial grids."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symlie.papers.studies import Case, Rung, Session
from symlie.runtime.study.refinement import Grid, refinement


@dataclass(frozen=True)
class Refinement:
    """Errors in the L² norm over a run versus the number of segments; the result has the form of a `Ladder` of one
    method, with segment lengths instead of step sizes."""

    case: Case
    """Model, without its option ``segments``."""
    segments: tuple[int, ...]
    """Numbers of segments; the last one is the reference."""
    length: float
    """Length of the rod, in m."""
    points: tuple[float, ...]
    """Arc lengths at which curves are compared, in m."""
    t_end: float
    """End time, in s."""
    method: str
    h: float
    """Step size, in s."""

    def run(self, session: Session) -> dict[str, tuple[Rung, ...]]:
        """Run the model on all grids."""
        grids = [Grid(n, session.system(self._with(n))) for n in self.segments]
        rungs = []
        for row in refinement("segments", grids, self.t_end, [self.method], self.h, norm="l2", at=self.points):
            session.progress(f"{self.case.model}, {row.value:g} segments")
            parts = {part: getattr(row.error, part) for part in ("q", "v")}
            errors = {part: value for part, value in parts.items() if value is not None}
            rungs.append(Rung(self.length / row.value, errors, failure=row.failure))
        return {self.method: tuple(rungs)}

    def _with(self, segments: int) -> Case:
        return replace(self.case, options=(*self.case.options, ("segments", segments)))
