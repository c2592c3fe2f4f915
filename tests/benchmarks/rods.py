"""Cost of rods: time per node over the number of nodes, C and NumPy, and against one stage of a hand-written file.

python tests/benchmarks/rods.py [PATH/heavy_top_yardstick.c]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from handwritten import built, stay_on_one_processor

from symlie.models.flying_spaghetti import build
from symlie.runtime.integrate.solve import solve
from symlie.runtime.study.timing import stage_timers, step_timer
from symlie.runtime.system.system import System

NUMBERS = (16, 64, 256, 1024, 4096, 16384)
STEP_SIZE = 1e-7
STAGES = 7
HALF_EXPLICIT_SOLVES = 6


def system(segments: int, constraint: str, backend: str = "c") -> System:
    """The flying spaghetti, compiled."""
    return build(segments=segments, constraint=constraint).derive().compile(backend=backend)


def yardstick_stage(source: Path) -> float:
    """Nanoseconds of one stage of the hand-written half-explicit step on S³×R³."""
    with built(source, "default", "-DPOLY=1") as measured:
        return measured(101)["P2.cd.poly.ns_per_step"] / STAGES


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yardstick", type=Path, nargs="?")
    arguments = parser.parse_args()
    stay_on_one_processor()
    print("half_explicit_5, Kirchhoff: ns per step and node")
    first = 0.0
    for n in NUMBERS:
        steps = max(2, 40000 // n)
        timer = step_timer(system(n, "kirchhoff"), "half_explicit_5", STEP_SIZE, steps)
        value = statistics.median(timer() for _ in range(9)) / (n + 1)
        first = first or value
        print(f"  N = {n:6d} {value:9.1f}   {value / first:.3f} of N = {NUMBERS[0]}")
    n = 2000
    times = {}
    for backend in ("c", "numpy"):
        s = system(n, "kirchhoff", backend)
        solve(s, 2 * STEP_SIZE, h=STEP_SIZE, record_every=10**9)
        start = time.process_time()
        solution = solve(s, 10 * STEP_SIZE, h=STEP_SIZE, record_every=10**9)
        times[backend] = solution.statistics.cpu_seconds / 10
        assert np.all(np.isfinite(solution.v)), time.process_time() - start
    print(f"NumPy / C at N = {n}: {times['numpy'] / times['c']:.2f}")
    stage = yardstick_stage(arguments.yardstick) if arguments.yardstick else None
    n = 256
    for constraint in ("none", "kirchhoff"):
        print(
            f"{constraint}, N = {n}: ns per node"
            + (f", and in stages of the hand-written step ({stage:.1f} ns)" if stage else "")
        )
        values = {
            name: statistics.median(timer() for _ in range(41)) / (n + 1)
            for name, timer in stage_timers(system(n, constraint)).items()
        }
        kernels = sum(value for name, value in values.items() if name.startswith("kernels"))
        values["assembly and linear algebra (the rest)"] = values["right-hand side with multipliers"] - kernels
        for name, value in values.items():
            print(f"  {name:40} {value:8.1f}" + (f"   {value / stage:6.2f}" if stage else ""))


if __name__ == "__main__":
    main()
