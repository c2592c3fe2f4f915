"""Convergence of the flying spaghetti in time and in space, in the L² norm: figures 5 and 6 of [Hante2022].

python tests/benchmarks/rod_convergence.py [--finest K] [--t-end T] [--method NAME]

In space at s = 0, L/8, …, L: with the load of the paper, which begins with a kink, and with one that begins smoothly;
each with two step sizes, which tell errors in time from errors in space. Where K is a multiple of 8 all these points
are nodes, and nothing is interpolated.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable

import numpy as np

import symlie as sl
from symlie.models import flying_spaghetti
from symlie.runtime.study.convergence import ConvergenceRow
from symlie.runtime.study.refinement import Grid, refinement
from symlie.runtime.system.system import System

POINTS = np.linspace(0.0, 10.0, 9).tolist()
COARSEST = 4
STEPS = [2.0**-k for k in (7, 8, 9, 10, 11)]


def rod(segments: int, load: str = "kinked") -> System:
    """The rod under the load of the paper, or one that begins with t⁴ and is as large at 2.5 s."""
    return flying_spaghetti.build(segments, load=load).derive().compile()


def show(title: str, rows: Iterable[ConvergenceRow]) -> None:
    """Print errors and the observed orders, from ratios of errors at successive sizes."""
    print(f"\n{title}\n  {'':>8} {'q':>10} order {'v':>10} order")
    before = np.full(2, math.nan)
    for row in rows:
        label = row.to_json().get("segments", f"{row.h:.2e}")
        errors = np.array([row.error.q, row.error.v], dtype=float)
        cells = (f"{error:10.2e} {order:5.2f}" for error, order in zip(errors, np.log2(before / errors), strict=True))
        print(f"  {label!s:>8}", *cells, flush=True)
        before = errors


def main() -> None:
    """Print both figures as tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--finest", type=int, default=1024, help="segments of the reference")
    parser.add_argument("--t-end", type=float, default=1.0)
    parser.add_argument("--method", default="half_explicit_5")
    parser.add_argument(
        "--h", type=float, default=2.0**-15, help="the shorter step in space; the other is twice as long"
    )
    known = parser.parse_args()
    system = rod(8)
    fine = sl.solve(system, known.t_end, h=STEPS[-1] / 2)
    study = sl.convergence(system, known.t_end, [known.method], STEPS, reference=fine, norm="l2")
    show(f"figure 5: K = 8, {known.method}, t up to {known.t_end:g} s", study)
    numbers = [COARSEST * 2**k for k in range(int(math.log2(known.finest / COARSEST)) + 1)]
    for load in flying_spaghetti.OPTIONS["load"]:
        grids = [Grid(k, rod(k, load)) for k in numbers]
        for h in (2 * known.h, known.h):
            rows = refinement("segments", grids, known.t_end, [known.method], h, norm="l2", at=POINTS)
            show(f"figure 6: {load} load, h = {h:.3g} s, against K = {known.finest}", rows)


if __name__ == "__main__":
    main()
