"""Style and output of all figures, which use Figure objects directly, so that no window opens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlie.errors import FormatError
from symlie.runtime.solution.formats import replaced
from symlie.utilities.packages import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
"""Colours that colour-blind readers can distinguish. Source: [Okabe2008], except for the grey."""

LINE_STYLES: tuple[LineStyleType, ...] = (
    "-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 2)), "-",
)  # fmt: skip
"""Dash patterns that differ in greyscale."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Marker shapes that differ in greyscale."""

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
"""File types of images."""

DOTS_PER_INCH = 300
"""Resolution of PNG files for print."""


def look(number: int, dashes: int | None = None) -> dict[str, Any]:
    """Colour and dash pattern of a line by its number, or by one number for each, as Matplotlib arguments."""
    dashes = number if dashes is None else dashes
    return {"color": PALETTE[number % len(PALETTE)], "linestyle": LINE_STYLES[dashes % len(LINE_STYLES)]}


def check_drawing(path: str | Path | None) -> None:
    """Check before drawing that Matplotlib is installed and that the file type of an image is known."""
    require("Drawing", "matplotlib")
    if path is not None and Path(path).suffix not in PICTURES:
        raise FormatError(f"A figure can be written as {', '.join(PICTURES)}, not as '{Path(path).name}'.")


@contextlib.contextmanager
def figure_to_draw(path: str | Path | None, size: tuple[float, float]) -> Iterator[Figure]:
    """A figure in this style, with size in inches, that is laid out on exit and written if it has a path.

    An existing file is replaced only by a complete new one; `FormatError` if it is not writable.
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
