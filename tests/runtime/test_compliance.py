"""Compliances of constraints share forces among redundant constraints, as equivalent stiff springs do."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import EquilibriumError, ModelError, UnknownNameError
from tests import tolerances

METHODS = [
    "half_explicit_5", "generalized_alpha", "generalized_alpha_index2", "bdf2", "bdf", "rattlie", "taylor",
]  # fmt: skip

WEIGHT = 2 * 9.81


def beam(unit: float) -> sl.Model:
    """A rigid beam on supports at 0, 1 and 4 m with compliances of 1, 2 and 4 µm/N; its weight acts at 1.5 m.

    Where it sinks by (2 + x) c, with x in m, forces on the supports are in proportion to 2/1, 3/2 and 6/4. Their
    resultant, 5, acts at (1·1.5 + 4·1.5)/5 m = 1.5 m, as the weight does. So the supports bear 0.4, 0.3 and 0.3 of it.
    Lengths are in 1/unit of a metre, and so are forces in 1/unit of a newton.
    """
    model = sl.Model("beam")
    body = model.node("body", "SE2")
    at = 1.5 * unit
    model.kinetic_energy(2 * body.U.dot(body.U) / 2 + unit**2 * body.Omega.dot(body.Omega) / 2)
    model.potential_energy(2 * 9.81 * unit * body.x[1])
    model.constraint("guide", body.x[0] - at)
    model.initial(body, x=[at, 0])
    for name, x, compliance in (("a", 0, 1e-6), ("b", unit, 2e-6), ("c", 4 * unit, 4e-6)):
        model.constraint(name, (body.x + body.R * sl.vector(x - at, 0))[1])
        model.output(f"force_{name}", model.constraint_force(body, name))
        model.compliance(name, compliance)
    return model


SHARES = np.array([0.4, 0.3, 0.3])


@functools.cache
def system(backend: str, unit: float) -> sl.System:
    return beam(unit).derive().compile(backend=backend).with_redundant("minimal_norm")


@pytest.mark.filterwarnings("ignore::symlie.SymlieWarning")
@pytest.mark.parametrize(("backend", "unit"), [("numpy", 1.0), ("c", 1e3)])
@pytest.mark.parametrize("method", METHODS)
def test_supports_share_loads_like_springs(backend: str, method: str, unit: float) -> None:
    steps = {"rtol": 1e-6} if method in ("bdf", "taylor") else {"h": 2**-6}
    run = sl.solve(system(backend, unit), 2**-4, method=method, **steps)
    np.testing.assert_allclose(
        run.multipliers[:, 1:] / (WEIGHT * unit), [-SHARES] * len(run.t), rtol=0, atol=tolerances.SHARES
    )
    assert run.undetermined == ((), ())
    assert any("Multipliers are determined by compliances" in notice for notice in run.warnings)


@pytest.mark.parametrize("unit", [1.0, 1e3])
def test_statics_and_linearisation_include_compliance(unit: float) -> None:
    found = system("numpy", unit).static_equilibrium()
    np.testing.assert_allclose(found.multipliers[1:] / (WEIGHT * unit), -SHARES, rtol=0, atol=tolerances.SHARES)
    linear = system("numpy", unit).linearize(found.q)
    np.testing.assert_allclose(linear.multipliers, found.multipliers, rtol=0, atol=tolerances.SHARES * WEIGHT * unit)


def test_statics_reject_contradictory_constraints() -> None:
    model = beam(1.0)
    body = model.nodes[0]
    model.constraint("apart", body.x[0] - 1.6)
    with pytest.raises(
        EquilibriumError, match=r"contradict each other: .* violates row 1 of constraint '(guide|apart)'"
    ):
        model.derive().compile(backend="numpy").with_redundant("minimal_norm").static_equilibrium()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symlie.SymlieWarning")
@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_rotational_compliance_removes_clamping_moments(backend: str) -> None:
    """A frame on two hinges: without moments they bear 90 and 10 per cent, by the rule of the lever."""
    shares = []
    for unit in (1.0, 1e3):
        model = sl.Model("frame")
        frame = sl.RigidBody(model, "frame", 10.0, [unit**2] * 3, position=[0.1 * unit, 0, -0.5 * unit])
        for name, x in (("A", 0), ("B", unit)):
            hinge = sl.RevoluteJoint(model, name, model.ground, frame, at=[x, 0, 0], axis=[1, 0, 0])
            model.compliance(hinge, [0, 0, 0, 1e-3 / unit**2, 1e-3 / unit**2])
        model.gravity([0, 0, -9.81 * unit])
        run = sl.solve(model.derive().compile(backend=backend), 0.01, h=0.01, redundant="minimal_norm")
        shares.append([run.outputs[f"{name}_force"][-1, 2] / (98.1 * unit) for name in "AB"])
        # Along the axis both are rigid, and nothing says which one holds the frame.
        assert run.undetermined.outputs == ("A_force", "B_force")
    np.testing.assert_allclose(shares, [[0.9, 0.1]] * 2, rtol=0, atol=tolerances.SHARES)


@functools.cache
def element(kind: str) -> sl.ElementType:
    """A point of a body that stays in a plane, by a constraint or by a spring."""
    found = sl.ElementType(kind, body=sl.SE3)
    direction = found.parameter("direction", [0, 0, 1])
    point = found.parameter("point", [0, 0, 0])
    body = found.body
    distance = direction.dot(body.x + body.R * point - point)
    if kind == "support":
        found.constraint(kind, distance)
    else:
        compliance, softness = found.parameter("compliance", 1.0), found.parameter("softness", 1.0)
        found.potential_energy(distance**2 / (softness * compliance) / 2)
    return found


SUPPORTS = 9
SOFTNESS = (1.0, 0.1)


def check_springs(seed: int) -> None:
    """Shares of random supports, some of them rigid, against those of springs that become stiffer."""
    draw = np.random.default_rng(seed)
    unit = 10 ** draw.uniform(-2, 2)
    directions, points = draw.normal(size=(SUPPORTS, 3)), unit * draw.normal(size=(SUPPORTS, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    compliances = unit * 10 ** draw.uniform(-6, -4, SUPPORTS)
    compliances[: draw.choice([0, 3])] = 0
    force, moment = draw.normal(size=3), unit * draw.normal(size=3)

    def stated(*, is_rigid: bool) -> sl.System:
        model = sl.Model("supports")
        body = model.node("body", "SE3")
        model.kinetic_energy(body.U.dot(body.U) / 2 + body.Omega.dot(body.Omega) * unit**2 / 2)
        model.force(model.parameter("load", force), body.x)
        model.torque(model.parameter("torque", moment), body)
        softness = model.parameter("softness", 1.0)
        for k in range(SUPPORTS):
            given = {"direction": directions[k], "point": points[k]}
            if is_rigid or compliances[k] == 0:
                model.add(element("support"), [body], names=f"s{k}", **given)
                model.compliance(f"s{k}", compliances[k])
            else:
                model.add(element("spring"), [body], compliance=compliances[k], softness=softness, **given)
        return model.derive().compile(backend="numpy")

    shared = stated(is_rigid=True).with_redundant("minimal_norm").static_equilibrium().multipliers
    springs, errors = stated(is_rigid=False), []
    for softness in SOFTNESS:
        found = springs.with_parameters(softness=softness).static_equilibrium()
        moved = found.q[9:] + points @ found.q[:9].reshape(3, 3).T - points
        forces = np.sum(directions * moved, axis=1) / np.where(compliances > 0, softness * compliances, 1)
        forces[compliances == 0] = found.multipliers
        errors.append(np.abs(forces - shared).max() / np.abs(shared).max())
    assert errors[0] < tolerances.SPRING_SHARES and errors[1] < 0.2 * errors[0], errors


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_compliance_is_the_limit_of_springs(seed: int) -> None:
    check_springs(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 210, 20))
def test_compliance_is_the_limit_of_many_springs(first: int) -> None:
    for seed in range(first, first + 20):
        check_springs(seed)


def test_invalid_compliances_are_rejected() -> None:
    model = beam(1.0)
    with pytest.raises(UnknownNameError, match="'beam' has no joint or constraint 'd' for compliances"):
        model.compliance("d", 1.0)
    with pytest.raises(
        ModelError, match="Compliances of 'a' of 'beam' need 1 values, one for each constraint equation, not 2"
    ):
        model.compliance("a", [1.0, 2.0])
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ModelError, match="must be zero or positive and finite"):
            model.compliance("a", wrong)
    with pytest.raises(ModelError, match="must be numbers, not 'soft'"):
        model.compliance("a", "soft")
    with pytest.raises(ModelError, match="to a joint or to the name of a constraint, not to 3"):
        model.compliance(3, 1.0)


def test_minimal_coordinates_ignore_compliance_of_eliminated_joints() -> None:
    model = sl.Model("door")
    door = sl.RigidBody(model, "door", 2.0, [1, 1, 1], position=[0.5, 0, 0])
    for name, z in (("lower", -1), ("upper", 1)):
        hinge = sl.RevoluteJoint(model, name, model.ground, door, at=[0, 0, z], axis=[0, 0, 1])
        model.compliance(hinge, [1e-7, 1e-7, 1e-7, 1e-5, 1e-5])
    system = sl.minimal_coordinates(model).derive().compile(backend="numpy")
    assert system.layout.compliance.tolist() == [1e-7, 1e-7, 1e-7, 1e-5, 1e-5]
