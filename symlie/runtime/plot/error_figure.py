"""Measured and proved errors of functions versus ω, one panel for each function."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.style import PALETTE, check_drawing, figure_to_draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

COLUMNS = 3
WIDTH, HEIGHT = 2.3, 2.0
"""Size of a panel, in inches."""
LEAST = 0.1
"""Lower limit of plotted errors, in units in the last place."""
LINES = ((PALETTE[1], 1.6), (PALETTE[0], 0.9))
"""Colour and width of the first and the last line of a panel; the wide one remains visible under the other."""


STYLES: tuple[tuple[LineStyleType, str], ...] = (("-", "measured"), ((0, (4, 1.5)), "proved"))


class Curve(Protocol):
    """Errors of one evaluation of a function, in units in the last place."""

    @property
    def label(self) -> str:
        """Legend label."""

    @property
    def omega(self) -> Array:
        """Angles."""

    @property
    def measured(self) -> Array:
        """Largest measured error near each angle."""

    @property
    def proved(self) -> Array:
        """Bounds."""

    @property
    def switches(self) -> tuple[float, ...]:
        """Angles at which the formula changes."""


def plot_errors(panels: Mapping[str, Sequence[Curve]], path: str | Path | None = None) -> Figure:
    """Plot measured (solid) and proved (dashed) errors versus ω on logarithmic axes, by name of the function."""
    check_drawing(path)
    columns = min(COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    with figure_to_draw(path, (0.4 + WIDTH * columns, 0.5 + HEIGHT * rows)) as figure:
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes in grid.ravel()[len(panels) :]:
            axes.set_visible(False)
        for axes, (name, curves) in zip(grid.ravel(), panels.items(), strict=False):
            _draw_curves(axes, curves)
            axes.set_title(name, loc="left")
        for axes in grid[:, 0]:
            axes.set_ylabel("error in ulp")
        for k in range(columns):
            last = max(r for r in range(rows) if r * columns + k < len(panels))
            grid[last, k].set_xlabel(r"$\omega$")
            grid[last, k].tick_params(labelbottom=True)
        largest = max(float(c.proved.max()) for curves in panels.values() for c in curves)
        grid[0, 0].set_ylim(LEAST, 3 * largest)
        _add_legend(figure, list(panels.values()), 2 * columns)
    return figure


def _draw_curves(axes: Axes, curves: Sequence[Curve]) -> None:
    """Draw the curves of one function: one curve, or that of symlie after a reference."""
    for (color, width), curve in zip(LINES[-len(curves) :], curves, strict=True):
        measured = np.maximum(curve.measured, LEAST)
        axes.loglog(curve.omega, measured, color=color, linewidth=width, label=curve.label)
        axes.loglog(curve.omega, curve.proved, color=color, linewidth=0.7 * width, linestyle=STYLES[1][0])
        for switch in curve.switches:
            axes.axvline(switch, color=color, linewidth=0.6, linestyle=":")


def _add_legend(figure: Figure, panels: Sequence[Sequence[Curve]], across: int) -> None:
    """Add one legend entry per line style of all panels."""
    from matplotlib.lines import Line2D

    found: dict[str, Line2D] = {}
    for curves in panels:
        for (color, width), curve in zip(LINES[-len(curves) :], curves, strict=True):
            found.setdefault(curve.label, Line2D([], [], color=color, linewidth=width, label=curve.label))
    lines = [*found.values(), *(Line2D([], [], color="0.3", linestyle=s, label=t) for s, t in STYLES)]
    figure.legend(handles=lines, loc="outside upper center", ncols=min(len(lines), across), handlelength=2.4)
