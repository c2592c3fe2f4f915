"""Numbers of a page: as fine as a picture of the whole motion shows, and no finer, so that they compress."""

from __future__ import annotations

from symlie.encoding import encoded, rounded
from symlie.runtime.layout.layout import Array

FINEST_POSITION = 2.0**-18
"""What positions are rounded to, over the extent of the motion: a hundredth of a pixel of a large screen."""

FINEST_ROTATION = 2.0**-17
"""What components of quaternions and of unit vectors are rounded to."""

FINEST_COLOR = 2.0**-10
"""What values that become colours are rounded to, over their range."""


def poses(positions: Array, extent: float) -> dict[str, object]:
    """Positions or velocities, in m or m/s."""
    return encoded(rounded(positions, FINEST_POSITION * extent))


def turns(rotations: Array) -> dict[str, object]:
    """Quaternions or directions, whose components are at most one."""
    return encoded(rounded(rotations, FINEST_ROTATION))


def colors(values: Array) -> dict[str, object]:
    """Values that are shown by colours."""
    span = float(values.max() - values.min()) if values.size else 0.0
    return encoded(rounded(values, FINEST_COLOR * span))


def times(values: Array) -> dict[str, object]:
    """Times, in s, with all digits."""
    return encoded(values, "float64")
