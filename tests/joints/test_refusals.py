"""Invalid bodies and joints are rejected with specific messages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, SymlieError

J = [1.0, 1.0, 1.0]


def pair(**second: object) -> tuple[sl.Model, sl.RigidBody, sl.RigidBody]:
    model = sl.Model("m")
    return model, sl.RigidBody(model, "one", 1.0, J), sl.RigidBody(model, "two", 1.0, J, **second)


def hinge(model: sl.Model, a: object, b: object, name: str = "hinge", **stated: object) -> sl.RevoluteJoint:
    return sl.RevoluteJoint(model, name, a, b, **({"at": [0, 0, 0], "axis": [0, 1, 0]} | stated))


BODIES = {
    "The mass of body 'b' is -1 kg; it must not be negative.": {"mass": -1},
    "The inertia of body 'b' is indefinite": {"inertia": [1, -1, 1]},
    "Body 'b' needs a group such as SO3xR3, SE3": {"group": "SO3"},
    "must be in axes 'body' or 'space', not 'inertial'": {"axes": "inertial"},
    "The position of body 'b' needs 3 finite numbers": {"position": [1, 2]},
    "The velocity of body 'b' needs 3 finite numbers": {"velocity": [1, 2, np.nan]},
    "The orientation of body 'b' must be an sl.rotation": {"orientation": [1, 2, 3]},
    "The inertia of body 'b' needs 1 finite numbers": {"group": "SE2"},
}


@pytest.mark.parametrize("sentence", BODIES)
def test_invalid_bodies_are_rejected(sentence: str) -> None:
    stated: dict[str, object] = {"mass": 1.0, "inertia": J} | BODIES[sentence]
    with pytest.raises(ModelError, match=sentence):
        sl.RigidBody(sl.Model("m"), "b", **stated)


def test_mixed_planar_and_spatial_bodies_are_rejected() -> None:
    model = sl.Model("m")
    sl.RigidBody(model, "flat", 1.0, 1.0, "SE2")
    with pytest.raises(ModelError, match="Body 'solid' moves in space, but the gravity of 'm' has 2 components"):
        sl.RigidBody(model, "solid", 1.0, J)
    with pytest.raises(ModelError, match="gravity of 'm' has 2 components, not 3: its bodies move in the plane"):
        model.gravity([0, 0, -9.81])


def refused_joints() -> dict[str, Callable[[], object]]:
    model, one, two = pair()
    far = pair(position=[0, 0, 1])
    tilted = pair(orientation=sl.rotation(axis=[1, 0, 0], angle=0.5))
    mirrored = pair(orientation=sl.rotation(axis=[0, 0, 1], angle=np.pi))
    planar = sl.Model("p")
    flat = sl.RigidBody(planar, "flat", 1.0, 1.0, "SE2")
    array = model.node_array("array", "SE3", 2)
    point = model.node("point", "R3")

    def markers(bodies: tuple[sl.Model, sl.RigidBody, sl.RigidBody], **stated: object) -> object:
        model, a, b = bodies
        sides = [sl.Marker(body, [0, 0, 0], axis=[0, 1, 0]) for body in (a, b)]
        return sl.RevoluteJoint(model, "hinge", *sides, **stated)

    return {
        "Joint 'hinge' joins 'one' with itself": lambda: hinge(model, one, one),
        "Joint 'hinge' joins the ground with itself": lambda: hinge(model, model.ground, model.ground),
        r"Joint 'hinge' joins array\[1\] with itself": lambda: hinge(model, array[1], array[1]),
        "is not a body; give a rigid body, a node, or the ground": lambda: hinge(model, one, "two"),
        "is not a body: joints need a rotation and a position": lambda: hinge(model, one, point),
        "The axis of joint 'hinge' has length zero": lambda: hinge(model, one, two, axis=[0, 0, 0]),
        "Joint 'hinge' needs its axis": lambda: hinge(model, one, two, axis=None),
        "Joint 'hinge' needs its point": lambda: hinge(model, one, two, at=None),
        "Joint 'hinge' needs at= with 3 finite numbers": lambda: hinge(model, one, two, at=[0, 0]),
        "Joint 'ball' is a SphericalJoint, which has no axis": lambda: sl.SphericalJoint(
            model, "ball", one, two, at=[0, 0, 0], axis=[0, 0, 1]
        ),
        "defined by markers; do not also give at or axis": lambda: hinge(model, sl.Marker(one, [0, 0, 0]), two),
        r"The markers of joint 'hinge' do not coincide, points differ by 1 m, in .*\(--assemble\)": lambda: markers(
            far
        ),
        "The axes of joint 'hinge' are not parallel, but 28.65 degrees apart in the initial": lambda: markers(tilted),
        "The axes of joint 'cross' are not perpendicular, but 0 degrees apart": lambda: sl.UniversalJoint(
            model, "cross", *[sl.Marker(body, [0, 0, 0], axis=[0, 1, 0]) for body in (one, two)]
        ),
        "on the mirrored branch of joint 'hinge'": lambda: markers(mirrored),
        "Joint 'plane' is a PlanarJoint, which does not exist in the plane": lambda: sl.PlanarJoint(
            planar, "plane", planar.ground, flat, at=[0, 0]
        ),
        "The axes of joint 'cross' are 60 degrees apart": lambda: sl.UniversalJoint(
            model, "cross", one, two, at=[0, 0, 0], axis=[[1, 0, 0], [0.5, np.sqrt(0.75), 0]]
        ),
        "Joint 'cross' needs two axes": lambda: sl.UniversalJoint(
            model, "cross", one, two, at=[0, 0, 0], axis=[1, 0, 0]
        ),
        "The shafts of joint 'bent' point in opposite directions": lambda: sl.ConstantVelocityJoint(
            model, "bent", one, two, at=[0, 0, 0], axis=[[1, 0, 0], [-1, 0, 0]]
        ),
        "The length of joint 'bar' is 0 m": lambda: sl.DistanceJoint(model, "bar", one, two, at=np.zeros((2, 3))),
        "The lead of joint 'screw' is 0 m": lambda: sl.ScrewJoint(
            model, "screw", one, two, at=[0, 0, 0], axis=[0, 0, 1], lead=0
        ),
        "The disk of rolling contact 'roll' lies flat": lambda: sl.RollingContact(
            model, "roll", model.ground, one, radius=1, axis=[0, 0, 1]
        ),
        "The direction across the axis of a marker is parallel to the axis": lambda: sl.Marker(
            one, [0, 0, 0], axis=[0, 0, 1], across=[0, 0, 2]
        ),
    }


JOINTS = refused_joints()


@pytest.mark.parametrize("sentence", JOINTS)
def test_invalid_joints_are_rejected(sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        JOINTS[sentence]()


def test_markers_may_be_apart_on_request() -> None:
    model, one, two = pair(position=[0, 0, 1])
    sides = [sl.Marker(body, [0, 0, 0]) for body in (one, two)]
    assert "'one' to 'two'" in repr(sl.SphericalJoint(model, "ball", *sides, apart=True))


def test_contradictory_poses_and_coordinates_are_rejected() -> None:
    """Later poses may move a body along its joint, but must not contradict its given coordinate."""
    model = sl.Model("m")
    rod = sl.RigidBody(model, "rod", 1.0, J, position=[0, 0, -1])
    joint = hinge(model, model.ground, rod)
    model.initial(joint, angle=0.3)
    model.initial(joint, angle=0.4)
    model.initial(rod, rotation=sl.rotation(axis=[0, 1, 0], angle=0.1), x=[-np.sin(0.1), 0, -np.cos(0.1)])
    sentence = (
        "Joint 'hinge' was initialised with angle = 0.4 rad, but poses of its bodies that were given later make it 0.1"
    )
    with pytest.raises(ModelError, match=sentence):
        model.derive()
    model.initial(joint, angle=0.1)
    joint.check_placement()
    model.initial(rod, rotation=sl.rotation(axis=[1, 0, 0], angle=np.pi), x=[0, 0, 1])
    with pytest.raises(ModelError, match="The initial configuration is on the mirrored branch of joint 'hinge'"):
        model.derive()


@pytest.mark.slow
def test_incomplete_bodies_and_joints_are_rejected() -> None:
    """A body without mass that nothing holds, joints that hold something twice, and markers that are apart."""
    model = sl.Model("m")
    sl.RigidBody(model, "ghost", 0.0, [0, 0, 0])
    held = "no joint fixes it there, so no force determines its acceleration; give it mass and inertia, or fix it"
    sentence = f"Body 'ghost' of 'm' has no mass and no inertia along velocity component 0 of node 'ghost', and {held}"
    with pytest.raises(SymlieError, match=sentence):
        _ = model.derive().compile(backend="numpy").initial_state
    model = sl.Model("m")
    rod = sl.RigidBody(model, "rod", 1.0, J)
    sides = sl.Marker(model.ground, [0, 0, 0.1], axis=[0, 1, 0]), sl.Marker(rod, [0, 0, 0], axis=[0, 1, 0])
    joint = sl.RevoluteJoint(model, "hinge", *sides, apart=True)
    joint.lock()
    sl.OrientationJoint(model, "frame", model.ground, rod, at=[0, 0, 0])
    system = model.derive().compile(backend="numpy")
    sentence = "joints 'hinge', 'frame' hold a motion redundantly .*; give one of them more freedom"
    with pytest.raises(SymlieError, match=sentence):
        _ = system.initial_state
    with pytest.raises(SymlieError, match=r"row 3 of constraint 'hinge'.*assembled: system.assembled\(\) \(--asse"):
        _ = system.with_redundant("minimal_norm").initial_state


def test_duplicate_names_are_rejected() -> None:
    model, one, two = pair()
    hinge(model, model.ground, one)
    with pytest.raises(ModelError, match="'hinge'"):
        hinge(model, one, two)
    with pytest.raises(ModelError, match="Node 'one' is defined twice"):
        sl.RigidBody(model, "one", 1.0, J)


def test_locked_and_unknown_coordinates_are_rejected() -> None:
    model, one, two = pair()
    joint = hinge(model, one, two)
    joint.lock()
    with pytest.raises(ModelError, match="The angle of joint 'hinge' is already constrained by 'hinge_lock'"):
        joint.drive(model.t)
    with pytest.raises(SymlieError, match="Joint 'hinge' has no coordinate 'height'; it has: angle"):
        joint.coordinate("height")
    other = hinge(model, model.ground, one, name="other")
    with pytest.raises(ModelError, match="The limits of joint 'other' are 1 and -1; the lower limit must be below"):
        other.limit(1, -1, 10)
    with pytest.raises(ModelError, match="The stops of joint 'other' need a positive stiffness"):
        other.limit(-1, 1, 0)


def test_coordinates_of_array_nodes_are_only_outputs() -> None:
    model = sl.Model("m")
    array = model.node_array("links", "SE3", 2)
    joint = hinge(model, array[0], array[1])
    with pytest.raises(ModelError, match=r"Joint 'hinge' joins links\[0\], a node of an array"):
        _ = joint.angle
