"""Items that have been computed and judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symlie.papers.items import Item, Panel, Points
from symlie.papers.studies import Session


@dataclass(frozen=True, eq=False)
class Computed:
    """An item with what its runs gave.

    Attributes
    ----------
    item
        The item.
    curves
        Points of the curves, by panel.
    numbers
        Values of the numbers, in their order.
    rows
        Rows of the table.
    judged
        Whether bounds apply: they belong to the model of the paper.
    """

    item: Item
    curves: tuple[tuple[Points, ...], ...]
    numbers: tuple[float, ...]
    rows: tuple[tuple[str, ...], ...]
    judged: bool

    @property
    def failures(self) -> list[str]:
        """A sentence for each number that does not hold."""
        if not self.judged:
            return []
        return [
            f"{number.label} is {value:.3g}, not {bounds(number.least, number.most)}."
            for number, value in zip(self.item.numbers, self.numbers, strict=True)
            if not number.holds(value)
        ]


def compute(item: Item, session: Session) -> Computed:
    """Run the studies of an item and read its curves, numbers and rows.

    Raises
    ------
    SymlieError
        A run failed that is not a row of a ladder.
    """
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
    """Bounds in words; empty if there are none."""
    if least is not None and most is not None:
        return f"between {least:.3g} and {most:.3g}"
    if least is not None:
        return f"at least {least:.3g}"
    return "" if most is None else f"at most {most:.3g}"


def failed(results: Sequence[Computed]) -> list[str]:
    """Sentences on all numbers that do not hold, with the names of their items."""
    return [f"{result.item.name}: {text}" for result in results for text in result.failures]
