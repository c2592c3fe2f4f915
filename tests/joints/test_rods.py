"""Rods joined to bodies by joints of all kinds, without a node that they share."""

from __future__ import annotations

import random

import numpy as np
import pytest

import symlie as sl
from symlie.elements.joints.joint import Joint
from tests import tolerances
from tests.joints.mechanisms import KINDS

STEP, STEPS = 2e-5, 50

QUICK = (sl.RevoluteJoint,)


def swinging(kind: type[Joint]) -> sl.Solution:
    """A rod that hangs at one end from the ground and carries a body at the other, released under gravity."""
    model = sl.Model("rod_with_body")
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=3,
        length=1.0,
        stiffness=[2.0, 2.0, 1.5, 1e3, 1e3, 1e3],
        inertia=[1e-3, 1e-3, 2e-3, 0.4, 0.4, 0.4],
        gravity=(0, 0, -9.81),
        position=lambda s: (s, 0, 0),
        orientation=sl.rotation(axis=[0, 1, 0], angle=sl.pi / 2),
    )
    sl.SphericalJoint(model, "pivot", model.ground, rod[0], at=[0, 0, 0])
    body = sl.RigidBody(
        model, "body", 0.5, sl.inertia.box(0.5, [0.1, 0.2, 0.3]), position=[1.1, 0, 0.1], velocity=[0, 0, 0],
        angular_velocity=[0, 0, 0],
    )  # fmt: skip
    point = np.array([1.0, 0, 0])
    at = [point, point + np.array([0.1, 0.1, 0])] if kind is sl.DistanceJoint else point
    kind(model, "joint", rod[-1], body, at=at, **KINDS[kind](random.Random(3)))
    model.gravity([0, 0, -9.81])
    system = model.derive().compile(backend="numpy")
    return sl.solve(system, STEPS * STEP, h=STEP, method="half_explicit_5")


def check(kind: type[Joint]) -> None:
    solution = swinging(kind)
    assert solution.statistics.max_constraint_residual < tolerances.HELD_CONSTRAINT
    energy = solution.outputs["energy"]
    assert np.ptp(energy) < tolerances.MECHANISM_ENERGY
    fallen = solution.field("body", "x")[:, 2]
    assert fallen[-1] < fallen[0], "it falls"
    reaction = solution.outputs["joint_force"]
    weight = np.array([0, 0, -0.5 * 9.81])
    gained = 0.5 * solution.field("body", "x_dot")[-1] / solution.t[-1]
    np.testing.assert_allclose(gained, reaction.mean(axis=0) + weight, atol=0.05)


@pytest.mark.parametrize("kind", QUICK, ids=lambda k: k.__name__)
def test_body_can_be_attached_to_a_rod(kind: type[Joint]) -> None:
    check(kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [k for k in KINDS if k not in QUICK], ids=lambda k: k.__name__)
def test_any_joint_can_attach_a_body_to_a_rod(kind: type[Joint]) -> None:
    check(kind)
