"""Snapshots of rods: connected nodes of arrays at a few times, in one or two projections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.manifest import FieldLayout
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.layout.topology import Numbers, links
from symlie.runtime.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

SNAPSHOTS = 8
"""Number of plotted times."""

PLANAR = 1e-2
"""Relative extent below which a coordinate is omitted."""

UPRIGHT = 0.4
"""Relative extent above which a coordinate precedes the coordinates after it."""

FLAT = 0.45
"""Ratio of height to width above which two projections share a row."""

WIDTH, FRAME, MOST_HEIGHT = 6.8, 0.42, 3.2
"""Width of a full-width projection, height of its labels, largest height of a row; in inches."""

MOST_MARKED = 40
"""Largest number of nodes with markers."""

LIGHTEST = 0.9
"""Colour of the last snapshot on a scale from dark to light; lighter ones are hard to see on paper."""

MARGIN = 0.04
"""Margin around a projection, relative to its largest extent."""


@dataclass(frozen=True, eq=False)
class Snapshots:
    """Centre lines at a few times."""

    t: Array
    """Shape (n,), in s."""
    x: Array
    """Positions of all connected nodes, shape (n, nodes, 3)."""
    links: Numbers
    """Pairs of these nodes, shape (segments, 2)."""
    held: Numbers
    """Indices of fixed and prescribed nodes."""
    thin: Numbers = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    """Pairs of nodes connected by thin lines."""
    marked: Numbers | None = None
    """Points with markers; by default all, unless there are many."""
    shows: str = "the centre line"
    """Subject of the figure."""

    @property
    def extents(self) -> Array:
        """Size of the bounding box of all snapshots, shape (3,)."""
        extents: Array = np.ptp(self.x.reshape(-1, 3), axis=0)
        return extents

    @property
    def projections(self) -> list[tuple[int, int]]:
        """Coordinate pairs (abscissa, ordinate): one pair if its plane contains the motion, otherwise two."""
        widest, second, third = np.argsort(-self.extents, kind="stable").tolist()
        if second < widest and self.extents[second] > UPRIGHT * self.extents[widest]:
            widest, second = second, widest
        if self.extents[third] > PLANAR * self.extents.max():
            return [(widest, k) for k in sorted((second, third))]
        return [(widest, second)]

    def limits(self, axis: int) -> tuple[float, float]:
        """Range of a coordinate, with a margin."""
        margin = MARGIN * float(self.extents.max())
        return float(self.x[..., axis].min()) - margin, float(self.x[..., axis].max()) + margin


def position_field(node: NodeSlice) -> FieldLayout | None:
    """Return the field with the spatial position of a node, if there is one."""
    return next((f for f in node.type.storage_fields if f.name == "x" and f.shape == (3,)), None)


def chosen_times(solution: Solution) -> Numbers:
    """Indices of the plotted states."""
    wanted = np.linspace(solution.t[0], solution.t[-1], SNAPSHOTS)
    return np.unique(np.abs(solution.t[:, None] - wanted).argmin(axis=0))


def snapshots(solution: Solution) -> Snapshots | None:
    """Centre lines of the rods in a solution with at least one recorded time; None without connected array nodes."""
    layout = solution.system.layout
    joined = links(layout)
    if not len(joined) or not len(solution.t):
        return None
    chosen = chosen_times(solution)
    positions = []
    for node in layout.nodes:
        field = position_field(node)
        if field is None:
            positions.append(np.full((len(chosen), node.count, 3), np.nan))
        else:
            storage = solution.q[chosen, node.storage].reshape(len(chosen), node.count, -1)
            positions.append(storage[..., field.part])
    x = np.concatenate(positions, axis=1)
    joined = joined[np.isfinite(x[0, joined]).all(axis=(1, 2))]
    if not len(joined):
        return None
    used, numbers = np.unique(joined, return_inverse=True)
    return Snapshots(solution.t[chosen], x[:, used], numbers.reshape(-1, 2), np.flatnonzero(layout.fixed[used]))


@dataclass(frozen=True)
class ViewRow:
    """A row of a figure: its projections, or none for the legend of times, and its height in inches."""

    projections: tuple[tuple[int, int], ...]
    height: float


def view_rows(lines: Snapshots) -> list[ViewRow]:
    """Rows of a figure: the legend, then flat projections in separate rows, or others in one row."""
    views = lines.projections
    ratios = [np.ptp(lines.limits(ordinate)) / np.ptp(lines.limits(abscissa)) for abscissa, ordinate in views]
    if len(views) == 2 and max(ratios) > FLAT:
        rows = [ViewRow(tuple(views), float(min(WIDTH / 2 * max(ratios), MOST_HEIGHT)) + 2 * FRAME)]
    else:
        rows = [ViewRow((v,), float(min(WIDTH * r, MOST_HEIGHT)) + FRAME) for v, r in zip(views, ratios, strict=True)]
        rows[-1] = ViewRow(rows[-1].projections, rows[-1].height + FRAME)
    return [ViewRow((), FRAME), *rows]


def draw_views(
    figure: Figure, grid: GridSpec, lines: Snapshots, rows: Sequence[ViewRow], letters: Iterator[str]
) -> None:
    """Draw snapshots into the first rows of a figure on a grid with two columns; `letters` labels the panels."""
    legend = figure.add_subplot(grid[0, :])
    legend.axis("off")
    axes = legend
    for number, row in enumerate(rows):
        for column, view in enumerate(row.projections):
            axes = figure.add_subplot(grid[number, column] if len(row.projections) > 1 else grid[number, :])
            _draw_projection(axes, lines, *view)
            axes.set_anchor("N")
            axes.set_title(f"({next(letters)}) snapshots of {lines.shows}", loc="left")
            if len(row.projections) == 1 and number < len(rows) - 1:
                axes.set_xlabel("")
                axes.tick_params(labelbottom=False)
    legend.legend(*axes.get_legend_handles_labels(), loc="center", ncols=len(lines.t), columnspacing=1.2)


def _draw_projection(axes: Axes, lines: Snapshots, abscissa: int, ordinate: int) -> None:
    """Draw all snapshots in two coordinates, later ones in lighter colours."""
    import matplotlib
    from matplotlib.collections import LineCollection

    colors = matplotlib.colormaps["viridis"](np.linspace(0, LIGHTEST, max(len(lines.t), 2)))
    plane = lines.x[..., [abscissa, ordinate]]
    marked = range(plane.shape[1]) if lines.marked is None else lines.marked
    marker = "o" if len(marked) <= MOST_MARKED else ""
    for t, points, color in zip(lines.t, plane, colors, strict=False):
        segments = list(points[lines.links])
        label = f"$t = {t:.3g}$ s"
        axes.add_collection(LineCollection(segments, colors=[color], linewidths=1.1, capstyle="round", label=label))
        if len(lines.thin):
            axes.add_collection(LineCollection(list(points[lines.thin]), colors=[color], linewidths=0.4, alpha=0.6))
        axes.plot(*points[marked].T, linestyle="", marker=marker, markersize=1.6, color=color)
    axes.plot(*plane[0, lines.held].T, linestyle="", marker="s", markersize=4, color="black")
    axes.set_xlim(lines.limits(abscissa))
    axes.set_ylim(lines.limits(ordinate))
    axes.set_aspect("equal")
    axes.set_xlabel(f"$x_{abscissa + 1}$ in m")
    axes.set_ylabel(f"$x_{ordinate + 1}$ in m")
