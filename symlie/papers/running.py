"""Computation of items and check of their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symlie.papers.items import Item, Panel, Points
from symlie.papers.studies import Session


@dataclass(frozen=True, eq=False)
class Computed:
    """Item with the results of its runs."""

    item: Item
    curves: tuple[tuple[Points, ...], ...]
    """Points of the curves, by panel."""
    numbers: tuple[float, ...]
    """Values of the numbers of the item, in their order."""
    rows: tuple[tuple[str, ...], ...]
    """Rows of the table."""
    judged: bool
    """True for the model of the paper, to which the bounds apply."""

    @property
    def failures(self) -> list[str]:
        """One sentence for each number outside its bounds."""
        if not self.judged:
            return []
        return [
            f"{number.label} is {value:.3g}, not {bounds(number.least, number.most)}."
            for number, value in zip(self.item.numbers, self.numbers, strict=True)
            if not number.holds(value)
        ]


def compute(item: Item, session: Session) -> Computed:
    """Run the studies of an item and read its curves, numbers and rows."""
    table = item.table
    rows = table.rows(*map(session.result, table.studies)) if table else ()
    return Computed(
        item,
        tuple(_points(panel, session) for panel in item.panels),
        tuple(float(number.value(*map(session.result, number.studies))) for number in item.numbers),
        tuple(tuple(row) for row in rows),
        session.model is None,
    )


def _points(panel: Panel, session: Session) -> tuple[Points, ...]:
    return tuple(curve.points(session.result(curve.study)) for curve in panel.curves)


def bounds(least: float | None, most: float | None) -> str:
    """Return bounds in words, empty if none exist."""
    if least is not None and least == most:
        return f"exactly {least:.3g}"
    if least is not None and most is not None:
        return f"between {least:.3g} and {most:.3g}"
    if least is not None:
        return f"at least {least:.3g}"
    return "" if most is None else f"at most {most:.3g}"


def failed(results: Sequence[Computed]) -> list[str]:
    """Return sentences on all numbers outside their bounds, with the names of the items."""
    return [f"{result.item.name}: {text}" for result in results for text in result.failures]
