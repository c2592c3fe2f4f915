"""Figures that a notebook displays once, as the result of a cell.

Matplotlib figures appear in a notebook only after pyplot is set up there, which then shows all its figures at the end
of a cell. These figures do not belong to pyplot and provide their own image.
"""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

DOTS_PER_INCH = 110
"""Resolution on a screen."""


class ShownFigure(Figure):
    """A figure without a window."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=DOTS_PER_INCH)
        return picture.getvalue()
