"""What a paper consists of: items with studies, panels of curves, tables and numbers that must hold."""

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
"""What an item may be, by its kind."""


@dataclass(frozen=True)
class Curve:
    """A line of a panel.

    Attributes
    ----------
    label
        For the legend, in words.
    study
        The study that it shows.
    points
        Its coordinates, of the result of the study.
    marked
        Whether each point has a mark.
    scattered
        Whether points stand alone, without a line between them.
    colour, dashes
        Curves with the same word have one colour, or dashes and marks alike; default: the label.
    """

    label: str
    study: Study
    points: Callable[..., Points]
    marked: bool = False
    scattered: bool = False
    colour: str = ""
    dashes: str = ""


@dataclass(frozen=True)
class Panel:
    """Axes with curves.

    Attributes
    ----------
    title, x, y, z
        Title and labels of the axes, in words, with units; the third where there are three.
    curves
        The lines.
    scale
        ``linear``, ``semilogx``, ``semilogy``, ``loglog`` or, with three coordinates, ``space``.
    slopes
        Exponents of dashed lines that show an order, from the first curve on.
    x_range, y_range
        What is shown; default: everything.
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    scale: str = "linear"
    slopes: Sequence[int] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    z: str = ""


@dataclass(frozen=True)
class Number:
    """A number of an item, and the bounds within which it must lie.

    Attributes
    ----------
    label
        What it is, in words.
    value
        Its value, of the results of the studies.
    studies
        What it follows from.
    least, most
        Bounds; ``None`` where there is none.
    unit
        Such as ``m``.
    printed
        What the paper prints, as text.
    source
        Where the bounds come from.
    """

    label: str
    value: Callable[..., float]
    studies: Sequence[Study]
    least: float | None = None
    most: float | None = None
    unit: str = ""
    printed: str = ""
    source: str = ""

    def holds(self, value: float) -> bool:
        """Whether a value lies within the bounds; one that is no number lies within none."""
        if self.least is None and self.most is None:
            return True
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


@dataclass(frozen=True)
class Table:
    """Rows of text under a head, made of the results of studies."""

    head: Sequence[str]
    rows: Callable[..., Sequence[Sequence[str]]]
    studies: Sequence[Study] = ()


@dataclass(frozen=True)
class Item:
    """A figure, a table or a sentence of a paper.

    Attributes
    ----------
    kind
        One of `KINDS`.
    number
        As the paper counts, ``"3"``; of a claim, a short name.
    status
        One of `STATUSES` of the kind.
    title
        What it is, in a few words; of a claim, the sentence.
    text
        What it shows, what differs from the paper and why, and what the paper leaves open.
    panels, columns
        The axes of the picture and how many stand side by side.
    table
        Rows that are printed, if it is a table or has one.
    numbers
        What follows, with bounds that must hold.
    """

    kind: str
    number: str
    status: str
    title: str
    text: str
    panels: Sequence[Panel] = ()
    columns: int = 2
    table: Table | None = None
    numbers: Sequence[Number] = ()

    @property
    def name(self) -> str:
        """How messages name it: ``figure 3``."""
        return f"{self.kind} {self.number}"

    @property
    def file_name(self) -> str:
        """Name of its files, without ending."""
        return f"{self.kind}_{self.number}".replace("-", "_")


@dataclass(frozen=True)
class Paper:
    """A paper and its items.

    Attributes
    ----------
    name
        Short name, such as ``tumiotto2024``.
    key
        Its key in the bibliography.
    reference
        Authors, title, journal, year.
    doi
        Empty if there is none.
    items
        Its items: of all points, or (True) of fewer.
    """

    name: str
    key: str
    reference: str
    doi: str
    items: Callable[[bool], Sequence[Item]] = field(repr=False)
