"""Figures of solutions."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.centre_line import draw_views, snapshots, view_rows
from symlie.runtime.figure_style import PALETTE, STYLE, check_picture, require_matplotlib, write_figure
from symlie.runtime.layout import Array
from symlie.runtime.panels import Panel, panels
from symlie.runtime.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, ROW_HEIGHT = 7.2, 1.75
"""Width of the figure and height of a row of panels, in inches."""

FEW_POINTS = 40
"""Number of points up to which each is marked."""

BINS = 1200
"""Bins of a long series, of which the smallest and the largest value are drawn; more than an axis has dots."""

ENVELOPE_BINS = 256
"""Bins of a long series on a logarithmic axis, of which the largest value is drawn."""


def plot_solution(solution: Solution, path: Path | None = None) -> Figure:
    """Draw a solution over time.

    Parameters
    ----------
    solution
        The solution; a single recorded time is enough.
    path
        Picture to write (``.png``, ``.pdf``, ``.svg``), or None.

    Returns
    -------
    Figure
        The figure, not connected to any window.

    Raises
    ------
    MissingDependencyError
        Matplotlib is not installed.
    FormatError
        The file type is unknown, or the file can not be written.
    """
    require_matplotlib()
    if path is not None:
        check_picture(path)
    import matplotlib
    from matplotlib.figure import Figure

    drawn, lines = panels(solution), snapshots(solution)
    views = view_rows(lines) if lines is not None else []
    heights = [row.height for row in views] + [ROW_HEIGHT] * math.ceil(len(drawn) / 2)
    letters = itertools.cycle(string.ascii_lowercase)
    with matplotlib.rc_context(dict(STYLE)):
        figure = Figure(figsize=(WIDTH, 0.3 + sum(heights)), layout="constrained")
        grid = figure.add_gridspec(len(heights), 2, height_ratios=heights)
        if lines is not None:
            draw_views(figure, grid, lines, views, letters)
        for k, panel in enumerate(drawn):
            row = len(views) + k // 2
            fills_row = k == len(drawn) - 1 and k % 2 == 0
            axes = figure.add_subplot(grid[row, :] if fills_row else grid[row, k % 2])
            _draw(axes, solution.t, panel, next(letters))
            if k // 2 >= (len(drawn) - 2) // 2:
                axes.set_xlabel("$t$ in s")
            else:
                axes.tick_params(labelbottom=False)
        figure.align_ylabels(figure.axes[len(figure.axes) - len(drawn) :])
        figure.suptitle(_caption(solution), fontsize=9)
        figure.draw_without_rendering()
        if path is not None:
            write_figure(figure, path)
    return figure


def _draw(axes: Axes, t: Array, panel: Panel, letter: str) -> None:
    marker = "." if len(t) <= FEW_POINTS else ""
    for series, color in zip(panel.series, PALETTE, strict=False):
        points = envelope(t, series.values) if panel.logarithmic else decimated(t, series.values)
        axes.plot(*points, color=color, label=series.label, marker=marker, markersize=4)
    if panel.logarithmic and any(np.any(series.values > 0) for series in panel.series):
        axes.set_yscale("log", nonpositive="mask")
    axes.set_title(f"({letter}) {panel.title}", loc="left")
    axes.set_ylabel(panel.label)
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    if len(t) > 1:
        axes.set_xlim(t[0], t[-1])
    if any(series.label for series in panel.series):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.3)


def decimated(t: Array, values: Array) -> tuple[Array, Array]:
    """A series with at most two points per bin, the smallest and the largest, so that its outline stays the same.

    Parameters
    ----------
    t, values
        The series, shape (n,).
    """
    if len(t) <= 2 * BINS:
        return t, values
    kept = {0, len(t) - 1}
    for start, stop in _bins(len(t), BINS):
        part = values[start:stop]
        if np.any(np.isfinite(part)):
            kept |= {start + int(np.nanargmin(part)), start + int(np.nanargmax(part))}
    chosen = np.array(sorted(kept))
    return t[chosen], values[chosen]


def envelope(t: Array, values: Array) -> tuple[Array, Array]:
    """The largest value per bin: residuals jump between rounding errors, and the largest ones count.

    Parameters
    ----------
    t, values
        The series, shape (n,).
    """
    if len(t) <= ENVELOPE_BINS:
        return t, values
    chosen = np.array([start + int(np.argmax(values[start:stop])) for start, stop in _bins(len(t), ENVELOPE_BINS)])
    return t[chosen], values[chosen]


def _bins(count: int, bins: int) -> Iterator[tuple[int, int]]:
    edges = np.linspace(0, count, bins + 1).astype(int)
    return itertools.pairwise(int(edge) for edge in edges)


def _caption(solution: Solution) -> str:
    layout = solution.system.layout
    options = ", ".join(f"{name} {value}" for name, value in layout.options.items())
    model = layout.name.replace("_", " ") + (f" ({options})" if options else "")
    status = "" if solution.status == "ok" else f", {solution.status}"
    return f"{model}, {solution.method.replace('_', ' ')}, {solution.statistics.steps} steps{status}"
