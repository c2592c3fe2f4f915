"""Log–log convergence plots versus step size or grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.errors import ModelError
from symlie.runtime.plot.style import MARKERS, PALETTE, check_drawing, figure_to_draw
from symlie.runtime.study.convergence import ConvergenceRow
from symlie.runtime.study.refinement import GridRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = {
    "q": r"$\|\log(q_{\mathrm{ref}}^{-1}\circ q)\|$, largest of a node",
    "v": r"$\|v - v_{\mathrm{ref}}\|$",
    "outputs": r"$\|y - y_{\mathrm{ref}}\|$ of outputs",
    "multipliers": r"$\|\lambda - \lambda_{\mathrm{ref}}\|\,/\,\|\lambda_{\mathrm{ref}}\|$",
}

GUIDE = 2.0
"""Ratio of the error to the guide line that shows its slope."""

CLEAR = 0.25
"""Largest deviation of an observed order from an integer for which a guide line is drawn, if the order is unique."""

LEGEND_COLUMNS = 2
"""Number of legend columns per panel."""


def plot_convergence(rows: Iterable[ConvergenceRow], path: str | Path | None = None, *, work: bool = False) -> Figure:
    """Plot errors versus step size or processor time, with a panel for q, v, λ and outputs, and a line for each method.

    Dashed lines versus step size have the slope of an observed order that is close to an integer.

    Parameters
    ----------
    rows
        Rows of `convergence`.
    path
        Image file to write (``.png``, ``.pdf``, ``.svg``); default: none.
    work
        True: plot errors versus the processor time of the time loop (work-precision diagram).

    Returns
    -------
    Figure
        The figure; a notebook displays it.

    Raises
    ------
    ModelError
        If there are no rows.
    MissingDependencyError
        If Matplotlib is not installed.
    FormatError
        If the file type is unknown, or the file cannot be written.
    """
    check_drawing(path)
    rows = list(rows)
    if not rows:
        raise ModelError("No errors to draw; run convergence with at least one method and step size.")
    shown = [part for part in _PANELS if any(getattr(row.error, part) for row in rows)]
    with figure_to_draw(path, (0.4 + 2.5 * max(1, len(shown)), 2.7)) as figure:
        panels = figure.subplots(1, max(1, len(shown)), squeeze=False)[0]
        for axes, part in zip(panels, shown, strict=False):
            _draw(axes, rows, part, work)
        if shown:
            panels[0].set_ylabel("error")
            columns = LEGEND_COLUMNS * len(shown)
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=columns)
    return figure


def plot_newton_iterations(rows: Iterable[ConvergenceRow], path: str | Path | None = None) -> Figure:
    """Plot the mean number of Newton iterations per step of implicit methods versus step size.

    Parameters
    ----------
    rows
        Rows of `convergence`; rows of explicit methods and of failed runs are ignored.
    path
        Image file to write (``.png``, ``.pdf``, ``.svg``); default: none.

    Returns
    -------
    Figure
        The figure; a notebook displays it.

    Raises
    ------
    ModelError
        If no row remains.
    MissingDependencyError
        If Matplotlib is not installed.
    FormatError
        If the file type is unknown, or the file cannot be written.
    """
    check_drawing(path)
    implicit = [row for row in rows if row.newton_iterations_per_step and not row.failure]
    if not implicit:
        raise ModelError("No Newton iterations to draw; run convergence with an implicit method.")
    with figure_to_draw(path, (4.2, 2.7)) as figure:
        axes = figure.subplots()
        for k, (label, drawn) in enumerate(_lines(implicit).items()):
            marker, color = MARKERS[k % len(MARKERS)], PALETTE[k % len(PALETTE)]
            values = [row.newton_iterations_per_step or 0.0 for row in drawn]
            axes.semilogx([row.h for row in drawn], values, color=color, marker=marker, markersize=3.5, label=label)
        axes.set_xscale("log", base=2)
        axes.set(xlabel="$h$ in s", ylabel="Newton iterations per step", ylim=(0, None))
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=LEGEND_COLUMNS)
    return figure


def _lines(rows: Sequence[ConvergenceRow]) -> dict[str, list[ConvergenceRow]]:
    """Rows of each method and coordinates, by legend label."""
    found: dict[str, list[ConvergenceRow]] = {}
    several = len({row.method for row in rows}) > 1
    for row in rows:
        parts = [row.method if several or not row.coordinates else "", row.coordinates]
        found.setdefault(", ".join(filter(None, parts)).replace("_", " "), []).append(row)
    return found


def _draw(axes: Axes, rows: Sequence[ConvergenceRow], part: str, work: bool) -> None:
    for k, (label, of_line) in enumerate(_lines(rows).items()):
        drawn = [row for row in of_line if getattr(row.error, part)]
        if not drawn:
            continue
        x = [1e3 * row.cpu_seconds if work else _abscissa(row) for row in drawn]
        errors = [getattr(row.error, part) for row in drawn]
        marker = MARKERS[k % len(MARKERS)]
        color = PALETTE[k % len(PALETTE)]
        axes.loglog(x, errors, color=color, marker=marker, markersize=3.5, label=label)
        clear = None if work else clear_order([getattr(row.order, part) for row in drawn])
        if clear is not None:
            order, last = clear
            _draw_slope(axes, (x[0], x[last]), errors[last] / GUIDE, order, color)
    if work:
        _time_axis(axes)
    elif isinstance(rows[0], GridRow):
        axes.set_xscale("log", base=2)
        values = sorted({_abscissa(row) for row in rows})
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.set_xlabel(rows[0].option.replace("_", " "))
    else:
        axes.set_xscale("log", base=2)  # steps are halved as a rule
        axes.set_xlabel("$h$ in s")
    axes.set_title(_PANELS[part])


def _time_axis(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xlabel("processor time in ms")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=99))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def clear_order(observed: Sequence[float | None]) -> tuple[int, int] | None:
    """Observed order of one method, and the last row that shows it; None without one.

    The last two observed orders must round to the same integer. Rows after a sudden change of order do not count: their
    errors are round-off.
    """
    rounded = [None if p is None or round(p) < 1 else round(p) for p in observed]
    last = len(observed) - 1
    only = observed[last]
    if sum(p is not None for p in observed) == 1 and only is not None and abs(only - round(only)) < CLEAR:
        return max(1, round(only)), last
    for row in range(last, 0, -1):
        order, following = rounded[row], observed[row + 1] if row < last else None
        if order is not None and order == rounded[row - 1]:
            return (order, row) if following is None or abs(following - order) > 1 else None
    return None


def _draw_slope(axes: Axes, x: tuple[float, float], error: float, order: int, color: str) -> None:
    """Draw a dashed line with the slope of the order that ends at the smallest error, labelled with the order."""
    first, last = x
    refined_to_the_right = last > first
    ratio = last / first if refined_to_the_right else first / last
    axes.loglog(x, (error * ratio**order, error), linestyle=(0, (4, 3)), linewidth=0.6, color=color)
    offset, side = (-12, "right") if refined_to_the_right else (12, "left")
    axes.annotate(
        f"order {order}", (last, error), (offset, -1), textcoords="offset points",
        fontsize=7, color=color, ha=side, va="center",
    )  # fmt: skip


def _abscissa(row: ConvergenceRow) -> float:
    return row.value if isinstance(row, GridRow) else row.h
