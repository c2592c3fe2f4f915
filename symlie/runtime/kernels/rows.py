"""Growable record arrays, which can be transferred without a second copy."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array

GROWTH = 1.25
"""Ratio of the capacity to the number of rows after growth."""

FEWEST = 8
"""Smallest capacity in rows."""


class Rows:
    """Records with several columns of the given widths, added in blocks of rows."""

    def __init__(self, *widths: int) -> None:
        self._widths = widths
        self._start()

    def _start(self) -> None:
        self._columns = [np.empty((0, width)) for width in self._widths]
        self._count = self._room = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Size of all rows in bytes."""
        return 8 * self._count * sum(self._widths)

    def reserve(self, count: int) -> None:
        """Reserve memory for additional rows and one more; after a `MemoryError` existing rows are unchanged."""
        needed = self._count + count + 1
        if needed <= self._room:
            return
        for room in (max(int(GROWTH * needed), FEWEST), needed):
            try:
                for column, width in zip(self._columns, self._widths, strict=True):
                    # No external array refers to this memory, see `since` and `taken`.
                    column.resize((room, width), refcheck=False)
            except MemoryError:
                if room == needed:
                    raise
            else:
                self._room = room
                return

    def add(self, *columns: Array) -> None:
        """Add n rows, from one array of n times the width for each column: all of them, or none if memory runs out."""
        count = columns[0].size // self._widths[0]
        self.reserve(count)
        end = self._count + count
        for own, values, width in zip(self._columns, columns, self._widths, strict=True):
            own[self._count : end] = values.reshape(count, width)
        self._count = end

    def last(self) -> list[Array]:
        """Copy of the last row, by column."""
        return [column[self._count - 1].copy() for column in self._columns]

    def since(self, first: int) -> list[Array]:
        """Copy of the rows from an index on, by column."""
        return [column[first : self._count].copy() for column in self._columns]

    def taken(self) -> list[Array]:
        """Remove and return all rows, by column."""
        columns, count = self._columns, self._count
        self._start()
        for column, width in zip(columns, self._widths, strict=True):
            column.resize((count, width), refcheck=False)
        return columns
