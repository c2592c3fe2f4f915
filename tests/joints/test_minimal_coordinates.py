"""Minimal coordinates: the motion of the constrained form, by every kind of joint, its loads, loops and reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError, ModelError, SymlieError
from symlie.models.systems import system_of_model
from tests import tolerances
from tests.joints.mechanisms import random_mechanism

STEP, STEPS = 1e-3, 60

SAME_MOTION = 1e-9
"""Both forms with order five after 60 steps of 1e-3 s, in m, rad and their rates; found to agree to 1e-11."""

SAME_REACTION = 1e-8
"""Multipliers of both forms, which are of one order less, relative to their size of 10 N."""

Joined = Callable[[sl.Model, str, object, object, list[float]], sl.Joint]

AXIS = [0.2, -0.3, 0.9]

KINDS: dict[str, Joined] = {
    "revolute": lambda m, name, a, b, at: sl.RevoluteJoint(m, name, a, b, at=at, axis=AXIS),
    "prismatic": lambda m, name, a, b, at: sl.PrismaticJoint(m, name, a, b, at=at, axis=AXIS),
    "cylindrical": lambda m, name, a, b, at: sl.CylindricalJoint(m, name, a, b, at=at, axis=AXIS),
    "planar": lambda m, name, a, b, at: sl.PlanarJoint(m, name, a, b, at=at, axis=AXIS),
    "universal": lambda m, name, a, b, at: sl.UniversalJoint(m, name, a, b, at=at, axis=[AXIS, [0.9, 0, -0.2]]),
    "spherical": lambda m, name, a, b, at: sl.SphericalJoint(m, name, a, b, at=at),
    "rigid": lambda m, name, a, b, at: sl.RigidJoint(m, name, a, b, at=at),
}


def tree(kind: str, group: str = "SO3xR3", reverse: bool = False) -> sl.Model:
    """A body on a hinge with two further bodies on joints of one kind; ``reverse`` swaps the bodies of the first."""
    model = sl.Model("tree")
    turn = sl.rotation(euler="XYZ", angles=[0.3, -0.4, 0.2])
    first = sl.RigidBody(model, "first", 1.2, [0.02, 0.03, 0.04], group, position=[0.2, 0.1, -0.3], orientation=turn)
    second = sl.RigidBody(model, "second", 0.8, [0.03, 0.02, 0.01], group, position=[0.5, 0.2, -0.5])
    third = sl.RigidBody(
        model, "third", 0.5, [0.01, 0.02, 0.02], group, position=[0.4, -0.3, -0.4], reference=[0.05, 0.02, 0.01]
    )
    base = sl.RevoluteJoint(model, "base", model.ground, first, at=[0, 0, 0], axis=[0.1, 1, 0.2])
    KINDS[kind](model, "second_joint", *((second, first) if reverse else (first, second)), [0.3, 0.15, -0.4])
    KINDS[kind](model, "third_joint", first, third, [0.25, -0.1, -0.3])
    sl.TorsionSpring(model, "spring", base, stiffness=3.0, damping=0.1)
    ends = [[0.5, 0.2, -0.5], [0.4, -0.3, -0.4]]
    sl.Spring(model, "strut", second, third, at=ends, stiffness=40.0, length=0.3)
    sl.Damper(model, "damper", second, third, at=ends, damping=0.5)
    model.torque([0.1, -0.2, 0.3], on=second.node)
    model.force([0.5, 0.1, -0.4], at=third.point([0.1, 0, 0]))
    model.output("angle", base.angle, unit="rad")
    model.initial(base, rate=2.0)
    model.gravity([0.5, 0, -9.81])
    return model


def motions(model: sl.Model) -> tuple[sl.Solution, sl.Solution]:
    """The constrained form and that in minimal coordinates, in NumPy."""
    form = model.derive().compile(backend="numpy"), sl.minimal_coordinates(model).derive().compile(backend="numpy")
    methods = ["half_explicit_5" if s.layout.constraints else "rkmk_dopri5" for s in form]
    ends = [sl.solve(s, STEP * STEPS, h=STEP, method=m) for s, m in zip(form, methods, strict=True)]
    return ends[0], ends[1]


def judge(model: sl.Model, *outputs: str) -> None:
    """Poses and spins of bodies, energy and outputs agree."""
    bodies, minimal = motions(model)
    for node in model.nodes:
        if f"{node.name}_R" not in minimal.outputs:
            continue
        expected = {
            "R": bodies.rotation(node.name).as_matrix(), "x": bodies.field(node.name, "x"),
            "Omega": bodies.field(node.name, "Omega"),
        }  # fmt: skip
        for label, values in expected.items():
            found = minimal.outputs[f"{node.name}_{label}"].reshape(values.shape)
            assert np.abs(found - values).max() < SAME_MOTION, (node.name, label)
    for name in ("energy", *outputs):
        assert np.abs(minimal.outputs[name] - bodies.outputs[name]).max() < SAME_MOTION, name


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["revolute", "universal"])
def test_minimal_coordinates_give_equal_motion(kind: str) -> None:
    judge(tree(kind, reverse=kind == "universal"), "angle", "base_angle", "base_rate")


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_all_joint_types_give_equal_motion(kind: str, reverse: bool, group: str) -> None:
    judge(tree(kind, group, reverse), "angle")


@pytest.mark.slow
def test_joint_outputs_equal_the_coordinates() -> None:
    for kind in KINDS:
        model = tree(kind, reverse=True)
        names = [o.name for o in sl.minimal_coordinates(model).outputs]
        for joint in model.joints:
            for coordinate in getattr(joint, "coordinate_names", []):
                assert f"{joint.name}_{coordinate}" in names


def test_outputs_of_bodies_have_units() -> None:
    units = {o.name: o.unit for o in sl.minimal_coordinates(tree("revolute")).outputs}
    assert (units["third_x"], units["third_Omega"], units["base_angle"], units["base_rate"]) == (
        "m", "rad/s", "rad", "rad/s",
    )  # fmt: skip


def plane() -> sl.Model:
    """A cart with a double pendulum in the plane."""
    model = sl.Model("cart")
    cart = sl.RigidBody(model, "cart", 2.0, 0.1, "SE2", position=[0.3, 0.0])
    upper = sl.RigidBody(model, "upper", 1.0, 0.02, "SE2", position=[0.3, -0.5], orientation=0.3)
    lower = sl.RigidBody(model, "lower", 0.7, 0.01, "SE2", position=[0.5, -1.2], orientation=-0.2)
    rail = sl.PrismaticJoint(model, "rail", model.ground, cart, at=[0, 0], axis=[1, 0.1])
    hinge = sl.RevoluteJoint(model, "hinge", cart, upper, at=[0.3, 0.0])
    sl.RevoluteJoint(model, "elbow", lower, upper, at=[0.4, -0.9])
    rail.thrust(-3 * rail.displacement - 0.2 * rail.speed + sl.sin(model.t))
    hinge.torque(-0.3 * hinge.rate)
    model.gravity([0, -9.81])
    model.event("passes", hinge.angle, terminal=False)
    model.initial(hinge, angle=0.1, rate=-3.0)
    return model


@pytest.mark.slow
def test_planar_mechanisms_give_equal_motion() -> None:
    bodies, minimal = motions(plane())
    for name in ("cart", "upper", "lower"):
        assert np.abs(minimal.outputs[f"{name}_x"] - bodies.field(name, "x")).max() < SAME_MOTION
        angle = np.arctan2(minimal.outputs[f"{name}_R"][:, 2], minimal.outputs[f"{name}_R"][:, 0])
        assert np.abs(np.unwrap(angle) - np.unwrap(bodies.angle(name))).max() < SAME_MOTION
    times = [[event.t for event in solution.events] for solution in (bodies, minimal)]
    assert len(times[0]) == 1
    assert times[1] == pytest.approx(times[0], abs=SAME_MOTION)


RANDOM = (0, 4, 10, 11, 16, 25, 29, 30, 34)
"""Random mechanisms on groups that support minimal coordinates, with loops and redundant rows."""

RANDOM_MOTION = 1e-8
"""Positions, energy and reactions of both forms after ten steps, relative to one and their size: reactions are of one
order less; found to agree to 1e-9."""


@pytest.mark.slow
@pytest.mark.parametrize("number", RANDOM)
@pytest.mark.filterwarnings("ignore")
def test_random_mechanisms_give_equal_motion(number: int) -> None:
    stated = random_mechanism(f"mechanism:{number}", coupled=False).model
    systems = [m.derive().compile(backend="numpy") for m in (stated, sl.minimal_coordinates(stated))]
    ends = []
    for system in systems:
        redundant = "minimal_norm" if system.layout.rows and system.mobility().redundant else "error"
        ends.append(sl.solve(system, 10 * STEP, h=STEP, method="half_explicit_5", redundant=redundant))
    bodies, minimal = ends
    for node in stated.nodes:
        if f"{node.name}_x" in minimal.outputs:
            assert np.abs(minimal.outputs[f"{node.name}_x"] - bodies.field(node.name, "x")).max() < RANDOM_MOTION
    for name in set(bodies.outputs) & set(minimal.outputs) - {"constraint_residual", "velocity_residual"}:
        a, b = (np.ravel(solution.outputs[name][:-1]) for solution in (minimal, bodies))
        assert np.abs(a - b).max() < RANDOM_MOTION * (1 + np.abs(b).max()), name


def test_floating_body_has_an_angular_velocity() -> None:
    model = sl.Model("satellite")
    hull = sl.RigidBody(model, "hull", 5.0, [0.3, 0.4, 0.5], coordinates="euler_angles", form="parameter_rates")
    panel = sl.RigidBody(model, "panel", 0.5, [0.02, 0.01, 0.03], position=[0.7, 0, 0])
    sl.RevoluteJoint(model, "hinge", hull, panel, at=[0.4, 0, 0], axis=[0, 1, 0])
    with pytest.raises(
        ModelError, match=r"angular velocity, not from 'hull'.* whose velocity is the rate of rotation parameters"
    ):
        sl.minimal_coordinates(model)


@pytest.mark.slow
def test_floating_body_keeps_its_node() -> None:
    model = sl.Model("satellite")
    hull = sl.RigidBody(model, "hull", 5.0, [0.3, 0.4, 0.5], position=[0.1, 0, 0], angular_velocity=[0.3, 1.0, 0.2])
    panel = sl.RigidBody(model, "panel", 0.5, [0.02, 0.01, 0.03], "SE3", position=[0.7, 0.1, 0])
    hinge = sl.RevoluteJoint(model, "hinge", hull, panel, at=[0.4, 0, 0], axis=[0, 1, 0])
    hinge.torque(0.2)
    model.initial(hinge, rate=1.5)
    assert [n.name for n in sl.minimal_coordinates(model).nodes] == ["hull", "hinge"]
    judge(model)


@pytest.mark.slow
def test_loop_keeps_its_constraint_and_reaction() -> None:
    minimal, bodies = (system_of_model("slider_crank", o) for o in ({"coordinates": "minimal"}, {}))
    assert minimal.layout.dimension < bodies.layout.dimension
    ends = [sl.solve(s, STEP * STEPS, h=STEP, method="half_explicit_5") for s in (bodies, minimal)]
    for name in ("slider", "crank_angle"):
        assert np.abs(ends[1].outputs[name] - ends[0].outputs[name]).max() < SAME_MOTION
    for name in ("cross_force", "cross_moment"):
        assert np.abs(ends[1].outputs[name][:-1] - ends[0].outputs[name][:-1]).max() < SAME_REACTION * 10


def test_unnamed_bodies_are_supported() -> None:
    model = tree("spherical")
    first, second, third = model.nodes
    link = sl.ElementType("link", a="SO3xR3", b="SO3xR3")
    d = link.b.x - link.a.x
    length = link.parameter("length", 0.5, unit="m")
    link.constraint("bar", (d.dot(d) - length**2) / (2 * length))
    link.output("stretch", d.dot(d), unit="m^2")
    model.add(link, [(first, second), (second, third)], length=[[0.4], [0.5]])
    minimal = sl.minimal_coordinates(model)
    assert [c.name for c in minimal.constraints] == ["bar_0", "bar_1"]
    assert [o.name for o in minimal.outputs].count("stretch") == 1


def test_angles_count_full_turns() -> None:
    model = sl.Model("wheel")
    wheel = sl.RigidBody(model, "wheel", 1.0, [0.1, 0.1, 0.1])
    axle = sl.RevoluteJoint(model, "axle", model.ground, wheel, at=[0, 0, 0], axis=[0, 0, 1])
    model.initial(axle, angle=1.0, rate=50.0)
    solution = sl.solve(sl.minimal_coordinates(model).derive().compile(backend="numpy"), 1.0, h=0.1)
    assert solution.outputs["axle_angle"][-1] == pytest.approx(51.0, abs=tolerances.REDUCED)


def test_initial_joint_coordinates_are_used() -> None:
    system = sl.minimal_coordinates(plane()).derive().compile(backend="numpy")
    changed = system.with_initial("hinge", angle=0.7).with_initial("rail", speed=2.0)
    start = sl.solve(changed, STEP, h=STEP)
    found = [start.outputs[name][0] for name in ("hinge_angle", "hinge_rate", "rail_speed")]
    assert found == pytest.approx([0.7, -3.0, 2.0], abs=tolerances.REDUCED)


@pytest.mark.slow
def test_backends_agree() -> None:
    equations = sl.minimal_coordinates(tree("spherical")).derive()
    systems = [equations.compile(backend=backend) for backend in ("c", "numpy")]
    ends = [sl.solve(s, 20 * STEP, h=STEP, method="rkmk_rk44").outputs["third_x"][-1] for s in systems]
    assert np.abs(ends[1] - ends[0]).max() < tolerances.REDUCED


def test_unsupported_features_are_rejected() -> None:
    model = sl.Model("free")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1])
    with pytest.raises(ModelError, match="No joint of 'free' has minimal coordinates"):
        sl.minimal_coordinates(model)
    with pytest.raises(SymlieError, match="not to one body"):
        sl.RigidBody(model, "other", 1.0, [1, 1, 1], coordinates="minimal")
    sl.DistanceJoint(model, "bar", model.ground, body, at=[[0, 0, 1], [0, 0, 0]])
    with pytest.raises(ModelError, match="No joint"):
        sl.minimal_coordinates(model)
    model = sl.Model("quaternions")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1], "S3xR3")
    sl.SphericalJoint(model, "pivot", model.ground, body, at=[0, 0, 1])
    with pytest.raises(ModelError, match="define it on SO3xR3"):
        sl.minimal_coordinates(model)
    with pytest.raises(SymlieError, match="No joint of 'heavy_top'"):
        system_of_model("heavy_top", {"coordinates": "minimal"})


def test_velocities_that_violate_a_joint_are_rejected() -> None:
    model = sl.Model("torn")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1], position=[1, 0, 0], velocity=[1, 0, 0], angular_velocity=[0] * 3)
    sl.RevoluteJoint(model, "pivot", model.ground, body, at=[0, 0, 0], axis=[0, 1, 0])
    with pytest.raises(InconsistentInitialValuesError, match="of body 'body'"):
        _ = sl.minimal_coordinates(model).derive().compile(backend="numpy").initial_state
