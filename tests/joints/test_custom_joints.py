"""Custom joints from the primitives of `symlie.joints`, and the appearance of joints in views."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

import symlie as sl
from symlie.contract.manifest import Instances, Manifest, read_manifest, text_of
from symlie.derive.arrangement import arrange
from symlie.elements.joints.located_bodies import located_model
from symlie.elements.joints.minimal import joint_tree
from symlie.errors import ModelError
from symlie.joints import (
    PARALLEL_AXES,
    Joint,
    JointDefinition,
    MovingJoint,
    Part,
    Shift,
    Turn,
    X,
    Y,
    Z,
    coincident_points,
    in_plane,
    perpendicular_axes,
)
from symlie.runtime.layout.connections import connection_of
from symlie.runtime.plot.wireframes import mechanism
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import decoded
from tests import tolerances
from tests.joints.test_kinds import AXIS, KINDS, POINT

COORDINATES = (Shift("travel", "speed", X), Turn("angle", "rate"))
APPEARANCE = (Part("slider", "a_x"), Part("pin", "b_z"), Part("rail", "a_x"))

SAME_MOTION = 1e-9
"""Minimal and constrained form after 40 steps of 1e-3 s with order five, in m and rad."""


class PinInSlot(MovingJoint):
    """A pin along z that slides along x in a slot of the first body."""

    kind = "pin_in_slot"
    has_axis = True
    space = JointDefinition(
        (in_plane(Y), in_plane(Z), *PARALLEL_AXES), COORDINATES, (perpendicular_axes(Z, Z),), appearance=APPEARANCE
    )
    plane = JointDefinition((in_plane(Y),), COORDINATES, appearance=APPEARANCE)


def slotted() -> sl.Model:
    """A pendulum whose pin moves in an inclined slot of the ground, between stops."""
    model = sl.Model("slotted")
    body = sl.RigidBody(model, "body", 1.0, [0.1, 0.1, 0.1], position=[0, 0, -0.5])
    slot = sl.Marker(model.ground, [0, 0, 0], axis=[0, 1, 0], across=[1, 0, 0.2])
    joint = PinInSlot(model, "slot", slot, body)
    joint.limit(-0.5, 0.7, stiffness=1e3)
    joint.limit(-1.0, 1.5, stiffness=1e3, coordinate="angle")
    joint.place(travel=0.1, angle=0.5)
    model.gravity([0, 0, -9.81])
    return model


@functools.cache
def solution() -> Solution:
    return sl.solve(slotted().derive().compile(backend="numpy"), 0.04, h=1e-3, method="half_explicit_5")


def drawn(found: Solution) -> list[dict[str, Any]]:
    joints: list[dict[str, Any]] = found.view().scene["solutions"][0]["joints"]
    return joints


@pytest.mark.slow
def test_coordinates_of_a_custom_joint() -> None:
    found = solution()
    assert "2 degrees of freedom" in found.system.mobility().line
    along = np.array([1, 0, 0.2]) / np.hypot(1, 0.2)
    pin = found.field("body", "x") + found.rotation("body").as_matrix() @ [0, 0, 0.5]
    # Each side is a sum of products of numbers below one: rounding, with a margin.
    assert np.abs(pin - found.outputs["slot_travel"][:, None] * along).max() <= tolerances.EPSILON * 100
    assert found.outputs["slot_travel"][0] == pytest.approx(0.1) and found.outputs["slot_angle"][0] == 0.5


def test_minimal_coordinates_of_a_custom_joint() -> None:
    system = sl.minimal_coordinates(slotted()).derive().compile(backend="numpy")
    minimal = sl.solve(system, 0.04, h=1e-3, method="rkmk_dopri5")
    assert np.abs(minimal.outputs["slot_travel"] - solution().outputs["slot_travel"]).max() <= SAME_MOTION
    assert np.abs(minimal.outputs["slot_angle"] - solution().outputs["slot_angle"]).max() <= SAME_MOTION


def test_views_of_a_custom_joint() -> None:
    found = solution()
    (joint,) = drawn(found)
    assert joint["parts"] == [["slider", 0], ["pin", 1], ["rail", 0]]
    axes = [np.array([1, 0, 0.2]) / np.hypot(1, 0.2), np.array([0, 1, 0])]
    for axis, expected in zip(joint["axes"], axes, strict=True):
        assert np.abs(decoded(axis) - expected).max() <= tolerances.DRAWN_ROTATION
    assert joint["limits"] == [-0.5, 0.7]
    # Pages round coordinates to a small part of their range, see `symlie.view.packing`.
    assert np.abs(decoded(joint["coordinate"]) - found.outputs["slot_travel"]).max() <= 2.0**-15


@pytest.mark.slow
def test_rails_have_the_limits_of_the_displacement() -> None:
    model = sl.Model("sleeve")
    body = sl.RigidBody(model, "body", 1.0, [0.1, 0.1, 0.1])
    joint = sl.CylindricalJoint(model, "sleeve", model.ground, body, at=[0, 0, 0], axis=[1, 0, 0])
    joint.limit(-1.0, 1.5, stiffness=1e3)
    joint.limit(-0.2, 0.3, stiffness=1e3, coordinate="displacement")
    (joint_entry,) = drawn(sl.solve(model.derive().compile(backend="numpy"), 0.01, h=0.01))
    assert joint_entry["limits"] == [-0.2, 0.3]


def test_planar_axes() -> None:
    model = sl.Model("planar_slot")
    body = sl.RigidBody(model, "body", 1.0, 0.1, "SE2", position=[0, 0])
    PinInSlot(model, "slot", model.ground, body, at=[0, 0], axis=[0, 1])
    (joint,) = drawn(sl.solve(model.derive().compile(backend="numpy"), 0.01, h=0.01))
    assert np.abs(decoded(joint["axes"][0]) - [0, 1, 0]).max() <= tolerances.DRAWN_ROTATION
    assert np.abs(decoded(joint["axes"][1]) - [0, 0, 1]).max() <= tolerances.DRAWN_ROTATION


def test_joints_of_long_chains_are_drawn() -> None:
    model = sl.Model("hinges")
    before: Any = model.ground
    for k in range(2):
        body = sl.RigidBody(model, f"body{k}", 1.0, [0.1, 0.1, 0.1], position=[0, 0, -k - 0.5])
        sl.RevoluteJoint(model, f"hinge{k}", before, body, at=[0, 0, -k], axis=[0, 1, 0])
        before = body
    system = located_model(model, joint_tree(model)).derive().compile(backend="numpy")
    found = sl.solve(system, 0.02, h=0.01)
    assert [j["name"] for j in drawn(found)] == ["hinge0", "hinge1"]
    lines = mechanism(found)
    assert lines is not None and len(lines.marked) == 3, "one point on the first body at the ground, one on each later"


def arranged(model: sl.Model) -> Instances:
    return next(i for i in arrange(model, fixed=False).instances if i.connection is not None)


PLANE = [k.joint for k in KINDS if k.joint.plane is not None]


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.joint.kind)
def test_old_manifests_have_the_appearance_of_the_name(kind: Any, swapped: bool) -> None:
    model = sl.Model("spatial")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1])
    sides = (body, model.ground) if swapped else (model.ground, body)
    kind.joint(model, "joint", *sides, **kind.stated)
    found = arranged(model)
    assert connection_of(dataclasses.replace(found, connection=None)) == found.connection
    assert found.connection is not None and found.connection.bodies == ((0, -1) if swapped else (-1, 0))


@pytest.mark.parametrize("kind", PLANE, ids=lambda k: k.kind)
def test_old_manifests_of_planar_joints(kind: type[Joint]) -> None:
    model = sl.Model("planar")
    bodies = [sl.RigidBody(model, name, 1.0, 1.0, "SE2", position=[0, 0]) for name in "ab"]
    kind(model, "joint", *bodies, at=[[0, 0], [1, 0]] if kind is sl.DistanceJoint else [0, 0])
    found = arranged(model)
    assert connection_of(dataclasses.replace(found, connection=None)) == found.connection
    assert found.connection is not None and found.connection.bodies == (0, 1)


def test_manifests_carry_the_appearance() -> None:
    manifest = solution().system.layout.manifest
    text = text_of(Manifest, manifest)
    read = read_manifest(text)
    assert [i.connection for i in read.instances] == [i.connection for i in manifest.instances]
    content = json.loads(text)
    (entry,) = [i["connection"] for i in content["instances"] if "connection" in i]
    assert entry == {
        "bodies": [-1, 0],
        "appearance": [
            {"shape": "slider", "axis": "a_x"},
            {"shape": "pin", "axis": "b_z"},
            {"shape": "rail", "axis": "a_x"},
        ],
    }


@pytest.mark.parametrize(
    ("shape", "axis", "message"),
    [
        ("cone", "a_x", "shape .* 'cone', but must be one of: pin"),
        ("pin", "c_x", "axis .* 'c_x', but must be one of: a_x"),
        ("rail", "", "rail needs an axis"),
    ],
)
def test_unknown_parts_are_refused(shape: str, axis: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Part(shape, axis)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"holonomic": in_plane(Y)}, r"holonomic .* write \(in_plane\(Y\),\)"),
        ({"holonomic": (PARALLEL_AXES, in_plane(X))}, r"write \*PARALLEL_AXES"),
        ({"holonomic": (), "coordinates": ("angle",)}, "coordinates .* contains 'angle', but needs Turn or Shift"),
    ],
)
def test_wrong_definitions_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        JointDefinition(**arguments)


def test_planar_definitions_have_no_axis_z() -> None:
    class Guide(Joint):
        kind = "guide"
        plane = JointDefinition((in_plane(Z),))

    model = sl.Model("planar")
    body = sl.RigidBody(model, "body", 1.0, 0.1, "SE2", position=[0, 0])
    with pytest.raises(ModelError, match="Axis Z does not exist in the plane"):
        Guide(model, "guide", model.ground, body, at=[0, 0])


def test_parameters_need_values() -> None:
    class Rod(Joint):
        kind = "rod_of_length"
        parameters: ClassVar[Mapping[str, tuple[float, str]]] = {"length": (1.0, "m")}
        space = JointDefinition((lambda a, b, values: [(b.point - a.point)[0] - values["length"]],))

    model = sl.Model("rod")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1])
    with pytest.raises(ModelError, match=r"no value of length: set self\.parameter_values"):
        Rod(model, "rod", model.ground, body, **POINT)


def test_kinds_have_one_definition() -> None:
    class Revolute(Joint):
        kind = "revolute"
        space = JointDefinition((coincident_points,))

    class Nameless(Joint):
        space = JointDefinition((coincident_points,))

    model = sl.Model("pair")
    first, second = (sl.RigidBody(model, name, 1.0, [1, 1, 1]) for name in "ab")
    sl.RevoluteJoint(model, "hinge", model.ground, first, **AXIS)
    with pytest.raises(ModelError, match="Revolute and RevoluteJoint have the kind 'revolute' but different"):
        Revolute(model, "ball", first, second, **POINT)
    with pytest.raises(ModelError, match="Nameless needs the class attribute kind"):
        Nameless(model, "ball", first, second, **POINT)
