"""Cost of generalized-α: the heavy top against a hand-written file, and rods in stages of half_explicit_5.

python tests/benchmarks/generalized_alpha.py [--largest 16384] [--samples 9]

Rods of the unconstrained and of the Kirchhoff kind: ns per node and Newton iteration with a matrix in each, and with
kept factors; both in stages of half_explicit_5 on the same rod; and workspace. CPU time of alternating samples on one
core: medians of ratios, and ratios of minima.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from handwritten import built, stay_on_one_processor

from symlie.models.flying_spaghetti import build as build_rod
from symlie.models.heavy_top import build as build_top
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.solve import solve
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.start import start_of
from symlie.runtime.study.timing import step_timer
from symlie.runtime.system.system import System

SOURCE = Path(__file__).parent / "generalized_alpha_top.c"
NUMBERS = (16, 64, 256, 1024, 4096, 16384)
STEP_OF_TOP = 7.8e-5
STEP_OF_RODS = 2.0**-11
EXPLICIT_STEP = 1e-7
STAGES = 6
METHODS: Mapping[str, Method] = {
    "fresh": chosen_method("generalized_alpha"),
    "kept": chosen_method("generalized_alpha", {"newton": "modified"}),
}


def workspace_bytes(system: System, method: Method) -> int:
    """Bytes that the time loop of a method works in."""
    plan = Plan((0.0,), (1.0,), (1,), (False,))
    loop = CompiledIntegration(system, method, plan, FIXED_STEPS, LoopState(0.0, start_of(system, 0.0)), record_every=0)
    return 8 * int(loop.library.call.symlie_workspace(loop.problem))


def top(samples: int) -> None:
    """The constrained top on SE(3)."""
    system = build_top("SE3").derive().compile(backend="c")
    method = chosen_method("generalized_alpha", {"start": "plain"})
    timers = {m: step_timer(system, m, STEP_OF_TOP, 5000) for m in (method, chosen_method("half_explicit_5"))}
    times: dict[str, list[float]] = {m.name: [] for m in timers}
    hand = []
    with built(SOURCE, "default", "-std=gnu11") as measured:
        for _ in range(samples):
            hand.append(measured(1)["generalized_alpha_top.ns_per_step"])
            for m, timer in timers.items():
                times[m.name].append(timer())
    print("heavy top on SE(3), ns per step: median, least, median of ratios, ratio of the least")
    ours = times[method.name]
    for name, other in (("by hand", hand), ("half_explicit_5", times["half_explicit_5"])):
        ratio = statistics.median(a / b for a, b in zip(ours, other, strict=True))
        least = min(ours) / min(other)
        print(f"  {statistics.median(ours):8.1f} {min(ours):8.1f}   of {name:16} {ratio:6.2f} {least:6.2f}")


def rods(constraint: str, largest: int, samples: int) -> None:
    """One kind of rods."""
    print(f"rods, {constraint}: ns per node and iteration, of a stage of half_explicit_5, iterations, bytes per node")
    for n in (n for n in NUMBERS if n <= largest):
        system = build_rod(segments=n, constraint=constraint).derive().compile(backend="c")
        steps = max(16, 4000 // n)
        explicit = step_timer(system, "half_explicit_5", EXPLICIT_STEP, steps)
        timers = {name: step_timer(system, m, STEP_OF_RODS, steps) for name, m in METHODS.items()}
        stages, times = [], {name: list[float]() for name in timers}
        for _ in range(samples):
            stages.append(explicit() / STAGES)
            for name, timer in timers.items():
                times[name].append(timer())
        for name, m in METHODS.items():
            counts = solve(system, steps * STEP_OF_RODS, h=STEP_OF_RODS, method=m, record_every=10**9).statistics
            iterations = counts.newton_iterations / steps
            ratios = np.array(times[name]) / iterations / np.array(stages)
            best = min(times[name]) / iterations
            print(
                f"  N = {n:6d} {name:6} {best / (n + 1):9.1f}   {np.median(ratios):6.2f} {best / min(stages):6.2f}   "
                f"{iterations:5.2f} ({counts.jacobians} matrices in {steps} steps)   "
                f"{workspace_bytes(system, m) / (n + 1):8.0f}"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=NUMBERS[-1])
    parser.add_argument("--samples", type=int, default=9)
    arguments = parser.parse_args()
    stay_on_one_processor()
    top(arguments.samples)
    for constraint in ("kirchhoff", "none"):
        rods(constraint, arguments.largest, arguments.samples)


if __name__ == "__main__":
    main()
