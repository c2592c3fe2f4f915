"""Elimination of the NumPy backend, which reports the same undetermined unknown as C, up to rounding.

Columns follow the order of the structure; each pivot is the largest entry of its column relative to its row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.contract.constants import LOST_PIVOT
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.elimination import EliminationStructure
from symlie.runtime.linear.kkt import LARGEST_DENSE
from symlie.runtime.linear.unknowns import Indices

_NOISE = 1e-15
"""Relative perturbation of a matrix with a zero pivot, with which the elimination can be completed."""


class SingularMatrixError(Exception):
    """A pivot vanishes.

    Attributes
    ----------
    unknown
        The unknown that its predecessors in the order of elimination leave undetermined.
    """

    def __init__(self, unknown: int) -> None:
        super().__init__(f"The pivot of unknown {unknown} is zero.")
        self.unknown = unknown


class NotFiniteMatrixError(Exception):
    """An entry is infinite or NaN.

    Attributes
    ----------
    unknown
        Row of the entry.
    """

    def __init__(self, unknown: int) -> None:
        super().__init__(f"Row {unknown} of the matrix is not finite.")
        self.unknown = unknown


class Factors:
    """Factorisation of a matrix from its stored values, shape (`structure.stored`,) or longer."""

    def __init__(self, structure: EliminationStructure, values: Array) -> None:
        self._order = structure.order
        n = len(self._order)
        position = np.empty(n, dtype=np.intp)
        position[self._order] = np.arange(n)
        rows, columns, places = structure.entries()
        i, j, entries = position[rows], position[columns], values[places]
        sums = np.bincount(i, np.abs(entries), n)
        if not np.all(np.isfinite(sums)):
            raise NotFiniteMatrixError(int(self._order[np.flatnonzero(~np.isfinite(sums))[0]]))
        self._scale = 1 / np.where(sums > 0, sums, 1)
        entries = entries * self._scale[i]
        weights = np.bincount(j, np.abs(entries), n)
        pivots = self._eliminate(i, j, entries)
        if pivots is None:
            noise = np.random.default_rng(0).uniform(-_NOISE, _NOISE, len(entries))
            pivots = self._eliminate(i, j, entries + noise * np.where(weights > 0, weights, 1)[j])
        lost = weights == 0
        if pivots is not None:
            lost |= ~(pivots > LOST_PIVOT * weights)
        if pivots is None or lost.any():
            raise SingularMatrixError(int(self._order[np.argmax(lost)]))

    def _eliminate(self, i: Indices, j: Indices, entries: Array) -> Array | None:
        """Sizes of the pivots of all columns; None if the elimination stops early."""
        from scipy.linalg.lapack import dgetrf, dgetrs
        from scipy.sparse import csc_array
        from scipy.sparse.csgraph import structural_rank
        from scipy.sparse.linalg import splu

        n = len(self._order)
        if n <= LARGEST_DENSE:
            dense = np.zeros((n, n))
            dense[i, j] = entries
            factors, exchanges, _ = dgetrf(dense)
            self._solve: Callable[[Array], Array] = lambda right: dgetrs(factors, exchanges, right)[0]
            return np.asarray(np.abs(np.diag(factors)))
        matrix = csc_array((entries, (i, j)), shape=(n, n))
        matrix.eliminate_zeros()
        # SuperLU 7 can write beyond its memory for matrices that are singular for all values.
        if structural_rank(matrix) < n:
            return None
        try:
            sparse = splu(matrix, permc_spec="NATURAL", diag_pivot_thresh=1.0, options={"Equil": False})
        except RuntimeError:
            return None
        self._solve = sparse.solve
        return np.asarray(np.abs(sparse.U.diagonal())[sparse.perm_c])

    def solve(self, right: Array) -> Array:
        """Solution for one right-hand side, shape (n,)."""
        solution = np.empty(len(self._order))
        solution[self._order] = self._solve(self._scale * right[self._order])
        return solution
