"""Figures 5 and 6 of Hante, Tumiotto and Arnold 2022: orders of the flying spaghetti in time and in space, L² norm.

In time with 8 segments and the variational integrator; in space at s = 0, L/8, …, L, for the load of the paper, which
begins with a kink, and for one that begins as t⁴. Writes ``rod_orders.png``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from drawing import picture, write
from matplotlib.ticker import NullFormatter

import symlie as sl
from symlie.models import flying_spaghetti
from symlie.runtime.study.convergence import ConvergenceRow
from symlie.runtime.study.refinement import Grid, refinement
from symlie.runtime.system.system import System

T_END, STEP, POINTS = 1.0, 2.0**-12, np.linspace(0.0, 10.0, 9).tolist()
NUMBERS, STEPS = [4, 8, 16, 32, 64, 128], [2.0**-k for k in range(8, 12)]


def kinked(segments: int) -> System:
    """The rod under the load of the paper."""
    return flying_spaghetti.build(segments=segments).derive().compile()


def smooth(segments: int) -> System:
    """The same rod under a load that begins with t⁴ and is as large at 2.5 s."""
    model = flying_spaghetti.build(segments=segments)
    end = sl.ElementType("smooth_end", node=sl.S3sR3)
    load = 200 * sl.sin(math.pi * end.t / 5) ** 4
    end.force(load * sl.vector(0.1, 0, 0), at=end.node.x)
    end.torque(load * sl.vector(0, -0.5, -1), on=end.node)
    model.add(end, [model.arrays[0][0]])
    return model.derive().compile().with_parameters(load_values=[0.0, 0.0, 0.0])


def errors(rows: Sequence[ConvergenceRow]) -> tuple[list[float], list[float]]:
    """Errors in q and v."""
    return [row.error.q or np.nan for row in rows], [row.error.v or np.nan for row in rows]


def main() -> None:
    """Run, print the errors, draw."""
    system = kinked(8)
    fine = sl.solve(system, T_END, h=2.0**-14)
    in_time = list(sl.convergence(system, T_END, ["rattlie"], STEPS, reference=fine, norm="l2"))
    in_space = {}
    for build in (kinked, smooth):
        grids = [Grid(k, build(k)) for k in NUMBERS]
        in_space[build] = list(refinement("segments", grids, T_END, ["half_explicit_5"], STEP, norm="l2", at=POINTS))
    with picture(7.2, 3.2) as figure:
        left, right = figure.subplots(1, 2)
        for values, marker, label in zip(errors(in_time), "os", "qv", strict=True):
            left.loglog(STEPS, values, marker=marker, color="C0", label=label)
            print(f"time, {label}:", " ".join(f"{x:.2e}" for x in values))
        left.loglog(STEPS, [errors(in_time)[0][0] * (h / STEPS[0]) ** 2 for h in STEPS], "k:", label="order 2")
        left.set(xlabel="step size in s", ylabel="largest error, L² norm", title="(a) in time, 8 segments")
        sizes = [10 / k for k in NUMBERS[:-1]]
        for (build, rows), colour, name in zip(in_space.items(), ("C1", "C2"), ("kink", "$t^4$"), strict=True):
            for values, marker, label in zip(errors(rows), "os", "qv", strict=True):
                right.loglog(sizes, values, marker=marker, color=colour, label=f"{label}, load with {name}")
                print(f"space, {build.__name__}, {label}:", " ".join(f"{x:.2e}" for x in values))
        right.loglog(
            sizes, [errors(in_space[smooth])[1][0] * (s / sizes[0]) ** 2 for s in sizes], "k:", label="order 2"
        )
        right.set(xlabel="length of a segment in m", title="(b) in space, against 128 segments")
        for axes in (left, right):
            axes.xaxis.set_minor_formatter(NullFormatter())
        left.legend()
        right.legend(fontsize="small")
        write(figure, "rod_orders.png")


if __name__ == "__main__":
    main()
