"""How every figure of the package looks, and how it is written: Figure objects only, so no window is ever opened."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.errors import FormatError
from symlie.packages import require
from symlie.runtime.solution.formats import replaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
"""Colours that differ for colour-blind readers too. Source: [Okabe2008], but for the grey."""

LINE_STYLES: tuple[LineStyleType, ...] = (
    "-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 2)), "-",
)  # fmt: skip
"""Dashes of lines, so that they differ in greyscale too."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Shapes of points, for the same reason."""

STYLE: dict[Any, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "axes.formatter.useoffset": False,
    "lines.linewidth": 0.9,
    "legend.frameon": False,
    "legend.handlelength": 1.2,
    "grid.linewidth": 0.4,
    "grid.color": "0.88",
    "pdf.fonttype": 42,
}
"""Matplotlib settings of a figure in print."""

PICTURES = (".png", ".pdf", ".svg")
"""File types of pictures."""

DOTS_PER_INCH = 300
"""Resolution of PNG files, enough for print."""


def look(number: int, dashes: int | None = None) -> dict[str, Any]:
    """Colour and dashes of a line by its number, or by one for each, as arguments of Matplotlib."""
    dashes = number if dashes is None else dashes
    return {"color": PALETTE[number % len(PALETTE)], "linestyle": LINE_STYLES[dashes % len(LINE_STYLES)]}


def check_drawing(path: str | Path | None) -> None:
    """Check before any work that a figure can be drawn, and that a picture of this type can be written.

    Raises
    ------
    MissingDependencyError
        Matplotlib is not installed.
    FormatError
        The file type is unknown.
    """
    require("Drawing", "matplotlib")
    if path is not None and Path(path).suffix not in PICTURES:
        raise FormatError(f"A figure can be written as {', '.join(PICTURES)}, not as '{Path(path).name}'.")


@contextlib.contextmanager
def figure_to_draw(path: str | Path | None, size: tuple[float, float]) -> Iterator[Figure]:
    """A figure in this style, which is laid out and written when it has been drawn.

    An existing file is replaced only when the new one is complete.

    Parameters
    ----------
    path
        Picture to write, or None.
    size
        Width and height, in inches.

    Raises
    ------
    FormatError
        The file can not be written.
    """
    import matplotlib

    from symlie.runtime.plot.shown_figure import ShownFigure

    with matplotlib.rc_context(dict(STYLE)):
        figure = ShownFigure(figsize=size, layout="constrained")
        yield figure
        figure.draw_without_rendering()
        if path is not None:
            with replaced(Path(path)) as temporary:
                figure.savefig(temporary, dpi=DOTS_PER_INCH)
