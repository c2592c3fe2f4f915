"""Studies of one model on several grids in space."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symlie.papers.studies import Case, Rung, Session
from symlie.runtime.study.refinement import Grid, refinement


@dataclass(frozen=True)
class Refinement:
    """Errors of a model over numbers of segments, in the L² norm over a run, against the largest number.

    The result is that of a `Ladder` of one method, with lengths of segments in the place of step sizes.

    Attributes
    ----------
    case
        The model, without its option ``segments``.
    segments
        Numbers of segments; the last one is the reference.
    length
        Length of the rod, in m.
    points
        Arc lengths at which curves are compared, in m.
    t_end, method, h
        The run on each grid.
    """

    case: Case
    segments: tuple[int, ...]
    length: float
    points: tuple[float, ...]
    t_end: float
    method: str
    h: float

    def run(self, session: Session) -> dict[str, tuple[Rung, ...]]:
        """Run on all grids."""
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
