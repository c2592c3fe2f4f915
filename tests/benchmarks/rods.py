"""Cost of rods: time per node over the number of nodes, C and NumPy, and against one stage of a hand-written file.

python tests/benchmarks/rods.py [PATH/heavy_top_yardstick.c]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from handwritten import built, stay_on_one_processor

from symlie.models.flying_spaghetti import build
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.solve import solve
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.solution.start import start_of
from symlie.runtime.study.timing import step_timer
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


def stage_timers(system: System, method: str = "half_explicit_5") -> dict[str, Callable[[], float]]:
    """Functions that time the parts of one stage over the whole system, in nanoseconds of CPU.

    Parameters
    ----------
    system
        A system with the C backend.
    method
        Method whose library is timed; its step is reported per stage.
    """
    layout = system.layout
    chosen = chosen_method(method)
    initial = start_of(system, 0.0)
    loop = CompiledIntegration(
        system, chosen, Plan((0.0,), (1.0,), (1,), (False,), (0,)), FIXED_STEPS, LoopState(0.0, initial), record_every=0
    )
    kernels = system.kernels
    assert isinstance(kernels, CKernels)
    call, step_call, problem, pointer = kernels.library.call, loop.library.call, loop.problem, loop.library.pointer
    rng = np.random.default_rng(1)
    u = 1e-3 * rng.standard_normal(layout.dimension)
    out = np.zeros(layout.storage + len(system.kernels.jacobian(system.prepared, 0.0, initial.q, initial.v)))
    other = np.zeros(max(layout.rows, 1))
    q, v, step, result, second = (pointer(a) for a in (initial.q, initial.v, u, out, other))
    parts: dict[str, Callable[[], object]] = {
        "nodes: advance and inverse tangent operator": lambda: (
            call.symlie_advance(problem, q, step, result),
            call.symlie_inverse_tangent_operator(problem, step, v, result),
        ),
        "kernels: force": lambda: call.symlie_force(problem, 0.0, q, v, result),
        "right-hand side with multipliers": lambda: step_call.symlie_acceleration(problem, 0.0, q, v, result, second),
    }
    if layout.rows:
        parts["kernels: jacobian"] = lambda: call.symlie_jacobian(problem, 0.0, q, v, result)
        parts["kernels: curvature"] = lambda: call.symlie_curvature(problem, 0.0, q, v, result)
    repeats = max(1, 20000 // layout.dimension)

    def timer(part: Callable[[], object]) -> Callable[[], float]:
        def sample(owner: CompiledIntegration = loop) -> float:
            # The loop owns the memory that the parts work in.
            start = time.thread_time_ns()
            for _ in range(repeats):
                part()
            return (time.thread_time_ns() - start) / repeats

        return sample

    timers = {name: timer(part) for name, part in parts.items()}
    whole = step_timer(system, method, 1e-7, repeats)
    timers["one stage of a step"] = lambda: whole() / chosen.tableau.stages
    return timers


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yardstick", type=Path, nargs="?")
    arguments = parser.parse_args()
    stay_on_one_processor()
    print("Kirchhoff rods, half_explicit_5:\n")
    print("| segments | ns per step and node | relative to the first row |\n|---|---|---|")
    first = 0.0
    for n in NUMBERS:
        steps = max(2, 40000 // n)
        timer = step_timer(system(n, "kirchhoff"), "half_explicit_5", STEP_SIZE, steps)
        value = statistics.median(timer() for _ in range(9)) / (n + 1)
        first = first or value
        print(f"| {n:,} | {value:.0f} | {value / first:.2f} |", flush=True)
    n = 2000
    times = {}
    for backend in ("c", "numpy"):
        s = system(n, "kirchhoff", backend)
        solve(s, 2 * STEP_SIZE, h=STEP_SIZE, record_every=10**9)
        start = time.process_time()
        solution = solve(s, 10 * STEP_SIZE, h=STEP_SIZE, record_every=10**9)
        times[backend] = solution.statistics.cpu_seconds / 10
        assert np.all(np.isfinite(solution.v)), time.process_time() - start
    print(f"\nCPU time of the NumPy backend over C with {n:,} segments: {times['numpy'] / times['c']:.1f}.")
    stage = yardstick_stage(arguments.yardstick) if arguments.yardstick else None
    more = f" stages of the hand-written step ({stage:.1f} ns) |" if stage else ""
    n = 256
    for constraint in ("none", "kirchhoff"):
        print(f"\nParts of a stage with {n} segments, constraint {constraint}:\n\n| part | ns per node |{more}")
        print("|---|---|" + ("---|" if stage else ""))
        values = {
            name: statistics.median(timer() for _ in range(41)) / (n + 1)
            for name, timer in stage_timers(system(n, constraint)).items()
        }
        kernels = sum(value for name, value in values.items() if name.startswith("kernels"))
        values["assembly and linear algebra (the rest)"] = values["right-hand side with multipliers"] - kernels
        for name, value in values.items():
            print(f"| {name} | {value:.1f} |" + (f" {value / stage:.2f} |" if stage else ""))


if __name__ == "__main__":
    main()
