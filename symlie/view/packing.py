"""Rounding of the data of a page to the visible resolution, which makes them compressible."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.utilities.encoding import encoded, encoded_series

FINEST_POSITION = 2.0**-20
"""Rounding of positions relative to the extent of the motion: a hundredth of a pixel of a large screen."""

FINEST_ROTATION = 2.0**-20
"""Rounding of the components of quaternions and unit vectors."""

FINEST_COLOR = 2.0**-10
"""Rounding of values shown as colours, relative to their range."""

FINEST_ARROW = 2.0**-12
"""Rounding of the components of arrows, relative to the longest one."""

FINEST_OUTPUT, FINEST_DIGIT = 2.0**-16, 2.0**-24
"""Rounding of outputs relative to their range, but not finer than single precision relative to their magnitude."""

LITTLE_CHANGE = 2.0**-12
"""Ratio of range to magnitude of an output below which single precision would show steps."""


def poses(positions: Array, extent: float) -> dict[str, object]:
    """Encode positions or velocities, in m or m/s."""
    return encoded_series(positions, FINEST_POSITION * extent)


def turns(rotations: Array) -> dict[str, object]:
    """Encode quaternions or directions, whose components are at most one."""
    return encoded_series(rotations, FINEST_ROTATION)


def colors(values: Array) -> dict[str, object]:
    """Encode values shown as colours."""
    return encoded_series(values, FINEST_COLOR * _span(values))


def arrows(vectors: Array) -> dict[str, object]:
    """Encode vectors shown as arrows."""
    return encoded_series(vectors, FINEST_ARROW * _size(vectors))


def panels(values: Array) -> dict[str, object]:
    """Encode plotted values, in double precision if they are nearly constant, such as energies."""
    if _span(values) < LITTLE_CHANGE * _size(values):
        return encoded(values, "float64")
    return encoded_series(values, max(FINEST_OUTPUT * _span(values), FINEST_DIGIT * _size(values)))


def times(values: Array) -> dict[str, object]:
    """Encode times, in s, in double precision."""
    return encoded(values, "float64")


def _span(values: Array) -> float:
    return float(values.max() - values.min()) if values.size else 0.0


def _size(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))
