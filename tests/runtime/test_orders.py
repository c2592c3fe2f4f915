"""Orders of half-explicit methods beyond the heavy top: varying mass, damping, forces and constraints in time.

States and index-1 multipliers have order p, the multipliers of the method p - 1 or more.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import chain_system


@functools.cache
def bead(backend: str = "c") -> System:
    """Polar coordinates on a curve with nonlinear damping and a periodic force: M depends on q, g on t, q and v."""
    model = sl.Model("bead")
    q = model.node("bead", "R2")
    mass = model.parameter("mass", 2.0, unit="kg")
    r, phi = q.x
    model.kinetic_energy(mass * (q.x_dot[0] ** 2 + r**2 * q.x_dot[1] ** 2) / 2)
    model.potential_energy(-mass * 9.81 * r * sl.cos(phi))
    model.dissipation(q.x_dot[0] ** 4 / 40 + q.x_dot[1] ** 2 / 10)
    model.generalized_force(q, [sl.sin(3 * model.t), sl.cos(5 * model.t)])
    model.constraint("curve", r - 1 - sl.cos(phi) / 5)
    model.initial(q, x=[1 + math.cos(0.5) / 5, 0.5], x_dot=[-0.2 * math.sin(0.5), 1.0])
    return model.derive().compile(backend=backend)


@functools.cache
def moving_pendulum(backend: str = "c") -> System:
    """A pendulum whose support moves: Φ depends on time, so that b and its rate enter."""
    model = sl.Model("moving_pendulum")
    q = model.node("bob", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * q.x[1])
    rod = q.x - sl.vector(sl.sin(2 * model.t) / 5, 0)
    model.constraint("rod", (rod.dot(rod) - 1) / 2)
    model.initial(q, x=[0.6, -0.8], x_dot=[0.144, -0.192])
    return model.derive().compile(backend=backend)


@functools.cache
def driven_body(backend: str = "c") -> System:
    """A damped body on S³ with a torque that depends on time, for methods without constraints."""
    model = sl.Model("driven_body")
    q = model.node("body", sl.S3)
    model.kinetic_energy(q.Omega.dot(sl.diag(1, 2, 3) * q.Omega) / 2)
    model.dissipation(q.Omega.dot(q.Omega) / 10)
    model.torque(sl.vector(0, sl.sin(3 * model.t), sl.cos(2 * model.t)), on=q)
    model.initial(q, Omega=[1, 0.1, 0.2])
    return model.derive().compile(backend=backend)


CONSTRAINED = {"bead": bead, "moving_pendulum": moving_pendulum, "chain": chain_system}
LEVELS = {2: 9, 3: 8, 4: 7, 5: 6}
"""By order, k of the coarser of two steps 2⁻ᵏ: errors of the finer one are above 1e-13."""

TIMES = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5]
"""Errors are the largest of several times, because each crosses zero now and then."""


@functools.cache
def states(model: str, method: str, k: int, multipliers: str = "stage") -> Solution:
    """The states at some times with steps of 2⁻ᵏ."""
    build = CONSTRAINED.get(model, driven_body)
    return sl.solve(build(), TIMES[-1], method=method, h=2.0**-k, t_eval=TIMES, multipliers=multipliers)


def error(model: str, method: str, k: int, what: str) -> float:
    """Largest difference to a solution of order five or six with steps of 2⁻¹¹."""
    kind = "index1" if what == "index1" else "stage"
    exact = "rkmk_rk67" if model == "driven_body" else "half_explicit_5"
    name = {"index1": "multipliers", "stage": "multipliers"}.get(what, what)
    reference = states(model, exact, 11, "index1")
    return float(np.abs(getattr(states(model, method, k, kind), name) - getattr(reference, name)).max())


def order(model: str, method: str, k: int, what: str) -> float:
    """Observed order between 2⁻ᵏ and 2⁻⁽ᵏ⁺¹⁾."""
    return math.log2(error(model, method, k, what) / error(model, method, k + 1, what))


@pytest.mark.slow
@pytest.mark.parametrize("p", LEVELS)
@pytest.mark.parametrize("model", CONSTRAINED)
def test_methods_have_their_order_with_constraints(model: str, p: int) -> None:
    method, k = f"half_explicit_{p}", LEVELS[p]
    for what in ("q", "v", "index1"):
        assert order(model, method, k, what) >= p - tolerances.ORDER
        assert error(model, method, k, what) > tolerances.ROUNDING_OF_LONG_RUNS
    assert order(model, method, k, "stage") >= p - 1 - tolerances.ORDER


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "p"), [("rkmk_kutta3", 3), ("rkmk_rk44", 4), ("rkmk_dopri5", 5), ("half_explicit_4", 4)]
)
def test_time_dependent_forces_preserve_the_order(method: str, p: int) -> None:
    for what in ("q", "v"):
        assert order("driven_body", method, LEVELS[p] - 1, what) >= p - tolerances.ORDER


@pytest.mark.slow
@pytest.mark.parametrize("p", LEVELS)
def test_backends_agree(p: int) -> None:
    for build in (bead, moving_pendulum, driven_body):
        first, second = (sl.solve(build(b), 0.1, method=f"half_explicit_{p}", h=0.01) for b in ("c", "numpy"))
        for name in ("q", "v", "multipliers"):
            a, b = getattr(first, name), getattr(second, name)
            assert np.abs(a - b).max(initial=0) <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max(initial=0)))


def test_rheonomic_constraints_are_satisfied() -> None:
    solution = sl.solve(moving_pendulum(), 1.5, h=2.0**-7)
    assert solution.outputs["constraint_residual"].max() <= 1e3 * 2.0 ** (-7 * 5)
    assert solution.outputs["velocity_residual"].max() <= tolerances.HIDDEN_CONSTRAINT
    assert solution.statistics.max_velocity_residual == pytest.approx(
        solution.outputs["velocity_residual"].max(), abs=tolerances.HIDDEN_CONSTRAINT
    )
