"""Dense output on the group: at random times as accurate as the steps, of the right order, and exact at the steps."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Statistics
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import HEAVY_TOPS, chain_model, heavy_top_system

TIMES = np.sort(np.random.default_rng(20).uniform(0.0, 0.25, 100))


def largest(system: System, a: Solution, b: Solution) -> tuple[float, float]:
    """Largest differences of configuration and velocity."""
    q = max(float(np.abs(system.kernels.difference(x, y)).max()) for x, y in zip(a.q, b.q, strict=True))
    return q, float(np.abs(a.v - b.v).max())


@pytest.mark.parametrize("group", HEAVY_TOPS)
@pytest.mark.parametrize("run", [{"h": 2.0**-10}, {"rtol": 1e-7}])
def test_dense_output_is_as_accurate_as_the_steps(group: str, run: dict[str, float]) -> None:
    system = heavy_top_system(group)
    solution = sl.solve(system, 0.25, **run)
    exact = sl.solve(system, 0.25, h=2.0**-14, t_eval=TIMES)
    found = solution(TIMES)
    assert isinstance(found, Solution)
    q, v = largest(system, found, exact)
    steps = solution.t[1::4]
    at_steps = sl.solve(system, 0.25, h=2.0**-14, t_eval=steps)
    chosen = solution(steps)
    assert isinstance(chosen, Solution)
    step_q, step_v = largest(system, chosen, at_steps)
    assert q <= 2 * step_q and v <= 2 * step_v


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_dense_output_has_its_order(backend: str) -> None:
    """Between exact states the error of q falls by 2⁶, the error of v by 2⁵."""
    system = heavy_top_system("SE3", backend)
    errors: list[tuple[float, float]] = []
    for h in (2.0**-7, 2.0**-8):
        inside: Array = h * np.array([0.2, 0.4, 0.5, 0.7, 0.9])
        ends = sl.solve(system, h, h=2.0**-13 if backend == "c" else 2.0**-12, t_eval=[0.0, h])
        exact = sl.solve(system, h, h=2.0**-13 if backend == "c" else 2.0**-12, t_eval=inside)
        found = dataclasses.replace(ends, statistics=Statistics(steps=1))(inside)
        assert isinstance(found, Solution)
        errors.append(largest(system, found, exact))
    (q, v), (half_q, half_v) = errors
    assert math.log2(q / half_q) >= 6 - tolerances.OBSERVED_ORDER
    assert math.log2(v / half_v) >= 5 - tolerances.OBSERVED_ORDER


def test_dense_output_reproduces_the_steps() -> None:
    solution = sl.solve(heavy_top_system("SE3"), 0.01, h=2.0**-10)
    state = solution(float(solution.t[3]))
    assert not isinstance(state, Solution)
    assert (
        state.q.tobytes() == solution.q[3].tobytes()
        and state.multipliers.tobytes() == solution.multipliers[3].tobytes()
    )
    assert np.array_equal(state.field("top", "x"), solution.field("top", "x")[3])


def test_dense_output_satisfies_constraints() -> None:
    """Φ and Bv of interpolated states vanish like the interpolation error; λ belongs to the interpolated state."""
    solution = sl.solve(heavy_top_system("SE3"), 0.05, h=2.0**-11)
    between = solution((solution.t[1:] + solution.t[:-1]) / 2)
    assert isinstance(between, Solution)
    assert between.outputs["constraint_residual"].max() <= tolerances.DENSE_CONSTRAINT
    assert abs(np.diff(between.outputs["energy"])).max() <= tolerances.DENSE_ENERGY
    np.testing.assert_allclose(between.multipliers, between.with_index1_multipliers().multipliers)


def test_several_groups_are_interpolated() -> None:
    system = chain_model().derive().compile()
    solution = sl.solve(system, 0.2, h=2.0**-8)
    exact = sl.solve(system, 0.2, h=2.0**-12, t_eval=[0.0517, 0.1234])
    found = solution([0.0517, 0.1234])
    assert isinstance(found, Solution)
    q, v = largest(system, found, exact)
    assert q <= tolerances.DENSE_CHAIN and v <= 100 * tolerances.DENSE_CHAIN


def test_times_outside_the_run_are_rejected() -> None:
    solution = sl.solve(heavy_top_system("SE3"), 0.01, h=2.0**-10)
    for t in (-0.1, 0.011, math.nan):
        with pytest.raises(ModelError, match="outside"):
            solution(t)


def test_omitted_steps_are_not_interpolated() -> None:
    sparse = sl.solve(heavy_top_system("SE3"), 0.02, h=2.0**-10, t_eval=[0.0, 0.01, 0.02])
    assert sparse(0.01).q.tobytes() == sparse.q[1].tobytes()
    with pytest.raises(ModelError, match="record_every=1"):
        sparse(0.015)
