"""Figure 2 of Tumiotto and Arnold 2024 (drift-off abstract): Baumgarte's index-2 term against drift.

Method of order 5 on the heavy top in SO3xR3; above the top that spins fast, below one that spins slowly, where the
drift is the larger part of the residual. Writes ``stabilisation.png``.
"""

from __future__ import annotations

import numpy as np
from drawing import letters, picture, write

import symlie as sl
from symlie.models import heavy_top
from symlie.runtime.plot.figures import envelope
from symlie.runtime.plot.style import look
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

TOPS = {
    "fast top": ((0, 150, -4.61538), 10.0, (9, 10, 11)),
    "slow top": ((0, 1.5, -0.0461538), 40.0, (5, 6, 7)),
}
"""Initial Ω in rad/s, end time in s, and k of the step sizes 2⁻ᵏ s."""

ALPHA = 2
"""Baumgarte's coefficient in 1/s."""


def run(system: System, omega: tuple[float, float, float], t_end: float, k: int, stabilize: str) -> Solution:
    """The top with one step size and one stabilisation."""
    return sl.solve(system.with_initial("top", Omega=omega), t_end, h=2.0**-k, stabilize=stabilize)


def main() -> None:
    """Draw the four panels and print the factors by which the residuals are reduced."""
    system = heavy_top.build("SO3xR3").derive().compile()
    ways = {"none": r"$\alpha = 0$", f"baumgarte:{ALPHA}": rf"$\alpha = {ALPHA}\,\mathrm{{s}}^{{-1}}$"}
    with picture(6.6, 4.6) as figure:
        grid, letter = figure.subplots(2, 2, sharey="row", sharex="row"), letters()
        for panels, (name, (omega, t_end, powers)) in zip(grid, TOPS.items(), strict=True):
            largest: dict[tuple[int, str], float] = {}
            for axes, (way, label) in zip(panels, ways.items(), strict=True):
                for number, k in enumerate(powers):
                    solution = run(system, omega, t_end, k, way)
                    residual = solution.outputs["constraint_residual"]
                    largest[k, way] = solution.statistics.max_constraint_residual
                    line = envelope(solution.t[1:], np.maximum(residual[1:], 1e-17))
                    axes.semilogy(*line, **look(number), label=rf"$h = 2^{{-{k}}}$ s")
                axes.set_title(f"({next(letter)}) {name}, {label}", loc="left")
                axes.set_xlim(0, t_end)
                axes.set_xlabel("$t$ in s")
            panels[0].set_ylabel(r"largest $|\Phi_i(q_n)|$ in m")
            most = max(largest.values())
            panels[0].set_ylim(min(largest.values()) / 8, 8 * most)  # room for the legend
            panels[1].legend(loc="upper center", ncols=3, columnspacing=1, handletextpad=0.4)
            for k in powers:
                plain, kept = (largest[k, way] for way in ways)
                print(f"{name}, h = 2^-{k}: {plain:.2e} without, {kept:.2e} with, factor {plain / kept:.1f}")
            exact = run(system, omega, t_end, powers[1], "projection").statistics.max_constraint_residual
            print(f"{name}, h = 2^-{powers[1]}: {exact:.1e} with projection")
        write(figure, "stabilisation.png")


if __name__ == "__main__":
    main()
