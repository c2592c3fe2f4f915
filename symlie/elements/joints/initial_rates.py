"""Initial coordinates of joints and their rates, from initial values of bodies."""

from __future__ import annotations

import numpy as np

from symlie.elements.joints.coordinates import Turn
from symlie.elements.joints.joint import ROUNDING, Joint
from symlie.elements.marker import Marker, node_of, placement
from symlie.elements.placement import Array, initial_velocity
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.modeling.node import Node


def initial_rates(joint: Joint, *, is_guess: bool = False) -> tuple[Array, Array]:
    """Return initial coordinates and rates of a joint; for a ball joint, the rotation matrix of the second marker
    relative to the first and its angular velocity in axes of the second.
    """
    rows, model = joint._rows, joint.model
    (p, a), (q, b) = (m.placed(model) for m in joint.markers)
    conditions = [model.conditions.get(f"{joint.name}_{rate}") for rate in rows.rates]
    if not any(v.is_velocity and v.is_given for values in model.initial_values.values() for v in values):
        return _coordinates(joint, a, b), _conditions(joint)
    known = [_velocity(joint, m, point) for m, point in zip(joint.markers, (p, q), strict=True)]
    coordinates = _coordinates(joint, a, b)
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
    # Velocities of bodies need not be consistent with a joint whose rates are a guess.
    if not is_guess and not np.abs(left).max() <= ROUNDING * (1 + np.abs(np.concatenate([spin, speed])).max()):
        raise ModelError(
            f"The initial velocities of the bodies of joint '{joint.name}' violate its constraints, by "
            f"{np.abs(left).max():.3g} m/s or rad/s; give the velocities of all bodies, or rates of joints."
        )
    for k, condition in enumerate(conditions):
        if condition is not None:
            rates[k] = condition.values[0]
    return coordinates, rates


def located_rates(joint: Joint) -> tuple[Array, Array]:
    """Return initial coordinates and rates of a joint as `initial_rates`; rates that neither conditions nor given
    velocities of both bodies determine are zero."""
    model = joint.model
    if all(_is_given(model, node_of(m.body)) for m in joint.markers):
        return initial_rates(joint)
    (_, a), (_, b) = (m.placed(model) for m in joint.markers)
    return _coordinates(joint, a, b), _conditions(joint)


def _is_given(model: Model, node: object) -> bool:
    """Return whether the velocity of a body is specified completely."""
    if not isinstance(node, Node):
        return node is None
    given = {v.field.name for v in model.initial_values.get(node.name, ()) if v.is_velocity and v.is_given}
    return "Omega" in given and bool(given & {"U", "x_dot"})


def _conditions(joint: Joint) -> Array:
    """Return the specified rates of a joint, and zero for others."""
    rows = joint._rows
    given = [joint.model.conditions.get(f"{joint.name}_{rate}") for rate in rows.rates]
    values = [np.atleast_1d(0.0 if c is None else c.values) for c in given]
    return np.resize(np.concatenate(values), 3 if rows.is_ball else len(given)) if values else np.zeros(0)


def _coordinates(joint: Joint, a: Array, b: Array) -> Array:
    if joint._rows.is_ball:
        return np.asarray(a.T @ b)
    frames = joint._initial_frames()
    return np.array([float(c.principal(*frames)) for c in joint._rows.coordinates])


def _velocity(joint: Joint, marker: Marker, point: Array) -> tuple[Array, Array] | None:
    """Return the angular velocity of a body and the velocity of a point of it, in inertial axes, or None if
    unspecified."""
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
