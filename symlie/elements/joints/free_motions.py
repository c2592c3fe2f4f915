"""Relative velocities that joints leave free without a coordinate, such as rotations of a point on a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.elements.joints.coordinates import Shift
from symlie.elements.joints.frames import Frame, Values, frame_of_numbers, relative_rate, relative_spin
from symlie.elements.joints.rows import JointDefinition
from symlie.elements.placement import Array
from symlie.modeling.statement import Statement

ANGULAR_VELOCITY = "angular_velocity"
"""Output of such joints: angular velocity of the second body relative to the first, in axes of the second marker."""

VELOCITY = "velocity"
"""Output of such joints: time derivatives of the displacements along the axes of the first marker."""

STEP = 1e-5
"""Rotation in rad, and displacement relative to the distance of the markers or 1 m, of central differences."""

APART = 1e-9
"""Distance of the markers, relative to that from the origin, below which they coincide."""

FREE = 1e-6
"""Relative singular value below which constraint equations and coordinates leave a motion free."""


def free_motions(rows: JointDefinition, markers: Sequence[tuple[Array, Array]], values: Values) -> tuple[str, ...]:
    """Return the outputs that describe the free motions without a coordinate.

    Parameters
    ----------
    rows
        Definition of the joint.
    markers
        Initial points and axes of both markers, in inertial axes.
    values
        Parameters of the joint, as numbers.
    """
    (p, a), (q, b) = markers
    size, distance = len(p), float(np.linalg.norm(q - p))
    length = distance if distance > APART * max(np.linalg.norm(p), np.linalg.norm(q)) else 1.0
    turns = 3 if size == 3 else 1

    def vanishing(motion: Array) -> Array:
        turned = _rotation(motion[:turns], size) @ b
        frames = frame_of_numbers(p, a), frame_of_numbers(q + length * motion[turns:], turned)
        return np.array([float(row) for row in rows.vanishing(*frames, values)])

    columns = [(vanishing(step) - vanishing(-step)) / (2 * STEP) for step in STEP * np.eye(turns + size)]
    found = [np.array(columns).reshape(turns + size, -1).T]
    for c in rows.coordinates:
        row = np.zeros((1, turns + size))
        if isinstance(c, Shift):
            row[0, turns:] = a[:, c.along]
        else:
            row[0, :turns] = 1.0 if turns == 1 else (b if c.about[1] else a)[:, c.about[0]]
        found.append(row)
    whole = np.vstack(found)
    if len(whole) >= turns + size:
        return ()
    lengths = np.linalg.norm(whole, axis=1)
    _, sizes, basis = np.linalg.svd(whole / np.where(lengths > 0, lengths, 1.0)[:, None])
    free = np.abs(basis[int(np.sum(sizes > FREE)) :])
    is_free = free[:, :turns].max(initial=0.0) > FREE, free[:, turns:].max(initial=0.0) > FREE
    return tuple(name for name, is_open in zip((ANGULAR_VELOCITY, VELOCITY), is_free, strict=True) if is_open)


def _rotation(vector: Array, size: int) -> Array:
    """Return a rotation to second order."""
    if size == 2:
        return np.array([[np.cos(vector[0]), -np.sin(vector[0])], [np.sin(vector[0]), np.cos(vector[0])]])
    cross = np.cross(np.eye(3), -vector)
    return np.asarray(np.eye(3) + cross + cross @ cross / 2)


def state_free_motions(statement: Statement, a: Frame, b: Frame, names: Sequence[str]) -> None:
    """Add the outputs of free motions to an element type."""
    size = len(a.offset)
    if ANGULAR_VELOCITY in names:
        spin = relative_rate(a, b) if size == 3 else relative_spin(a, b)[0]
        statement.output(ANGULAR_VELOCITY, spin, unit="rad/s")
    if VELOCITY in names:
        speeds = [Shift("", "", k).rate_of(statement, a, b) for k in range(size)]
        statement.output(VELOCITY, speeds, unit="m/s")
