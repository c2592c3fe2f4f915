"""Links of planar mechanisms: bars between the joints of bodies without shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.utilities.encoding import Content
from symlie.view.joints import Connection
from symlie.view.poses import Track
from symlie.view.quaternions import rotate

THICKNESS = 0.02
"""Width of a bar relative to the extent of all joints, or to the longest bar of a body."""

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


def joint_places(body: Track, joints: Sequence[Connection]) -> list[Array]:
    """Return the distinct points of planar joints on a body, in its axes."""
    found: list[Array] = []
    if body.rotations is None:
        return found
    for joint in joints:
        for other, points in zip(joint.bodies, joint.points, strict=True):
            if joint.is_planar and other is not None and (other.node, other.index) == (body.node, body.index):
                place = rotate(body.rotations[:1] * CONJUGATE, points[:1] - body.positions[:1])[0]
                if not any(np.allclose(place, known, atol=1e-9 * _size(joints), rtol=0) for known in found):
                    found.append(place)
    return found


def bars(places: Sequence[Array], joints: Sequence[Connection]) -> list[Content]:
    """Return the bars of a link: one between two places, a closed polygon through several ones."""
    ends = [(places[k - 1], places[k]) for k in range(0 if len(places) > 2 else 1, len(places))]
    width = THICKNESS * max(_size(joints), *(float(np.linalg.norm(b - a)) for a, b in ends), 0.0)
    return [_bar(start, end, width) for start, end in ends]


def _bar(start: Array, end: Array, width: float) -> Content:
    along = end - start
    half = float(np.arctan2(along[1], along[0])) / 2
    return {
        "kind": "box",
        "at": ((start + end) / 2).tolist(),
        "rotation": [float(np.cos(half)), 0.0, 0.0, float(np.sin(half))],
        "size": [float(np.linalg.norm(along)) + width, width, width],
    }


def _size(joints: Sequence[Connection]) -> float:
    """Return the largest extent of all joints over time, in m."""
    if not joints:
        return 0.0
    return float(np.ptp(np.concatenate([p for joint in joints for p in joint.points]), axis=0).max())
