"""Derivatives of initial states: of assembled ones, against the implicit function theorem with dense matrices, and at
corners of piecewise laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import SmoothnessError
from symlie.runtime.integrate.sensitivities.start import start_tangents
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.output_jacobian import linear_outputs
from tests import tolerances


def hanging(group: str) -> sl.System:
    """A body on a spherical joint, outside of its centre of mass, and a second one on a hinge, which rotate."""
    model = sl.Model("hanging")
    upper = sl.RigidBody(model, "upper", 0.5, [0.02, 0.03, 0.01], group, position=[0.1, 0.05, -0.15])
    lower = sl.RigidBody(model, "lower", 0.7, [0.02, 0.01, 0.02], group, position=[0.3, 0.05, -0.3])
    sl.SphericalJoint(model, "pivot", model.ground, upper, at=[0, 0, 0])
    sl.RevoluteJoint(model, "hinge", upper, lower, at=[0.2, 0.1, -0.25], axis=[0.6, 0, 0.8])
    model.gravity([0, 0, -9.81])
    model.initial(upper.node, Omega=[0.4, -0.3, 1.0])
    return model.derive().compile(backend="numpy").with_initial("hinge", angle=0.0, rate=0.7)


def dense(system: sl.System, q: Array, v: Array) -> tuple[Array, Array]:
    """M and B."""
    mechanics, algebra = system.mechanics, system.algebra
    return (
        algebra.sparse_mass(mechanics.mass(0.0, q)).toarray(),
        algebra.sparse_jacobian(mechanics.jacobian(0.0, q, v)).toarray(),
    )


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_assembled_start_has_the_derivative_of_the_smallest_change(group: str) -> None:
    """The search for the smallest change ends at 1e-9 of it; differences of its results have errors of 1e-7."""
    system = hanging(group)
    state = system.initial_state
    dq, dv = start_tangents(system, 0.0, state.q, variables_of(system, ["lower.x"]))
    M, B = dense(system, state.q, state.v)
    rows = np.vstack([B, linear_outputs(system.mechanics, 0.0, state.q, ["hinge_rate"]).matrix.toarray()])
    specified = np.zeros((3, len(M)))
    specified[:, 9:] = np.eye(3)
    # (1 - M⁻¹Jᵀ (J M⁻¹Jᵀ)⁻¹ J) δs
    inverse = np.linalg.solve(M, rows.T)
    expected = specified - (inverse @ np.linalg.solve(rows @ inverse, rows @ specified.T)).T
    scale = np.abs(expected).max()
    assert np.abs(dq - expected).max() <= tolerances.DERIVATIVE_OF_START * scale
    # d(B v + b) = 0
    rest = np.zeros(len(M))
    hidden = system.newton_matrices(system.prepared, 0.0, state.q, state.v, rest, np.zeros(len(B)))[2]
    change = dq @ hidden.T + dv @ B.T
    assert np.abs(change).max() <= tolerances.DERIVATIVE_OF_START * np.abs(dq).max() * np.abs(state.v).max()


def block(force: Callable[[Any, Any], Any]) -> sl.System:
    """A mass at rest, on which a piecewise force acts."""
    model = sl.Model("block")
    k, mass = model.parameter("k", 2.0), model.node("mass", "R1")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.force(sl.vector(force(mass, k)), at=mass.x)
    model.output("place", mass.x[0])
    model.initial(mass, x=[0.0], x_dot=[0.0])
    return model.derive().compile(backend="numpy")


@pytest.mark.parametrize(
    ("force", "name"),
    [
        (lambda mass, k: -k * abs(mass.x[0]), "mass.x"),
        (lambda mass, k: -k * abs(mass.x_dot[0]), "mass.x_dot"),
        (lambda mass, k: -k * sl.sign(mass.x_dot[0]), "mass.x_dot"),
        (lambda mass, k: abs(k - 2 + mass.x[0]), "k"),
    ],
)
def test_motions_that_rest_at_a_corner_have_no_derivative(force: Callable[[Any, Any], Any], name: str) -> None:
    sentence = f"^The motion of 'block' begins at rest at a corner of a piecewise law, .* derivative by '{name}'; begin"
    with pytest.raises(SmoothnessError, match=sentence):
        sl.sensitivity(block(force), 0.5, wrt=name, h=1 / 16)


def test_motions_that_leave_a_corner_and_smooth_laws_have_derivatives() -> None:
    smooth = block(lambda mass, k: -k * mass.x_dot[0] * abs(mass.x_dot[0]))
    at_rest = sl.sensitivity(smooth, 0.5, wrt=["mass.x", "mass.x_dot"], h=1 / 16)
    np.testing.assert_allclose(at_rest["place"][-1], [[1.0, 0.5]], rtol=tolerances.DERIVATIVE_OF_START)
    leaving = sl.sensitivity(block(lambda mass, k: 1 - k * abs(mass.x[0])), 0.5, wrt="mass.x", h=1 / 16)
    assert leaving["place"][-1, 0, 0] < 1, "the spring pulls back"


@pytest.mark.parametrize(
    "statement",
    [
        lambda model, mass, p: model.force([-sl.Abs(p) * mass.x_dot[0]], at=mass.x),
        lambda model, mass, p: model.potential_energy(sl.Max(p, 0) * mass.x[0] ** 2),
        lambda model, mass, p: model.force([sl.select(p, 2 * p, 3 * p) * mass.x[0]], at=mass.x),
        lambda model, mass, p: model.output("offset", mass.x[0] + sl.Abs(p)),
        lambda model, mass, p: model.initial(mass, x=[sl.Abs(p)]),
    ],
)
def test_parameters_at_a_corner_have_no_derivative(statement: Callable[[Any, Any, Any], None]) -> None:
    model = sl.Model("oscillator")
    p, k, mass = model.parameter("p", 0.0), model.parameter("k", 2.0), model.node("mass", "R1")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.potential_energy(k * mass.x[0] ** 2 / 2 - mass.x[0] + p**2 * mass.x[0])
    model.output("place", mass.x[0])
    statement(model, mass, p)
    system = model.derive().compile(backend="numpy")
    with pytest.raises(SmoothnessError, match=r"^Parameter 'p' of 'oscillator' is at a corner of a piecewise law"):
        sl.sensitivity(system, 0.5, wrt=["k", "p"], h=1 / 16)
    with pytest.raises(SmoothnessError, match=r"^Parameter 'p' of 'oscillator' is at a corner of a piecewise law"):
        sl.gradient(system, 0.5, "place", wrt=["k", "p"], h=1 / 16)
    sl.sensitivity(system, 0.5, wrt="k", h=1 / 16)
    sl.sensitivity(system.with_parameters(p=0.1), 0.5, wrt="p", h=1 / 16)


def test_parameters_at_a_corner_have_no_derivative_at_rest() -> None:
    model = sl.Model("spring")
    p, k, mass = model.parameter("p", 0.0), model.parameter("k", 2.0), model.node("mass", "R1")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.potential_energy((k + sl.Abs(p)) * mass.x[0] ** 2 / 2 - mass.x[0])
    model.output("place", mass.x[0])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(SmoothnessError, match=r"^Parameter 'p' of 'spring' is at a corner .* runs and equilibria"):
        sl.static_sensitivity(system, wrt="p")
    assert sl.static_sensitivity(system.with_parameters(p=2.0), wrt="p")["place"][0, 0] == pytest.approx(-1 / 16)


def test_quadratic_laws_of_parameters_have_derivatives() -> None:
    """At zero, squares of a parameter have the derivative zero, as their changes on both sides are equal."""
    model = sl.Model("damped")
    p, r, mass = model.parameter("p", 0.0), model.parameter("r", 1.0), model.node("mass", "R1")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.force([1 - (p**2 + p * sl.Abs(p) + sl.Abs(r)) * mass.x_dot[0]], at=mass.x)
    model.output("place", mass.x[0])
    found = sl.sensitivity(model.derive().compile(backend="numpy"), 0.5, wrt=["p", "r"], h=1 / 16)
    assert found["place", "p"][-1, 0] == 0 and found["place", "r"][-1, 0] < 0


def pushed(law: Callable[[Any, Any], Any]) -> sl.System:
    """A mass on a spring, on which a law of a table and of its place acts."""
    model = sl.Model("pushed")
    mass, push = model.node("mass", "R1"), model.input("push")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.potential_energy(mass.x[0] ** 2)
    model.force([law(push, mass)], at=mass.x)
    model.output("place", mass.x[0])
    return model.derive().compile(backend="numpy")


AT_INPUT = r"^Input 'push\[1, 0\]' of 'pushed' is at a corner of a piecewise law, .* where {} have no derivatives by it"


def test_inputs_that_rest_at_a_corner_have_no_derivative() -> None:
    system = pushed(lambda push, mass: sl.Abs(push) + mass.x[0])
    knots = np.array([0.0, 0.25, 0.5])
    with pytest.raises(SmoothnessError, match=AT_INPUT.format("runs")):
        sl.sensitivity(system.with_input("push", knots, [1.0, 0.0, 0.0]), 0.5, wrt="push", h=1 / 16)
    crossing = system.with_input("push", knots, [1.0, -1.0, 1.0])
    assert np.isfinite(sl.sensitivity(crossing, 0.5, wrt="push", h=1 / 16)["place"]).all()
    smooth = pushed(lambda push, mass: push * sl.Abs(push) + sl.Abs(mass.x[0] - 1 - push))
    at_zero = smooth.with_input("push", knots, np.zeros(3))
    assert np.isfinite(sl.sensitivity(at_zero, 0.5, wrt="push", h=1 / 16)["place"]).all()


def test_equilibria_at_a_corner_have_no_derivative() -> None:
    model = sl.Model("spring")
    p, k, mass = model.parameter("p", 0.0), model.parameter("k", 2.0), model.node("mass", "R1")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.potential_energy(k * mass.x[0] ** 2 / 2 - p * mass.x[0])
    model.force([-sl.Abs(mass.x[0])], at=mass.x)
    model.output("place", mass.x[0])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(
        SmoothnessError, match=r"^The equilibrium of 'spring' is at a corner .* derivative by 'p'; change"
    ):
        sl.static_sensitivity(system, wrt=["k", "p"])
    assert sl.static_sensitivity(system, wrt="k")["place"][0, 0] == 0
    moved = sl.static_sensitivity(system.with_parameters(p=0.3), wrt="p")
    assert moved["place"][0, 0] == pytest.approx(1 / 3)
    pushing = pushed(lambda push, mass: sl.Abs(push)).with_input("push", [0.0, 1.0], np.zeros(2))
    with pytest.raises(SmoothnessError, match=AT_INPUT.format("equilibria")):
        sl.static_sensitivity(pushing, wrt="push", t=1.0)
