"""Quantities of figures 6, 7 and 18 of Celledoni et al. 2022: what leaves its manifold, and what does not.

Left a chain of two pendulums on (TS²)², right two quadrotors with a load, with methods on the manifold and with
explicit Runge–Kutta methods on the stored components. Writes ``manifold_drift.png``.
"""

from __future__ import annotations

import numpy as np
from drawing import letters, picture, write
from numpy.typing import NDArray

import symlie as sl
from symlie.models import pendulum_chain, quadrotors
from symlie.runtime.plot.style import look
from symlie.runtime.solution.solution import Solution

METHODS = ("rkmk_rk44", "cf4", "rkmk_dopri5", "ambient_rk4", "ambient_dopri5")
SMALLEST = 1e-17
"""What is drawn instead of zero."""
BINS = 50
"""Parts of the time of which the largest value is drawn."""


def chain(solution: Solution) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Largest ||q_i| - 1| and |q_i·ω_i| over time."""
    q, omega = (solution.field("links", name) for name in ("directions", "angular_velocities"))
    return np.abs(np.linalg.norm(q, axis=2) - 1).max(axis=1), np.abs((q * omega).sum(axis=2)).max(axis=1)


def vehicles(solution: Solution) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Largest ||q_i| - 1| of the cables and entry of |RᵀR - 1| of the vehicles over time."""
    rods, attitudes = ([solution.field("quadrotors", f"{name}{i}") for i in (1, 2)] for name in ("q", "R"))
    lengths = [np.abs(np.linalg.norm(q, axis=1) - 1) for q in rods]
    products = [np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2)) for R in attitudes]
    return np.max(lengths, axis=0), np.max(products, axis=0)


def main() -> None:
    """Draw the four panels."""
    pendulums = pendulum_chain.build(links=2).derive().compile()
    pendulums = pendulums.with_initial("links", angular_velocities=[[0.5, 1, -0.5], [-0.5, 1, 0.5]])
    carried = quadrotors.build(control="tracking").derive().compile()
    cases = (
        ("two pendulums", pendulums, 10.0, 0.01, chain, (r"$||q_i| - 1|$", r"$|q_i\cdot\omega_i|$ in rad/s")),
        ("two quadrotors", carried, 5.0, 0.02, vehicles, (r"$||q_i| - 1|$", r"$|R_i^\top R_i - 1|$")),
    )
    with picture(6.8, 4.6) as figure:
        grid, letter = figure.subplots(2, 2), letters()
        for column, (title, system, t_end, h, measured, labels) in enumerate(cases):
            for number, method in enumerate(METHODS):
                solution = sl.solve(system, t_end, method=method, h=h)
                for axes, values, label in zip(grid[:, column], measured(solution), labels, strict=True):
                    bins = len(values) // BINS
                    largest = [np.maximum(part.max(), SMALLEST) for part in np.split(values[1:], BINS)]
                    axes.semilogy(solution.t[bins::bins], largest, **look(number), label=method)
                    axes.set_ylabel(f"largest {label}")
                print(f"{title}, {method}: {', '.join(f'{v.max():.1e}' for v in measured(solution))}")
            for axes in grid[:, column]:
                axes.set_title(f"({next(letter)}) {title}, $h = {h}$ s", loc="left")
                axes.set_xlabel("$t$ in s")
                axes.set_xlim(0, t_end)
        figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
        write(figure, "manifold_drift.png")


if __name__ == "__main__":
    main()
