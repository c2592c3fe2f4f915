"""Coordinates of joints and their rates at the start, from initial values of bodies."""

from __future__ import annotations

import numpy as np

from symlie.elements.joints.coordinates import Turn
from symlie.elements.joints.joint import ROUNDING, Joint
from symlie.elements.marker import Marker, node_of, placement
from symlie.elements.placement import Array, initial_velocity
from symlie.errors import ModelError
from symlie.modeling.node import Node


def initial_rates(joint: Joint) -> tuple[Array, Array]:
    """Coordinates of a joint and their rates in the initial configuration.

    Parameters
    ----------
    joint
        The joint.

    Returns
    -------
    coordinates, rates
        In rad, m, rad/s and m/s; of a ball joint the rotation matrix of the second marker against the first, and its
        angular velocity in axes of the second. Bodies without given velocity are at rest.

    Raises
    ------
    ModelError
        Velocities of the bodies do not fit to the joint.
    """
    rows = joint._rows
    (p, a), (q, b) = (m.placed(joint.model) for m in joint.markers)
    known = [_velocity(joint, m, point) for m, point in zip(joint.markers, (p, q), strict=True)]
    if rows.is_ball:
        coordinates = a.T @ b
    else:
        frames = joint._initial_frames()
        coordinates = np.array([float(c.principal(*frames)) for c in rows.coordinates])
    at_rest = np.zeros(3), np.zeros(3)
    first, second = (at_rest if k is None else k for k in known)
    d = np.zeros(3)
    d[: len(p)] = q - p
    spin, speed = second[0] - first[0], second[1] - first[1] - np.cross(first[0], d)
    if rows.is_ball:
        rates, left = b.T @ spin, speed
    else:
        columns = np.zeros((6, len(rows.coordinates)))
        for k, c in enumerate(rows.coordinates):
            if isinstance(c, Turn):
                columns[:3, k] = [0.0, 0.0, 1.0] if len(p) == 2 else (b if c.about[1] else a)[:, c.about[0]]
            else:
                columns[3 : 3 + len(p), k] = a[:, c.along]
        both = np.concatenate([spin, speed])
        rates = np.linalg.lstsq(columns, both, rcond=None)[0] if rows.coordinates else np.zeros(0)
        left = both - columns @ rates
    if not np.abs(left).max() <= ROUNDING * (1 + np.abs(np.concatenate([spin, speed])).max()):
        raise ModelError(
            f"The initial velocities of the bodies of joint '{joint.name}' tear it apart, by {np.abs(left).max():.3g} "
            "m/s or rad/s; give those of all bodies, or rates of joints."
        )
    return coordinates, rates


def _velocity(joint: Joint, marker: Marker, point: Array) -> tuple[Array, Array] | None:
    """Angular velocity of a body and velocity of a point of it, in inertial axes; None if no velocity is given."""
    node = node_of(marker.body)
    if node is None:
        return np.zeros(3), np.zeros(3)
    found = initial_velocity(joint.model, node) if isinstance(node, Node) else None
    if found is None:
        return None
    spin, velocity, arm = np.zeros(3), np.zeros(3), np.zeros(3)
    spin[3 - len(found["Omega"]) :] = found["Omega"]
    velocity[: len(point)] = found["x_dot"]
    arm[: len(point)] = point - placement(joint.model, marker.body, len(point))[1]
    return spin, velocity + np.cross(spin, arm)
