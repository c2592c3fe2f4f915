"""Drift: Baumgarte's term and projections as tabulated, preserved orders; the index-1 comparator; continued runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_reference, heavy_top_system

BAUMGARTE = {
    ((0, 150, -4.61538), 1.0, 10): {0: 3.48e-10, 1: 3.06e-10, 10: 2.67e-10, 100: 5.98e-10, 300: 5.8e-9, 1000: 1.2e-7},
    ((0, 15, -4.61538), 40.0, 7): {0: 9.4e-9, 1: 1.2e-9, 3: 1.5e-9, 5: 1.7e-9},
    ((0, 1.5, -0.0461538), 40.0, 6): {0: 3.6e-8, 1: 1.3e-9, 2: 1.1e-9, 3: 1.2e-9, 5: 1.7e-9},
    ((0, 0, -4.61538), 40.0, 6): {0: 2.6e-7, 1: 5.4e-9, 2: 2.9e-9, 3: 3.0e-9},
}
"""Largest |Φ| (2-norm) by initial Ω, end time and k of h = 2⁻ᵏ, over α; half_explicit_5 on SO3xR3. Source: a prototype
in NumPy that shares nothing with the package."""


def top(omega: tuple[float, float, float], backend: str = "c") -> System:
    return heavy_top_system("SO3xR3", backend).with_initial("top", Omega=omega)


def how(alpha: float) -> str:
    return f"baumgarte:{alpha}" if alpha else "none"


@pytest.mark.parametrize("case", BAUMGARTE)
def test_baumgarte_matches_tabulated_values(case: tuple[tuple[float, float, float], float, int]) -> None:
    """The table has 2-norms, the statistics largest entries, which are between 1/√3 of that and the same."""
    omega, t_end, k = case
    for alpha, expected in BAUMGARTE[case].items():
        solution = sl.solve(top(omega), t_end, h=2.0**-k, stabilize=how(alpha), record_every=0)
        found = solution.statistics.max_constraint_residual
        assert expected / math.sqrt(3) / tolerances.TABLE_FACTOR <= found <= expected * tolerances.TABLE_FACTOR


@pytest.mark.slow
@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_projection_reaches_round_off(order: int, backend: str) -> None:
    name = f"half_explicit_{order}"
    solution = sl.solve(
        top((0, 150, -4.61538), backend), 2.0**-5, method=name, h=2.0**-10, stabilize="projection", record_every=0
    )
    assert solution.statistics.max_constraint_residual <= tolerances.PROJECTED
    both = sl.solve(top((0, 150, -4.61538), backend), 2.0**-5, method=name, h=2.0**-10, stabilize="projection+velocity")
    assert both.statistics.max_constraint_residual <= tolerances.PROJECTED
    assert both.statistics.max_velocity_residual <= tolerances.PROJECTED_VELOCITY
    assert both.outputs["constraint_residual"].max() <= tolerances.PROJECTED


def error(stabilize: str, name: str, h: float) -> float:
    solution = sl.solve(heavy_top_system("SO3xR3"), 1.0, method=name, h=h, stabilize=stabilize, t_eval=[1.0])
    return float(np.linalg.norm(solution.outputs["rotation"][0] - heavy_top_reference()["R"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stabilize", "name"),
    [
        ("projection", "half_explicit_5"),
        ("projection+velocity", "half_explicit_5"),
        ("projection", "half_explicit_4"),
        ("projection", "half_explicit_3"),
        ("baumgarte:30", "half_explicit_3"),
        ("baumgarte:30", "half_explicit_4"),
        ("baumgarte:30", "half_explicit_5"),
        ("none", "index1_dopri5"),
    ],
)
def test_orders_are_preserved(stabilize: str, name: str) -> None:
    order = 5 if name == "index1_dopri5" else int(name[-1])
    coarse, fine = (error(stabilize, name, 2.0**-k) for k in (11, 12))
    assert math.log2(coarse / fine) >= order - tolerances.OBSERVED_ORDER


@pytest.mark.slow
@pytest.mark.parametrize("stabilize", ["baumgarte:10", "projection", "velocity"])
@pytest.mark.parametrize("name", ["half_explicit_3", "half_explicit_5"])
def test_backends_agree(stabilize: str, name: str) -> None:
    c, plain = (
        sl.solve(heavy_top_system("SO3xR3", b), 20 * 2.0**-10, method=name, h=2.0**-10, stabilize=stabilize)
        for b in ("c", "numpy")
    )
    np.testing.assert_allclose(c.q, plain.q, rtol=0, atol=tolerances.LIBRARY)
    np.testing.assert_allclose(c.v, plain.v, rtol=tolerances.LIBRARY, atol=150 * tolerances.LIBRARY)


def test_index1_backends_agree_and_drift() -> None:
    c, plain = (
        sl.solve(heavy_top_system("SO3xR3", b), 20 * 2.0**-10, method="index1_dopri5", h=2.0**-10)
        for b in ("c", "numpy")
    )
    np.testing.assert_allclose(c.q, plain.q, rtol=0, atol=tolerances.LIBRARY)
    np.testing.assert_allclose(c.multipliers, plain.multipliers, rtol=0, atol=1e3 * tolerances.LIBRARY)
    # Its multipliers are those of the acceleration level at the recorded states.
    np.testing.assert_allclose(
        c.multipliers, c.with_index1_multipliers().multipliers, rtol=0, atol=1e3 * tolerances.LIBRARY
    )
    half_explicit = sl.solve(heavy_top_system("SO3xR3"), 1.0, h=2.0**-10, record_every=0).statistics
    drift = sl.solve(heavy_top_system("SO3xR3"), 1.0, h=2.0**-10, method="index1_dopri5", record_every=0).statistics
    assert drift.max_constraint_residual > 10 * half_explicit.max_constraint_residual
    assert drift.max_velocity_residual > 1e3 * half_explicit.max_velocity_residual


@pytest.mark.parametrize(
    ("text", "kind"),
    [("baumgarte", ModelError), ("baumgarte:-1", ModelError), ("baumgarte:x", ModelError), ("drop", UnknownNameError)],
)
def test_unknown_stabilisation_is_rejected(text: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        sl.solve(heavy_top_system("SE3"), 0.01, h=1e-3, stabilize=text)


def test_baumgarte_requires_half_explicit_methods() -> None:
    with pytest.raises(UnsupportedMethodError, match="half-explicit"):
        sl.solve(heavy_top_system("SE3"), 0.01, h=1e-3, method="index1_dopri5", stabilize="baumgarte:1")


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_continued_solutions_equal_uninterrupted_runs(backend: str) -> None:
    """The end of a solution keeps the acceleration of its last stage, so every bit is the same."""
    system, h = heavy_top_system("SE3", backend), 2.0**-10
    whole = sl.solve(system, 20 * h, h=h)
    first = sl.solve(system, 8 * h, h=h)
    second = sl.solve(system, 20 * h, h=h, start=first)
    assert second.t[0] == first.t[-1]
    assert np.concatenate([first.q[:-1], second.q]).tobytes() == whole.q.tobytes()
    assert np.concatenate([first.multipliers[:-1], second.multipliers]).tobytes() == whole.multipliers.tobytes()


def test_continuing_with_other_parameters_is_supported() -> None:
    system = heavy_top_system("SE3")
    first = sl.solve(system, 0.01, rtol=1e-6)
    heavier = system.with_parameters(mass=20.0)
    second = sl.solve(heavier, 0.02, rtol=1e-6, start=first)
    assert np.array_equal(second.q[0], first.q[-1])
    np.testing.assert_allclose(
        second.multipliers[0], second.with_index1_multipliers().multipliers[0], rtol=0, atol=1e3 * tolerances.LIBRARY
    )
    with pytest.raises(ModelError, match="other equations"):
        sl.solve(heavy_top_system("SO3xR3"), 0.02, h=1e-3, start=first)
    with pytest.raises(ModelError, match="ends at"):
        sl.solve(system, (0.5, 1.0), h=1e-3, start=first)
