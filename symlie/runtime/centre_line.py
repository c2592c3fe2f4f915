"""Snapshots of rods: the nodes of arrays at a few times, joined as the model joins them, in one or two projections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout import Array
from symlie.runtime.solution import Solution
from symlie.runtime.topology import Numbers, links

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SNAPSHOTS = 8
"""Times that are drawn."""

PLANAR = 1e-2
"""Extent over the largest one below which a coordinate is not drawn."""

MOST_MARKED = 40
"""Nodes up to which each is marked."""

MARGIN = 0.04
"""Free space around a projection, over its largest extent."""


@dataclass(frozen=True, eq=False)
class Snapshots:
    """Centre lines at a few times."""

    t: Array
    """Shape (n,), in s."""
    x: Array
    """Positions of all nodes that are joined, shape (n, nodes, 3)."""
    links: Numbers
    """Pairs of these nodes, shape (segments, 2)."""
    held: Numbers
    """Nodes that are clamped or prescribed."""

    @property
    def extents(self) -> Array:
        """Size of the box around all snapshots, shape (3,)."""
        return np.ptp(self.x.reshape(-1, 3), axis=0)

    @property
    def projections(self) -> list[tuple[int, int]]:
        """Coordinates to draw over each other, as (abscissa, ordinate): the largest two, then those with the third."""
        widest, second, third = np.argsort(-self.extents, kind="stable").tolist()
        views = [(widest, second)]
        if self.extents[third] > PLANAR * self.extents[widest]:
            views.append((widest, third))
        elif second < widest:
            views = [(second, widest)] if self.extents[second] > self.extents[widest] / 2 else views
        return views

    def limits(self, axis: int) -> tuple[float, float]:
        """Range of a coordinate, with a margin."""
        margin = MARGIN * float(self.extents.max())
        return float(self.x[..., axis].min()) - margin, float(self.x[..., axis].max()) + margin


def snapshots(solution: Solution) -> Snapshots | None:
    """Centre lines of the rods in a solution; None if no nodes of an array are joined to their neighbours.

    Parameters
    ----------
    solution
        The solution; a single recorded time is enough.
    """
    layout = solution.system.layout
    joined = links(layout)
    if not len(joined) or not len(solution.t):
        return None
    chosen = np.unique(np.linspace(0, len(solution.t) - 1, SNAPSHOTS).round().astype(int))
    positions = []
    for node in layout.nodes:
        field = next((f for f in node.type["storage_fields"] if f["name"] == "x" and f["shape"] == [3]), None)
        if field is None:
            positions.append(np.full((len(chosen), node.count, 3), np.nan))
        else:
            storage = solution.q[chosen, node.storage].reshape(len(chosen), node.count, -1)
            positions.append(storage[..., field["offset"] : field["offset"] + 3])
    x = np.concatenate(positions, axis=1)
    joined = joined[np.isfinite(x[0, joined]).all(axis=(1, 2))]
    if not len(joined):
        return None
    used, numbers = np.unique(joined, return_inverse=True)
    return Snapshots(solution.t[chosen], x[:, used], numbers.reshape(-1, 2), np.flatnonzero(layout.fixed[used]))


def draw_projection(axes: Axes, lines: Snapshots, abscissa: int, ordinate: int) -> None:
    """Draw all snapshots on two coordinates, later ones in lighter colours, with a legend of the times.

    Parameters
    ----------
    axes
        Where to draw.
    lines
        The snapshots.
    abscissa, ordinate
        Coordinates, counted from 0.
    """
    import matplotlib
    from matplotlib.collections import LineCollection

    colors = matplotlib.colormaps["viridis"](np.linspace(0, 0.92, max(len(lines.t), 2)))
    plane = lines.x[..., [abscissa, ordinate]]
    marker = "o" if plane.shape[1] <= MOST_MARKED else ""
    for t, points, color in zip(lines.t, plane, colors, strict=False):
        axes.add_collection(
            LineCollection(list(points[lines.links]), colors=[color], linewidths=1.1, capstyle="round", label=f"{t:.3g}")
        )
        axes.plot(*points.T, linestyle="", marker=marker, markersize=1.6, color=color)
    axes.plot(*plane[0, lines.held].T, linestyle="", marker="s", markersize=4, color="black", clip_on=False)
    axes.set_xlim(lines.limits(abscissa))
    axes.set_ylim(lines.limits(ordinate))
    axes.set_aspect("equal")
    axes.set_xlabel(f"$x_{abscissa + 1}$ in m")
    axes.set_ylabel(f"$x_{ordinate + 1}$ in m")
