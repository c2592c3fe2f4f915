"""The structure of an elimination: where entries of a matrix are stored, and in which order its unknowns go.

It belongs to a topology, is chosen by counted operations, and serves both backends: values are stored in equal places.
In C the headers of `templates/c/linear` eliminate, one for each kind, with the same functions; in NumPy `Factors`.
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
"""Unknowns up to which a matrix is dense."""

NARROW = 18
"""Half bandwidth up to which no other order is looked for."""

BAND_ADVANTAGE = 1.25
"""Operations of blocks that take as long as one of a band, whose rows are longer; it also exchanges any rows."""


class EliminationStructure(Protocol):
    """Order and storage of a matrix."""

    @property
    def kind(self) -> str:
        """``dense``, ``band`` or ``blocks``: the header in C, `kind`.h."""

    @property
    def order(self) -> Indices:
        """The unknown at each place, shape (n,)."""

    @property
    def stored(self) -> int:
        """Numbers of the matrix: entries are added to them, from zero."""

    @property
    def values(self) -> int:
        """Numbers in all, with what the elimination in C needs besides."""

    @property
    def tables(self) -> NDArray[np.int32]:
        """What ``read_elimination`` reads in C."""

    @property
    def constants(self) -> dict[str, int]:
        """What the header in C must find defined."""

    @property
    def operations(self) -> int:
        """Multiplications of an elimination at most."""

    def places(self, rows: Indices, columns: Indices) -> NDArray[np.int32]:
        """Where entries are stored.

        Parameters
        ----------
        rows, columns
            Unknowns, of equal shape.

        Raises
        ------
        IndexError
            An entry is between groups that are not coupled.
        """

    def entries(self) -> tuple[Indices, Indices, Indices]:
        """Rows, columns and places of what is stored of the matrix, structural zeros included."""


def places_of_kept(
    structure: EliminationStructure, rows: Indices, columns: Indices, kept: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Where entries are stored; those that are not kept lead behind the values, where nothing is read."""
    found = np.full(len(rows), structure.stored, dtype=np.int32)
    found[kept] = structure.places(rows[kept], columns[kept])
    return found


class DenseStructure:
    """All entries, for small matrices.

    Parameters
    ----------
    unknowns
        The unknowns.
    """

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
    """The structure with the fewest operations.

    Parameters
    ----------
    unknowns
        The unknowns.
    kinds
        Names of those to choose from: a band alone serves where blocks lose a pivot although the matrix is regular.
    """
    if "dense" in kinds and (unknowns.size <= SMALL or len(kinds) == 1):
        return DenseStructure(unknowns)
    if "band" in kinds:
        band = BandStructure(unknowns)
        if "blocks" not in kinds or band.half_bandwidth <= NARROW:
            return band
    blocks = BlockStructure(unknowns)
    return band if "band" in kinds and band.operations <= BAND_ADVANTAGE * blocks.operations else blocks
