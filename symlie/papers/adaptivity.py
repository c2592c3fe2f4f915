"""Studies of what adaptive steps gain over as many steps of one length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from symlie.papers.studies import Case, Course, Session
from symlie.runtime.solution.solution import Solution


@dataclass(frozen=True)
class Gain:
    """What adaptive steps gain.

    Attributes
    ----------
    steps
        Accepted steps.
    adaptive, fixed
        Euclidean norm of the error of the stored components at the end, with adaptive steps and with as many of one
        length.
    """

    steps: int
    adaptive: float
    fixed: float

    @property
    def factor(self) -> float:
        """Error of fixed steps over that of adaptive ones."""
        return self.fixed / self.adaptive


@dataclass(frozen=True)
class Adaptivity:
    """Cases with adaptive steps and with as many fixed ones; the result is a `Gain` by the name of the case.

    Attributes
    ----------
    cases
        Cases by name.
    method
        A method with an estimate of its error.
    atol
        Tolerance of the estimate, without a relative one.
    t_end
        End time, in s.
    node
        The node, or array of nodes, whose stored components are compared.
    reference
        Method and step of the runs that are compared with.
    """

    cases: tuple[tuple[str, Case], ...]
    method: str
    atol: float
    t_end: float
    node: str
    reference: tuple[str, float]

    def course(self, case: Case) -> Course:
        """The adaptive run of a case."""
        return Course(case, self.t_end, self.method, rtol=0.0, atol=self.atol, trace=True)

    def run(self, session: Session) -> Mapping[str, Gain]:
        """Run all cases."""
        return {name: self._gain(session, case) for name, case in self.cases}

    def _gain(self, session: Session, case: Case) -> Gain:
        adaptive = cast(Solution, session.result(self.course(case)))
        steps = adaptive.statistics.accepted
        method, h = self.reference
        exact = cast(Solution, session.result(Course(case, self.t_end, method, h, record_every=0)))
        fixed = cast(Solution, session.result(Course(case, self.t_end, self.method, self.t_end / steps)))
        ends = [run.configuration(self.node)[-1] for run in (adaptive, fixed, exact)]
        errors = [float(np.linalg.norm(end - ends[-1])) for end in ends[:-1]]
        return Gain(steps, *errors)
