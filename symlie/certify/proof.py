"""Bounds of |computed - f| over intervals, which are divided into cells.

The cell with the largest bound is bisected as long as this reduces the bound.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from flint import ctx

from symlie.certify.cells import BITS, ORDER, Cell, CellProver
from symlie.certify.definitions import definition
from symlie.certify.operation_list import OperationList
from symlie.certify.rounding import Contraction
from symlie.errors import SymlieError
from symlie.ir.schemes import POLES

LARGEST_CELL_COUNT = 1500
"""Largest number of cells of a section; functions without cancellation need less than a hundred."""

PATIENCE = 12
GAIN = 0.995
"""Factor by which `PATIENCE` bisections, plus a quarter of the number of cells, must reduce the bound."""


@dataclass(frozen=True)
class Section:
    """Interval of the argument with the cells that cover it."""

    lower: float
    upper: float
    cells: tuple[Cell, ...]

    @property
    def absolute(self) -> float:
        """Bound of the absolute error."""
        return max(c.absolute for c in self.cells)

    @property
    def relative(self) -> float:
        """Bound of the relative error."""
        return max(c.relative for c in self.cells)


def prove(
    operations: OperationList,
    name: str,
    lower: float,
    upper: float,
    *,
    contraction: Contraction = "any",
    judged_at_zero: bool = False,
) -> Section:
    """Bound the errors of a function on an interval; ``judged_at_zero`` selects absolute instead of relative bounds."""
    ctx.prec, ctx.cap = BITS, ORDER
    function = definition(name, upper * upper * (1 + 1e-15) if operations.argument == "w" else upper)
    pieces: list[Section] = []
    for branch in operations.branches:
        a, b = max(lower, branch.lower), min(upper, branch.upper)
        if a > b or (a == b and pieces and a == lower):
            continue
        if branch.result != branch.result:
            raise SymlieError(f"{name} is not a number between {a:.17g} and {b:.17g}; choose a smaller domain.")
        prover = CellProver(branch, operations.argument, function, operations.precision, contraction)
        # No number of the format lies between two branches, but cells must be adjacent.
        touched = pieces[-1].upper if pieces else 0.0
        pieces.append(_refined(prover, a if a <= lower else max(lower, touched), b, judged_at_zero))
    return Section(lower, upper, tuple(c for p in pieces for c in p.cells))


def _refined(prover: CellProver, lower: float, upper: float, judged_at_zero: bool) -> Section:
    """Bisect the cell with the largest bound as long as this reduces the bound."""

    def key(cell: Cell) -> float:
        value = cell.absolute if judged_at_zero else cell.relative
        return -(value if math.isfinite(value) else math.inf)

    counter = itertools.count()
    heap = [(key(c), next(counter), c) for c in (prover.cell(a, b) for a, b in _first_cells(lower, upper))]
    heapq.heapify(heap)
    history: list[float] = []
    while len(heap) < LARGEST_CELL_COUNT:
        worst = heap[0]
        history.append(-worst[0])
        patience = PATIENCE + len(heap) // 4
        if len(history) > patience and history[-1] > GAIN * history[-1 - patience] and math.isfinite(history[-1]):
            break
        cell = worst[2]
        middle = _middle(cell)
        if not cell.lower < middle < cell.upper:
            break
        heapq.heappop(heap)
        for a, b in ((cell.lower, middle), (middle, cell.upper)):
            part = prover.cell(a, b)
            heapq.heappush(heap, (key(part), next(counter), part))
    cells = sorted((c for _, _, c in heap), key=lambda c: c.lower)
    return Section(lower, upper, tuple(cells))


def _middle(cell: Cell) -> float:
    """Return the midpoint of a cell, geometric for cells that span several binades."""
    if cell.lower > 0 and cell.upper > 4 * cell.lower:
        return math.sqrt(cell.lower) * math.sqrt(cell.upper)
    return cell.lower + (cell.upper - cell.lower) / 2


def _first_cells(lower: float, upper: float) -> Iterator[tuple[float, float]]:
    """Yield initial cells: near 4π², one for each binade of the distance to the pole."""
    pole = POLES["double"][0]
    points = [lower]
    if upper > 39 and upper <= pole and lower < pole / 2:
        points += [pole - 2.0**k for k in range(4, -48, -1) if lower < pole - 2.0**k < upper]
    elif lower > 0 and upper > 4 * lower:
        count = math.ceil(math.log2(upper / lower))
        points += [lower * 2.0**k for k in range(1, count)]
    else:
        points += [lower + (upper - lower) * k / 8 for k in range(1, 8)] if upper > lower else []
    points.append(upper)
    yield from itertools.pairwise(points)
