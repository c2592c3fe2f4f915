"""Time per step and node of rods and chains that exceed the caches of the processor, compared with an older commit.

git worktree add ../before a038f5c
python tests/benchmarks/long_chains.py [../before] [--rounds 9] [--nodes 16 1024] [--cases "pendulum chain"]

CPU time of fixed steps, minimum over all rounds, in which both versions and all lengths alternate. Each version reuses
its memory from round to round and takes some untimed steps first, so that first-touch page faults are excluded.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import symlie as sl
from symlie.models import flying_spaghetti, pendulum_chain
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.solution.start import start_of

NUMBERS = (16, 64, 256, 1024, 4096, 16384)
SAMPLE = 40000
"""Steps times nodes of a sample."""
FEWEST, UNTIMED = 6, 2
"""Steps of a sample, and before it."""

CASES: dict[str, tuple[Callable[[int], sl.Model], str, float]] = {
    "Kirchhoff rod": (lambda n: flying_spaghetti.build(n - 1, "kirchhoff"), "half_explicit_5", 1e-7),
    "unconstrained rod": (lambda n: flying_spaghetti.build(n - 1, "none"), "half_explicit_5", 1e-7),
    "pendulum chain": (lambda n: pendulum_chain.build(n), "rkmk_dopri5", 1e-5),
}
"""Model of a number of nodes, method, and step size in s."""


def timer(case: str, nodes: int) -> Callable[[], float]:
    """A function that takes a sample and gives nanoseconds per step and node."""
    build, method, h = CASES[case]
    system, steps = build(nodes).derive().compile(backend="c"), max(FEWEST, SAMPLE // nodes)
    plan = Plan((0.0,), (1e6 * h,), (10**6,), (False,), (0,))
    state = LoopState(0.0, start_of(system, 0.0))
    loop = CompiledIntegration(system, chosen_method(method), plan, FIXED_STEPS, state, record_every=0)

    def sample() -> float:
        loop.advance(UNTIMED)
        start = time.thread_time_ns()
        loop.advance(steps)
        elapsed = time.thread_time_ns() - start
        if not np.all(np.isfinite(loop.v)):
            raise sl.errors.IntegrationError(f"The {case} of {nodes} nodes left the finite numbers.")
        return elapsed / steps / nodes

    return sample


def side() -> None:
    """For each line with a case and a number, a sample."""
    timers: dict[str, Callable[[], float]] = {}
    for line in sys.stdin:
        case, nodes = line.rsplit(maxsplit=1)
        if line not in timers:
            timers[line] = timer(case, int(nodes))
        print(timers[line](), flush=True)


def started(checkout: Path) -> subprocess.Popen[str]:
    """A side with the package of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, __file__, "--side"]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def asked(side: subprocess.Popen[str], case: str, nodes: int) -> float:
    """A sample of a side."""
    assert side.stdin is not None and side.stdout is not None
    side.stdin.write(f"{case} {nodes}\n")
    side.stdin.flush()
    return float(side.stdout.readline())


def main() -> None:
    """Print a table of nanoseconds per step and node, for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, nargs="?", help="checkout of an older commit")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--nodes", nargs="+", type=int, default=NUMBERS)
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    arguments = parser.parse_args()
    sides = {"now": started(Path(__file__).parents[2])}
    if arguments.before:
        sides["before"] = started(arguments.before.resolve())
    numbers = arguments.nodes
    print(f"| ns per step and node | {' | '.join(map(str, numbers))} | largest / smallest |")
    print("|---" * (len(numbers) + 2) + "|")
    for case in arguments.cases:
        least = {name: np.full(len(numbers), np.inf) for name in sides}
        for _ in range(1 + arguments.rounds):
            for k, n in enumerate(numbers):
                for name, running in sides.items():
                    least[name][k] = min(least[name][k], asked(running, case, n))
        for name, values in least.items():
            figures = " | ".join(f"{value:.0f}" for value in values)
            label = f"{case}, `{CASES[case][1]}`" + (f", {name}" if len(least) > 1 else "")
            print(f"| {label} | {figures} | {max(values) / min(values):.2f} |", flush=True)
        if len(least) > 1:
            ratios = " | ".join(f"{ratio:.3f}" for ratio in least["now"] / least["before"])
            print(f"| {case}, now over before | {ratios} | |", flush=True)
    for running in sides.values():
        running.communicate()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        side()
    else:
        main()
