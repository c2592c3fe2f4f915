"""Observed orders of all half-explicit methods on both benchmarks, and the residuals of the constraints."""

from __future__ import annotations

import numpy as np
import pytest

from symlie.models import flying_spaghetti
from symlie.runtime.study.refinement import Grid, refinement
from tests import tolerances
from tests.rods.problems import BENCHMARKS, benchmark_run, errors

END = 1.0
"""A time of the reference that is long enough for both velocities and positions to be in the asymptotic range."""

STEPS = {"R1": {2: 10, 3: 10, 4: 10, 5: 9}, "R3": {2: 10, 3: 10, 4: 10, 5: 9}}
"""For each order the coarser of two step sizes, h = 2^-k and 2^-(k+2)."""


def observed(problem: str, method: str, k: int) -> tuple[float, float]:
    """Orders of q and v at the end over two halvings."""
    coarse = errors(benchmark_run(problem, k, method, END), problem)
    fine = errors(benchmark_run(problem, k + 2, method, END), problem)
    q, v = (float(np.log2(a[-1] / b[-1]) / 2) for a, b in zip(coarse, fine, strict=True))
    return q, v


@pytest.mark.slow
@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("problem", BENCHMARKS)
def test_half_explicit_methods_have_their_order(problem: str, order: int) -> None:
    """In q and in v; without constraints the method is the explicit one of its tableau."""
    q, v = observed(problem, f"half_explicit_{order}", STEPS[problem][order])
    assert q > order - tolerances.ROD_ORDER_SLACK
    assert v > order - tolerances.ROD_ORDER_SLACK


def test_explicit_method_has_its_order() -> None:
    """All integrators run on rods unchanged; this one without constraints."""
    q, v = observed("R1", "rkmk_dopri5", 9)
    assert q > 5 - tolerances.ROD_ORDER_SLACK
    assert v > 5 - tolerances.ROD_ORDER_SLACK


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_velocities_satisfy_the_hidden_constraints(order: int) -> None:
    """|B v| is at round-off level in every step of all methods."""
    solution = benchmark_run("R3", STEPS["R3"][order], f"half_explicit_{order}", END)
    assert solution.statistics.max_velocity_residual < tolerances.ROD_HIDDEN


@pytest.mark.slow
def test_position_drift_is_small() -> None:
    """Order 5 with h = 2^-9 up to 15 s; order 2 drifts visibly with the same constraints, so the residual is real."""
    solution = benchmark_run("R3", 9)
    assert solution.statistics.max_constraint_residual < tolerances.ROD_CONSTRAINT
    assert solution.statistics.max_velocity_residual < tolerances.ROD_HIDDEN
    coarse = benchmark_run("R3", STEPS["R3"][2], "half_explicit_2", END)
    assert coarse.statistics.max_constraint_residual > 1e4 * tolerances.ROD_CONSTRAINT


@pytest.mark.slow
def test_spatial_order_of_smooth_motions_is_two() -> None:
    """In the L² norm at s = 0, L/8, …, L: figure 6 of [Hante2022] without the kink of its load at t = 0.

    Of lines through the errors from 4 to 256 segments, and between grids of which all these points are nodes.
    """
    numbers, points = (4, 8, 16, 32, 64, 128, 256, 1024), np.linspace(0, 10, 9).tolist()
    grids = [Grid(k, flying_spaghetti.build(k, load="smooth").derive().compile()) for k in numbers]
    rows = list(refinement("segments", grids, END, ["half_explicit_5"], 2.0**-14, norm="l2", at=points))
    for part in ("q", "v"):
        errors_of_part = [getattr(row.error, part) for row in rows]
        whole = -np.polyfit(np.log(numbers[:-1]), np.log(errors_of_part), 1)[0]
        found = [whole, *(getattr(row.order, part) for row in rows[2:])]
        np.testing.assert_allclose(found, 2, rtol=0, atol=tolerances.SPACE_ORDER, err_msg=part)
