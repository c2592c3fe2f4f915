"""Sparse matrices in pivot blocks: minimum-degree order, with pivoting within the blocks."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import LANES
from symlie.runtime.linear.ordering import minimum_degree
from symlie.runtime.linear.pivot_blocks import pivot_blocks
from symlie.runtime.linear.unknowns import Indices, Unknowns, graph


class BlockStructure:
    """Structure of a matrix in panels of pivot blocks; see `EliminationStructure` and ``blocks.h``."""

    kind = "blocks"

    def __init__(self, unknowns: Unknowns) -> None:
        self.constants: dict[str, int] = {}
        parts, block, waits = pivot_blocks(unknowns)
        pairs = np.concatenate([unknowns.coupled, unknowns.group[unknowns.acts_on]])
        neighbours = graph(len(parts), block[pairs])
        waits_for = [[w for w in others if waits[v] and not waits[w]] for v, others in enumerate(neighbours)]
        order, borders = minimum_degree(neighbours, [len(p) for p in parts], waits_for)
        self.order: Indices = np.concatenate([parts[v] for v in order])
        self._sizes = np.array([len(parts[v]) for v in order], dtype=np.intp)
        self._place = _starts(self._sizes)
        counts = np.array([len(b) for b in borders], dtype=np.intp)
        self._border = _starts(counts)
        self._block = np.fromiter(chain.from_iterable(borders), dtype=np.intp, count=int(counts.sum()))
        owner = np.repeat(np.arange(len(order)), counts)
        behind = _starts(self._sizes[self._block])
        lengths = behind[self._border[1:]] - behind[self._border[:-1]]
        self._column = behind[:-1] - behind[self._border[owner]] + self._sizes[owner]
        self._width = self._sizes + lengths
        self._row = self._width + LANES - 1
        self._panel = _starts(self._sizes * (self._row + lengths))
        self._keys = owner * len(order) + self._block
        self._block_of = np.empty(unknowns.size, dtype=np.intp)
        self._block_of[self.order] = np.repeat(np.arange(len(order)), self._sizes)
        self._within = np.empty(unknowns.size, dtype=np.intp)
        self._within[self.order] = np.arange(unknowns.size) - np.repeat(self._place[:-1], self._sizes)
        self.stored = int(self._panel[-1])
        widest, largest = int(lengths.max()), int(self._sizes.max())
        margin = widest + largest + LANES
        self.values = self.stored + 5 * unknowns.size + (largest + LANES) * margin + largest
        s = self._sizes
        self.operations = int(np.sum(s**3 // 3 + s * s * lengths + s * lengths**2))
        head = [unknowns.size, len(order), len(self._block), widest, largest]
        parts_of_tables = [self._place, self._panel, self._width, self._border, self._block, self._column]
        self.tables = np.concatenate([head, self.order, *parts_of_tables]).astype(np.int32)

    def _corner(self, first: Indices, second: Indices) -> Indices:
        """Storage index of the first entry of the block that couples two pivot blocks."""
        upper, lower = np.minimum(first, second), np.maximum(first, second)
        keys = upper * len(self._sizes) + lower
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_diagonal = first == second
        if len(self._keys) == 0:
            found, is_there = np.zeros_like(keys), is_diagonal
        else:
            is_there = is_diagonal | (self._keys[found] == keys)
        if not np.all(is_there):
            raise IndexError("An entry is between groups that are not coupled.")
        column = np.where(is_diagonal, 0, self._column[found] if len(self._keys) else 0)
        below = self._sizes[upper] * (self._row[upper] + column - self._sizes[upper])
        return np.asarray(self._panel[upper] + np.where(first <= second, column, below), dtype=np.intp)

    def places(self, rows: Indices, columns: Indices) -> NDArray[np.int32]:
        """See `EliminationStructure`."""
        first, second = self._block_of[rows], self._block_of[columns]
        stride = np.where(first <= second, self._row[first], self._sizes[second])
        corner = self._corner(first, second)
        return np.asarray(corner + self._within[rows] * stride + self._within[columns], dtype=np.int32)

    def entries(self) -> tuple[Indices, Indices, Indices]:
        """See `EliminationStructure`."""
        owner = np.repeat(np.arange(len(self._sizes)), np.diff(self._border))
        first = np.concatenate([np.arange(len(self._sizes)), owner, self._block])
        second = np.concatenate([np.arange(len(self._sizes)), self._block, owner])
        counts = self._sizes[first] * self._sizes[second]
        pair = np.repeat(np.arange(len(counts)), counts)
        number = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
        i, j = np.divmod(number, self._sizes[second][pair])
        rows = self.order[self._place[first][pair] + i]
        columns = self.order[self._place[second][pair] + j]
        return rows, columns, self.places(rows, columns).astype(np.intp)


def _starts(counts: Indices) -> Indices:
    """Return the start of each part and the end of the last one."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
