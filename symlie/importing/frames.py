"""Poses from positions and quaternions of the compiler."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from symlie.importing.description import Array, Pose


def pose_of(place: ArrayLike, quaternion: ArrayLike) -> Pose:
    """Return the pose of a position and a quaternion."""
    return Pose(matrix_of(quaternion), np.array(place, dtype=float))


def matrix_of(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix of a quaternion with the real part first."""
    w, x, y, z = np.asarray(quaternion, dtype=float)
    w, x, y, z = np.array([w, x, y, z]) / np.sqrt(w * w + x * x + y * y + z * z)
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
