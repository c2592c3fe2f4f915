"""Figures of solutions."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symlie.errors import UnknownNameError
from symlie.runtime.integrate.dense import densely
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.centre_line import draw_views, position_field, snapshots, view_rows
from symlie.runtime.plot.panel import Panel
from symlie.runtime.plot.panels import SNAPSHOTS, left_out, named_panels, panels
from symlie.runtime.plot.style import LINE_STYLES, check_drawing, figure_to_draw, look
from symlie.runtime.plot.wireframes import mechanism
from symlie.runtime.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, ROW_HEIGHT = 7.2, 1.75
"""Width of the figure and height of a row of panels, in inches."""

FEW_POINTS = 40
"""Largest number of points with markers."""

BINS = 1200
"""Number of bins of a long series, each plotted by its extrema; more than an axis has dots."""

MOST_EVENTS = 40
"""Largest number of events drawn as lines through the panels; more events are short ticks at the upper edge."""

MOST_NAMED = 6
"""Largest number of omitted names that are listed; any others are counted."""

FLAT_ROOM = 0.5
"""Range of the ordinate on both sides of constant values, relative to the largest one."""

BEHIND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
"""Background of remarks, which keeps lines from crossing them."""

ENVELOPE_BINS = 256
"""Number of bins of a long series on a logarithmic axis, each plotted by its largest value."""


def plot_solution(solution: Solution, path: Path | None = None, names: Sequence[str] | None = None) -> Figure:
    """Plot a solution with at least one recorded time; see `symlie.runtime.solution.solution.Solution.plot`."""
    check_drawing(path)
    solution = densely(solution)
    lines = snapshots(solution) if names is None else mechanism(solution) if SNAPSHOTS in names else None
    parts = panels(solution) if names is None else named_panels(solution, [n for n in names if n != SNAPSHOTS])
    if not (parts or lines):
        raise UnknownNameError(f"Nothing to draw: '{solution.system.name}' has no bodies or rods.")
    views = view_rows(lines) if lines is not None else []
    heights = [row.height for row in views] + [ROW_HEIGHT] * math.ceil(len(parts) / 2)
    letters = itertools.cycle(string.ascii_lowercase)
    with figure_to_draw(path, (WIDTH, 0.3 + sum(heights))) as figure:
        grid = figure.add_gridspec(len(heights), 2, height_ratios=heights)
        if lines is not None:
            draw_views(figure, grid, lines, views, letters)
        for k, panel in enumerate(parts):
            row = len(views) + k // 2
            fills_row = k == len(parts) - 1 and k % 2 == 0
            axes = figure.add_subplot(grid[row, :] if fills_row else grid[row, k % 2])
            _draw(axes, solution.t if panel.arc is None else panel.arc, panel, next(letters))
            if panel.arc is not None:
                axes.set_xlabel("$s$ in m")
            elif k // 2 >= (len(parts) - 2) // 2:
                axes.set_xlabel("$t$ in s")
            else:
                axes.tick_params(labelbottom=False)
        over_time = zip(figure.axes[len(figure.axes) - len(parts) :], parts, strict=True)
        _mark_events(figure, [axes for axes, panel in over_time if panel.arc is None], solution)
        figure.align_ylabels(figure.axes[len(figure.axes) - len(parts) :])
        layout = solution.system.layout
        in_snapshots = [n.name for n in layout.nodes if lines is not None and n.is_array and position_field(n)]
        missing = [] if names is not None else left_out(layout, in_snapshots)
        figure.suptitle(_caption(solution, missing), fontsize=9)
    return figure


def _draw(axes: Axes, t: Array, panel: Panel, letter: str) -> None:
    marker = "." if len(t) <= FEW_POINTS else ""
    for k, series in enumerate(panel.series):
        if panel.logarithmic:
            positive = series.values > 0
            points = envelope(t[positive], series.values[positive])
        else:
            points = decimated(t, series.values)
        axes.plot(*points, **look(k), label=series.label, marker=marker, markersize=4)
    if panel.logarithmic and any(np.any(series.values > 0) for series in panel.series):
        axes.set_yscale("log")
    if panel.is_flat:
        _flatten(axes, panel)
    if panel.remark:
        _write_remark(axes, panel)
    axes.set_title(f"({letter}) {panel.title}", loc="left")
    axes.set_ylabel(panel.label)
    if len(t) > 1:
        axes.set_xlim(t[0], t[-1])
    if any(series.label for series in panel.series):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.3)


def _flatten(axes: Axes, panel: Panel) -> None:
    """Limit the ordinate so that it does not magnify round-off."""
    values = [float(series.values[0]) for series in panel.series]
    room = FLAT_ROOM * max(map(abs, values)) or 1.0
    axes.set_ylim(min(values) - room, max(values) + room)
    if any(values):
        axes.locator_params(axis="y", nbins=3)
    else:
        axes.set_yticks([0.0])


def _write_remark(axes: Axes, panel: Panel) -> None:
    """Write a remark into a left corner that is free of lines."""
    low, high = axes.get_ylim()
    early = np.concatenate([series.values[: (len(series.values) + 1) // 2] for series in panel.series])
    y, alignment = (0.94, "top") if high - early.max() >= early.min() - low else (0.06, "bottom")
    axes.text(0.02, y, panel.remark, transform=axes.transAxes, va=alignment, fontsize=8, bbox=BEHIND)


def _mark_events(figure: Figure, panels: Sequence[Axes], solution: Solution) -> None:
    """Draw a grey line through the panels at each event, with the names of the events below."""
    if not solution.events or not panels or len(solution.t) < 2:
        return
    from matplotlib.lines import Line2D

    names = list(dict.fromkeys(event.name for event in solution.events))
    handles = []
    for name, dashes in zip(names, itertools.cycle(LINE_STYLES[1:])):
        times = [e.t for e in solution.events if e.name == name]
        bottom = 0.0 if len(times) <= MOST_EVENTS else 0.95
        for axes in panels:
            style: dict[str, Any] = {"colors": "0.45", "linestyles": [dashes], "linewidth": 0.6}
            axes.vlines(times, bottom, 1, transform=axes.get_xaxis_transform(), **style)
        count = f" ({len(times)} times)" if len(times) > 1 else f" at $t = {times[0]:.4g}$ s"
        handles.append(
            Line2D([], [], color="0.45", linestyle=dashes, linewidth=0.6, label=name.replace("_", " ") + count)
        )
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=2.4)


def decimated(t: Array, values: Array) -> tuple[Array, Array]:
    """A series (n,) with the minimum and maximum of each bin, which preserves its outline."""
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
    """Largest value of each bin of a series (n,): residuals scatter between rounding errors, and only the largest ones
    matter."""
    if len(t) <= ENVELOPE_BINS:
        return t, values
    chosen = np.array([start + int(np.argmax(values[start:stop])) for start, stop in _bins(len(t), ENVELOPE_BINS)])
    return t[chosen], values[chosen]


def _bins(count: int, bins: int) -> Iterator[tuple[int, int]]:
    edges = np.linspace(0, count, bins + 1).astype(int)
    return itertools.pairwise(int(edge) for edge in edges)


def _caption(solution: Solution, missing: Sequence[str]) -> str:
    layout = solution.system.layout
    options = ", ".join(f"{name} {value}" for name, value in layout.options.items())
    model = layout.name.replace("_", " ") + (f" ({options})" if options else "")
    status = "" if solution.status == "ok" else f", {solution.status}"
    caption = f"{model}, {solution.method.replace('_', ' ')}, {solution.statistics.steps} steps{status}"
    if not missing:
        return caption
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f"{caption}\nnot drawn: {', '.join(missing[:MOST_NAMED])}{more}"
