"""Motions of joints without a coordinate: outputs, and zero relative velocities where nothing else is specified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.joints.test_initial_velocities import FORMS, start

AXIS = {"axis": [0.3, 0.2, 1.0]}
SHAFTS = {"axis": [[1, 0, 0], [1, 0.3, 0]]}

KINDS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "ConstantVelocityJoint": (SHAFTS, {"angular_velocity"}),
    "PointOnLineJoint": (AXIS, {"angular_velocity"}),
    "InLineJoint": (AXIS, {"angular_velocity"}),
    "PointOnPlaneJoint": (AXIS, {"angular_velocity"}),
    "OrientationJoint": ({}, {"velocity"}),
    "SphericalJoint": ({}, set()),
    "PlanarJoint": (AXIS, set()),
    "UniversalJoint": ({"axis": [[0, 1, 0], [0, 0, 1]]}, set()),
}
"""Joints with their arguments and with the outputs of motions that have no coordinate."""


def pair(kind: str, unit: float = 1.0, given: dict[str, Any] | None = None, **form: Any) -> sl.Model:
    """A body on a hinge that rotates at 2 rad/s, and a body on the joint that follows."""
    model = sl.Model("pair")
    first = sl.RigidBody(model, "first", 2.0, [0.3 * unit**2] * 3, position=[0.4 * unit, 0, 0], **form)
    inertia = [0.02 * unit**2, 0.1 * unit**2, 0.11 * unit**2]
    second = sl.RigidBody(model, "second", 1.0, inertia, position=[unit, 0.2 * unit, 0.1 * unit], **form, **given or {})
    bearing = sl.RevoluteJoint(model, "bearing", model.ground, first, at=[0, 0, 0], axis=[0.1, 0.2, 1])
    getattr(sl, kind)(model, "joint", first, second, at=[0.7 * unit, 0.1 * unit, 0], **KINDS[kind][0])
    model.initial(bearing, rate=2.0)
    model.output("W", second.R * second.Omega)
    model.output("V", model.rate(second.point([0, 0, 0])))
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_describe_motions_without_coordinates(kind: str) -> None:
    stated = {rate.rate for rate in pair(kind).joint_rates if rate.joint == "joint" and not rate.coordinate}
    assert stated - {"rate"} == KINDS[kind][1]


PLANAR = [("PointOnLineJoint", {"angular_velocity"}), ("OrientationJoint", {"velocity"})]


@pytest.mark.parametrize(("kind", "expected"), PLANAR)
def test_planar_joints_have_outputs_of_free_motions(kind: str, expected: set[str]) -> None:
    model = sl.Model("plane")
    body = sl.RigidBody(model, "body", 1.0, 0.1, "SE2")
    axis = {"axis": [1, 0]} if kind == "PointOnLineJoint" else {}
    getattr(sl, kind)(model, "joint", model.ground, body, at=[0, 0], **axis)
    assert {rate.rate for rate in model.joint_rates if not rate.coordinate} == expected


def starts(kind: str, **given: Any) -> list[dict[str, np.ndarray]]:
    """Outputs in two groups and two units of length, in metres."""
    found = []
    for unit, form in ((1.0, "lie"), (1000.0, "lie"), (1.0, "SE3"), (1000.0, "SE3")):
        model = pair(kind, unit, given, **FORMS[form])
        outputs, notices = start(model.derive().compile(backend="numpy"))
        found.append({"W": outputs["W"], "V": outputs["V"] / unit, "notices": np.array(sorted(notices))})
    return found


@pytest.mark.parametrize(
    "kind",
    ["PointOnLineJoint", *(pytest.param(k, marks=pytest.mark.slow) for k in KINDS if k != "PointOnLineJoint")],
)
def test_bodies_on_joints_move_as_one_rigid_body(kind: str) -> None:
    """Nothing specifies the motion in the joint, so that the second body rotates with the first one."""
    spin = 2.0 * np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0])
    for found in starts(kind):
        assert found["W"] == pytest.approx(spin, abs=tolerances.NEAREST)
        assert found["V"] == pytest.approx(np.cross(spin, [1.0, 0.2, 0.1]), abs=tolerances.NEAREST)
        assert not len(found["notices"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_completion_is_independent_of_units_and_groups(kind: str) -> None:
    """The second body has another angular velocity if the joint permits it."""
    given = [0.4, -0.3, 1.1] if kind in ("PointOnLineJoint", "PointOnPlaneJoint", "SphericalJoint") else None
    first, *others = starts(kind, **({"angular_velocity": given} if given else {}))
    for other in others:
        for name in ("W", "V"):
            assert np.abs(other[name] - first[name]).max() <= tolerances.NEAREST, name
        assert np.array_equal(other["notices"], first["notices"])


def test_rates_of_free_motions_are_initial_conditions() -> None:
    system = pair("PointOnLineJoint").derive().compile(backend="numpy")
    moved = system.with_initial("joint", angular_velocity=[0.1, 0.2, 0.3])
    assert start(moved)[0]["joint_angular_velocity"] == pytest.approx([0.1, 0.2, 0.3], abs=tolerances.REDUCED)
