"""Systems from their Hamiltonian alone, on duals of algebras and cotangent bundles, against many digits."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.models import free_rigid_body, heavy_top
from tests.spaces.pendulum import REFERENCE
from tests.tolerances import BACKENDS_OF_SPACES, CASIMIR, FLOOR_FACTOR, ORDER

BACKENDS = ("c", "numpy")
FORMULATIONS = ("TSO3", "se3_dual", "quadratic")
ATOL = {"TSO3": 1e-12, "se3_dual": 6e-15, "quadratic": 1e-12}
"""Tolerances of the increments in the algebra, which for se(3)* turn a momentum of size 100."""


@functools.cache
def top(formulation: str, backend: str = "c") -> sl.System:
    """The heavy top by its momenta."""
    return heavy_top.build(formulation=formulation).derive().compile(backend=backend)


def numbers(values: Any) -> np.ndarray:
    """Decimal strings as doubles."""
    return np.array(values, dtype=float).ravel()


def top_error(solution: sl.Solution, formulation: str, case: str) -> float:
    """Largest error of the momentum and of the attitude, as far as the formulation has them."""
    final, q = REFERENCE[case]["final"], solution.q[-1]
    expected = ("Pi_body", "Gamma_body") if formulation == "se3_dual" else ("Q", "pi_spatial")
    known = np.concatenate([numbers(final[name]) for name in expected])
    return float(np.abs(q[: len(known)] - known).max())


@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
def test_free_rigid_body_matches_elliptic_functions(backend: str) -> None:
    system = free_rigid_body.build(attitude=True).derive().compile(backend=backend)
    case = REFERENCE["frb_T10"]
    solution = sl.solve(system, 10.0, method="rkmk_dopri5", rtol=1e-13, atol=1e-13)
    allowed = FLOOR_FACTOR * case["float64_DOP853_rtol1e-13_error"]
    assert np.abs(solution.configuration("body")[-1] - numbers(case["final"]["Pi_body"])).max() < allowed
    assert np.abs(solution.configuration("frame")[-1] - numbers(case["final"]["Q"])).max() < allowed
    assert np.abs(solution.outputs["spatial_momentum"][-1] - numbers(case["final"]["pi_spatial"])).max() < allowed
    assert np.ptp(solution.outputs["momentum_norm"]) < CASIMIR
    assert np.ptp(solution.outputs["energy"]) < allowed


def test_steps_conserve_the_norm_of_the_momentum_but_not_the_energy() -> None:
    system = free_rigid_body.build().derive().compile()
    outputs = sl.solve(system, 10.0, method="rkmk_rk44", h=0.1).outputs
    assert np.ptp(outputs["momentum_norm"]) < CASIMIR
    # Source: another implementation.
    assert abs((outputs["energy"][-1] - outputs["energy"][0]) / -2.6e-8 - 1) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_backends_agree(formulation: str) -> None:
    compiled, plain = (sl.solve(top(formulation, b), 0.02, method="rkmk_dopri5", h=1e-3) for b in BACKENDS)
    assert np.abs(compiled.q - plain.q).max() < 100 * BACKENDS_OF_SPACES


@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_heavy_top_matches_the_reference(formulation: str, backend: str) -> None:
    case = "ht_phys_T0.1" if backend == "numpy" else "ht_phys_T1"
    system = top(formulation, backend)
    rtol = 1e-15 if backend == "c" else 1e-13
    atol = ATOL[formulation] * (1 if backend == "c" else 10)
    end = float(REFERENCE[case]["t_end"])
    solution = sl.solve(system, end, method="rkmk_dopri5", rtol=rtol, atol=atol, t_eval=[end])
    assert top_error(solution, formulation, case) < FLOOR_FACTOR * REFERENCE[case]["float64_DOP853_rtol1e-13_error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "energy_on_dual", "energy", "momentum"),
    [
        ("rkmk_rk44", -2.8e-3, -3.2e-3, -5.8e-6),
        ("cf4", 9.0e-4, 1.3e-2, 2.0e-5),
        ("rkmk_dopri5", -9.2e-5, -8.9e-5, -1.8e-7),
    ],
)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_each_formulation_conserves_invariants(
    formulation: str, method: str, energy_on_dual: float, energy: float, momentum: float
) -> None:
    """Drifts with h = 1e-3 up to t = 1 as another implementation saw them."""
    solution = sl.solve(top(formulation), 1.0, method=method, h=1e-3)
    outputs, q = solution.outputs, solution.q
    assert abs(outputs["energy"][0] - 5435.696790865547) < 1e-11
    expected = energy_on_dual if formulation == "se3_dual" else energy
    assert abs((outputs["energy"][-1] - outputs["energy"][0]) / expected - 1) < 0.05
    vertical = outputs["vertical_momentum"]
    if formulation == "se3_dual":
        assert np.abs(vertical - vertical[0]).max() < 1e-11
        assert np.abs(np.linalg.norm(q[:, 3:], axis=1) - 1).max() < 1e-13
    else:
        assert abs((vertical[-1] - vertical[0]) / momentum - 1) < 0.05
    if formulation == "quadratic":
        assert np.array_equal(q[-1, 15:], q[0, 15:])


def test_wrong_invariance_reverses_the_flow() -> None:
    model = sl.Model("opposite")
    body = model.node("body", sl.dual_space(sl.SO3, "right"))
    model.hamiltonian(sum(p**2 / i for p, i in zip(body.mu, (0.6, 0.8, 1.0), strict=True)) / 2)
    model.initial(body, mu=[0.4, 0, 0.9])
    backward = sl.solve(model.derive().compile(backend="numpy"), 1.0, method="rkmk_rk44", h=0.02).q[-1]
    forward = free_rigid_body.build().derive().compile(backend="numpy").with_initial("body", momentum=backward)
    assert np.abs(sl.solve(forward, 1.0, method="rkmk_rk44", h=0.02).q[-1] - [0.4, 0, 0.9]).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("rkmk_kutta3", 3), ("rkmk_rk44", 4), ("rkmk_dopri5", 5)])
def test_heavy_top_has_the_declared_orders(method: str, order: int) -> None:
    for formulation in ("se3_dual", "TSO3"):
        errors = [
            top_error(sl.solve(top(formulation), 0.1, method=method, h=0.1 / n), formulation, "ht_phys_T0.1")
            for n in (200, 400)
        ]
        assert np.log2(errors[0] / errors[1]) > order - ORDER


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_ring_of_spins_is_correct(backend: str) -> None:
    """Heisenberg's model on a ring: a Hamiltonian of an element type over an array of nodes."""
    model, spin = sl.Model("spins"), sl.dual_space(sl.SO3)
    ring = model.node_array("spins", spin, 20)
    start = np.random.default_rng(0).normal(size=(20, 3))
    ring.initial(mu=start / np.linalg.norm(start, axis=1, keepdims=True))
    bond = sl.ElementType("bond", left=spin, right=spin)
    coupling = bond.parameter("coupling", 1.0)
    bond.hamiltonian(-coupling * bond.left.mu.dot(bond.right.mu))
    bond.output("magnetisation", (bond.left.mu + bond.right.mu) / 2)
    model.add(bond, [(ring[k], ring[(k + 1) % 20]) for k in range(20)])
    solution = sl.solve(model.derive().compile(backend=backend), 2.0, method="rkmk_dopri5", h=0.02)
    outputs = solution.outputs
    assert np.ptp(outputs["energy"]) < 1e-8 and np.ptp(outputs["magnetisation"], axis=0).max() < 1e-8
    assert np.abs(np.linalg.norm(solution.configuration("spins"), axis=2) - 1).max() < CASIMIR
    assert np.abs(solution.q[-1] - solution.q[0]).max() > 0.5
