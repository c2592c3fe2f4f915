"""Band matrices: groups in reverse Cuthill-McKee order, with partial pivoting within the band."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import LANES
from symlie.runtime.linear.ordering import reverse_cuthill_mckee
from symlie.runtime.linear.unknowns import Indices, Unknowns

ROWS_AT_ONCE = 32
"""Number of matrix rows added to the window of the elimination at once."""


class BandStructure:
    """Structure of a band matrix with storage for row exchanges; see `EliminationStructure` and ``band.h``."""

    kind = "band"

    def __init__(self, unknowns: Unknowns) -> None:
        self.constants: dict[str, int] = {}
        n = unknowns.size
        groups = np.array(reverse_cuthill_mckee(unknowns.neighbours, unknowns.sizes.tolist()), dtype=np.intp)
        self.order: Indices = np.concatenate([unknowns.members[g] for g in groups])
        self._position = np.empty(n, dtype=np.intp)
        self._position[self.order] = np.arange(n)
        ends = np.empty(len(groups), dtype=np.intp)
        ends[groups] = np.cumsum(unknowns.sizes[groups]) - 1
        farthest = [max([ends[g], *ends[unknowns.neighbours[g]]]) for g in groups]
        self._last = np.maximum.accumulate(np.repeat(farthest, unknowns.sizes[groups]))
        self.half_bandwidth = int((self._last - np.arange(n)).max())
        self._left = _whole_lanes(self.half_bandwidth)
        self._right = max(
            _whole_lanes(int((self._last[self._last] - np.arange(n)).max())), _whole_lanes(1 + self.half_bandwidth)
        )
        margin = self._left + self._right
        entries = _whole_lanes(self._left + 1 + self.half_bandwidth)
        self._row = max(entries, self._right)
        self.stored = n * self._row
        begins = np.arange(0, n, LANES)
        behind = self._last[np.minimum(begins + LANES, n) - 1] + 1 - (begins + LANES)
        within = _whole_lanes(LANES * (LANES - 1) // 2)
        multipliers = sum(within + LANES * _whole_lanes(max(0, rows)) for rows in behind.tolist())
        window = min(n, self._left + 1 + ROWS_AT_ONCE)
        self.values = self.stored + multipliers + 4 * n + 2 * margin + LANES + window * (margin + 1)
        head = [n, self._left, self._right, entries, self._row, window, multipliers]
        self.tables = np.concatenate([head, self.order, self._last]).astype(np.int32)

    @cached_property
    def operations(self) -> int:
        """Number of multiplications of an elimination in which every possible row exchange occurs."""
        below = self._last - np.arange(len(self._last))
        return int(np.sum(below * (self._last[self._last] - np.arange(len(self._last)))))

    def places(self, rows: Indices, columns: Indices) -> NDArray[np.int32]:
        """See `EliminationStructure`."""
        i, j = self._position[rows], self._position[columns]
        if np.any(np.maximum(i, j) > self._last[np.minimum(i, j)]):
            raise IndexError("An entry is outside the band: its groups are not coupled.")
        return np.asarray(i * self._row + self._left + j - i, dtype=np.int32)

    def entries(self) -> tuple[Indices, Indices, Indices]:
        """See `EliminationStructure`."""
        counts = self._last - np.arange(len(self._last)) + 1
        i = np.repeat(np.arange(len(counts)), counts)
        j = np.arange(len(i)) - np.repeat(np.cumsum(counts) - counts, counts) + i
        rows, columns = self.order[np.concatenate([i, j[j > i]])], self.order[np.concatenate([j, i[j > i]])]
        return rows, columns, self.places(rows, columns).astype(np.intp)


def _whole_lanes(count: int) -> int:
    return -(-count // LANES) * LANES
