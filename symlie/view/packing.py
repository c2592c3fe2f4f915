"""Numbers of a page: as fine as a picture of the whole motion shows, and no finer, so that they compress."""

from __future__ import annotations

import numpy as np

from symlie.encoding import encoded, encoded_series
from symlie.runtime.layout.layout import Array

FINEST_POSITION = 2.0**-20
"""What positions are rounded to, over the extent of the motion: a hundredth of a pixel of a large screen."""

FINEST_ROTATION = 2.0**-20
"""What components of quaternions and of unit vectors are rounded to."""

FINEST_COLOR = 2.0**-10
"""What values that become colours are rounded to, over their range."""

FINEST_ARROW = 2.0**-12
"""What components of arrows are rounded to, over the longest one."""

FINEST_OUTPUT, FINEST_DIGIT = 2.0**-16, 2.0**-24
"""What outputs are rounded to: over their range, and at least over their size, the digits of single precision."""

LITTLE_CHANGE = 2.0**-12
"""Range of an output over its size below which single precision would show as stairs."""


def poses(positions: Array, extent: float) -> dict[str, object]:
    """Positions or velocities, in m or m/s."""
    return encoded_series(positions, FINEST_POSITION * extent)


def turns(rotations: Array) -> dict[str, object]:
    """Quaternions or directions, whose components are at most one."""
    return encoded_series(rotations, FINEST_ROTATION)


def colors(values: Array) -> dict[str, object]:
    """Values that are shown by colours."""
    return encoded_series(values, FINEST_COLOR * _span(values))


def arrows(vectors: Array) -> dict[str, object]:
    """Vectors that are shown by arrows."""
    return encoded_series(vectors, FINEST_ARROW * _size(vectors))


def panels(values: Array) -> dict[str, object]:
    """Values that are plotted, and read at a cursor; with all digits where they hardly change, as energies do."""
    if _span(values) < LITTLE_CHANGE * _size(values):
        return encoded(values, "float64")
    return encoded_series(values, max(FINEST_OUTPUT * _span(values), FINEST_DIGIT * _size(values)))


def times(values: Array) -> dict[str, object]:
    """Times, in s, with all digits."""
    return encoded(values, "float64")


def _span(values: Array) -> float:
    return float(values.max() - values.min()) if values.size else 0.0


def _size(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))
