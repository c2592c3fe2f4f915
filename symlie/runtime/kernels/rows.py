"""Rows of numbers that grow in place: what a long run records is there once, also while it is handed over."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array

GROWTH = 1.25
"""Factor by which there is room for more rows than there are."""


class Rows:
    """Rows of one width, added in blocks.

    Parameters
    ----------
    width
        Numbers in a row.
    """

    def __init__(self, width: int) -> None:
        self._data = np.empty((0, width))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Size of all rows in bytes."""
        return self._count * self._data.shape[1] * self._data.itemsize

    def reserve(self, count: int) -> None:
        """Make room for so many rows more, and for one after them.

        Raises
        ------
        MemoryError
            There is no memory for them; the rows so far are untouched.
        """
        needed = self._count + count + 1
        if needed <= len(self._data):
            return
        width = self._data.shape[1]
        try:
            # No array outside refers to these numbers, see `since` and `taken`.
            self._data.resize((int(GROWTH * needed), width), refcheck=False)
        except MemoryError:
            self._data.resize((needed, width), refcheck=False)

    def add(self, rows: Array) -> None:
        """Add rows, shape (n, width)."""
        self.reserve(len(rows))
        self.put(rows)

    def put(self, rows: Array) -> None:
        """Add rows for which there is room, shape (n, width)."""
        end = self._count + len(rows)
        self._data[self._count : end] = rows
        self._count = end

    def last(self) -> Array:
        """A copy of the last row."""
        return np.array(self._data[self._count - 1])

    def since(self, first: int) -> Array:
        """A copy of the rows from one on."""
        return self._data[first : self._count].copy()

    def taken(self) -> Array:
        """All rows, which are no longer here afterwards."""
        data, count = self._data, self._count
        self._data, self._count = np.empty((0, data.shape[1])), 0
        data.resize((count, data.shape[1]), refcheck=False)
        return data
