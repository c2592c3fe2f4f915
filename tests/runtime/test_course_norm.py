"""Studies in the discrete L² norm over the run, at nodes and at arc lengths of rods."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.comparison import MOST_TIMES, EndState, courses
from symlie.runtime.study.refinement import Grid, refinement
from tests import tolerances
from tests.rods.problems import spaghetti_system

T_END = 2.0**-3
STEPS = (2.0**-6, 2.0**-7)
AT = (0.0, 2.5, 5.0, 10.0)


@pytest.fixture(scope="module")
def fine() -> Solution:
    """A rod with four segments."""
    return sl.solve(spaghetti_system(4, backend="numpy"), T_END, h=2.0**-8)


@pytest.mark.slow
def test_norm_matches_the_paper(fine: Solution) -> None:
    """√(Σ‖q - Q‖²/(7(K+1))) and √(Σ‖v - V‖²/(6(K+1))), the largest over the times of the longest step."""
    run = ["half_explicit_2"], STEPS[:1]
    (row,) = sl.convergence(fine.system, T_END, *run, reference=fine, norm="l2")
    coarse = sl.solve(fine.system, T_END, method="half_explicit_2", h=STEPS[0])
    expected = []
    for of in (Solution.configuration, Solution.velocity):
        found, exact = of(coarse, "rod"), of(fine, "rod")
        differences = [found[n] - exact[4 * n] for n in range(len(found))]
        expected.append(max(math.sqrt(float((d * d).sum()) / d.size) for d in differences))
    assert (row.error.q, row.error.v) == pytest.approx(expected, rel=tolerances.OBSERVED)
    assert row.error.multipliers is None


def test_both_signs_of_a_quaternion_are_one_rotation(fine: Solution) -> None:
    turned = dataclasses.replace(fine, q=fine.q * np.tile([-1.0] * 4 + [1.0] * 3, 5))
    study = fine.system, T_END, ["half_explicit_2"], STEPS[:1]
    for at in (None, AT):
        errors = [next(sl.convergence(*study, reference=r, norm="l2", at=at)).error for r in (fine, turned)]
        assert errors[0] == errors[1]


@pytest.mark.slow
def test_order_in_time_is_measured(fine: Solution) -> None:
    steps = [2.0**-8, 2.0**-9]
    rows = list(sl.convergence(fine.system, T_END, ["half_explicit_2", "half_explicit_4"], steps, norm="l2", at=AT))
    assert rows[1].order.q == pytest.approx(2, abs=tolerances.ORDER_SLACK)
    assert rows[1].order.v == pytest.approx(2, abs=tolerances.ORDER_SLACK)


@pytest.mark.slow
def test_nonmultiple_grids_are_rejected() -> None:
    """At arc lengths that are nodes of no grid, and by default at the nodes of the coarsest one."""
    grids = [Grid(k, spaghetti_system(k, backend="numpy")) for k in (3, 5, 8)]
    study = "segments", grids, 2.0**-4, ["half_explicit_5"], 2.0**-8
    rows = list(refinement(*study, norm="l2", at=(3.0, 7.0, 9.5)))
    assert [row.value for row in rows] == [3, 5]
    solutions = [sl.solve(g.system, study[2], h=study[4]) for g in grids]
    nodes = grids[0].system.layout.curves["rod"].arc
    for s, row in ((nodes, next(refinement(*study, norm="l2"))), ([3.0, 7.0, 9.5], rows[0])):
        coarse, exact = (solution.at("rod", s, solutions[0].t) for solution in (solutions[0], solutions[2]))
        expected = np.sqrt(np.mean((coarse.q - exact.q) ** 2, axis=(1, 2))).max()
        assert row.error.q == pytest.approx(expected, rel=tolerances.OBSERVED)


def test_evaluation_times_are_few_multiples_of_the_step() -> None:
    assert courses(1.0, 0.25, None).times == [0, 0.25, 0.5, 0.75, 1]
    times = courses(10.0, 2.0**-12, None).times
    assert len(times) <= MOST_TIMES + 1 and times[-1] == 10.0
    assert all((t * 2**12).is_integer() for t in times)


def test_requirements_of_the_norm_are_checked(fine: Solution) -> None:
    state = EndState.of(fine)
    with pytest.raises(ModelError, match=r"^The norm l2 compares over the whole run; give a solution as reference"):
        next(sl.convergence(fine.system, T_END, ["half_explicit_2"], STEPS, reference=state, norm="l2"))
    with pytest.raises(ModelError, match=r"^Curve 'rod' has arc lengths from 0 m to 10 m, not 11 m\."):
        next(sl.convergence(fine.system, T_END, ["half_explicit_2"], STEPS, norm="l2", at=[11.0]))
