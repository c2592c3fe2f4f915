"""Models that the tests of views share, each derived once."""

from __future__ import annotations

import functools

import numpy as np

import symlie as sl
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

BODIES = ("SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3rvxR3")
"""Groups of free bodies with a rotation and a position in space."""

INERTIA, MASS, CENTER = (0.3, 0.5, 0.6), 2.0, (0.1, -0.2, 0.3)


@functools.cache
def everything() -> System:
    """A free body on each group, points, a flat body, nodes that turn alone, and a direction."""
    model = sl.Model("everything")
    m = model.parameter("mass", MASS, unit="kg")
    J = model.parameter("inertia", INERTIA, unit="kg m^2")
    for k, group in enumerate(BODIES):
        q = model.node(f"on_{group}", group)
        u = q.U if hasattr(q, "U") else q.x_dot
        model.kinetic_energy((m * u.dot(u) + q.Omega.dot(sl.diag(J) * q.Omega)) / 2)
        speed = {"U" if hasattr(q, "U") else "x_dot": [0.3, k, 0.2]}
        model.initial(q, x=[k, 0, 1], Omega=[1, 0.5, -0.4], **speed)
    for name, coordinates in (("angles", "euler_angles"), ("parameters", "euler_parameters")):
        q = model.node(name, "SO3xR3", coordinates=coordinates)
        model.kinetic_energy((m * q.x_dot.dot(q.x_dot) + q.Omega.dot(sl.diag(J) * q.Omega)) / 2)
        model.initial(q, x=[0, 2, 0], x_dot=[0, 0, 1], Omega=[0.3, 0.2, 0.1])
    for name, group in (("turned", "SO3"), ("quaternion", "S3")):
        q = model.node(name, group)
        model.kinetic_energy(q.Omega.dot(sl.diag(J) * q.Omega) / 2)
        model.initial(q, Omega=[0.4, 0.1, 0])
    flat = model.node("flat", sl.SE2)
    model.kinetic_energy((m * flat.U.dot(flat.U) + J[2] * flat.Omega[0] ** 2) / 2)
    model.initial(flat, x=[0, 3], Omega=[2], U=[1, 0])
    for name, group, speed in (("point", "R3", [0, 0, 2]), ("mark", "R2", [1, 1])):
        q = model.node(name, group)
        model.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
        model.initial(q, x_dot=speed)
    arrow = model.node("arrow", sl.TS2)
    model.field(arrow, [0, 0, 1, 0, 0, 0])
    model.initial(arrow, q=[1, 0, 0], omega=[0, 0, 1])
    return model.derive().compile(backend="numpy")


@functools.cache
def everything_moving() -> Solution:
    return sl.solve(everything(), 1.0, h=0.05)


@functools.cache
def eccentric() -> System:
    """Bodies with nodes away from their centres of mass and rotated inertia axes, in space and in the plane."""
    model = sl.Model("eccentric")
    turned = sl.inertia.rotated(INERTIA, sl.rotation(axis=[1, 2, 3], angle=0.7))
    for group in BODIES:
        sl.RigidBody(
            model, f"on_{group}", MASS, turned, group, reference=[-c for c in CENTER], orientation=np.eye(3),
            velocity=[0, 0, 0], angular_velocity=[0.1, 0.2, 0.3],
        )  # fmt: skip
    model.gravity([0, 0, -9.81])
    return model.derive().compile(backend="numpy")


def pendulum_model() -> sl.Model:
    """A rod on a hinge, with stops and a drive of a second hinge, and an event."""
    model = sl.Model("hinges")
    rod = sl.RigidBody(model, "rod", 1.2, sl.inertia.rod(1.2, 0.8), position=[0, 0, -0.4])
    pivot = sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    pivot.limit(-2.0, 2.0, 100.0)
    arm = sl.RigidBody(model, "arm", 0.5, sl.inertia.box(0.5, [0.1, 0.2, 0.3]), position=[0, 0, -1.0])
    elbow = sl.RevoluteJoint(model, "elbow", rod, arm, at=[0, 0, -0.8], axis=[0, 1, 0])
    elbow.drive(sl.sin(model.t) / 2)
    sl.Spring(model, "spring", model.ground, arm, at=[[1, 0, 0], [0, 0, -1]], stiffness=5.0)
    model.gravity([0, 0, -9.81])
    model.event("lowest", pivot.angle, direction="falling", terminal=False)
    model.initial(pivot, angle=0.5)
    return model


@functools.cache
def pendulum() -> Solution:
    return sl.solve(pendulum_model().derive().compile(backend="numpy"), 1.0, h=0.02)


def ball_model() -> sl.Model:
    """A point in free fall, of which a run takes no time."""
    model = sl.Model("ball")
    q = model.node("ball", "R3", unit="m")
    g = model.parameter("gravity", 9.81, unit="m/s^2")
    m = model.parameter("mass", 1.0, unit="kg")
    model.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(m * g * q.x[2])
    model.initial(q, x_dot=[1, 0, 2])
    return model


@functools.cache
def ball() -> System:
    return ball_model().derive().compile(backend="numpy")
