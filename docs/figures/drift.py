"""Figures 3 and 6 of Tumiotto and Arnold 2024: residuals of the position constraints of the heavy top on four groups.

Writes ``drift_rotation_matrix.png`` (SO3xR3 and SE3) and ``drift_quaternion.png`` (S3xR3 and S3sR3).
"""

from __future__ import annotations

import numpy as np
from drawing import letters, picture, write

import symlie as sl
from symlie.models import heavy_top
from symlie.runtime.plot.figures import envelope
from symlie.runtime.plot.style import look

H, T_END = 2.0**-11, 10.0
TITLES = {
    "SO3xR3": r"$SO(3)\times\mathbb{R}^3$",
    "SE3": r"$SE(3)$",
    "S3xR3": r"$\mathbb{S}^3\times\mathbb{R}^3$",
    "S3sR3": r"$\mathbb{S}^3\ltimes\mathbb{R}^3$",
}


def draw(groups: tuple[str, str], name: str) -> None:
    """Draw the residuals on two groups side by side."""
    with picture(6.6, 2.9) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, group, letter in zip(panels, groups, letters(), strict=False):
            system = heavy_top.build(group).derive().compile()
            for k, order in enumerate((2, 3, 4, 5)):
                solution = sl.solve(system, T_END, method=f"half_explicit_{order}", h=H)
                residual = solution.outputs["constraint_residual"]
                t, largest = envelope(solution.t[1:], np.maximum(residual[1:], 1e-17))
                axes.semilogy(t, largest, **look(k), label=f"order {order}")
                first, last = residual[solution.t <= 1].max(), residual[solution.t >= T_END - 1].max()
                print(f"{group:7s} order {order}: largest |Phi| in the first s {first:.2e}, in the last s {last:.2e}")
            axes.set_title(f"({letter}) {TITLES[group]}", loc="left")
            axes.set_xlabel("$t$ in s")
            axes.set_xlim(0, T_END)
        panels[0].set_ylabel(r"largest $|\Phi_i(q_n)|$ in m")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
        write(figure, name)


if __name__ == "__main__":
    draw(("SO3xR3", "SE3"), "drift_rotation_matrix.png")
    draw(("S3xR3", "S3sR3"), "drift_quaternion.png")
