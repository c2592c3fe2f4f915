"""Parts of a paper: items with studies, panels of curves, tables and numbers with bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from symlie.papers.studies import Study
from symlie.runtime.layout.layout import Array

Points = tuple[Array, ...]
"""Coordinates of a curve: x and y, or x, y and z; shape (n,) each."""

KINDS = ("figure", "table", "claim")

STATUSES = {
    "figure": ("reproduced", "reproduced in part", "corrected", "schematic"),
    "table": ("reproduced", "reproduced in part", "corrected", "schematic"),
    "claim": ("confirmed", "not reproduced", "refuted"),
}
"""Possible statuses of an item, by kind."""


@dataclass(frozen=True)
class Curve:
    """Line of a panel."""

    label: str
    """Label in the legend."""
    study: Study
    points: Callable[..., Points]
    """Function that returns the coordinates from the result of the study."""
    marked: bool = False
    """True if each point has a marker."""
    scattered: bool = False
    """True if points are not joined by a line."""
    colour: str = ""
    dashes: str = ""
    """Curves with the same `colour` or `dashes` share their colour, or their dashes and markers; default: the label."""


@dataclass(frozen=True)
class Panel:
    """Axes with curves."""

    title: str
    x: str
    y: str
    """Labels of the axes, with units."""
    curves: Sequence[Curve]
    scale: str = "linear"
    """``linear``, ``semilogx``, ``semilogy``, ``loglog``, or ``plane`` and ``space`` for two and three coordinates with
    the same scale."""
    slopes: Sequence[int] = ()
    """Exponents of dotted lines that show orders, one for each curve from the first on."""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    """Limits of the axes; default: all points."""
    z: str = ""
    """Label of the third axis in space."""


@dataclass(frozen=True)
class Number:
    """Number of an item, with its bounds."""

    label: str
    value: Callable[..., float]
    """Function that returns the value from the results of the studies."""
    studies: Sequence[Study]
    least: float | None = None
    most: float | None = None
    """Bounds, ``None`` if absent."""
    unit: str = ""
    printed: str = ""
    """Value in the paper, as text."""
    source: str = ""
    """Origin of the bounds."""

    def holds(self, value: float) -> bool:
        """Return whether a value lies within the bounds; NaN violates every bound."""
        if self.least is None and self.most is None:
            return True
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


@dataclass(frozen=True)
class Table:
    """Rows of text below a head, computed from the results of studies."""

    head: Sequence[str]
    rows: Callable[..., Sequence[Sequence[str]]]
    studies: Sequence[Study] = ()


@dataclass(frozen=True)
class Item:
    """Figure, table or claim of a paper."""

    kind: str
    """One of `KINDS`."""
    number: str
    """Number in the paper, such as ``3``; a short name for claims."""
    status: str
    """One of `STATUSES` of the kind."""
    title: str
    """Short description; for a claim, its sentence."""
    text: str
    """Content, differences from the paper with their reasons, and data that the paper leaves open."""
    panels: Sequence[Panel] = ()
    columns: int = 2
    """Number of panels in each row of the figure."""
    table: Table | None = None
    numbers: Sequence[Number] = ()
    """Results, with bounds that must hold."""

    @property
    def name(self) -> str:
        """Name in messages, such as ``figure 3``."""
        return f"{self.kind} {self.number}"

    @property
    def file_name(self) -> str:
        """File name without extension."""
        return f"{self.kind}_{self.number}".replace("-", "_")


@dataclass(frozen=True)
class Paper:
    """Paper and its items."""

    name: str
    """Short name, such as ``tumiotto2024``."""
    key: str
    """Key in the bibliography."""
    reference: str
    """Authors, title, journal and year."""
    doi: str
    """Empty if none exists."""
    items: Callable[[bool], Sequence[Item]] = field(repr=False)
    """Function that returns the items, with fewer points if its argument is true."""
    notes: str = ""
    """Abbreviations and conventions that hold for all items."""
