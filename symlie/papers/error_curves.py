"""Errors of functions printed in papers, closed forms with Taylor polynomials below a threshold, versus the angle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.papers.items import Curve, Panel, Points
from symlie.papers.studies import Session
from symlie.utilities.packages import require

if TYPE_CHECKING:
    from symlie.certify.curves import ErrorCurve

FORMS = {
    "c1": "sin ω/ω",
    "c2": "(cos ω - 1)/ω^2",
    "c3": "(ω - sin ω)/ω^3",
    "c2_1": "(2 - 2 cos ω - ω sin ω)/ω^4",
    "c3_1": "(ω (2 + cos ω) - 3 sin ω)/ω^5",
    "g0": "(1 - ω/2 cot(ω/2))/ω^2",
}
"""Closed forms by name of the function, up to the sign."""

LABELS = ("as printed", "symlie")
Found = Mapping[str, "Sequence[ErrorCurve]"]


@dataclass(frozen=True)
class ErrorCurves:
    """Errors of functions of a paper up to ω = π, as in ``symlie verify --paper``; the result is a pair of `ErrorCurve`
    (as printed, ours) by function."""

    paper: str
    functions: tuple[str, ...]

    def run(self, session: Session) -> Found:
        """Measure and bound the errors."""
        require("A proof", "flint", "pycparser")
        from symlie.certify.curves import comparison

        session.progress("errors of printed functions")
        return comparison(self.functions, paper=self.paper)


def error_panels(study: ErrorCurves) -> list[Panel]:
    """Return a panel for each function with the largest errors found near each angle."""
    return [
        Panel(
            FORMS[name], "ω in rad", "error in ulp",
            [Curve(label, study, measured(name, k)) for k, label in enumerate(LABELS)], "loglog",
        )
        for name in study.functions
    ]  # fmt: skip


LEAST = 0.1
"""Lower limit of drawn errors, in units in the last place."""


def measured(name: str, number: int) -> Callable[[Found], Points]:
    """Return a reader of errors versus ω, in units in the last place, of a function as printed (0) or of symlie (1)."""

    def points(found: Found) -> Points:
        curve = found[name][number]
        return curve.omega, np.maximum(curve.measured, LEAST)

    return points
