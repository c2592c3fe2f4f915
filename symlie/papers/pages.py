"""Output of items: Markdown pages, CSV files of curves, JSON."""

from __future__ import annotations

import csv
import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from symlie.errors import FormatError
from symlie.papers.items import Item, Number, Paper
from symlie.papers.running import Computed, bounds

Row = Mapping[str, object]

DIGITS = 3
"""Significant digits of the numbers on a page; the last digits of errors depend on the machine."""

LINE = 120
"""Line width, in characters."""

HEADINGS = {"figure": "Figure", "table": "Table", "claim": "Claim"}


def listed(paper: Paper, items: Sequence[Item]) -> dict[str, object]:
    """Return a paper and its items as a JSON object."""
    rows = [{"kind": i.kind, "number": _number(i), "status": i.status, "title": i.title} for i in items]
    return {"reference": paper.reference, "doi": paper.doi, "items": rows}


def recorded(result: Computed) -> dict[str, object]:
    """Return a computed item as a JSON object."""
    item = result.item
    numbers = [
        {"label": n.label, "value": value, "unit": n.unit, "least": n.least, "most": n.most, "printed": n.printed}
        for n, value in zip(item.numbers, result.numbers, strict=True)
    ]
    curves = [
        [
            {"label": curve.label, **dict(zip("xyz", (part.tolist() for part in points), strict=False))}
            for curve, points in zip(panel.curves, found, strict=True)
        ]
        for panel, found in zip(item.panels, result.curves, strict=True)
    ]
    return {
        "kind": item.kind,
        "number": _number(item),
        "status": item.status,
        "title": item.title,
        "text": item.text,
        "numbers": numbers,
        "head": list(item.table.head) if item.table else [],
        "rows": [list(row) for row in result.rows],
        "curves": curves,
        "failures": result.failures,
    }


def _number(item: Item) -> object:
    return int(item.number) if item.number.isdigit() else item.number


def record(results: Sequence[Computed]) -> str:
    """Return the numbers and table rows of items as JSON text, from which `page` can be written without runs."""
    kept = [
        {
            "name": result.item.name,
            "numbers": [f"{value:.{DIGITS}g}" for value in result.numbers],
            "rows": result.rows,
        }
        for result in results
    ]
    return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def page(paper: Paper, items: Sequence[Item], kept: str) -> str:
    """Return the page of a paper from its items and a `record`."""
    rows = {row["name"]: row for row in json.loads(kept)}
    if list(rows) != [item.name for item in items]:
        raise FormatError(
            f"The record of {paper.name} contains other items; generate it with 'symlie paper {paper.name} --all'."
        )
    where = f" <https://doi.org/{paper.doi}>" if paper.doi else ""
    lines = [
        f"# {paper.name}",
        "",
        *_wrapped(f"[{paper.key}](../bibliography.md): {paper.reference}.{where}"),
        "",
        *_wrapped(
            f"`symlie paper {paper.name} --all --out docs/papers` computes all values, checks them against their "
            "bounds and generates this page. “Ours” marks additions to the paper."
        ),
    ]
    if paper.notes:
        lines += ["", *_wrapped(paper.notes)]
    for item in items:
        row = rows[item.name]
        if len(row["numbers"]) != len(item.numbers):
            raise FormatError(f"The record of {paper.name}, {item.name}, contains other numbers; generate it again.")
        lines += ["", *_section(paper, item, row["numbers"], row["rows"])]
    return "\n".join(lines) + "\n"


def _section(paper: Paper, item: Item, values: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    heading = item.title if item.kind == "claim" else f"{HEADINGS[item.kind]} {item.number}: {item.title}"
    yield f"## {heading}"
    yield ""
    yield from _wrapped(f"*{item.status.capitalize()}.* {item.text}")
    if item.panels:
        yield ""
        yield f"![{item.title}]({paper.name}/{item.file_name}.png)"
    if item.table:
        yield ""
        yield from _table(item.table.head, rows)
    if item.numbers:
        yield ""
        printed = any(number.printed for number in item.numbers)
        head = ["quantity", "value", "bounds", *(["paper"] if printed else [])]
        yield from _table(head, [_cells(n, v, printed) for n, v in zip(item.numbers, values, strict=True)])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, LINE, break_long_words=False, break_on_hyphens=False)


def _cells(number: Number, value: str, printed: bool) -> list[str]:
    unit = f" {number.unit}" if number.unit else ""
    return [number.label, value + unit, bounds(number.least, number.most), *([number.printed] if printed else [])]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'--|' * len(head)}"
    for row in rows:
        cells = [cell.replace("|", r"\|") for cell in row]  # a bar, as in |q|, would begin another cell
        yield f"| {' | '.join(cells)} |"


def write_curves(results: Sequence[Computed], path: Path) -> None:
    """Write the curves of items as CSV: a column for each coordinate of each curve, named by item, panel and curve."""
    head: list[str] = []
    columns: list[list[float]] = []
    for result in results:
        for panel, found in zip(result.item.panels, result.curves, strict=True):
            for curve, points in zip(panel.curves, found, strict=True):
                for axis, part in zip("xyz", points, strict=False):
                    head.append(f"{result.item.name}, {panel.title}, {curve.label}, {axis}")
                    columns.append(part.tolist())
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(head)
            writer.writerows(zip_longest(*columns, fillvalue=""))
    except OSError as error:
        raise FormatError(f"{path} cannot be written: {error.strerror}.") from error


def lines_of(result: Computed) -> Iterator[str]:
    """Yield the lines of an item for a terminal; long curves are shortened to their first and last point and their
    range."""
    item = result.item
    yield f"{item.name}, {item.status}: {item.title}"
    yield f"  {item.text}"
    for panel, found in zip(item.panels, result.curves, strict=True):
        yield f"  {panel.title}: {panel.y} versus {panel.x}"
        for curve, points in zip(panel.curves, found, strict=True):
            yield f"    {curve.label}: {_points(points[0].tolist(), points[-1].tolist())}"
    if item.table:
        for row in (item.table.head, *result.rows):
            yield f"  {' | '.join(row)}"
    for number, value in zip(item.numbers, result.numbers, strict=True):
        limits = bounds(number.least, number.most)
        known = "".join((f", must be {limits}" if limits and result.judged else "",
                         f", printed {number.printed}" if number.printed else ""))  # fmt: skip
        yield f"  {number.label}: {value:.{DIGITS}g} {number.unit}".rstrip() + known
    for text in result.failures:
        yield f"  FAILED: {text}"


FEW_POINTS = 12
"""Largest number of points of a curve that are printed in full."""


def _points(x: Sequence[float], y: Sequence[float]) -> str:
    if len(y) and not any(map(math.isfinite, y)):
        return "no points"
    pairs = [f"{a:.4g} → {b:.3g}" for a, b in zip(x, y, strict=True)]
    if len(pairs) <= FEW_POINTS:
        return ", ".join(pairs)
    finite = [value for value in y if math.isfinite(value)]
    extremes = f"between {min(finite):.3g} and {max(finite):.3g}"
    return f"{pairs[0]}, …, {pairs[-1]}; {len(pairs)} points {extremes}"
