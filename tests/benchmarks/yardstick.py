"""Time per step against a hand-written C file, with free parameters and with frozen ones, alternating on one core.

    python tests/benchmarks/yardstick.py PATH/heavy_top_yardstick.c [--rounds 7] [--contract]

The C file prints lines ``P2.<kernel>.poly.ns_per_step <median> min <min>`` for the kernels uq (RKMK-DOPRI5 on S³), cd
and cs (half-explicit order 5 on S³×R³ and S³⋉R³). Both sides are built with the same contraction setting; CPU time,
medians and minima. Parameters of the hand-written file are constants, as those of frozen systems are.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from handwritten import built, stay_on_one_processor

import symlie
from symlie.models.heavy_top import build
from symlie.runtime.study.timing import step_timer

CASES = {"uq": ("S3", "rkmk_dopri5"), "cd": ("S3xR3", "half_explicit_5"), "cs": ("S3sR3", "half_explicit_5")}
PARAMETERS: dict[str, Any] = {"free": (), "frozen": "all"}
STEPS = 5000
STEP_SIZE = 1e-4
SAMPLES = 41


def main() -> None:
    """Build both sides, alternate, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--contract", action="store_true")
    arguments = parser.parse_args()
    optimize = "contract" if arguments.contract else "default"
    stay_on_one_processor()
    timers: dict[tuple[str, str], Any] = {}
    for kernel, (group, method) in CASES.items():
        equations = build(group).derive()
        for name, freeze in PARAMETERS.items():
            system = equations.compile(backend="c", optimize=optimize, freeze=freeze)
            timers[kernel, name] = step_timer(system, method, STEP_SIZE, STEPS)
    hand: dict[str, list[float]] = {k: [] for k in CASES}
    ours: dict[tuple[str, str], list[float]] = {k: [] for k in timers}
    with built(arguments.source, optimize, "-DPOLY=1") as measured:
        for _ in range(arguments.rounds):
            medians = measured(SAMPLES)
            for kernel in CASES:
                hand[kernel].append(medians[f"P2.{kernel}.poly.ns_per_step"])
            for case, timer in timers.items():
                ours[case].append(statistics.median(timer() for _ in range(SAMPLES)))
    print(f"symlie {symlie.__version__}, {optimize}, {time.strftime('%Y-%m-%d')}")
    for kernel, (group, method) in CASES.items():
        words = [f"{method:16} {group:6}"]
        for name in PARAMETERS:
            times = ours[kernel, name]
            ratios = [a / b for a, b in zip(times, hand[kernel], strict=True)]
            words.append(
                f"{name} {statistics.median(times):7.1f} ns/step, ratio {statistics.median(ratios):.3f} "
                f"(of minima {min(times) / min(hand[kernel]):.3f})"
            )
        print("   ".join([*words, f"hand {kernel} {statistics.median(hand[kernel]):7.1f}"]))


if __name__ == "__main__":
    main()
