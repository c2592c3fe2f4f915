"""Figures of items, in the style of the package."""

from __future__ import annotations

import math
import string
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symlie.papers.items import Panel, Points
from symlie.papers.running import Computed
from symlie.runtime.plot.style import MARKERS, PALETTE, check_drawing, figure_to_draw, look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d import Axes3D

WIDTH, SINGLE_WIDTH, ROW_HEIGHT, SPACE_HEIGHT = 3.4, 5.6, 2.8, 3.4
"""Width of a panel, width of a panel alone in its row, and heights of a panel in a plane and in space, in inches."""

SMALLER = 0.78
"""Zoom of three-dimensional axes, whose labels would otherwise be cut off."""

LEGEND_COLUMNS, SINGLE_LEGEND_COLUMNS = 5, 3
"""Largest number of legend columns, and number of columns if each row has one panel."""

LEGEND_LINE, LEGEND_HANDLE = 140, 12
"""Width of the legend, and width of the line sample of an entry with its gaps, in characters."""

DASHES_COLOUR = "0.4"
"""Colour of legend entries for dashes shared by curves of several colours."""

MANY_POINTS = 400
"""Number of points above which a line is solid, because dashes would hide its shape."""

SHADES = 7
"""Number of shades between each colour and white in a PNG file, which reduces its size to a third."""

PANES = (224, 233, 242)
"""Greys of grids and background planes in three dimensions, which would otherwise become the lightest shade of a
colour."""

LABEL_LENGTH = 34
"""Largest number of characters in a line of an axis label, which is as long as the height of a panel."""

STEPS_IN_SPACE = 5
"""Largest number of intervals on the longest axis in space; all axes have the same distance of ticks."""

SHORT = 0.3
"""Extent relative to the largest one below which Matplotlib places the label of an axis in space too far away."""

BELOW = 0.5
"""Ratio of a slope line to its curve at the first point."""


