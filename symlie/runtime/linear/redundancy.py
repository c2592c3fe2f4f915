"""Smallest dependent set of constraint equations.

The rows of B, scaled to unit length, are taken in an order of small bandwidth. Vanishing pivots of B Bᵀ mark rows that
depend on earlier rows; each gives one vanishing combination of itself and independent rows, and these combinations span
all of them. A minimal dependent set is a circuit of a linear matroid. Circuits of different connected components are
independent, so each component is searched separately.

Source: [Oxley2011], chapters 1 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array, Sparse

RANK_TOLERANCE = 3e-7
"""Length of a combination of unit rows with unit coefficients below which the rows count as dependent. Multipliers
follow from B M⁻¹ Bᵀ, whose pivots are squares of such lengths: √`LOST_PIVOT` of the C backend.
"""

DOUBTFUL_PIVOT = 1e-9
"""Pivot of B Bᵀ below which a row is tested for dependence: far above the round-off of pivots, and above the square of
`RANK_TOLERANCE`."""

INVOLVED = 1e-6
"""Relative size of a coefficient above which its row takes part in a dependency."""

PARALLEL = 1e-9
"""Deviation from 1 of the cosine between coefficient rows that always occur together."""

MOST_DEPENDENCIES = 100
"""Largest number of dependencies in the search."""

MOST_TRIED = 20_000
"""Largest number of row sets in the search for the smallest dependency; the search is incomplete beyond it."""

_REFINEMENTS = 2
_TRIED_AT_ONCE = 1_000


class Dependency(NamedTuple):
    """Dependent rows of which every proper subset is independent."""

    rows: tuple[int, ...]
    """Sorted row numbers."""
    is_smallest: bool
    """True if no other dependent set is smaller; otherwise only its proper subsets are known to be independent."""
    dependencies: int
    """Number of independent dependencies of the system, at most `MOST_DEPENDENCIES`."""


def smallest_dependency(unit: Sparse) -> Dependency | None:
    """Return the smallest dependent set of unit rows, sparse (m × n); None if all rows are independent."""
    vanishing = vanishing_combinations(unit)
    return smallest_of(vanishing) if vanishing.shape[1] else None


def smallest_of(vanishing: Array) -> Dependency:
    """Return the smallest dependent set of rows from a basis of vanishing combinations (rows × dependencies)."""
    found, is_smallest = [], True
    for part in connected(vanishing):
        involved = np.flatnonzero(np.any(part != 0, axis=1))
        coefficients, is_complete = _sparsest(part[involved])
        found.append(involved[coefficients != 0])
        is_smallest &= is_complete
    rows = min(found, key=len)
    count = vanishing.shape[1]
    is_smallest &= count < MOST_DEPENDENCIES
    return Dependency(tuple(rows.tolist()), is_smallest or len(rows) == 2, count)


def _band(gram: Sparse) -> tuple[Array, NDArray[np.intp]]:
    """Lower band of the reordered matrix (bandwidth + 1 × m), and the row at each position."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(gram.tocsr(), symmetric_mode=True)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    entries = gram.tocoo()
    i, j = place[entries.coords[0]], place[entries.coords[1]]
    lower = i >= j
    band = np.zeros((int((i - j).max(initial=0)) + 1, len(order)))
    band[(i - j)[lower], j[lower]] = entries.data[lower]
    return band, order.astype(np.intp)


def _doubtful(band: Array) -> int | None:
    """First position with a doubtful pivot."""
    from scipy.linalg.lapack import dpbtrf

    factor, info = dpbtrf(band, lower=1)
    end = info - 1 if info > 0 else band.shape[1]
    small = np.flatnonzero(~(factor[0, :end] ** 2 > DOUBTFUL_PIVOT))
    return int(small[0]) if len(small) else end if info > 0 else None


def vanishing_combinations(unit: Sparse) -> Array:
    """Basis of the vanishing combinations of rows (m × dependencies), with round-off replaced by zero."""
    from scipy.linalg import cho_solve_banded, cholesky_banded
    from scipy.sparse import diags_array

    band, order = _band(unit @ unit.T)
    doubtful: list[int] = []
    while len(doubtful) < MOST_DEPENDENCIES and (column := _doubtful(band)) is not None:
        doubtful.append(column)
        _decouple(band, column)
    # Pivots of rows after the last examined one would vanish.
    seen = doubtful[-1] + 1 if len(doubtful) == MOST_DEPENDENCIES else len(order)
    independent = np.ones(seen)
    independent[doubtful] = 0
    rows = unit.tocsr()[order[:seen]]
    others = diags_array(independent) @ rows
    factor = cholesky_banded(band[:, :seen], lower=True)
    coefficients = np.zeros((seen, len(doubtful)))
    coefficients[doubtful, range(len(doubtful))] = 1
    for _ in range(1 + _REFINEMENTS):
        coefficients -= cho_solve_banded((factor, True), others @ (rows.T @ coefficients))
    coefficients /= np.linalg.norm(coefficients, axis=0)
    vanish = np.linalg.norm(rows.T @ coefficients, axis=0) <= RANK_TOLERANCE
    result = np.zeros((len(order), int(vanish.sum())))
    result[order[:seen]] = cleaned(coefficients[:, vanish])
    return result


