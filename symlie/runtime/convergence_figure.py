"""Log–log pictures of convergence, over step sizes or over grids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.runtime.convergence import ConvergenceRow
from symlie.runtime.figure_style import PALETTE, STYLE, check_picture, require_matplotlib, write_figure
from symlie.runtime.refinement import GridRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = {
    "q": r"$\|\log(q_{\mathrm{ref}}^{-1}\circ q)\|$, largest of a node",
    "v": r"$\|v - v_{\mathrm{ref}}\|$",
    "multipliers": r"$\|\lambda - \lambda_{\mathrm{ref}}\|\,/\,\|\lambda_{\mathrm{ref}}\|$",
}

GUIDE = 2.0
"""Error over the line that shows its slope."""

CLEAR = 0.25
"""Distance of an observed order from an integer up to which its slope is drawn."""

LEGEND_COLUMNS = 5


def plot_convergence(rows: Sequence[ConvergenceRow], path: Path | None = None) -> Figure:
    """Draw errors over step sizes or grids, one panel for q, v and λ, one line for each method.

    Dashed lines show the last observed orders that are close to an integer.

    Parameters
    ----------
    rows
        Rows of `convergence` or of `refinement`.
    path
        Picture to write.

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

    shown = [part for part in _PANELS if any(getattr(row.error, part) for row in rows)]
    with matplotlib.rc_context(dict(STYLE)):
        figure = Figure(figsize=(0.4 + 2.5 * max(1, len(shown)), 2.7), layout="constrained")
        panels = figure.subplots(1, max(1, len(shown)), squeeze=False)[0]
        for axes, part in zip(panels, shown, strict=False):
            _draw(axes, rows, part)
        if shown:
            panels[0].set_ylabel("error at the end time")
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=LEGEND_COLUMNS)
        figure.draw_without_rendering()
        if path is not None:
            write_figure(figure, path)
    return figure


def _draw(axes: Axes, rows: Sequence[ConvergenceRow], part: str) -> None:
    for method, color in zip(dict.fromkeys(row.method for row in rows), PALETTE, strict=False):
        drawn = [row for row in rows if row.method == method and getattr(row.error, part)]
        if not drawn:
            continue
        x, errors = [_abscissa(row) for row in drawn], [getattr(row.error, part) for row in drawn]
        axes.loglog(x, errors, marker="o", markersize=3, color=color, label=method.replace("_", " "))
        order = getattr(drawn[-1].order, part)
        if order is not None and round(order) > 0 and abs(order - round(order)) < CLEAR:
            _draw_slope(axes, (x[0], x[-1]), errors[-1] / GUIDE, round(order), color)
    axes.set_xscale("log", base=2)  # steps are halved as a rule, grids doubled
    if isinstance(rows[0], GridRow):
        values = sorted({_abscissa(row) for row in rows})
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.set_xlabel(rows[0].option.replace("_", " "))
    else:
        axes.set_xlabel("$h$ in s")
    axes.set_title(_PANELS[part])
    axes.grid(visible=True)
    axes.set_axisbelow(True)


def _draw_slope(axes: Axes, x: tuple[float, float], error: float, order: int, color: str) -> None:
    """A dashed line that ends at the smallest error and falls with the order, and the order beside its end."""
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
