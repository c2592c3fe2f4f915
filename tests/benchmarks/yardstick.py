"""Time per step against a hand-written C file, alternating in one run on one core.

    python tests/benchmarks/yardstick.py PATH/heavy_top_yardstick.c [--rounds 7] [--contract]

The C file prints lines ``P2.<kernel>.poly.ns_per_step <median> min <min>`` for the kernels uq (RKMK-DOPRI5 on S³), cd
and cs (half-explicit order 5 on S³×R³ and S³⋉R³). Both sides are built with the same contraction setting; CPU time,
medians.
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
    timers: dict[str, Any] = {}
    for kernel, (group, method) in CASES.items():
        system = build(group).derive().compile(backend="c", optimize=optimize)
        timers[kernel] = step_timer(system, method, STEP_SIZE, STEPS)
    hand: dict[str, list[float]] = {k: [] for k in CASES}
    ours: dict[str, list[float]] = {k: [] for k in CASES}
    with built(arguments.source, optimize, "-DPOLY=1") as measured:
        for _ in range(arguments.rounds):
            medians = measured(SAMPLES)
            for kernel, timer in timers.items():
                hand[kernel].append(medians[f"P2.{kernel}.poly.ns_per_step"])
                ours[kernel].append(statistics.median(timer() for _ in range(SAMPLES)))
    print(f"symlie {symlie.__version__}, {optimize}, {time.strftime('%Y-%m-%d')}")
    for kernel, (group, method) in CASES.items():
        ratios = [a / b for a, b in zip(ours[kernel], hand[kernel], strict=True)]
        print(
            f"{method:16} {group:6} {statistics.median(ours[kernel]):8.1f} ns/step   hand {kernel} "
            f"{statistics.median(hand[kernel]):8.1f}   ratio {statistics.median(ratios):.3f}"
        )


if __name__ == "__main__":
    main()
