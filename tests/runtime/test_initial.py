"""Consistent initial values: multipliers, completed velocities, and errors that name the wrong equation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlie as sl
from symlie.errors import (
    InconsistentInitialValuesError,
    ModelError,
    NotFiniteError,
    RedundantConstraintsError,
    SingularMassMatrixError,
    SymlieError,
    UnknownNameError,
)
from symlie.runtime.linear.schur import DenseAlgebra
from symlie.runtime.system.system import System
from symlie.runtime.system.velocities import SHADOW, VelocityProblem
from tests import tolerances
from tests.systems import CONSTRAINED, chain_system, heavy_top_reference, heavy_top_system

BACKENDS = ("c", "numpy")


def near(found: Any, expected: Any, tolerance: float = tolerances.LIBRARY) -> None:
    """Compare relative to the largest entry."""
    expected = np.asarray(expected, dtype=float)
    assert np.abs(np.asarray(found) - expected).max() <= tolerance * max(1.0, float(np.abs(expected).max()))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("group", CONSTRAINED)
def test_heavy_top_is_completed(group: str, backend: str) -> None:
    """The translational velocity follows from the hidden constraint, λ₀ from the curvature."""
    state = heavy_top_system(group, backend).initial_state
    reference = heavy_top_reference("0.0")
    near(state.multipliers, reference["lambda"])
    near(state.v[:3], reference["Omega"])
    near(state.v[3:], reference["U_body" if group in ("SE3", "S3sR3") else "u_inertial"])
    near(state.q[-3:], reference["x"])
    near(state.q[:-3], reference["quaternion" if group.startswith("S3") else "R"])


@pytest.mark.parametrize("group", CONSTRAINED)
def test_changed_values_are_completed_again(group: str) -> None:
    """λ₀ against a force balance: v' = Ω' × x + Ω × (Ω × x) of the point that the multipliers hold."""
    lever, Omega = np.array([0.5, 1.5, -0.25]), np.array([3.0, -2.0, 5.0])
    system = heavy_top_system(group).with_parameters(mass=7.5, lever=lever, inertia=[0.5, 1.0, 0.75])
    system = system.with_initial("top", x=lever, Omega=Omega)
    state = system.initial_state
    near(state.v[3:], np.cross(Omega, lever))
    J, m, gamma = np.diag([0.5, 1.0, 0.75]), 7.5, np.array([0, 0, -9.81])
    tilde = np.array([[0, -lever[2], lever[1]], [lever[2], 0, -lever[0]], [-lever[1], lever[0], 0]])
    about = J - m * tilde @ tilde
    spin = np.linalg.solve(about, np.cross(lever, m * gamma) - np.cross(Omega, about @ Omega))
    acceleration = np.cross(spin, lever) + np.cross(Omega, np.cross(Omega, lever))
    near(-state.multipliers, m * acceleration - m * gamma, tolerances.RESIDUAL)


def test_partial_velocities_are_completed() -> None:
    """All of Ω is given and stays; U is free."""
    system = chain_system()
    state = system.initial_state
    upper, lower = system.layout.node("upper"), system.layout.node("lower")
    assert state.v[upper.velocity][:3].tolist() == [1, 0.5, 3]
    assert state.v[lower.velocity][:3].tolist() == [0, 2, -1]
    k, p = system.kernels, system.prepared
    rate = k.constraint_rate(p, 0.0, state.q, state.v)
    assert np.abs(rate).max() > 0.1  # the pivot moves
    assert isinstance(system.algebra, DenseAlgebra)
    near(system.algebra.jacobian_matrix(k.jacobian(p, 0.0, state.q, state.v)) @ state.v + rate, np.zeros(6))


def pendulum(**initial: Any) -> sl.Model:
    """A point on a circle."""
    model = sl.Model("pendulum")
    q = model.node("bob", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * q.x[1])
    model.constraint("Rod", (q.x.dot(q.x) - 1) / 2)
    model.initial(q, **initial)
    return model


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_velocities_may_be_omitted(backend: str) -> None:
    state = pendulum(x=[0.6, -0.8]).derive().compile(backend=backend).initial_state
    assert state.v.tolist() == [0, 0]
    near(state.multipliers, [-9.81 * -0.8])


@pytest.mark.parametrize("backend", BACKENDS)
def test_initial_time_is_used(backend: str) -> None:
    """A time-dependent constraint is consistent at the initial time only."""
    model = sl.Model("lift")
    q = model.node("cabin", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.constraint("floor", q.x[0] - model.t**2)
    model.initial(q, x=[4])
    system = model.derive().compile(backend=backend)
    state = system.consistent_state(2.0)
    near(state.v, [4])
    near(state.multipliers, [-2])
    with pytest.raises(InconsistentInitialValuesError, match="violates row 1 of constraint 'floor': Φ = 4"):
        _ = system.initial_state


def of(build: Callable[[sl.Model], None]) -> Callable[[str], System]:
    """Compile a model defined by a function."""

    def compiled(backend: str) -> System:
        model = sl.Model("case")
        build(model)
        return model.derive().compile(backend=backend)

    return compiled


def point(model: sl.Model, x: Any, dimension: int = 3, **initial: Any) -> Any:
    """A free point."""
    q = model.node("point", f"R{dimension}")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.initial(q, x=x, **initial)
    return q


def wrong_position(model: sl.Model) -> None:
    q = point(model, [0, 0, 0.5])
    model.constraint("wall", q.x[0])
    model.constraint("floor", [q.x[1], q.x[2]])


def wrong_velocity(model: sl.Model) -> None:
    q = point(model, [0, 0, 0], x_dot=[0, 0.5, 0.25])
    model.constraint("wall", q.x[0])
    model.constraint("floor", [q.x[0] + q.x[1] - 2 * q.x[2], 2 * q.x[2]])


def redundant(model: sl.Model) -> None:
    q = point(model, [0, 0, 0])
    model.constraint("A", q.x[0])
    model.constraint("Free", q.x[2])
    model.constraint("B", [q.x[1], q.x[0] + 3 * q.x[1]])


def too_many(model: sl.Model) -> None:
    q = point(model, [0], dimension=1)
    model.constraint("twice", [q.x[0], q.x[0] + q.x[0] ** 3])


def flat(model: sl.Model) -> None:
    q = point(model, [0, 0, 0])
    model.constraint("Good", q.x[1])
    model.constraint("Flat", q.x[0] ** 2)


def massless(model: sl.Model) -> None:
    point(model, [0, 0, 0])
    q = model.node("rotor", "R2")
    model.kinetic_energy((q.x_dot[0] + q.x_dot[1]) ** 2)


def massless_parameter(model: sl.Model) -> None:
    point(model, [0, 0, 0])
    q = model.node("rotor", "R2")
    light = model.parameter("light", 0.0)
    model.kinetic_energy(q.x_dot[0] ** 2 + light * q.x_dot[1] ** 2)


def skewed(model: sl.Model) -> None:
    q = model.node("body", "SO3")
    model.kinetic_energy(q.Omega.dot(q.Omega) / 2)
    model.initial(q, R=[[1, 0, 0], [0, 1, 0.1], [0, 0, 1]])


def reflected(model: sl.Model) -> None:
    q = model.node("body", "SO3")
    model.kinetic_energy(q.Omega.dot(q.Omega) / 2)
    model.initial(q, R=[[1, 0, 0], [0, 1, 0], [0, 0, -1]])


def long_quaternion(model: sl.Model) -> None:
    q = model.node("body", "S3sR3")
    model.kinetic_energy(q.v.dot(q.v) / 2)
    model.initial(q, p=[1, 0.1, 0, 0])


REFUSED: dict[str, tuple[Callable[[sl.Model], None], type[SymlieError], str]] = {
    "position": (
        wrong_position,
        InconsistentInitialValuesError,
        r"initial configuration of 'case' violates row 2 of constraint 'floor': Φ = 0\.5",
    ),
    "velocity": (
        wrong_velocity,
        InconsistentInitialValuesError,
        r"initial velocities of 'case' violate the time derivative of row 2 of constraint 'floor': B v \+ b = 0\.5",
    ),
    "redundant rows": (
        redundant,
        RedundantConstraintsError,
        r"constraints of 'case' are redundant: row 1 of constraint 'A', rows 1 and 2 of constraint 'B' depend on "
        r"each other \(the smallest such set\); remove any one of these equations, free a node, or integrate with "
        r"redundant='minimal_norm'\.$",
    ),
    "more rows than velocities": (
        too_many,
        RedundantConstraintsError,
        r"rows 1 and 2 of constraint 'twice' depend on each other",
    ),
    "row without slope": (
        flat,
        RedundantConstraintsError,
        r"In 'case', row 1 of constraint 'Flat' has a zero Jacobian on the free nodes at the initial configuration",
    ),
    "singular mass": (
        massless,
        SingularMassMatrixError,
        r"mass matrix of 'case' is singular along velocity component [01] of node 'rotor'",
    ),
    "mass that is zero by a parameter": (
        massless_parameter,
        SingularMassMatrixError,
        r"mass matrix of 'case' is singular along velocity component 1 of node 'rotor'",
    ),
    "matrix that is not orthogonal": (
        skewed,
        ModelError,
        r"initial configuration of node 'body' is not in SO3 .*rotation matrices must be orthogonal",
    ),
    "reflection": (reflected, ModelError, r"initial configuration of node 'body' is not in SO3"),
    "long quaternion": (long_quaternion, ModelError, r"initial configuration of node 'body' is not in S3sR3"),
}


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", REFUSED)
def test_inconsistent_values_are_rejected(case: str, backend: str) -> None:
    build, kind, sentence = REFUSED[case]
    system = of(build)(backend)
    name = "half_explicit_5" if system.layout.rows else "rkmk_rk44"
    with pytest.raises(kind, match=sentence):
        sl.solve(system, 0.01, method=name, h=1e-3)


@pytest.mark.slow
def test_repaired_cases_are_accepted() -> None:
    """The same systems with other values run, so it is the values that are refused."""
    repaired = of(wrong_position)("c").with_initial("point", x=[0, 0, 0])
    assert sl.solve(repaired, 0.01, h=1e-3).status == "ok"
    repaired = of(massless_parameter)("c").with_parameters(light=1.0)
    assert sl.solve(repaired, 0.01, method="rkmk_rk44", h=1e-3).status == "ok"
    repaired = of(flat)("c").with_initial("point", x=[1e-10, 0, 0])  # a small slope is a matter of units
    assert repaired.initial_state.v.tolist() == [0, 0, 0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_elements_within_rounding_are_returned_to_the_group(backend: str) -> None:
    """Seven digits of a rotation matrix are taken as meant, and normalised."""
    c, s = np.cos(0.3), np.sin(0.3)
    rough = np.round([[c, -s, 0], [s, c, 0], [0, 0, 1]], 8)
    system = heavy_top_system("SO3", backend).with_initial("top", R=rough)
    rotation = system.initial_state.q.reshape(3, 3)
    near(rotation.T @ rotation, np.eye(3), 4 * tolerances.EPSILON)
    assert np.abs(rotation - rough).max() < 1e-8


def test_wrong_names_and_shapes_are_rejected() -> None:
    system = heavy_top_system("SE3")
    with pytest.raises(UnknownNameError, match="'heavy_top' has no parameter 'weight'; it has: mass, inertia, lever"):
        system.with_parameters(weight=3)
    with pytest.raises(UnknownNameError, match="Node 'top' has no field 'p'; it has: R, x, Omega, U"):
        system.with_initial("top", p=[1, 0, 0, 0])
    with pytest.raises(UnknownNameError, match="'heavy_top' has no node 'bottom'; it has: top"):
        system.with_initial("bottom", x=[1, 0, 0])
    with pytest.raises(ModelError, match="parameter 'lever' needs 3 components, not 2"):
        system.with_parameters(lever=[1, 2])
    with pytest.raises(ModelError, match="parameter 'mass' is not finite"):
        system.with_parameters(mass=np.inf)
    with pytest.raises(ModelError, match="parameter 'mass' must be numbers, not 'heavy'"):
        system.with_parameters(mass="heavy")
    with pytest.raises(ModelError, match=r"initial value top\.x needs 3 components, not 2"):
        system.with_initial("top", x=[1, 2])
    with pytest.raises(ModelError, match=r"initial value top\.x is not finite"):
        system.with_initial("top", x=[1, 2, np.nan])


@pytest.mark.parametrize("links", [1, 40, pytest.param(420, marks=pytest.mark.slow)])
def test_warning_names_nodes_whose_velocities_were_chosen(links: int) -> None:
    """A bob on a moving pivot: along the rod its velocity follows, across it was chosen. Small and large systems."""
    model = sl.Model("moving_pivot")
    bobs = [model.node(f"bob{k}", "R2") for k in range(links)]
    for k, bob in enumerate(bobs):
        model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
        rod = bob.x - sl.vector(model.t if k % 2 == 0 else 0, 0)
        model.constraint(f"rod{k}", rod.dot(rod) - 1)
        model.initial(bob, x=[0.6, -0.8])
    system = model.derive().compile(backend="numpy")
    assert system.initial_state.chosen == tuple(f"velocity of bob{k}" for k in range(0, links, 2))
    with pytest.warns(
        sl.SymlieWarning, match="minimise the kinetic energy of the change and are not zero: velocity of bob0"
    ):
        sl.solve(system, 1e-3, h=1e-3)


def test_velocities_determined_by_constraints_give_no_warning() -> None:
    """A slider whose crank has a velocity; and a bob on a pivot that moves along the rod alone."""
    model = sl.Model("slider")
    crank, slider, bob = model.node("crank", "R1"), model.node("slider", "R1"), model.node("bob", "R2")
    for node in (crank, slider, bob):
        model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    model.constraint("rod", slider.x[0] - sl.cos(crank.x[0]))
    rod = bob.x - sl.vector(model.t, 0)
    model.constraint("pivot", rod.dot(rod) - 1)
    model.initial(crank, x=[0.5], x_dot=[2.0])
    model.initial(slider, x=[np.cos(0.5)])
    model.initial(bob, x=[1.0, 0.0])
    state = model.derive().compile(backend="numpy").initial_state
    assert state.chosen == ()
    near(state.v[1:], [-2 * np.sin(0.5), 1.0, 0.0])


@functools.cache
def tumbling() -> System:
    """A free body in Euler parameters, whose M has rank three of four."""
    model = sl.Model("tumbling")
    body = model.node("body", "SO3", coordinates="euler_parameters")
    model.kinetic_energy((0.1 * body.Omega[0] ** 2 + 0.2 * body.Omega[1] ** 2 + 0.35 * body.Omega[2] ** 2) / 2)
    model.initial(body, Omega=[1, 2, 3])
    return model.derive().compile(backend="numpy")


@given(st.integers(0, 10_000))
def test_metrics_of_singular_mass_matrices_are_positive_definite(seed: int) -> None:
    """Rounding decides whether a Cholesky factorisation of the singular M fails."""
    m = tumbling().mechanics
    q = np.random.default_rng(seed).normal(size=4)
    q /= np.linalg.norm(q)
    nothing = np.zeros(4, dtype=bool)
    problem = VelocityProblem(m, 0.0, q, nothing, {}, m.jacobian(0.0, q, np.zeros(4)), m.mass(0.0, q))
    metric, mass = problem.metric.toarray(), np.diag(m.algebra.sparse_mass(m.mass(0.0, q)).toarray())
    # M without rounding is positive semidefinite, so all eigenvalues are at least SHADOW times the least entry added.
    assert np.linalg.eigvalsh(metric)[0] > SHADOW * mass.min() / 2


@pytest.mark.parametrize("motion", [lambda t: sl.sqrt(t), lambda t: sl.acos(sl.cos(9 * t))])
def test_constraints_without_finite_rate_are_named(motion: Callable[[Any], Any]) -> None:
    """Next to a point that the constraints do not determine."""
    model = sl.Model("driven")
    driven, free = model.node("driven", "R3"), model.node("free", "R3")
    model.kinetic_energy((driven.x_dot.dot(driven.x_dot) + free.x_dot.dot(free.x_dot)) / 2)
    model.constraint("drive", driven.x[0] - motion(model.t))
    system = model.derive().compile(backend="numpy")
    with pytest.raises(NotFiniteError, match=r"the time derivative of .*'drive' is not finite at t = 0"):
        _ = system.initial_state
