"""The page on manifolds with a group action, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.docs.pages import Session
from tests.tolerances import CASIMIR, PAGE_SPACES, TANGENT

SESSION = Session("docs/manifolds.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_pendulum_conserves_energy_on_the_sphere() -> None:
    solution = SESSION.after("A vector field")["solution"]
    energy, q = solution.outputs["energy"], solution.field("bob", "q")
    assert np.ptp(energy) < PAGE_SPACES
    assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < TANGENT
    assert np.ptp(q[:, 1]) > 0.5


@pytest.mark.slow
def test_rigid_body_conserves_casimir_and_energy() -> None:
    outputs = SESSION.after("A Hamiltonian")["solution"].outputs
    assert np.ptp(outputs["casimir"]) < 10 * CASIMIR
    assert np.ptp(outputs["energy"]) < PAGE_SPACES


@pytest.mark.slow
def test_user_defined_manifold_matches_the_closed_form() -> None:
    solution = SESSION.after("Custom manifolds")["solution"]
    q, axis = solution.field("spin", "q")[-1], np.array([0.3, 0, 1.0])
    angle, n = 5 * np.linalg.norm(axis), axis / np.linalg.norm(axis)
    start = np.array([1.0, 0, 0])
    exact = np.cos(angle) * start + np.sin(angle) * np.cross(n, start) + (1 - np.cos(angle)) * n.dot(start) * n
    assert np.abs(q - exact).max() < PAGE_SPACES


@pytest.mark.slow
def test_first_order_friction_dissipates_energy() -> None:
    """Filtered friction dissipates energy, and the length of the rod is constant."""
    solution = SESSION.after("First-order states")["solution"]
    assert solution.method == "half_explicit_5"
    assert solution.outputs["energy"][-1] < solution.outputs["energy"][0] - 1
    assert solution.statistics.max_velocity_residual < TANGENT
