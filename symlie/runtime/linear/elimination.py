"""Structure of an elimination: storage indices of matrix entries and the order of the unknowns.

It depends on the topology, minimises the operation count, and serves both backends, which store values at the same
indices. In C each kind has a header in `templates/c/linear` with the same functions; in NumPy `Factors` eliminates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import LANES
from symlie.runtime.linear.band import BandStructure
from symlie.runtime.linear.blocks import BlockStructure
from symlie.runtime.linear.unknowns import Indices, Unknowns

SMALL = 16
"""Largest number of unknowns of a dense matrix."""

NARROW = 18
"""Largest half bandwidth for which only the band order is considered."""

BAND_ADVANTAGE = 1.25
"""Cost of an operation in pivot blocks relative to one in a band, which has longer rows and permits any row
exchange."""


class EliminationStructure(Protocol):
    """Order of the unknowns and storage of the entries of a matrix."""

    @property
    def kind(self) -> str:
        """``dense``, ``band`` or ``blocks``, which names the header in C."""

    @property
    def order(self) -> Indices:
        """Unknown at each position of the order, shape (n,)."""

    @property
    def stored(self) -> int:
        """Number of stored entries, which are zero before assembly."""

    @property
    def values(self) -> int:
        """Size of the storage, with the workspace of the elimination in C."""

    @property
    def tables(self) -> NDArray[np.int32]:
        """Integers for ``read_elimination`` in C."""

    @property
    def constants(self) -> dict[str, int]:
        """Macros for the header in C."""

    @property
    def operations(self) -> int:
        """Upper bound of the multiplications of an elimination."""

    def places(self, rows: Indices, columns: Indices) -> NDArray[np.int32]:
        """Storage indices of the entries of rows and columns; `IndexError` for an entry between uncoupled groups."""

    def entries(self) -> tuple[Indices, Indices, Indices]:
        """Rows, columns and storage indices of all stored entries, including structural zeros."""


def places_of_kept(
    structure: EliminationStructure, rows: Indices, columns: Indices, kept: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Storage indices of entries; entries without storage get an index after all values, which is never read."""
    found = np.full(len(rows), structure.stored, dtype=np.int32)
    found[kept] = structure.places(rows[kept], columns[kept])
    return found


class DenseStructure:
    """Structure of a small matrix with all entries."""

    kind = "dense"

    def __init__(self, unknowns: Unknowns) -> None:
        self._size = unknowns.size
        self._row = -(-unknowns.size // LANES) * LANES
        self.order = np.arange(unknowns.size, dtype=np.intp)
        self.stored = self._size * self._row
        self.values = 2 * self.stored + 2 * self._size
        self.tables = np.array([self._size], dtype=np.int32)
        self.constants = {"ELIMINATION_SIZE": self._size}
        self.operations = self._size**3 // 3

    def places(self, rows: Indices, columns: Indices) -> NDArray[np.int32]:
        """See `EliminationStructure`."""
        return np.asarray(rows * self._row + columns, dtype=np.int32)

    def entries(self) -> tuple[Indices, Indices, Indices]:
        """See `EliminationStructure`."""
        rows, columns = (a.ravel() for a in np.indices((self._size, self._size), dtype=np.intp))
        return rows, columns, self.places(rows, columns).astype(np.intp)


KINDS = {"dense": DenseStructure, "band": BandStructure, "blocks": BlockStructure}
"""Structures by name."""


def elimination_structure(unknowns: Unknowns, kinds: Sequence[str] = tuple(KINDS)) -> EliminationStructure:
    """Return the structure with the lowest operation count. Only a band permits free pivoting, which some regular
    matrices need."""
    if "dense" in kinds and (unknowns.size <= SMALL or len(kinds) == 1):
        return DenseStructure(unknowns)
    if "band" in kinds:
        band = BandStructure(unknowns)
        if "blocks" not in kinds or band.half_bandwidth <= NARROW:
            return band
    blocks = BlockStructure(unknowns)
    return band if "band" in kinds and band.operations <= BAND_ADVANTAGE * blocks.operations else blocks
