"""The Puma 560 of bodies and joints against its equations in six angles."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import symlie as sl
from symlie.models import puma560
from symlie.runtime.system.system import System
from tests import tolerances
from tests.joints.puma import mass_matrix, set_points, torques

Array = NDArray[np.float64]

pytestmark = pytest.mark.filterwarnings("ignore:The inertia of body 'link:symlie.warnings.SymlieWarning")


@pytest.mark.slow
def test_gravity_torques_match_published_values() -> None:
    """Torques that hold the arm at zero angles; the first link has no inertia about two axes."""
    model = sl.Model("held_puma")
    for joint in puma560.arm(model, np.zeros(6)):
        joint.lock()
    system = model.derive().compile(backend="numpy")
    solution = sl.solve(system, 1e-3, h=1e-3, method="half_explicit_5")
    held = [solution.outputs[f"joint{k}_lock_effort"][0] for k in range(1, 7)]
    np.testing.assert_allclose(held, [0, 37.48366665, 0.24892875, 0, 0, 0], rtol=0, atol=tolerances.PRINTED_TORQUES)
    np.testing.assert_allclose(torques(np.zeros(6), np.zeros(6), np.zeros(6)), held, rtol=0, atol=tolerances.EFFORTS)


def driven(backend: str, method: str, times: list[float]) -> float:
    """By how much motors that drive the arm along its profile differ from the minimal form, in N m."""
    model = sl.Model("driven_puma")
    drives = [
        joint.drive(sl.two_parabolas(model, f"{joint.name}_profile", 0.0, goal))
        for joint, goal in zip(puma560.arm(model, np.zeros(6)), puma560.GOAL, strict=True)
    ]
    system = model.derive().compile(backend=backend)
    solution = sl.solve(system, times[-1], h=1e-3, method=method, t_eval=times, multipliers="index1")
    efforts = np.column_stack([solution.outputs[f"{drive.name}_effort"] for drive in drives])
    return float(np.abs(efforts - [torques(*set_points(t, "A")) for t in times]).max())


@pytest.mark.slow
def test_inverse_dynamics_matches_published_values() -> None:
    assert driven("numpy", "half_explicit_5", [0.0, 0.02]) < tolerances.EFFORTS


@pytest.mark.slow
def test_inverse_dynamics_follows_the_profile() -> None:
    assert driven("c", "half_explicit_5", [0.1, 0.3, 0.45, 0.6, 0.8, 0.95]) < tolerances.EFFORTS


@pytest.mark.slow
def test_controlled_arm_has_the_predicted_eigenvalues() -> None:
    system = puma560.build("A").derive().compile(backend="numpy")
    q, multipliers, _ = system.static_equilibrium()
    found = system.linearize(q, multipliers).eigenvalues
    P, D = np.array(puma560.GAINS).T
    angles = np.zeros(6)
    for _ in range(tolerances.SAGGING_ITERATIONS):
        angles = -torques(angles, np.zeros(6), np.zeros(6)) / P
    step = tolerances.DIFFERENCED_WEIGHT_STEP
    stiffness = np.diag(P) + np.column_stack(
        [(torques(angles + e, 0 * e, 0 * e) - torques(angles - e, 0 * e, 0 * e)) / (2 * step) for e in step * np.eye(6)]
    )
    inverse = np.linalg.inv(mass_matrix(angles))
    rates = np.block([[np.zeros((6, 6)), np.eye(6)], [-inverse @ stiffness, -inverse * D]])
    known = np.linalg.eigvals(rates)
    assert len(found) == 12
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(known), rtol=tolerances.FREQUENCIES_OF_PUMA)


@functools.cache
def system_of(variant: str) -> System:
    return puma560.build(variant).derive().compile()


def angles_of(variant: str, method: str, exponent: int) -> Array:
    """Joint angles at the known times, (times, 6)."""
    times = [float(t) for t in known(variant)]
    solution = sl.solve(system_of(variant), times[-1], method=method, h=2.0**-exponent, t_eval=times)
    return solution.outputs["joint_angles"]


def known(variant: str) -> dict[str, Array]:
    """Of the minimal form, by time."""
    path = Path(__file__).parents[1] / "data/mechanism_reference.json"
    return {t: np.array(s["joint_angles"]) for t, s in json.loads(path.read_text())["puma560"][variant].items()}


def compare_backends(model: sl.Model, method: str, names: Sequence[str]) -> None:
    """Compare the saddle-point elimination of the C text with the whole matrix of NumPy."""
    systems = [model.derive().compile(backend=backend) for backend in ("c", "numpy")]
    saddle = systems[0].mechanics.saddle_algebra
    assert systems[0].layout.is_fixed and saddle is not None and len(saddle.tables["HELD_TO"]) > 0
    first, second = (sl.solve(s, 0.01, method=method, h=1e-3) for s in systems)
    for name in names:
        one, other = getattr(first, name), getattr(second, name)
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerances.SAME_MOTION_CUT * (1 + np.abs(other).max()))


def test_link_with_axial_inertia_only_is_supported() -> None:
    """Its joint holds it about the axes without inertia."""
    model = sl.Model("one_link")
    link = sl.RigidBody(model, "link1", 20.0, (0.0, 0.35, 0.0), position=[0.2, 0, 0], angular_velocity=[0, 1, 0])
    joint = sl.RevoluteJoint(model, "joint1", model.ground, link, at=[0, 0, 0], axis=[0, 1, 0])
    joint.torque(-0.3 * joint.rate)
    model.gravity([0, 0, -9.81])
    compare_backends(model, "half_explicit_5", ["q", "v", "multipliers"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "names"), [("half_explicit_5", ["q", "v", "multipliers"]), ("generalized_alpha", ["q"])]
)
def test_constraints_compensate_singular_mass(method: str, names: Sequence[str]) -> None:
    """Velocities of implicit steps are difference quotients, which rounding of q enters by 1/h."""
    compare_backends(puma560.build("A"), method, names)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["A", "B"])
def test_two_methods_converge_to_minimal_coordinates(variant: str) -> None:
    explicit = {k: angles_of(variant, "half_explicit_5", k) for k in (10, 11, 12)}
    implicit = {k: angles_of(variant, "generalized_alpha", k) for k in (9, 10, 11, 12)}
    exact = np.array(list(known(variant).values()))
    assert np.abs(explicit[12] - exact).max() < tolerances.ANGLES_OF_PUMA
    assert np.abs(implicit[12] - explicit[12])[-1].max() < 1e-7
    errors = [np.abs(explicit[k] - exact).max() for k in (10, 11)]
    assert np.log2(errors[0] / errors[1]) > 5 - tolerances.ORDER_OF_PUMA
    errors = [np.abs(implicit[k] - explicit[12]).max() for k in implicit]
    orders = [np.log2(a / b) for a, b in itertools.pairwise(errors)]
    np.testing.assert_allclose(orders, 2, rtol=0, atol=tolerances.ORDER_OF_PUMA)