def _decouple(band: Array, column: int) -> None:
    """Replace a row and a column of a symmetric band by those of the identity."""
    band[:, column] = 0
    reach = np.arange(1, min(len(band), column + 1))
    band[reach, column - reach] = 0
    band[0, column] = 1


def cleaned(coefficients: Array) -> Array:
    """Coefficients (rows × columns), in which entries at the round-off of the largest entry of their column are
    replaced by zero."""
    return np.where(np.abs(coefficients) > INVOLVED * np.abs(coefficients).max(axis=0), coefficients, 0.0)


def connected(vanishing: Array) -> Iterator[Array]:
    """Columns grouped by connected components, which share no row."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    pattern = csr_array(vanishing != 0, dtype=float)
    count, labels = connected_components(pattern.T @ pattern, directed=False)
    for label in range(count):
        yield vanishing[:, labels == label]


def _sparsest(basis: Array) -> tuple[Array, bool]:
    """Combination of columns with the fewest nonzero entries, and whether this is certain."""
    if basis.shape[1] == 1:
        return basis[:, 0], True
    members = _members(basis)
    zeros = basis.shape[1] - 1
    if comb(len(members), zeros) > MOST_TRIED:
        return _irreducible(basis), False
    found: list[Array] = []
    tried = combinations([int(rows[0]) for rows in members], zeros)
    while chosen := list(islice(tried, _TRIED_AT_ONCE)):
        _, values, right = np.linalg.svd(basis[np.array(chosen)])
        independent = values[:, -1] > INVOLVED * values[:, 0]
        columns = cleaned(basis @ right[independent, -1].T)
        if columns.shape[1]:
            found.append(columns[:, np.argmin(np.count_nonzero(columns, axis=0))])
    return min(found, key=np.count_nonzero), True


def _members(basis: Array) -> list[NDArray[np.intp]]:
    """Groups of proportional coefficient rows, which take part in a dependency only together."""
    unit = basis / np.linalg.norm(basis, axis=1)[:, None]
    left = np.arange(len(basis))
    members = []
    while len(left):
        together = np.abs(unit[left] @ unit[left[0]]) > 1 - PARALLEL
        members.append(left[together])
        left = left[~together]
    return members


def _irreducible(basis: Array) -> Array:
    """Minimal combination: the best combination of two columns, then reduced."""
    best = basis[:, np.argmin(np.count_nonzero(basis, axis=0))]
    for k, first in enumerate(basis.T):
        for second in basis.T[:k]:
            column = _with_most_zeros(first, second)
            if np.count_nonzero(column) < np.count_nonzero(best):
                best = column
    while True:
        _, values, right = np.linalg.svd(basis[best == 0])
        rank = int(np.count_nonzero(values > INVOLVED * values[0]))
        if rank == basis.shape[1] - 1:
            return best
        # These rows have several vanishing combinations: drop one more row.
        within = basis @ right[rank:].T
        row = int(np.flatnonzero(best)[0])
        pivot = int(np.argmax(np.abs(within[row])))
        other = 1 if pivot == 0 else 0
        best = cleaned((within[:, other] - within[:, pivot] * within[row, other] / within[row, pivot])[:, None])[:, 0]


def _with_most_zeros(first: Array, second: Array) -> Array:
    """first - r second for the ratio r that most rows have in common."""
    both = np.flatnonzero((first != 0) & (second != 0))
    if not len(both):
        return first
    ratios = np.sort(first[both] / second[both])
    last = np.searchsorted(ratios, ratios + INVOLVED * np.abs(ratios), side="right")
    ratio = ratios[np.argmax(last - np.arange(len(ratios)))]
    return cleaned((first - ratio * second)[:, None])[:, 0]


def vanishing_of_rows(rows: Sparse) -> Array:
    """Return a basis of the vanishing combinations of the rows of a matrix, shape (equations, combinations)."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    zero, moving = np.flatnonzero(lengths == 0), np.flatnonzero(lengths > 0)
    if not len(moving):
        return np.eye(len(lengths))
    found = vanishing_combinations(rows[moving].multiply(1 / lengths[moving, None]).tocsr())
    vanishing = np.zeros((len(lengths), len(zero) + found.shape[1]))
    vanishing[zero, range(len(zero))] = 1
    vanishing[moving, len(zero) :] = found
    return vanishing
