"""Figures that notebooks show, as what a cell returns and not a second time.

Matplotlib's own figures show in a notebook only after pyplot was set up there, which in turn shows all its figures at
the end of a cell. These do not belong to pyplot, and bring their picture along.
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
