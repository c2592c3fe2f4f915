"""Cost of sensitivities and gradients, relative to plain runs of the same steps.

python -m tests.benchmarks.gradients

The heavy top on SE(3) with half_explicit_5 and generalized_alpha_index2, and the free top on SO(3) with rkmk_dopri5.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import symlie as sl
from symlie.runtime.system.system import System
from tests.benchmarks.tables import header, row
from tests.systems import heavy_top_equations

STEP, STEPS, REPEATS = 1e-3, 2000, 5

CASES = (("SE3", "half_explicit_5"), ("SE3", "generalized_alpha_index2"), ("SO3", "rkmk_dopri5"))


def best(run: Callable[[], object]) -> float:
    """Return the shortest of some times, in s."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def weighted_height(solution: sl.Solution) -> tuple[float, dict[str, np.ndarray]]:
    """Return the sum of all heights of the centre of mass."""
    weights = np.zeros_like(np.asarray(solution.outputs["center_of_mass"]))
    weights[:, 2] = 1.0
    return float((weights * solution.outputs["center_of_mass"]).sum()), {"center_of_mass": weights}


def relative_times(system: System, method: str) -> list[float]:
    """Return the time of a plain run, in µs per step, and as multiples of it those of sensitivities in one and in ten
    directions and of a gradient by ten variables."""
    span, everything = STEPS * STEP, ["mass", "inertia", "lever", "gravity"]
    plain = best(lambda: sl.solve(system, span, method=method, h=STEP))
    times = [
        best(lambda: sl.sensitivity(system, span, wrt="mass", of=[], method=method, h=STEP)),
        best(lambda: sl.sensitivity(system, span, wrt=everything, of=[], method=method, h=STEP)),
        best(lambda: sl.gradient(system, span, weighted_height, wrt=everything, method=method, h=STEP)),
    ]
    return [plain / STEPS * 1e6, *(found / plain for found in times)]


def main() -> None:
    """Print a table."""
    header("system", "method", "plain, us per step", "one direction", "ten directions", "gradient by ten")
    for group, method in CASES:
        found = relative_times(heavy_top_equations(group).compile(backend="c"), method)
        row(f"top on {group}", method, *(f"{x:.1f}" for x in found))


if __name__ == "__main__":
    main()
