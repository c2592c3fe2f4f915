"""Initial configurations by coordinates of joints, with velocities."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import symlie as sl
from symlie.elements.joints.placing import guess_outboard_velocities
from symlie.errors import InconsistentInitialValuesError, ModelError, UnknownNameError
from tests import tolerances


def arm(groups: tuple[str, str, str] = ("SO3xR3", "SE3", "S3xR3")) -> tuple[sl.Model, list[sl.Joint]]:
    """A hinge, a slider on it, and a universal joint on the slider with its bodies swapped."""
    model = sl.Model("arm")
    bodies = [
        sl.RigidBody(model, f"body{k}", 1.0, [0.1, 0.2, 0.25], group, position=[0.5 + k, 0.1, 0])
        for k, group in enumerate(groups)
    ]
    cross = sl.UniversalJoint(model, "cross", bodies[2], bodies[1], at=[2, 0, 0], axis=[[0, 1, 0], [0, 0, 1]])
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, bodies[0], at=[0, 0, 0], axis=[0, 0, 1])
    slider = sl.PrismaticJoint(model, "slider", bodies[0], bodies[1], at=[1, 0, 0], axis=[1, 1, 0])
    return model, [hinge, slider, cross]


@pytest.mark.slow
def test_coordinates_set_poses_of_all_outboard_bodies() -> None:
    """Outputs at the start equal the given values, constraints hold, and velocities are consistent."""
    model, (hinge, slider, cross) = arm()
    model.initial(hinge, angle=0.3, rate=1.5)
    model.initial(slider, displacement=-0.2, speed=0.7)
    model.initial(cross, first_angle=0.4, second_angle=-0.6, first_rate=0.9, second_rate=-1.1)
    model.initial(hinge, angle=-2.0)  # velocities turn along
    system = model.derive().compile(backend="numpy")
    outputs = sl.solve(system, 1e-9, h=1e-9).outputs
    found = {name: outputs[name][0] for name in outputs if outputs[name].ndim == 1}
    expected = {
        "hinge_angle": -2.0, "hinge_rate": 1.5, "slider_displacement": -0.2, "slider_speed": 0.7,
        "cross_first_angle": 0.4, "cross_second_angle": -0.6, "cross_first_rate": 0.9, "cross_second_rate": -1.1,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert max(found["constraint_residual"], found["velocity_residual"]) <= tolerances.HELD_CONSTRAINT


def test_screw_coordinate_sets_the_pose() -> None:
    """One coordinate of a screw gives the other; a body has the pose of its node."""
    model = sl.Model("screw")
    nut = sl.RigidBody(model, "nut", 1.0, [1, 1, 1])
    screw = sl.ScrewJoint(model, "screw", model.ground, nut, at=[0, 0, 0], axis=[0, 0, 1], lead=0.4)
    model.initial(screw, displacement=0.1, rate=2.0)
    guess_outboard_velocities(model)
    assert screw.initial_coordinate("angle") == pytest.approx(np.pi / 2)
    assert screw.initial_coordinate("displacement") == pytest.approx(0.1)
    values = {v.field.name: [float(c) for c in v.components] for v in model.initial_values["nut"]}
    np.testing.assert_allclose(values["x_dot"], [0, 0, 2.0 * 0.4 / (2 * np.pi)])
    model.initial(nut, x=[0, 0, 0.3])
    assert screw.initial_coordinate("displacement") == pytest.approx(0.3)


def test_planar_coordinates_set_the_pose() -> None:
    model = sl.Model("plane")
    body = sl.RigidBody(model, "body", 1.0, 1.0, "SE2", position=[1, 0])
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0])
    model.initial(hinge, angle=np.pi / 2, rate=3.0)
    guess_outboard_velocities(model)
    values = {v.field.name: [float(c) for c in v.components] for v in model.initial_values["body"]}
    np.testing.assert_allclose(values["x"], [0, 1], atol=1e-15)
    np.testing.assert_allclose([*values["U"], *values["Omega"]], [0, 3, 3], atol=1e-14)


def test_invalid_coordinates_are_rejected() -> None:
    model, (hinge, slider, cross) = arm()
    loop = sl.RevoluteJoint(model, "loop", model.ground, cross.markers[0].body, at=[2.5, 0, 0], axis=[0, 0, 1])
    with pytest.raises(ModelError, match="closes a loop"):
        for joint in (slider, cross, loop):
            model.initial(joint, **{joint.coordinate_names[0]: 0.1})
    with pytest.raises(
        UnknownNameError, match="Joint 'hinge' has no coordinate 'displacement' for an initial value; it has"
    ):
        model.initial(hinge, displacement=1)
    with pytest.raises(ModelError, match="The initial angle of joint 'hinge' must be a finite number"):
        model.initial(hinge, angle="wide")
    ball = sl.SphericalJoint(model, "ball", hinge.markers[1].body, slider.markers[1].body, at=[0, 0, 0])
    with pytest.raises(ModelError, match="Joint 'ball' has no coordinates"):
        model.initial(ball, angle=1)


@pytest.mark.slow
def test_compiled_systems_accept_coordinates() -> None:
    """The same as for the model, without deriving again; earlier changes are respected, and the model is unchanged."""
    model = sl.Model("arm")
    first = sl.RigidBody(model, "first", 1.0, 0.1, "SE2", position=[0.5, 0])
    second = sl.RigidBody(model, "second", 1.0, 0.1, "SE2", position=[1.5, 0])
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, first, at=[0, 0])
    slider = sl.PrismaticJoint(model, "slider", first, second, at=[1, 0], axis=[1, 1])
    system = model.derive().compile(backend="numpy")
    changed = system.with_initial("hinge", angle=0.3, rate=1.5).with_initial("slider", displacement=-0.2)
    model.initial(hinge, angle=0.3, rate=1.5)
    model.initial(slider, displacement=-0.2)
    expected = model.derive().compile(backend="numpy").initial_state
    np.testing.assert_allclose(changed.initial_state.q, expected.q, rtol=0, atol=1e-15)
    np.testing.assert_allclose(changed.initial_state.v, expected.v, rtol=0, atol=tolerances.REDUCED)
    assert not np.allclose(system.stated_state().q, expected.q)
    with pytest.raises(UnknownNameError, match="Joint 'hinge' has no coordinate 'displacement' for an initial value"):
        system.with_initial("hinge", displacement=0.1)


@pytest.mark.slow
def test_assembly_closes_loops() -> None:
    """The crank is put at an angle, the loop opens, and the assembly tells in which branch it is closed again."""
    model = sl.Model("loop")
    last: object = model.ground
    pivots = np.array([[0.0, 0], [0, 1], [2, 2], [3, 0]])
    for k, (a, b) in enumerate(itertools.pairwise(pivots)):
        bar = sl.RigidBody(model, f"bar{k}", 1.0, 0.1, "SE2", position=(a + b) / 2)
        sl.RevoluteJoint(model, f"hinge{k}", last, bar, at=a)
        last = bar
    sl.RevoluteJoint(model, "hinge3", last, model.ground, at=pivots[-1])
    system = model.derive().compile(backend="numpy").with_initial("hinge0", angle=0.2)
    with pytest.raises(InconsistentInitialValuesError, match=r"of constraint 'hinge2'.*: system.assembled\(\)"):
        _ = system.initial_state
    assembled = system.assembled()
    assert assembled.assembly is not None
    found = assembled.assembly.coordinates
    outputs = sl.solve(assembled, 1e-9, h=1e-9).outputs
    assert list(found) == [f"hinge{k}_angle" for k in range(4)]
    assert found == pytest.approx({name: outputs[name][0] for name in found}, abs=1e-9)
    assert 0 < found["hinge0_angle"] < 0.3
    assert sum(found.values()) == pytest.approx(0, abs=1e-9)  # of the angles of a loop that does not turn over


def test_mirrored_configurations_of_systems_are_rejected() -> None:
    """Rows also hold in the mirrored branch if the system was mirrored rather than the model."""
    model = sl.Model("hanging")
    rod = sl.RigidBody(model, "rod", 1.0, [1, 1, 1], position=[0, 0, -1])
    sl.RevoluteJoint(model, "hinge", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    system = model.derive().compile(backend="numpy")
    mirrored = system.with_initial("rod", rotation=sl.rotation(axis=[1, 0, 0], angle=np.pi), x=[0, 0, 1])
    with pytest.raises(ModelError, match="on the mirrored branch of joint 'hinge'"):
        _ = mirrored.initial_state
    half = system.with_initial("rod", rotation=sl.rotation(axis=[0, 1, 0], angle=np.pi), x=[0, 0, 1])
    assert len(half.initial_state.q)


def crank_and_rocker(unit: float) -> sl.Model:
    """A four-bar whose loop is closed by a joint that is apart."""
    model = sl.Model("loop")
    last: object = model.ground
    pivots = unit * np.array([[0.0, 0], [0, 1], [2, 2], [3, 0]])
    for k, (a, b) in enumerate(itertools.pairwise(pivots)):
        bar = sl.RigidBody(model, f"bar{k}", 1.0 + k, 0.1 * unit**2, "SE2", position=(a + b) / 2)
        sl.RevoluteJoint(model, f"hinge{k}", last, bar, at=a)
        last = bar
    sl.RevoluteJoint(model, "hinge3", last, model.ground, at=pivots[-1])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 1e3])
@pytest.mark.parametrize("where", ["model", "system"])
@pytest.mark.parametrize("angle", [0.2, -0.9])
def test_assembly_keeps_given_coordinates(where: str, angle: float, unit: float) -> None:
    model = crank_and_rocker(unit)
    if where == "model":
        model.initial(model.joints[0], angle=angle)
    system = model.derive().compile(backend="numpy")
    system = system if where == "model" else system.with_initial("hinge0", angle=angle)
    assembly = system.assembled().assembly
    assert assembly is not None
    assert assembly.coordinates["hinge0_angle"] == pytest.approx(angle, abs=1e-9)
    # The angle of the rocker follows from the crank, in any units.
    a, b = np.array([-np.sin(angle), np.cos(angle)]), np.array([3.0, 0.0])
    found = assembly.coordinates
    turn = angle + found["hinge1_angle"]
    elbow = a + np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ [2, 1]
    assert np.linalg.norm(elbow - b) == pytest.approx(np.sqrt(5), abs=1e-8)


def test_coordinates_that_contradict_a_loop_are_named() -> None:
    system = crank_and_rocker(1.0).derive().compile(backend="numpy")
    both = system.with_initial("hinge0", angle=0.2).with_initial("hinge1", angle=0.3)
    with pytest.raises(
        InconsistentInitialValuesError,
        match=r"with the given angle of joint 'hinge0', angle of joint 'hinge1': .* omit coordinates that others",
    ):
        both.assembled()
    # Poses that are given later replace coordinates of their joints.
    pose = dict(zip(("rotation", "x"), (sl.rotation(angle=0.1), [0.1, 0.6]), strict=True))
    assert both.with_initial("bar0", **pose).assembled().assembly is not None
