"""The Puma 560 in its six joint angles, by the recursion of Newton and Euler, which shares nothing with the model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.models.puma560 import GAINS, GOAL, LINKS, START

Array = NDArray[np.float64]

GRAVITY = 9.81
"""In m/s²."""

Z = np.array([0.0, 0.0, 1.0])


def torques(q: Array, rate: Array, acceleration: Array, gravity: float = GRAVITY) -> Array:
    """Joint torques in N m for a motion, or for an array of motions: outwards accelerations, inwards forces.

    Source: J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme for mechanical manipulators, 1980.
    """
    rate, acceleration = np.broadcast_arrays(rate, acceleration)
    shape = (*rate.shape[:-1], 3)
    spin, turning, lifted = np.zeros(shape), np.zeros(shape), np.broadcast_to(gravity * Z, shape)
    loads, frames = [], []
    for k, (d, a, turns, mass, center, inertia) in enumerate(LINKS):
        c, s = np.cos(q[k]), np.sin(q[k])
        twist = np.array([[1.0, 0.0, 0.0], [0.0, 1.0 - abs(turns), -turns], [0.0, turns, 1.0 - abs(turns)]])
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ twist  # rows of vectors times R are Rᵀ times them
        arm, to_center = np.array([a * c, a * s, d]) @ R, np.array(center)
        about = rate[..., k, None] * Z
        turning = (turning + acceleration[..., k, None] * Z + cross(spin, about)) @ R
        spin = (spin + about) @ R
        lifted = lifted @ R + cross(turning, arm) + cross(spin, cross(spin, arm))
        of_center = lifted + cross(turning, to_center) + cross(spin, cross(spin, to_center))
        loads.append((mass * of_center, np.array(inertia) * turning + cross(spin, np.array(inertia) * spin)))
        frames.append((R, arm, to_center))
    force, moment, found = np.zeros(shape), np.zeros(shape), np.zeros(rate.shape)
    for k in reversed(range(len(LINKS))):
        R, arm, to_center = frames[k]
        inertial, turned = loads[k]
        moment = (moment + turned + cross(arm, force) + cross(arm + to_center, inertial)) @ R.T
        force = (force + inertial) @ R.T
        found[..., k] = moment[..., 2]
    return found


def cross(a: Array, b: Array) -> Array:
    """Of the last axes."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def mass_matrix(q: Array) -> Array:
    """M of the angles, in kg m²."""
    return torques(q, np.zeros(6), np.eye(6), gravity=0.0)


def set_points(t: float, variant: str) -> tuple[Array, Array, Array]:
    """The profile with its rate and acceleration, in rad, rad/s and rad/s²."""
    start = START[variant]
    a = 4 * (GOAL - start)
    if t <= 0.5:
        return start + a * t**2 / 2, a * t, a
    return GOAL - a * (1 - t) ** 2 / 2, a * (1 - t), -a


def accelerations(t: float, q: Array, rate: Array, variant: str) -> Array:
    """Of the angles under the controllers, in rad/s²."""
    u, u_rate, _ = set_points(t, variant)
    P, D = np.array(GAINS).T
    found: Array = np.linalg.solve(mass_matrix(q), P * (u - q) + D * (u_rate - rate) - torques(q, rate, 0 * q))
    return found
