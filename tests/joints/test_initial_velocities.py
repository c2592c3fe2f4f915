"""Initial velocities that are not given: independent of units, groups and coordinates, and rates as conditions."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.system.system import System
from tests import tolerances

FORMS: dict[str, dict[str, Any]] = {
    "lie": {"coordinates": "lie"},
    "SE3": {"group": "SE3"},
    "rotation_vector": {"coordinates": "rotation_vector", "form": "parameter_rates"},
    "euler_angles": {"coordinates": "euler_angles", "form": "parameter_rates"},
    "euler_parameters": {"coordinates": "euler_parameters"},
}


def start(system: System) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Outputs at the start, and the warnings of the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = sl.solve(system, 1e-9, h=1e-9)
    return {name: values[0] for name, values in solution.outputs.items()}, solution.warnings


def turntable(unit: float, **form: Any) -> sl.Model:
    """A turntable with a free arm on a parallel hinge; the angular velocity of the table is given."""
    model = sl.Model("turntable")
    table = sl.RigidBody(model, "table", 10.0, [unit**2] * 3, angular_velocity=[0, 0, 2.0], **form)
    arm = sl.RigidBody(
        model, "arm", 1.0, [0.01 * unit**2, 0.1 * unit**2, 0.1 * unit**2], position=[0.7 * unit, 0, 0], **form
    )
    sl.RevoluteJoint(model, "bearing", model.ground, table, at=[0, 0, 0], axis=[0, 0, 1])
    sl.RevoluteJoint(model, "elbow", table, arm, at=[0.4 * unit, 0, 0], axis=[0, 0, 1])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 1000.0])
@pytest.mark.parametrize("form", FORMS)
def test_unspecified_rates_are_zero(form: str, unit: float) -> None:
    outputs, notices = start(turntable(unit, **FORMS[form]).derive().compile(backend="numpy"))
    assert outputs["bearing_rate"] == pytest.approx(2.0, abs=tolerances.REDUCED)
    assert outputs["elbow_rate"] == pytest.approx(0.0, abs=tolerances.REDUCED)
    assert not notices


def test_given_body_velocities_hold_in_minimal_coordinates() -> None:
    outputs, _ = start(sl.minimal_coordinates(turntable(1.0)).derive().compile(backend="numpy"))
    assert outputs["bearing_rate"] == pytest.approx(2.0, abs=tolerances.REDUCED)
    assert outputs["elbow_rate"] == pytest.approx(0.0, abs=tolerances.REDUCED)


@pytest.mark.slow
def test_concentric_arm_turns_with_the_table() -> None:
    """Zero satisfies the constraints for the arm, but not for the rate of its joint."""
    model = sl.Model("concentric")
    table = sl.RigidBody(model, "table", 10.0, [1, 1, 1], angular_velocity=[0, 0, 2.0], velocity=[0, 0, 0])
    arm = sl.RigidBody(model, "arm", 1.0, [1, 1, 1])
    sl.RevoluteJoint(model, "bearing", model.ground, table, at=[0, 0, 0], axis=[0, 0, 1])
    sl.RevoluteJoint(model, "elbow", table, arm, at=[0, 0, 0], axis=[0, 0, 1])
    for backend in ("c", "numpy"):
        outputs, _ = start(model.derive().compile(backend=backend))
        assert outputs["elbow_rate"] == pytest.approx(0.0, abs=tolerances.REDUCED)


POINTS = np.array([[0, 0], [-0.5, 1], [0.7, 1.8], [1.6, 1.1], [1.2, 0]])


def five_bar(unit: float, *, spin: float | None = None, crank: float | None = 1.0) -> tuple[sl.Model, sl.Joint]:
    """A linkage with two freedoms, on a table if its rate is given, and its crank."""
    model = sl.Model("five_bar")
    base: Any = model.ground
    if spin is not None:
        at = [0.3 * unit, 0.2 * unit]
        base = sl.RigidBody(model, "table", 20.0, 5.0 * unit**2, "SE2", position=at)
        model.initial(sl.RevoluteJoint(model, "bearing", model.ground, base, at=at), rate=spin)
    last, joints = base, []
    for k in range(4):
        middle = unit * (POINTS[k] + POINTS[k + 1]) / 2
        bar = sl.RigidBody(model, f"bar{k}", 1.0 + k, 0.1 * (k + 1) * unit**2, "SE2", position=middle)
        joints.append(sl.RevoluteJoint(model, f"J{k}", last, bar, at=unit * POINTS[k]))
        last = bar
    sl.RevoluteJoint(model, "J4", last, base, at=unit * POINTS[4])
    if crank is not None:
        model.initial(joints[0], rate=crank)
    return model, joints[0]


def rates(outputs: dict[str, np.ndarray]) -> np.ndarray:
    return np.array([outputs[f"J{k}_rate"] for k in range(5)])


@pytest.mark.slow
def test_completed_rates_minimise_the_kinetic_energy() -> None:
    """The kinetic energy of neighbouring motions with the same crank is larger, and the warning names the rates."""
    system = five_bar(1.0)[0].derive().compile(backend="numpy")
    outputs, notices = start(system)
    energies = []
    for change in (-0.1, 0.0, 0.1):
        other = five_bar(1.0)[0]
        other.initial(other.joints[4], rate=float(outputs["J4_rate"]) + change)
        energies.append(float(start(other.derive().compile(backend="numpy"))[0]["energy"]))
    below, least, above = energies
    assert least == pytest.approx(float(outputs["energy"]), rel=tolerances.REDUCED)
    assert above - least == pytest.approx(below - least, rel=1e-6) and above > least
    assert outputs["J0_rate"] == pytest.approx(1.0, abs=tolerances.REDUCED)
    assert len(notices) == 1 and "J1_rate, J2_rate, J3_rate, J4_rate" in notices[0]


@pytest.mark.slow
def test_completion_is_independent_of_units_and_frame_rotation() -> None:
    expected = rates(start(five_bar(1.0)[0].derive().compile(backend="numpy"))[0])
    for unit, spin in ((1000.0, None), (1.0, 3.0), (1000.0, -2.0)):
        found = rates(start(five_bar(unit, spin=spin)[0].derive().compile(backend="numpy"))[0])
        assert np.abs(found - expected).max() <= tolerances.NEAREST
    at_rest, notices = start(five_bar(1.0, spin=3.0, crank=None)[0].derive().compile(backend="numpy"))
    assert np.abs(rates(at_rest)).max() <= tolerances.REDUCED and not notices


def four_bar(crank: float, **others: float) -> sl.Model:
    points = np.array([(0, 0), (0, 1), (2, 2), (3, 0)], dtype=float)
    model = sl.Model("four_bar")
    before: Any = model.ground
    joints = {}
    for k, name in enumerate(("crank", "coupler", "rocker")):
        bar = sl.RigidBody(model, name, 1.0, 0.1, "SE2", position=(points[k] + points[k + 1]) / 2)
        joints["ABC"[k]] = sl.RevoluteJoint(model, "ABC"[k], before, bar, at=points[k])
        before = bar
    joints["D"] = sl.RevoluteJoint(model, "D", before, model.ground, at=points[3])
    for name, rate in {"A": crank, **others}.items():
        model.initial(joints[name], rate=rate)
    return model


@pytest.mark.slow
def test_rates_in_loops_are_satisfied() -> None:
    """The other rates follow, without a warning; the assembly keeps the condition; contradictions name the joint."""
    system = four_bar(6.0).derive().compile(backend="numpy")
    outputs, notices = start(system)
    assert outputs["A_rate"] == pytest.approx(6.0, abs=tolerances.REDUCED) and not notices
    again = start(four_bar(6.0, D=float(outputs["D_rate"])).derive().compile(backend="numpy"))[0]
    assert again["B_rate"] == pytest.approx(outputs["B_rate"], rel=tolerances.REDUCED)
    assert start(system.assembled())[0]["A_rate"] == pytest.approx(6.0, abs=tolerances.REDUCED)
    changed = system.with_initial("A", rate=3.0)
    assert start(changed)[0]["B_rate"] == pytest.approx(outputs["B_rate"] / 2, rel=tolerances.REDUCED)
    wrong = four_bar(6.0, D=1.0).derive().compile(backend="numpy")
    for attempt in (lambda: wrong.initial_state, wrong.assembled):
        with pytest.raises(InconsistentInitialValuesError, match="rate of joint 'A'"):
            attempt()


@pytest.mark.slow
def test_order_of_rates_does_not_matter() -> None:
    found = []
    for order in ((0, 1), (1, 0)):
        model = turntable(1.0)
        for k in order:
            model.initial(model.joints[k], rate=[2.0, -1.5][k])
        found.append(start(model.derive().compile(backend="numpy"))[0])
    for outputs in found:
        assert outputs["bearing_rate"] == pytest.approx(2.0, abs=tolerances.REDUCED)
        assert outputs["elbow_rate"] == pytest.approx(-1.5, abs=tolerances.REDUCED)


def test_velocities_of_euler_parameters_are_completed_at_all_orientations() -> None:
    """The kinetic energy of a body with a given speed of a point P is m/2 with 1/m = 1/M + (r × n)ᵀ J⁻¹ (r × n)."""
    model, r, inertia = sl.Model("pushed"), np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.25])
    body = sl.RigidBody(model, "body", 2.0, inertia, coordinates="euler_parameters")
    model.nonholonomic_constraint("speed", [body.velocity_of(list(r))[0] - 1])
    system, draw = model.derive().compile(backend="numpy"), np.random.default_rng(0)
    for _ in range(16):
        quaternion = draw.standard_normal(4)
        quaternion[draw.integers(4)] *= 1e-2  # small pivots of M amplify rounding errors
        rotation = sl.rotation(quaternion=quaternion / np.linalg.norm(quaternion))
        turned = system.with_initial("body", rotation=rotation)
        arm = np.cross(r, np.reshape(np.array(rotation.matrix, dtype=float), (3, 3))[0])
        expected = 0.5 / (1 / 2.0 + arm @ (arm / inertia))
        q, v = turned.initial_state.q, turned.initial_state.v
        assert v @ turned.mechanics.algebra.sparse_mass(turned.mechanics.mass(0.0, q)) @ v / 2 == pytest.approx(
            expected, rel=tolerances.NEAREST
        )


@pytest.mark.parametrize("form", ["euler_parameters", pytest.param("lie", marks=pytest.mark.slow)])
def test_contradicting_rates_are_named_in_all_coordinates(form: str) -> None:
    """The angular velocity of the forearm about parallel axes is the sum of the rates, 1 rad/s."""
    model, tilt = sl.Model("arm"), sl.rotation(vector=[0.3, 0.4, 0.5])
    upper = sl.RigidBody(model, "upper", 1.0, [1, 2, 2], position=[1, 0, 0], orientation=tilt, **FORMS[form])
    lower = sl.RigidBody(
        model, "lower", 1.0, [1, 2, 2], position=[2, 0, 0], orientation=sl.rotation(vector=[0.3, -0.4, 0.5]),
        angular_velocity=[0, 0, 1.0], axes="space", **FORMS[form],
    )  # fmt: skip
    shoulder = sl.RevoluteJoint(model, "shoulder", model.ground, upper, at=[0.5, 0, 0], axis=[0, 0, 1])
    elbow = sl.RevoluteJoint(model, "elbow", upper, lower, at=[1.5, 0.1, 0], axis=[0, 0, 1])
    model.initial(shoulder, rate=0.4)
    model.initial(elbow, rate=0.7)
    with pytest.raises(InconsistentInitialValuesError, match="the rate of joint 'shoulder', the rate of joint 'elbow'"):
        _ = model.derive().compile(backend="numpy").initial_state


def tripod(**form: Any) -> sl.Model:
    """A body on a ball joint and a bar with a specified angular velocity that turns its axis."""
    model = sl.Model("tripod")
    first = sl.RigidBody(
        model, "first", 1.0, [0.1, 0.2, 0.3], position=[0.4, 0.1, 0], orientation=sl.rotation(vector=[0.4, -0.5, 0.3]),
        angular_velocity=[0.5, 1.8, -1.1], **form,
    )  # fmt: skip
    second = sl.RigidBody(model, "second", 2.0, [0.3, 0.2, 0.1], position=[1, 0, 0.3], **form)
    sl.SphericalJoint(model, "foot", model.ground, first, at=[0, 0, 0])
    sl.CylindricalJoint(model, "knee", first, second, at=[0.7, 0, 0.1], axis=[0.3, 1, -0.5])
    sl.DistanceJoint(model, "bar", second, model.ground, at=[[1.2, 0.3, 0.3], [1, 0.5, -0.8]])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("form", [f for f in FORMS if f != "lie"])
def test_unattainable_velocities_are_approximated_in_the_same_way(form: str) -> None:
    expected, found = (start(tripod(**FORMS[f]).derive().compile(backend="numpy"))[0] for f in ("lie", form))
    for name in ("knee_rate", "knee_speed"):
        assert abs(expected[name]) > 0.01
        assert found[name] == pytest.approx(expected[name], abs=tolerances.NEAREST)


JOINTS = (
    "RevoluteJoint", "SphericalJoint", "PrismaticJoint", "CylindricalJoint", "PlanarJoint", "PointOnPlaneJoint",
    "PointOnLineJoint", "InLineJoint",
)  # fmt: skip


def chain(seed: int, form: dict[str, Any]) -> sl.Model:
    """A chain of bodies whose first joint is driven."""
    draw = random.Random(f"start:{seed}")

    def number() -> float:
        return draw.uniform(-1, 1)

    model = sl.Model("chain")
    last: Any = model.ground
    place = np.zeros(3)
    for k in range(3):
        ahead = place
        place = place + np.array([0.5 + 0.4 * number(), 0.4 * number(), 0.4 * number()])
        turn = sl.rotation(axis=[number(), number(), 1.2], angle=draw.uniform(0.2, 1.2))
        inertia = [draw.uniform(0.2, 0.3) for _ in range(3)]
        body = sl.RigidBody(model, f"b{k}", draw.uniform(0.5, 2), inertia, position=place, orientation=turn, **form)
        kind = "RevoluteJoint" if k == 0 else draw.choice(JOINTS)
        axis = {} if kind == "SphericalJoint" else {"axis": [number(), number(), 1.2]}
        joint = getattr(sl, kind)(model, f"j{k}", last, body, at=(place + ahead) / 2, **axis)
        if k == 0:
            joint.drive(0.3 * sl.sin(2 * model.t))
        elif kind in ("RevoluteJoint", "PlanarJoint", "CylindricalJoint") and draw.random() < 0.5:
            model.initial(joint, rate=number())
        model.output(f"P{k}", body.point([0.1, 0.2, 0.3]))
        model.output(f"V{k}", model.rate(body.point([0.1, 0.2, 0.3])))
        model.output(f"W{k}", body.R * body.Omega)
        last = body
    return model


def starts_agree(seed: int) -> None:
    draw = random.Random(seed)
    forms = ["lie", *draw.sample([f for f in FORMS if f != "lie"], 2)]
    models = [chain(seed, FORMS[form]) for form in forms]
    found = [start(m.derive().compile(backend="numpy"))[0] for m in (*models, sl.minimal_coordinates(models[0]))]
    for other in found[1:]:
        for name in (f"{label}{k}" for label in "PVW" for k in range(3)):
            assert np.abs(other[name] - found[0][name]).max() <= tolerances.NEAREST, (seed, name)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_all_formulations_start_with_equal_velocities(seed: int) -> None:
    starts_agree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 203))
def test_many_mechanisms_start_with_equal_velocities_in_all_formulations(seed: int) -> None:
    starts_agree(seed)


@pytest.mark.parametrize("is_early", [True, False])
def test_rates_of_joints_do_not_depend_on_the_order_of_statements(is_early: bool) -> None:
    """A floating body with an unspecified velocity rests, and so do joints without a rate, wherever a rate is given."""
    model = sl.Model("chain")
    inertia = [0.1, 0.2, 0.25]
    a = sl.RigidBody(model, "a", 1.0, inertia, angular_velocity=[1.0, 2.0, 3.0])
    b = sl.RigidBody(model, "b", 2.0, inertia, position=[1, 0, 0.2])
    inner = sl.RevoluteJoint(model, "inner", a, b, at=[0.5, 0, 0], axis=[0, 0, 1])
    if is_early:
        model.initial(inner, rate=0.5)
    c = sl.RigidBody(model, "c", 1.0, inertia, position=[2, 0, 0.2])
    sl.RevoluteJoint(model, "outer", b, c, at=[1.5, 0, 0], axis=[0, 0.3, 1])
    if not is_early:
        model.initial(inner, rate=0.5)
    model.output("velocity", a.velocity_of([0, 0, 0]))
    found, warned = start(model.derive().compile(backend="numpy"))
    rates = [*found["velocity"], found["inner_rate"], found["outer_rate"]]
    np.testing.assert_allclose(rates, [0, 0, 0, 0.5, 0], rtol=0, atol=tolerances.KERNEL)
    assert warned == ()