def draw(result: Computed, path: Path) -> None:
    """Draw a computed item with panels to a ``.png``, ``.pdf`` or ``.svg`` file."""
    check_drawing(path)
    from mpl_toolkits.mplot3d import Axes3D

    panels = result.item.panels
    columns = min(result.item.columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    height = SPACE_HEIGHT if any(panel.scale == "space" for panel in panels) else ROW_HEIGHT
    with figure_to_draw(path, (WIDTH * columns if columns > 1 else SINGLE_WIDTH, 0.3 + height * rows)) as figure:
        entries: dict[str, Artist] = {}
        parts: dict[str, Artist] = {}
        colours: dict[str, int] = {}
        dashes: dict[str, int] = {}
        for k, (panel, curves) in enumerate(zip(panels, result.curves, strict=True)):
            projection = "3d" if panel.scale == "space" else None
            axes = figure.add_subplot(rows, columns, k + 1, projection=projection)
            if isinstance(axes, Axes3D):
                axes.set_zlabel(panel.z)
            _draw_panel(axes, panel, curves, colours, dashes)
            letter = f"({string.ascii_lowercase[k]}) " if len(panels) > 1 else ""
            axes.set_title(f"{letter}{panel.title}", loc="left")
            if isinstance(axes, Axes3D):
                _equalize(axes)
            _explain(axes, panel, entries, parts)
        entries = {**entries, **{word: line for word, line in parts.items() if word not in entries}}
        # Titles and labels of the axes describe single curves.
        if any(len(panel.curves) > 1 for panel in panels):
            width = _legend_columns([*entries]) if columns > 1 else SINGLE_LEGEND_COLUMNS
            figure.legend([*entries.values()], [*entries], loc="outside upper center", ncols=width, handlelength=2.4)
    if path.suffix == ".png":
        _quantized(path)


def _equalize(axes: Axes3D) -> None:
    """Apply one scale to the axes of a panel in space."""
    from matplotlib.ticker import MaxNLocator, MultipleLocator

    extents = [float(np.ptp(limits)) for limits in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    axes.set_box_aspect(extents, zoom=SMALLER)
    distance = np.diff(MaxNLocator(STEPS_IN_SPACE, steps=[1, 2, 5, 10]).tick_values(0, max(extents)))[0]
    for axis, extent in zip((axes.xaxis, axes.yaxis, axes.zaxis), extents, strict=True):
        axis.set_major_locator(MultipleLocator(distance))
        if extent < SHORT * max(extents):
            axis.labelpad = 0.0


def _explain(axes: Axes, panel: Panel, entries: dict[str, Artist], parts: dict[str, Artist]) -> None:
    """Add the legend entries of a panel: one for each curve, or separate ones for colour and dashes if they have
    labels."""
    from matplotlib.lines import Line2D

    words = {curve.label: (curve.colour, curve.dashes) for curve in panel.curves}
    for line, label in zip(*axes.get_legend_handles_labels(), strict=True):
        colour, dashes = words.get(label, ("", ""))
        if colour == dashes or not isinstance(line, Line2D):
            entries.setdefault(label, line)
            continue
        parts.setdefault(colour, Line2D([], [], color=line.get_color()))
        grey = Line2D([], [])
        grey.update_from(line)
        grey.set_color(DASHES_COLOUR)
        parts.setdefault(dashes, grey)


def _legend_columns(labels: Sequence[str]) -> int:
    """Return the largest number of columns that fits; Matplotlib fills them in turn and gives the first ones one label
    more."""
    for columns in range(min(LEGEND_COLUMNS, len(labels)), 1, -1):
        widths = [max(map(len, part)) for part in np.array_split(np.array(labels), columns)]
        if sum(widths) + LEGEND_HANDLE * columns <= LEGEND_LINE:
            return columns
    return 1


def _draw_panel(
    axes: Axes, panel: Panel, curves: tuple[Points, ...], colours: dict[str, int], dashes: dict[str, int]
) -> None:
    for k, (curve, points) in enumerate(zip(panel.curves, curves, strict=True)):
        # One legend serves all panels: a label has the same colour and dashes in each of them.
        colour = colours.setdefault(curve.colour or curve.label, len(colours))
        number = dashes.setdefault(curve.dashes or curve.label, len(dashes))
        style = look(colour, number) | ({"linestyle": "-"} if len(points[0]) > MANY_POINTS else {})
        if curve.marked:
            style |= {"marker": MARKERS[number % len(MARKERS)], "markersize": 3.5}
        if curve.scattered:
            style |= {"marker": ".", "markersize": 1.0, "linestyle": ""}
        # The first curve is on top, because the curves it is compared with are often less smooth.
        axes.plot(*points, **style, zorder=3 - 0.01 * k, label=curve.label)
    for slope, (x, y) in zip(panel.slopes, curves, strict=False):
        kept = np.isfinite(y)
        if kept.any():
            line = BELOW * y[kept][0] * (x[kept] / x[kept][0]) ** slope
            shown = line > np.nanmin(y) / 10
            axes.plot(x[kept][shown], line[shown], ":", color="0.4", linewidth=0.8, label="slopes of the orders")
    if panel.scale in ("semilogy", "loglog"):
        axes.set_yscale("log")
    if panel.scale in ("semilogx", "loglog"):
        axes.set_xscale("log", base=2)
    if panel.scale == "plane":
        axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel=panel.x, ylabel=textwrap.fill(panel.y, LABEL_LENGTH))
    if panel.x_range:
        axes.set_xlim(panel.x_range)
    if panel.y_range:
        axes.set_ylim(panel.y_range)


def _quantized(path: Path) -> None:
    """Halve the resolution of a PNG file and reduce its colours to line colours, their shades and greys."""
    from PIL import Image

    table = Image.new("P", (1, 1))
    table.putpalette(_shades())
    with Image.open(path) as image:
        small = image.convert("RGB").resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)
        small.quantize(palette=table, dither=Image.Dither.NONE).save(path, optimize=True)


def _shades() -> list[int]:
    """Return the palette of a PNG file: red, green and blue of each colour in sequence, from 0 to 255."""
    found = []
    for colour in PALETTE:
        rgb = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
        for part in np.linspace(0, 1, SHADES, endpoint=False):
            found += [round(c + part * (255 - c)) for c in rgb]
    return [*found, *(grey for level in (*PANES, 255) for grey in (level,) * 3)]
