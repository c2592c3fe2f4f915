"""Interpolation of run-time tables: names, degrees of the polynomials, and smoothness."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.options import Outside, TableEnd

DEGREES = {"linear": 1, "hold": 0, "cubic": 3, "quintic": 5}
"""Degree of the polynomials between knots, by interpolation."""

SLOTS = 3
"""Slots of a table among the parameters."""

SPLINES = {3: "cubic", 5: "quintic"}
"""Spline interpolations, by degree."""

ENDS = get_args(TableEnd)
"""End conditions of splines, in SciPy's terms."""

OUTSIDE = get_args(Outside)
"""Treatments of arguments outside of a table."""

MARGIN = 1e-6
"""Distance from the ends of a table, relative to its length, up to which its end polynomials are extrapolated: states
of a run violate constraints by rounding and by the tolerance of Newton's method."""


PERIODIC = 1e-9
"""Tolerance on the difference of the first and the last value of a periodic table, relative to its largest value."""


def smoothness_of(interpolation: str, end: str = "not-a-knot", outside: str = "hold") -> int:
    """Return the number of continuous derivatives of all functions through tables of these options; -1 if they may
    jump."""
    inside = DEGREES[interpolation] - 1
    if outside != "hold" or end == "periodic":
        return inside
    vanishing = (DEGREES[interpolation] - 1) // 2 if end == "clamped" else 0
    return min(inside, vanishing)


def check_points(
    what: str, knots: NDArray[np.float64], values: NDArray[np.float64], interpolation: str, end: str
) -> None:
    """Check that points, shapes (n,) and (n, size), define a spline; raise `ModelError` for too few points or unequal
    periodic ends."""
    degree = DEGREES[interpolation]
    if degree not in SPLINES:
        return
    least = {"not-a-knot": degree + 1, "natural": (degree + 1) // 2, "clamped": 2, "periodic": 3}[end]
    if len(knots) < least:
        raise ModelError(f"{what} needs at least {least} points for a {interpolation} spline with '{end}' ends, "
                         f"not {len(knots)}.")  # fmt: skip
    gap = np.abs(values[-1] - values[0])
    if end == "periodic" and not np.all(gap <= PERIODIC * np.abs(values).max(axis=0)):
        raise ModelError(f"{what} is periodic, but its first and last values differ by {gap.max():g}.")
