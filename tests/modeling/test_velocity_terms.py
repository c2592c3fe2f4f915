"""Nonholonomic constraints, gyrostats and moving coordinates against solutions in closed form."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.system.system import System
from tests import tolerances
from tests.modeling.topologies import TOPOLOGIES, finished, stated

BACKENDS = ("c", "numpy")

SLOPE, GRAVITY, SPIN = 0.4, 9.81, 1.3
"""Inclination of the plane of the knife edge in rad, gravity in m/s², and the rate at which it turns in rad/s."""

TABLE, LEVER = 0.8, 0.6
"""Rate of the turntable in rad/s, radius of the ball in m."""


def knife_edge(topology: str) -> sl.Model:
    """A knife edge on an inclined plane: coordinates (x, y, φ), no velocity across the edge."""
    model, statement, q = stated("knife_edge", "R3", topology)
    x, y, phi = q.x_dot
    statement.kinetic_energy((2 * x**2 + 2 * y**2 + 0.3 * phi**2) / 2)
    statement.potential_energy(-2 * GRAVITY * sl.sin(SLOPE) * q.x[0])
    statement.nonholonomic_constraint("edge", x * sl.sin(q.x[2]) - y * sl.cos(q.x[2]))
    return finished(model, statement, x_dot=[0, 0, SPIN])


def ball_on_turntable(topology: str) -> sl.Model:
    """A homogeneous ball that rolls on a turntable: A(q) v + b(q) = 0."""
    model, statement, q = stated("ball", "S3xR3", topology)
    statement.kinetic_energy((q.x_dot.dot(q.x_dot) + 0.4 * LEVER**2 * q.Omega.dot(q.Omega)) / 2)
    table = sl.vector(0, 0, TABLE)
    spin = q.R * q.Omega
    contact = q.x_dot + spin.cross(sl.vector(0, 0, -LEVER)) - table.cross(q.x)
    statement.nonholonomic_constraint("rolling", contact[:2, :])
    statement.constraint("height", q.x[2] - LEVER)
    return finished(model, statement, x=[0.5, 0, LEVER], x_dot=[0, 0.3, 0])


@functools.cache
def system_of(name: str, topology: str, backend: str) -> System:
    """A system of this file."""
    build = {"knife": knife_edge, "ball": ball_on_turntable, "gyrostat": gyrostat, "hoop": hoop}[name]
    return build(topology).derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_knife_edge_slides_in_a_cycloid(topology: str, backend: str) -> None:
    # Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems: the edge does not slide down on average.
    system = system_of("knife", topology, backend)
    assert system.layout.is_fixed == (topology == "fixed")
    solution = sl.solve(system, 1.0, h=0.01, multipliers="index1")
    name, t = system.layout.nodes[0].name, solution.t
    q = solution.configuration(name).reshape(len(t), 3)
    size = GRAVITY * np.sin(SLOPE) / (2 * SPIN**2)
    expected = [size * np.sin(SPIN * t) ** 2, size * (SPIN * t - np.sin(2 * SPIN * t) / 2), SPIN * t]
    np.testing.assert_allclose(q, np.transpose(expected), rtol=0, atol=tolerances.INVARIANT)
    # m y'' = λ cos φ with the mass m = 2.
    force = 2 * 4 * size * SPIN**2 * np.sin(SPIN * t)
    np.testing.assert_allclose(solution.multipliers[:, 0], force, rtol=0, atol=tolerances.INVARIANT)
    assert np.array_equal(system.layout.holonomic, [False])
    assert np.all(solution.outputs["constraint_residual"] == 0)
    assert solution.outputs["velocity_residual"].max() < tolerances.HELD_CONSTRAINT


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_ball_on_a_turntable_moves_in_a_circle(topology: str, backend: str) -> None:
    # The centre moves on a circle with 2/7 of the rate of the table (for a homogeneous ball).
    system = system_of("ball", topology, backend)
    solution = sl.solve(system, 2.0, h=0.02)
    name, t = system.layout.nodes[0].name, solution.t
    x = solution.field(name, "x").reshape(len(t), 3)
    rate = 2 * TABLE / 7
    centre = np.array([0.5 - 0.3 / rate, 0])
    expected = centre + 0.3 / rate * np.transpose([np.cos(rate * t), np.sin(rate * t)])
    np.testing.assert_allclose(x[:, :2], expected, rtol=0, atol=tolerances.INVARIANT)
    np.testing.assert_allclose(x[:, 2], LEVER, rtol=0, atol=tolerances.HELD_CONSTRAINT)
    assert np.array_equal(system.layout.holonomic, [False, False, True])


def test_nonholonomic_constraints_appear_in_messages_and_pages() -> None:
    model = knife_edge("fixed")
    page = model.derive().markdown()
    assert "## Nonholonomic constraints" in page and "## Constraints" not in page and r"\Phi" not in page
    system = system_of("knife", "fixed", "numpy").with_initial("body", x_dot=[0, 1, 0])
    with pytest.raises(InconsistentInitialValuesError, match="velocities of 'knife_edge' violate row 1 of constraint"):
        _ = system.initial_state


def gyrostat(topology: str) -> sl.Model:
    """A rigid body with rotors of constant momentum: T has a term linear in Ω."""
    model, statement, q = stated("gyrostat", "SO3", topology)
    J = statement.parameter("inertia", [1.0, 2.0, 3.5], unit="kg m^2")
    rotors = statement.parameter("rotors", [0.3, -0.4, 0.5], unit="kg m^2/s")
    statement.kinetic_energy(q.Omega.dot(sl.diag(J) * q.Omega) / 2 + rotors.dot(q.Omega))
    statement.output("angular_momentum", q.R * (sl.diag(J) * q.Omega + rotors))
    statement.output("jacobi", q.Omega.dot(sl.diag(J) * q.Omega) / 2)
    return finished(model, statement, Omega=[1, 2, -1])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_gyrostat_keeps_its_momentum_in_space(topology: str, backend: str) -> None:
    solution = sl.solve(system_of("gyrostat", topology, backend), 1.0, method="rkmk_dopri5", h=1 / 256)
    for name in ("angular_momentum", "jacobi"):
        assert np.ptp(solution.outputs[name], axis=0).max() < tolerances.INVARIANT
    assert np.abs(solution.velocity(solution.system.layout.nodes[0].name)).std() > 0.1


def hoop(topology: str) -> sl.Model:
    """A bead on a horizontal hoop that turns about a point of its rim: T₂ + T₁ + T₀ of one angle."""
    model, statement, q = stated("hoop", "R1", topology)
    angle, rate = q.x[0], q.x_dot[0]
    # Position: e(Ωt) + e(Ωt + φ) with unit vectors e; T is |velocity|²/2.
    statement.kinetic_energy((SPIN**2 + (SPIN + rate) ** 2 + 2 * SPIN * (SPIN + rate) * sl.cos(angle)) / 2)
    return finished(model, statement, x=[0.2], x_dot=[0.5])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_bead_on_a_rotating_hoop_moves_like_a_pendulum(topology: str, backend: str) -> None:
    # Lagrange's equation is φ'' = -Ω² sin φ, so that φ'²/2 - Ω² cos φ is constant (the Jacobi integral).
    solution = sl.solve(system_of("hoop", topology, backend), 2.0, method="rkmk_dopri5", h=1 / 256)
    angle, rate = solution.q[:, 0], solution.v[:, 0]
    assert np.ptp(rate**2 / 2 - SPIN**2 * np.cos(angle)) < tolerances.INVARIANT
    assert np.ptp(angle) > 0.3
