"""Follower and inertial loads, and a pendulum whose pivot moves, against equations written by hand."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.modeling.topologies import TOPOLOGIES, finished, stated

BACKENDS = ("c", "numpy")
AMPLITUDE, RATE, GRAVITY = 0.2, 5.0, 9.81


def rocket(topology: str) -> sl.Model:
    """A planar rocket in space: thrust along its axis, which is off its centre, and weight."""
    model, statement, q = stated("rocket", "SE3", topology)
    statement.kinetic_energy((2 * q.U.dot(q.U) + 0.5 * q.Omega.dot(q.Omega)) / 2)
    statement.force(sl.vector(0, -2 * GRAVITY, 0), at=q.x)
    statement.force(q.R * sl.vector(30, 0, 0), at=q.x + q.R * sl.vector(-1, 0.02, 0))
    statement.generalized_force(q, Omega=[0, 0, 0.3])
    statement.torque(sl.vector(0, 0, -0.1), on=q)
    return finished(model, statement, U=[1, 2, 0])


def flight(_: float, y: Array) -> list[float]:
    """The same by hand in the plane: x, y, angle and their rates."""
    angle = y[2]
    acceleration = 15 * np.cos(angle), 15 * np.sin(angle) - GRAVITY
    return [*y[3:], *acceleration, (-0.02 * 30 + 0.3 - 0.1) / 0.5]


def pendulum(topology: str) -> sl.Model:
    """A point mass on a rod whose pivot moves up and down: Φ(t, q) = 0."""
    model, statement, q = stated("moving_pivot", "R2", topology)
    pivot = sl.vector(0, AMPLITUDE * sl.sin(RATE * model.t))
    statement.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    statement.potential_energy(GRAVITY * q.x[1])
    (tension,) = statement.constraint("rod", ((q.x - pivot).dot(q.x - pivot) - 1) / 2)
    statement.output("tension", tension)
    return finished(model, statement, x=[0.6, -0.8], x_dot=[-0.48 * AMPLITUDE * RATE, 0.64 * AMPLITUDE * RATE])


def swing(t: float, y: Array) -> list[float]:
    """θ'' = -(g + a) sin θ with the acceleration a of the pivot and θ from the vertical."""
    acceleration = -AMPLITUDE * RATE**2 * np.sin(RATE * t)
    return [y[1], -(GRAVITY + acceleration) * np.sin(y[0])]


@functools.cache
def system_of(name: str, topology: str, backend: str) -> System:
    """A system of this file."""
    return {"rocket": rocket, "pendulum": pendulum}[name](topology).derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_follower_and_inertial_loads_match_their_definition(topology: str, backend: str) -> None:
    system = system_of("rocket", topology, backend)
    solution = sl.solve(system, 2, method="rkmk_dopri5", h=1 / 64)
    exact = solve_ivp(flight, (0, 2), [0, 0, 0, 1, 2, 0], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=solution.t)
    name = system.layout.nodes[0].name
    x = solution.field(name, "x").reshape(-1, 3)
    np.testing.assert_allclose(x[:, :2], exact.y[:2].T, rtol=0, atol=tolerances.INVARIANT)
    rotation = solution.field(name, "R").reshape(-1, 3, 3)
    np.testing.assert_allclose(rotation[:, 1, 0], np.sin(exact.y[2]), rtol=0, atol=tolerances.INVARIANT)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_pendulum_with_moving_pivot_is_correct(topology: str, backend: str) -> None:
    system = system_of("pendulum", topology, backend)
    solution = sl.solve(system, 2, h=1 / 512, record_every=64, multipliers="index1")
    name, t = system.layout.nodes[0].name, solution.t
    x, v = (solution.field(name, f).reshape(-1, 2) for f in ("x", "x_dot"))
    pivot = np.transpose([0 * t, AMPLITUDE * np.sin(RATE * t)])
    pivot_rate = np.transpose([0 * t, AMPLITUDE * RATE * np.cos(RATE * t)])
    angle = np.arctan2(*(x - pivot).T * [[1], [-1]])
    relative = v - pivot_rate
    rate = relative[:, 0] * np.cos(angle) + relative[:, 1] * np.sin(angle)
    exact = solve_ivp(swing, (0, 2), [angle[0], rate[0]], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=t)
    np.testing.assert_allclose(angle, exact.y[0], rtol=0, atol=tolerances.INVARIANT)
    np.testing.assert_allclose(rate, exact.y[1], rtol=0, atol=10 * tolerances.INVARIANT)
    # Along the rod: λ = θ'² + (g + a) cos θ for unit mass and length.
    acceleration = -AMPLITUDE * RATE**2 * np.sin(RATE * t)
    tension = exact.y[1] ** 2 + (GRAVITY + acceleration) * np.cos(exact.y[0])
    np.testing.assert_allclose(np.ravel(solution.outputs["tension"]), tension, rtol=0, atol=100 * tolerances.INVARIANT)
    assert system.layout.elements[0].has_constraint_rate
