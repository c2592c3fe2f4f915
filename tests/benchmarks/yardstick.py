"""Time per step against a hand-written C file, alternating in one run on one core.

    python tests/benchmarks/yardstick.py PATH/heavy_top_yardstick.c [--rounds 7] [--contract]

The C file prints lines ``P2.<kernel>.poly.ns_per_step <median> min <min>`` for the kernels uq (RKMK-DOPRI5 on S³), cd
and cs (half-explicit order 5 on S³×R³ and S³⋉R³). Both sides are built with the same contraction setting; CPU time,
medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import symlie
from symlie.compile.compiler import OPTIMIZATIONS, find_compiler
from symlie.models.heavy_top import build
from symlie.runtime.timing import step_timer

CASES = {"uq": ("S3", "rkmk_dopri5"), "cd": ("S3xR3", "half_explicit_5"), "cs": ("S3sR3", "half_explicit_5")}
STEPS = 5000
STEP_SIZE = 1e-4
SAMPLES = 41


def yardstick(binary: Path) -> dict[str, float]:
    """Median nanoseconds per step of the hand-written kernels."""
    text = subprocess.run([binary, str(SAMPLES)], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines() if ".ns_per_step" in line]
    return {row[0].split(".")[1]: float(row[1]) for row in rows}


def main() -> None:
    """Build both sides, alternate, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--contract", action="store_true")
    arguments = parser.parse_args()
    optimize = "contract" if arguments.contract else "default"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    timers: dict[str, Any] = {}
    for kernel, (group, method) in CASES.items():
        system = build(group).derive().compile(backend="c", optimize=optimize)
        timers[kernel] = step_timer(system, method, STEP_SIZE, STEPS)
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder, "yardstick")
        flags = ["-O3", "-fno-tree-slp-vectorize", "-fno-math-errno", "-DPOLY=1", *OPTIMIZATIONS[optimize]]
        subprocess.run([find_compiler().command, *flags, str(arguments.source), "-o", str(binary), "-lm"], check=True)
        hand: dict[str, list[float]] = {k: [] for k in CASES}
        ours: dict[str, list[float]] = {k: [] for k in CASES}
        for _ in range(arguments.rounds):
            measured = yardstick(binary)
            for kernel, timer in timers.items():
                hand[kernel].append(measured[kernel])
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
