"""The heavy top against its reference solution: errors as an independent prototype measured them, orders, drift."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.models import heavy_top
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.solution.solution import Solution
from tests import tolerances
from tests.systems import CONSTRAINED, FREE, HEAVY_TOPS, heavy_top_reference, heavy_top_system

TABLE = {
    ("direct", 2, 11): (6.905e-3, 1.792e-3, 2.030e-2, 1.315e-3, 3.23e-4),
    ("direct", 2, 12): (9.087e-4, 4.765e-4, 9.463e-3, 1.721e-4, 8.10e-5),
    ("direct", 3, 11): (2.877e-4, 3.825e-5, 3.328e-4, 1.017e-4, 8.51e-7),
    ("direct", 3, 12): (3.599e-5, 4.763e-6, 7.874e-5, 1.273e-5, 1.06e-7),
    ("direct", 4, 11): (6.478e-7, 1.268e-7, 1.874e-5, 3.091e-7, 1.71e-8),
    ("direct", 4, 12): (3.349e-8, 8.614e-9, 2.361e-6, 1.704e-8, 1.07e-9),
    ("direct", 5, 10): (1.478e-7, 4.252e-8, 8.863e-8, 6.221e-8, 3.48e-10),
    ("direct", 5, 11): (4.998e-9, 1.333e-9, 3.943e-9, 2.030e-9, 1.08e-11),
    ("direct", 5, 12): (1.560e-10, 4.167e-11, 2.050e-10, 6.340e-11, 3.4e-13),
    ("semidirect", 2, 11): (9.551e-2, 3.573e-2, 3.501e-2, 5.404e-2, 1.96e-4),
    ("semidirect", 2, 12): (2.326e-2, 9.509e-3, 4.689e-3, 1.370e-2, 4.90e-5),
    ("semidirect", 3, 11): (5.685e-3, 2.545e-3, 5.043e-3, 3.267e-3, 5.87e-8),
    ("semidirect", 3, 12): (7.138e-4, 3.173e-4, 8.572e-4, 4.090e-4, 3.56e-9),
    ("semidirect", 4, 11): (2.531e-5, 8.594e-6, 1.401e-5, 1.401e-5, 0.0),
    ("semidirect", 4, 12): (1.508e-6, 5.717e-7, 8.742e-7, 8.742e-7, 0.0),
    ("semidirect", 5, 10): (5.804e-6, 2.738e-6, 3.455e-6, 3.455e-6, 0.0),
    ("semidirect", 5, 11): (1.872e-7, 8.534e-8, 1.092e-7, 1.092e-7, 0.0),
    ("semidirect", 5, 12): (5.917e-9, 2.653e-9, 3.421e-9, 3.421e-9, 0.0),
}
"""Errors at t = 1 of R (Frobenius), x, λ (relative) as the method gives it and from the index-1 system, and largest
|Φ|, by kind of group, order, and k of h = 2⁻ᵏ. Measured with a prototype in NumPy that shares nothing with the package;
zero stands for rounding. Rotation matrices and quaternions have the same local coordinates and so the same errors."""

KIND = {"SO3xR3": "direct", "S3xR3": "direct", "SE3": "semidirect", "S3sR3": "semidirect"}


@functools.cache
def final(group: str, method_name: str, k: int) -> Solution:
    """The top at t = 1 with steps of 2⁻ᵏ."""
    return sl.solve(heavy_top_system(group), 1.0, method=method_name, h=2.0**-k, t_eval=[1.0])


def relative(found: Array, expected: Array) -> float:
    """Norm of the difference over the norm."""
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def errors(solution: Solution) -> dict[str, float]:
    """Errors against the reference at the end of a solution at t = 1."""
    reference = heavy_top_reference()
    outputs = solution.outputs
    found = {
        "R": float(np.linalg.norm(outputs["rotation"][-1] - reference["R"])),
        "x": float(np.linalg.norm(outputs["center_of_mass"][-1] - reference["x"])),
        "Omega": float(np.linalg.norm(solution.field("top", "Omega")[-1] - reference["Omega"])),
    }
    if solution.system.layout.rows:
        index1 = solution.with_index1_multipliers()
        found["stage multipliers"] = relative(solution.multipliers[-1], reference["lambda"])
        found["index-1 multipliers"] = relative(index1.multipliers[-1], reference["lambda"])
    return found


CASES = [(group, order, k) for group in CONSTRAINED for kind, order, k in TABLE if KIND[group] == kind]


@pytest.mark.slow
@pytest.mark.parametrize(("group", "order", "k"), CASES)
def test_errors_match_the_prototype(group: str, order: int, k: int) -> None:
    solution = final(group, f"half_explicit_{order}", k)
    found = errors(solution)
    rotation, position, stage, index1, residual = TABLE[KIND[group], order, k]
    pairs = [
        (found["R"], rotation),
        (found["x"], position),
        (found["stage multipliers"], stage),
        (found["index-1 multipliers"], index1),
    ]
    for error, expected in pairs:
        assert error == pytest.approx(expected, rel=tolerances.TABLE)
    largest = solution.statistics.max_constraint_residual
    if residual > tolerances.TABLE_RESOLUTION:
        assert largest == pytest.approx(residual, rel=tolerances.TABLE)
    else:
        assert largest <= max(10 * residual, tolerances.DRIFT_OF_ROUNDING)
    assert solution.statistics.max_velocity_residual <= tolerances.HIDDEN_CONSTRAINT


def order_of(group: str, method_name: str, k: int, what: str) -> float:
    """Observed order between 2⁻ᵏ and 2⁻⁽ᵏ⁺¹⁾."""
    return math.log2(errors(final(group, method_name, k))[what] / errors(final(group, method_name, k + 1))[what])


@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("group", CONSTRAINED)
def test_half_explicit_methods_have_their_order(group: str, order: int) -> None:
    """States and index-1 multipliers have order p, the multipliers of the method at least p - 1."""
    name = f"half_explicit_{order}"
    assert method(name).order == order
    for what in ("R", "x", "Omega", "index-1 multipliers"):
        assert order_of(group, name, 11, what) >= order - tolerances.ORDER
    assert order_of(group, name, 11, "stage multipliers") >= order - 1 - tolerances.ORDER


EXPLICIT = {
    "rkmk_euler": 18,
    "lie_euler_heun": 14,
    "rkmk_kutta3": 12,
    "rkmk_bs32": 12,
    "rkmk_rk44": 11,
    "rkmk_38": 11,
    "rkmk_dopri5": 10,
    "rkmk_rk67": 11,
    "half_explicit_2": 13,
    "half_explicit_3": 12,
    "half_explicit_4": 11,
    "half_explicit_5": 10,
}
"""Methods without constraints and k of the coarser step 2⁻ᵏ: the errors of both steps are below 0.3 and above 1e-10."""


OTHERS = {
    "rkmk4_two_commutators": 11,
    "cf4": 11,
    "cf32a": 12,
    "cf32b": 12,
    "cf43": 11,
    "cg3": 12,
    "cg4": 11,
    "cg5": 10,
    "ambient_rk4": 11,
    "ambient_dopri5": 10,
    "abmk2": 13,
    "abmk3": 13,
    "abmk4": 12,
}
"""Methods whose orders `test_explicit_methods`, `test_step_kernels` and `test_own_state` show on other systems, too."""


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name"), [*((g, n) for g in FREE for n in EXPLICIT), *(("SO3", n) for n in OTHERS)])
def test_methods_have_their_order_without_constraints(group: str, name: str) -> None:
    k = (EXPLICIT | OTHERS)[name]
    for what in ("R", "Omega"):
        observed = order_of(group, name, k, what)
        assert abs(observed - method(name).order) <= tolerances.ORDER
        assert errors(final(group, name, k))[what] < 0.3


def test_order_of_every_method_is_tested() -> None:
    # The index-1 comparator is tested with the stabilisations, the symplectic family on cotangent bundles, implicit
    # methods, series and time stepping in modules of their own.
    others = ("moreau_jean", "generalized_alpha", "bdf", "bdf_variable", "bdf_increments", "variational", "taylor")
    implicit = {name for name in method_names() if method(name).family in others}
    assert {*EXPLICIT, *OTHERS, *implicit, "index1_dopri5", "symplectic_theta"} == set(method_names())


@pytest.mark.parametrize("group", ["SE3", "S3sR3"])
def test_no_drift_on_semidirect_products(group: str) -> None:
    """There B is constant along exact multipliers, so that Φ stays zero to rounding, also after ten seconds."""
    solution = sl.solve(heavy_top_system(group), 10.0, method="half_explicit_5", h=2.0**-10, t_eval=[10.0])
    assert solution.statistics.steps == 10 * 2**10
    assert solution.statistics.max_constraint_residual <= tolerances.LONG_DRIFT
    assert solution.statistics.max_velocity_residual <= tolerances.HIDDEN_CONSTRAINT
    assert solution.outputs["constraint_residual"][-1] <= tolerances.LONG_DRIFT


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_drift_on_direct_products_has_the_order(order: int) -> None:
    residuals = [final("SO3xR3", f"half_explicit_{order}", k).statistics.max_constraint_residual for k in (10, 11)]
    assert math.log2(residuals[0] / residuals[1]) >= order - tolerances.ORDER


@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_invariants_are_conserved(group: str) -> None:
    """Energy and the spin of this symmetric top are constant."""
    name = "half_explicit_5" if group in CONSTRAINED else "rkmk_rk67"
    solution = sl.solve(heavy_top_system(group), 1.0, method=name, h=2.0**-12, record_every=512)
    energy = solution.outputs["energy"]
    assert abs(energy[0] - 5435.696790865546875) <= tolerances.KERNEL * energy[0]
    assert float(np.ptp(energy)) <= tolerances.INVARIANT * energy[0]
    spin = solution.field("top", "Omega")[:, 1]
    assert float(np.ptp(spin)) <= tolerances.INVARIANT * 150


@pytest.mark.parametrize("t", ["0.5", "1.0"])
def test_shipped_reference_is_reproduced(t: str) -> None:
    """The reference shipped with the model, in every form, equals the reference of the tests."""
    shipped = json.loads(Path(heavy_top.__file__).with_name("heavy_top_reference.json").read_text())["states"][t]
    reference = heavy_top_reference(t)
    for found, name in (
        (shipped["outputs"]["center_of_mass"], "x"),
        (shipped["outputs"]["rotation"], "R"),
        (shipped["multipliers"]["fixed_point"], "lambda"),
    ):
        assert np.abs(np.array(found) - reference[name]).max() <= tolerances.EPSILON * np.abs(reference[name]).max()
