"""Errors of functions as papers print them, closed forms with Taylor polynomials below a threshold, over the angle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.packages import require
from symlie.papers.items import Curve, Panel, Points
from symlie.papers.studies import Session

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
"""Closed forms by the names of the functions, up to their signs."""

LABELS = ("as printed", "symlie")
Found = Mapping[str, "Sequence[ErrorCurve]"]


@dataclass(frozen=True)
class ErrorCurves:
    """What ``symlie verify --paper`` draws up to ω = π; the result is an `ErrorCurve` as printed and ours, by function.

    Attributes
    ----------
    paper
        Short name.
    functions
        Names of the functions that it prints.
    """

    paper: str
    functions: tuple[str, ...]

    def run(self, session: Session) -> Found:
        """Measure and bound them.

        Raises
        ------
        MissingDependencyError
            The packages of the extra 'verify' are not installed.
        """
        require("A proof", "flint", "pycparser")
        from symlie.certify.curves import comparison

        session.progress("errors of printed functions")
        return comparison(self.functions, paper=self.paper)


def error_panels(study: ErrorCurves) -> list[Panel]:
    """A panel for each function: the largest errors found about each angle."""
    return [
        Panel(
            FORMS[name], "ω in rad", "error in ulp",
            [Curve(label, study, measured(name, k)) for k, label in enumerate(LABELS)], "loglog",
        )
        for name in study.functions
    ]  # fmt: skip


LEAST = 0.1
"""Smaller errors are drawn here, in units in the last place."""


def measured(name: str, number: int) -> Callable[[Found], Points]:
    """Errors of a function as printed, or ours, over ω, in units in the last place."""

    def points(found: Found) -> Points:
        curve = found[name][number]
        return curve.omega, np.maximum(curve.measured, LEAST)

    return points
