"""Cost of generalized-α: the heavy top against a hand-written file, and rods in stages of half_explicit_5.

python tests/benchmarks/generalized_alpha.py [--largest 16384] [--samples 9]

Rods of the unconstrained and of the Kirchhoff kind, a ring and a tree: ns per node and Newton iteration with a matrix
in each, and with kept factors; both in stages of half_explicit_5 on the same rod; and workspace. Tops and a rod: the
cost of an iteration of bdf2 relative to generalized-α. CPU time of alternating samples on one core: medians of ratios,
and ratios of minima. The first steps of a run, where memory is touched for the first time and kept factors are taken,
are not timed.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from handwritten import built, stay_on_one_processor

import symlie as sl
from symlie.models.flying_spaghetti import build as build_rod
from symlie.models.heavy_top import build as build_top
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
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
STEP_OF_BDF = 2.0**-13
EXPLICIT_STEP = 1e-7
STAGES = 6
FIRST_STEPS = 2
EXPLICIT = chosen_method("half_explicit_5")
METHODS: Mapping[str, Method] = {
    "new": chosen_method("generalized_alpha"),
    "reused": chosen_method("generalized_alpha", {"newton": "modified"}),
}


def workspace_bytes(system: System, method: Method) -> int:
    """Bytes that the time loop of a method works in."""
    plan = Plan((0.0,), (1.0,), (1,), (False,), (0,))
    loop = CompiledIntegration(system, method, plan, FIXED_STEPS, LoopState(0.0, start_of(system, 0.0)), record_every=0)
    return 8 * int(loop.library.call.symlie_workspace(loop.problem))


def top(samples: int) -> None:
    """The constrained top on SE(3)."""
    system = build_top("SE3").derive().compile(backend="c")
    method = chosen_method("generalized_alpha", {"start": "plain"})
    timers = {m: step_timer(system, m, STEP_OF_TOP, 5000) for m in (method, EXPLICIT)}
    times: dict[str, list[float]] = {m.name: [] for m in timers}
    hand = []
    with built(SOURCE, "default", "-std=gnu11") as measured:
        for _ in range(samples):
            hand.append(measured(1)["generalized_alpha_top.ns_per_step"])
            for m, timer in timers.items():
                times[m.name].append(timer())
    ours = times[method.name]
    print(f"Heavy top on SE(3): {statistics.median(ours):.0f} ns per step (minimum {min(ours):.0f}), relative to:\n")
    print("| | median of ratios | ratio of minima |\n|---|---|---|")
    for name, other in (("hand-written C", hand), ("half_explicit_5", times["half_explicit_5"])):
        ratio = statistics.median(a / b for a, b in zip(ours, other, strict=True))
        print(f"| {name} | {ratio:.2f} | {min(ours) / min(other):.2f} |")


def bdf(samples: int) -> None:
    """Iterations of bdf2 on tops and on a rod."""
    print("\nCost of an iteration of bdf2 relative to generalized_alpha, median of ratios:\n")
    print("| | index 3 | stabilised index 2 |\n|---|---|---|")
    systems = {f"heavy top on {group}": (build_top(group), 2000) for group in ("SO3xR3", "S3xR3", "SE3", "S3sR3")}
    systems["Kirchhoff rod of 64 segments"] = build_rod(segments=64, constraint="kirchhoff"), 100
    for name, (model, steps) in systems.items():
        system = model.derive().compile(backend="c")
        ratios = []
        for ending in ("", "_index2"):
            pair = [chosen_method(f"{method}{ending}") for method in ("bdf2", "generalized_alpha")]
            found = []
            for _ in range(samples):
                begin = LoopState(0.0, start_of(system, 0.0))
                taken = [timed(system, begin, m, STEP_OF_BDF, steps) for m in pair]
                found.append(taken[0].ns / taken[0].iterations / taken[1].ns * taken[1].iterations)
            ratios.append(statistics.median(found))
        print(f"| {name} | {ratios[0]:.2f} | {ratios[1]:.2f} |", flush=True)


MATERIAL: Mapping[str, Any] = {
    "constraint": "kirchhoff",
    "gravity": (0, 1, -9.81),
    "stiffness": [20, 20, 15, 2e3, 2e3, 2e3],
    "inertia": [0.01, 0.01, 0.02, 0.5, 0.5, 0.5],
    "reference_strain": "initial",
}


def ring(segments: int) -> sl.Model:
    """A closed rod of radius 1 m, clamped at one node."""
    model = sl.Model("ring")
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=segments,
        length=2 * math.pi,
        closed=True,
        position=lambda s: (-math.cos(s), 0, math.sin(s)),
        orientation=lambda s: (math.cos(s / 2), 0, math.sin(s / 2), 0),
        **MATERIAL,
    )
    rod.nodes.fix(0)
    return model


def tree(segments: int) -> sl.Model:
    """A clamped trunk and two branches, each with a third of the segments."""
    model = sl.Model("tree")
    third = segments // 3
    upright: Mapping[str, Any] = {"position": lambda s: (0, 0, s), "orientation": (1, 0, 0, 0)}
    trunk = sl.CosseratRod(model, "trunk", segments=segments - 2 * third, length=1.0, **upright, **MATERIAL)
    trunk.nodes.fix(0)
    for name, a in (("left", -0.6), ("right", 0.9)):
        sl.CosseratRod(
            model,
            name,
            segments=third,
            length=0.7,
            like=trunk,
            first=trunk[-1],
            position=lambda s, a=a: (s * math.sin(a), 0, 1 + s * math.cos(a)),
            orientation=(math.cos(a / 2), 0, math.sin(a / 2), 0),
            reference_strain="initial",
        )
    return model


SHAPES: Mapping[str, Callable[[int], sl.Model]] = {
    "Kirchhoff rod": lambda n: build_rod(segments=n, constraint="kirchhoff"),
    "unconstrained rod": lambda n: build_rod(segments=n, constraint="none"),
    "ring": ring,
    "tree": tree,
}


class Steps(NamedTuple):
    """Cost of steps."""

    ns: float
    iterations: int
    matrices: int


def timed(system: System, begin: LoopState, method: Method, h: float, steps: int) -> Steps:
    """Steps after the first ones."""
    count = FIRST_STEPS + steps
    plan = Plan((0.0,), (h * count,), (count,), (False,), (0,))
    loop = CompiledIntegration(system, method, plan, FIXED_STEPS, begin, record_every=0)
    loop.advance(FIRST_STEPS)
    iterations, matrices = loop.state.newton_iterations, loop.state.jacobians
    start = time.thread_time_ns()
    status = loop.advance(steps + 1)
    elapsed = time.thread_time_ns() - start
    assert status == 0
    return Steps(elapsed, loop.state.newton_iterations - iterations, loop.state.jacobians - matrices)


def rods(shape: str, largest: int, samples: int) -> None:
    """One kind of rods."""
    print(f"\n{shape[0].upper()}{shape[1:]}: cost of a Newton iteration with a new matrix or with reused factors:\n")
    print("| segments | matrix | ns per node | stages of half_explicit_5 | iterations per step | bytes per node |")
    print("|---|---|---|---|---|---|")
    for n in (n for n in NUMBERS if n <= largest):
        system = SHAPES[shape](n).derive().compile(backend="c")
        begin, steps = LoopState(0.0, start_of(system, 0.0)), max(16, 4000 // n)
        stages, taken = [], {name: list[Steps]() for name in METHODS}
        for _ in range(samples):
            stages.append(timed(system, begin, EXPLICIT, EXPLICIT_STEP, steps).ns / STAGES / steps)
            for name, m in METHODS.items():
                taken[name].append(timed(system, begin, m, STEP_OF_RODS, steps))
        for name, m in METHODS.items():
            times = [s.ns / s.iterations for s in taken[name]]
            ratio = statistics.median(a / b for a, b in zip(times, stages, strict=True))
            first = taken[name][0]
            print(
                f"| {n:,} | {name} | {min(times) / (n + 1):.0f} | {ratio:.2f} | {first.iterations / steps:.2f} | "
                f"{workspace_bytes(system, m) / (n + 1):.0f} |",
                flush=True,
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=NUMBERS[-1])
    parser.add_argument("--samples", type=int, default=9)
    arguments = parser.parse_args()
    stay_on_one_processor()
    top(arguments.samples)
    bdf(arguments.samples)
    for shape in SHAPES:
        rods(shape, arguments.largest, arguments.samples)


if __name__ == "__main__":
    main()
