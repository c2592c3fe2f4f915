"""The symplectic θ-family on cotangent bundles."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, NotConvergedError, UnsupportedMethodError
from symlie.models import heavy_top
from tests.tolerances import ADJOINT, NEWTON_BY_DIFFERENCES, SYMPLECTIC, THETA_MOMENTUM

BACKENDS = ("c", "numpy")
MILD = {"momentum": [1.0, 2.0, -0.5]}


@functools.cache
def top(formulation: str = "TSO3", backend: str = "c") -> sl.System:
    """The heavy top of the benchmark."""
    return heavy_top.build(formulation=formulation).derive().compile(backend=backend)


@functools.cache
def mild(backend: str = "c") -> sl.System:
    """A slow top, for orders."""
    system = top(backend=backend).with_parameters(fixed_point_inertia=[1.0, 2.0, 3.0], mgl=2.0)
    return system.with_initial("top", **MILD)


def step(system: sl.System, h: float, theta: float, steps: int = 1) -> np.ndarray:
    """The configuration after some steps."""
    method = {"method": "symplectic_theta", "method_options": {"theta": theta}}
    return sl.solve(system, abs(h) * steps, h=abs(h), record_every=0, **method).q[-1]


def started(system: sl.System, q: np.ndarray) -> sl.System:
    """The system from a configuration."""
    return system.with_initial("top", R=q[:9].reshape(3, 3), momentum=q[9:12])


@pytest.mark.parametrize("backend", BACKENDS)
def test_newton_matrix_matches_finite_differences(backend: str) -> None:
    system = top(backend=backend)
    k, p, q = system.kernels, system.prepared, system.initial_state.q
    u = np.random.default_rng(0).normal(size=6) / 3
    for theta in (0.0, 0.3, 1.0):
        _, matrix = k.symplectic(p, 0.0, q, u, 0.01, theta)
        pairs = [[k.symplectic(p, 0.0, q, u + s * e, 0.01, theta)[0] for s in (1e-6, -1e-6)] for e in np.eye(6)]
        differences = np.array([(a - b) / 2e-6 for a, b in pairs]).T
        assert np.abs(matrix - differences).max() < NEWTON_BY_DIFFERENCES * np.abs(matrix).max()


@pytest.mark.slow
@pytest.mark.parametrize(("theta", "order"), [(0.0, 1), (0.5, 2), (1.0, 1)])
def test_methods_have_their_declared_order(theta: float, order: int) -> None:
    exact = sl.solve(mild(), 1.0, method="rkmk_dopri5", rtol=1e-12, atol=1e-13).q[-1]
    errors = [np.abs(step(mild(), 1 / n, theta, n) - exact).max() for n in (100, 200, 400)]
    assert np.log2(errors[0] / errors[1]) > order - 0.15
    assert np.log2(errors[1] / errors[2]) > order - 0.15


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.5, 1.0])
def test_step_is_symplectic(theta: float) -> None:
    """The map (ξ, δμ) ↦ … in the canonical form of T*SO(3) trivialised from the right, by central differences."""

    def form(momentum: np.ndarray) -> np.ndarray:
        a, b, c = momentum
        cross = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        return np.block([[-cross, -np.eye(3)], [np.eye(3), np.zeros((3, 3))]])

    h, size = 0.1, 1e-4
    system = mild()
    q = system.initial_state.q
    end = step(system, h, theta)

    def moved(k: int, sign: float) -> np.ndarray:
        part = np.zeros(3)
        part[k % 3] = sign * size
        start = q.copy()
        if k < 3:
            a, b, c = part
            turn = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
            turned = np.eye(3) + turn + turn @ turn / 2 + turn @ turn @ turn / 6
            start[:9] = (turned @ q[:9].reshape(3, 3)).ravel()
        else:
            start[9:] = q[9:] + part
        return step(started(system, start), h, theta)

    columns = []
    for k in range(6):
        rate = (moved(k, 1) - moved(k, -1)) / (2 * size)
        turn = rate[:9].reshape(3, 3) @ end[:9].reshape(3, 3).T
        columns.append([turn[2, 1], turn[0, 2], turn[1, 0], *rate[9:]])
    jacobian = np.array(columns).T
    assert np.abs(jacobian.T @ form(end[9:]) @ jacobian - form(q[9:])).max() < SYMPLECTIC


@pytest.mark.parametrize("formulation", ["TSO3", "quadratic"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_vertical_momentum_is_conserved_and_energy_nearly(formulation: str, backend: str) -> None:
    solution = sl.solve(top(formulation, backend), 1.0, method="symplectic_theta", h=0.01)
    assert np.ptp(solution.outputs["vertical_momentum"]) < THETA_MOMENTUM
    energy = solution.outputs["energy"]
    # Source: another implementation, 5.5e-3 over a longer time.
    assert 5e-3 < np.abs(energy / energy[0] - 1).max() < 6e-3
    assert 3 <= solution.statistics.newton_iterations / 100 <= 5


def test_both_formulations_agree() -> None:
    ends = [sl.solve(top(f), 0.5, method="symplectic_theta", h=0.01).q[-1][:12] for f in ("TSO3", "quadratic")]
    assert np.abs(ends[0] - ends[1]).max() < THETA_MOMENTUM


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.5])
def test_adjoint_method_has_one_minus_theta(theta: float) -> None:
    """Back in time: with momenta reversed, 1 - θ returns to the start."""
    system = mild()
    end = step(system, 0.1, theta)
    end[9:] *= -1
    back = step(started(system, end), 0.1, 1 - theta)
    back[9:] *= -1
    assert np.abs(back - system.initial_state.q).max() < ADJOINT


def test_backends_agree() -> None:
    assert np.abs(step(mild("c"), 0.05, 0.5, 20) - step(mild("numpy"), 0.05, 0.5, 20)).max() < ADJOINT


@pytest.mark.parametrize("backend", BACKENDS)
def test_step_without_solution_is_reported(backend: str) -> None:
    system = top(backend=backend)
    with pytest.raises((NotConvergedError, sl.errors.OutsideChartError), match="take a smaller step"):
        sl.solve(system, 4.0, method="symplectic_theta", h=2.0)


def test_unsupported_systems_are_rejected() -> None:
    other: Any = heavy_top.build(formulation="se3_dual").derive().compile(backend="numpy")
    with pytest.raises(UnsupportedMethodError, match=r"cotangent_space\(group\)"):
        sl.solve(other, 1.0, method="symplectic_theta", h=0.1)
    with pytest.raises(ModelError, match=r"theta is 1\.5, but it must be a number from 0 to 1"):
        sl.solve(mild(), 1.0, method="symplectic_theta", method_options={"theta": 1.5}, h=0.1)
    with pytest.raises(ModelError, match="theta and compose to symplectic_theta"):
        sl.solve(mild(), 1.0, method="rkmk_dopri5", method_options={"theta": 0.5}, h=0.1)
    with pytest.raises(UnsupportedMethodError, match="has no error estimate"):
        sl.solve(mild(), 1.0, method="symplectic_theta")
