"""Histories of step sizes, error estimates and Newton iterations, of one or several solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.figures import decimated
from symlie.runtime.plot.style import check_drawing, figure_to_draw
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, ROW_HEIGHT = 5.6, 1.9
"""Width of the figure and height of a panel, in inches."""

COLORS = ("#0072B2", "#E69F00", "#000000", "#009E73", "#CC79A7")
"""Colours of solid lines, which dense histories need; neighbours differ in brightness."""

SHOWN = 0.01
"""Fraction of the smallest values that may be cut off: first steps, and steps shortened to reach a stop time."""

ROOM = 2.0
"""Ratio between the frame and the visible values."""

EDGE = 0.06
"""Margin between iteration counts and the frame, relative to the largest one."""

WHOLE = 1 - 1e-6
"""Ratio of the last step size to the previous one below which the last step counts as shortened."""

FEW_STEPS = 60
"""Largest number of steps with markers."""


def plot_steps(solutions: Solution | Mapping[str, Solution], path: str | Path | None = None) -> Figure:
    """Plot error estimates relative to the tolerances, sizes of accepted steps, and Newton iterations versus time.

    Crosses mark rejected steps. The panel of Newton iterations also contains the number of Newton matrices (dashed) and
    of halved corrections (triangles). A last step that is shortened to reach the end of the run is omitted.

    Parameters
    ----------
    solutions
        A solution with a trace, or several by label.
    path
        Image file to write (``.png``, ``.pdf``, ``.svg``); default: none.

    Returns
    -------
    Figure
        The figure, with panels of errors for methods with an error estimate, of step sizes for adaptive steps, and of
        iterations for implicit methods; with step sizes if none of these apply. A notebook displays it.

    Raises
    ------
    ModelError
        If a solution has no trace; integrate with ``trace=True``.
    MissingDependencyError
        If Matplotlib is not installed.
    FormatError
        If the file type is unknown, or the file cannot be written.
    """
    check_drawing(path)
    traces = {
        label: _trace(s) for label, s in ({"": solutions} if isinstance(solutions, Solution) else solutions).items()
    }
    panels_of = {
        draw_errors: any(np.any(t.error > 0) for t in traces.values()),
        draw_step_sizes: not all(_is_fixed(t) for t in traces.values()),
        draw_iterations: any(np.any(t.newton_iterations) for t in traces.values()),
    }
    shown = [draw for draw, is_shown in panels_of.items() if is_shown] or [draw_step_sizes]
    with figure_to_draw(path, (WIDTH, 0.3 + ROW_HEIGHT * len(shown))) as figure:
        panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for axes, draw in zip(panels, shown, strict=True):
            draw(axes, traces)
        panels[-1].set_xlabel("$t$ in s")
        figure.align_ylabels(panels)
        entries = {label: handle for a in panels for handle, label in zip(*a.get_legend_handles_labels(), strict=True)}
        if len(entries) > 1:
            figure.legend(entries.values(), entries.keys(), loc="outside upper center", ncols=4, handlelength=2.4)
    return figure


def draw_errors(axes: Axes, traces: Mapping[str, Trace]) -> None:
    """Draw error estimates of traces by label, relative to the tolerance; crosses are rejected steps."""
    for k, (label, trace) in enumerate(traces.items()):
        good, bad = _whole(trace) & (trace.error > 0), ~trace.accepted & (trace.error > 0)
        t, error = decimated(trace.t[good], trace.error[good])
        style = _style(k, trace)
        axes.semilogy(t, error, label=label or "accepted", **style)
        crosses = {"color": style["color"], "marker": "x", "markersize": 4, "linestyle": ""}
        axes.semilogy(trace.t[bad], trace.error[bad], **crosses)
        without = ~trace.accepted & ~bad  # no result, so no estimate: at the upper edge
        axes.plot(trace.t[without], np.ones(without.sum()), transform=axes.get_xaxis_transform(), **crosses)
    if any(np.any(~trace.accepted) for trace in traces.values()):
        axes.semilogy([], [], "x", color="0.3", markersize=4, label="rejected")
    axes.axhline(1.0, color="0.3", linewidth=0.6)
    axes.set_ylabel("error estimate / tolerance")
    _frame(axes, traces, [trace.error for trace in traces.values()], 1.0)


def draw_step_sizes(axes: Axes, traces: Mapping[str, Trace]) -> None:
    """Draw the sizes of the accepted steps of traces by label."""
    for k, (label, trace) in enumerate(traces.items()):
        t, h = decimated(trace.t[_whole(trace)], trace.h[_whole(trace)])
        axes.semilogy(t, h, label=label, **_style(k, trace))
    axes.set_ylabel("step size $h$ in s")
    _frame(axes, traces, [trace.h for trace in traces.values()])


def draw_iterations(axes: Axes, traces: Mapping[str, Trace]) -> None:
    """Draw Newton iterations of traces by label, matrix updates if they are fewer, and step halvings."""
    from matplotlib.ticker import MaxNLocator

    for k, (label, trace) in enumerate(traces.items()):
        if not np.any(trace.newton_iterations):
            continue
        good, style = trace.accepted, _style(k, trace)
        axes.plot(*decimated(trace.t[good], trace.newton_iterations[good]), label=label or "accepted", **style)
        if np.any(trace.jacobians != trace.newton_iterations):
            dashed = {**style, "linestyle": "--", "linewidth": 0.8}
            axes.plot(*decimated(trace.t[good], trace.jacobians[good]), **dashed)
        marks = {"color": style["color"], "linestyle": "", "markersize": 4}
        axes.plot(trace.t[~good], trace.newton_iterations[~good], marker="x", **marks)
        halved = trace.halvings > 0
        axes.plot(trace.t[halved], trace.halvings[halved], marker="v", **marks)
    if any(np.any(trace.jacobians != trace.newton_iterations) for trace in traces.values()):
        axes.plot([], [], "--", color="0.3", linewidth=0.8, label="fresh matrices")
    if any(np.any(trace.halvings) for trace in traces.values()):
        axes.plot([], [], "v", color="0.3", markersize=4, label="halvings")
    axes.set_ylabel("Newton iterations")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    counts = [part for trace in traces.values() for part in (trace.newton_iterations, trace.halvings)]
    most = max(int(part.max(initial=1)) for part in counts)
    axes.set_ylim(-EDGE * most, (1 + EDGE) * most)


def _frame(axes: Axes, traces: Mapping[str, Trace], values: Sequence[Array], least: float = 0.0) -> None:
    positive = [part[part > 0] for part in values if np.any(part > 0)]
    if positive:
        lowest = min(float(np.quantile(part, SHOWN)) for part in positive)
        axes.set_ylim(lowest / ROOM, ROOM * max(least, *(float(part.max()) for part in positive)))
    axes.set_xlim(min(t.t[0] for t in traces.values()), max(t.t[-1] + t.h[-1] for t in traces.values()))


def _style(number: int, trace: Trace) -> dict[str, Any]:
    """Style of a line; the first one lies on top, since references are often less smooth."""
    marker = "." if len(trace.t) <= FEW_STEPS else ""
    return {"color": COLORS[number % len(COLORS)], "marker": marker, "markersize": 3, "zorder": 3 - 0.01 * number}


def _whole(trace: Trace) -> NDArray[np.bool_]:
    """Accepted steps, without a shortened last one, whose size and error are meaningless."""
    whole = trace.accepted.copy()
    accepted = np.flatnonzero(whole)
    if len(accepted) > 1 and trace.h[accepted[-1]] < WHOLE * trace.h[accepted[-2]]:
        whole[accepted[-1]] = False
    return whole


def _is_fixed(trace: Trace) -> bool:
    """Return whether all steps have the same size, apart from a shortened last one."""
    return bool(np.all(np.isclose(trace.h[:-1], trace.h[0], rtol=1e-9)))


def _trace(solution: Solution) -> Trace:
    if solution.trace is None or not len(solution.trace.t):
        raise ModelError("The solution has no trace of its steps; integrate with solve(..., trace=True).")
    return solution.trace
