"""Figures 11 and 12 of Tumiotto and Arnold 2024: error estimates and step sizes of adaptive runs.

Kirchhoff rods, method of order 5(4), Atol = 1e-8, Rtol = 1e-6. Writes ``step_sizes_rods.png`` (roll-up with 8 segments
and flying spaghetti with 16) and ``step_sizes_stiffness.png`` (roll-up with two bending stiffnesses).
"""

from __future__ import annotations

import numpy as np
from drawing import write

import symlie as sl
from symlie.models import flying_spaghetti, roll_up
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System


def run(label: str, system: System, t_end: float) -> Solution:
    """An adaptive run whose steps are kept, with a line on them."""
    solution = sl.solve(system, t_end, rtol=1e-6, atol=1e-8, trace=True, record_every=0)
    assert solution.trace is not None
    h = solution.trace.h[solution.trace.accepted]
    early, late = (np.median(part) for part in np.array_split(h, [len(h) // 2]))
    print(
        f"{label}: {solution.statistics.accepted} accepted, {solution.statistics.rejected} rejected, h between "
        f"{h[1:-1].min():.2e} and {h.max():.2e} s, median {early:.2e} s in the first half of the steps, {late:.2e} s "
        "in the second"
    )
    return solution


def main() -> None:
    """Run and draw."""
    roll = roll_up.build(segments=8, constraint="kirchhoff").derive().compile()
    spaghetti = flying_spaghetti.build(segments=16, constraint="kirchhoff").derive().compile()
    rods = {"roll-up": run("roll-up", roll, 5), "flying spaghetti": run("flying spaghetti", spaghetti, 5)}
    write(sl.plot_steps(rods), "step_sizes_rods.png")
    stiff = roll.with_parameters(bending_stiffness=5e4)
    both = {
        r"$EI = 5\cdot 10^2$ N m$^2$": run("EI = 5e2", roll, 5),
        r"$EI = 5\cdot 10^4$ N m$^2$": run("EI = 5e4", stiff, 5),
    }
    write(sl.plot_steps(both), "step_sizes_stiffness.png")


if __name__ == "__main__":
    main()
