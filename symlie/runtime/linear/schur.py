"""Linear algebra of the NumPy backend and of initial values: dense for small systems, banded for large ones.

[ M    B0ᵀ ] [a]   [r]
[ B1   0   ] [λ] = [c]      S = B1 M⁻¹ B0ᵀ,  S λ = B1 M⁻¹ r - c,  a = M⁻¹ (r - B0ᵀ λ)

Matrices are arrays of stored values; `Layout.assembled` contains the row and column of each value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.errors import IndefiniteMassMatrixError, IntegrationError, NotFiniteError
from symlie.runtime.layout.layout import Array, Layout, Sparse


class Algebra(Protocol):
    """Solver for the mass matrix and the saddle point matrix of one stage, or of several with a leading dimension."""

    def solve_mass(self, mass: Array, r: Array) -> Array:
        """M⁻¹ r on the free components; zero on fixed ones."""

    def solve_saddle(self, mass: Array, right: Array, left: Array, r: Array, c: Array) -> tuple[Array, Array]:
        """(a, λ) of the saddle point system with B0 = right and B1 = left."""

    def multiply(self, jacobian: Array, v: Array) -> Array:
        """B v."""

    def pull(self, jacobian: Array, multipliers: Array) -> Array:
        """Bᵀ λ."""

    def apply_mass(self, mass: Array, v: Array) -> Array:
        """M v."""

    def mass_diagonal(self, values: Array) -> Array:
        """Diagonal of M."""


def summed(places: NDArray[np.intp], values: Array, size: int) -> Array:
    """Sums of values (…, m) over equal indices, shape (…, size)."""
    if values.ndim == 1:
        return np.asarray(np.bincount(places, weights=values, minlength=size), dtype=float)
    rows = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    everywhere = places + size * np.arange(len(rows))[:, None]
    total = np.bincount(everywhere.ravel(), weights=rows.ravel(), minlength=size * len(rows))
    return np.asarray(total, dtype=float).reshape(*values.shape[:-1], size)


@dataclass(frozen=True, eq=False)
class Scattering:
    """Places of stored values in a dense matrix.

    Attributes
    ----------
    source, place
        Value ``source[k]`` is a summand of entry ``place[k]`` of the flattened matrix.
    shape
        Shape of the matrix.
    """

    source: NDArray[np.intp]
    place: NDArray[np.intp]
    shape: tuple[int, int]

    @cached_property
    def _is_unique(self) -> bool:
        return len(np.unique(self.place)) == len(self.place)

    @property
    def nonzero_rows(self) -> NDArray[np.bool_]:
        """Flags of rows with stored values, shape (rows,)."""
        return np.isin(np.arange(self.shape[0]), self.place // max(self.shape[1], 1))

    def dense(self, values: Array) -> Array:
        """Matrices (…, rows, columns) of stored values (…, n)."""
        size, counts = self.shape[0] * self.shape[1], values.shape[:-1]
        if not self._is_unique:
            return summed(self.place, values[..., self.source], size).reshape(*counts, *self.shape)
        found = np.zeros((*counts, size))
        found[..., self.place] = values[..., self.source]
        return found.reshape(*counts, *self.shape)


def _check_pivots(layout: Layout, index: NDArray[np.intp], blocks: Array) -> None:
    """Check that diagonal blocks of M (n, d, d) are positive definite; `components` (n, d) name the velocity
    components."""
    try:
        np.linalg.cholesky(blocks)
    except np.linalg.LinAlgError:
        raise _lost_pivot(layout, index, blocks) from None


def _lost_pivot(layout: Layout, index: NDArray[np.intp], blocks: Array) -> IntegrationError:
    finite = np.isfinite(blocks).all(axis=2)
    if not finite.all():
        return NotFiniteError(f"The mass matrix is not finite at {layout.velocity_name(int(index[~finite][0]))}")
    component = index[0, 0]
    for components, block in zip(index, blocks, strict=True):
        pivots = [np.linalg.det(block[:k, :k]) for k in range(len(block) + 1)]
        lost = [k for k in range(len(block)) if not pivots[k + 1] > 0]
        if lost:
            component = components[lost[0]]
            break
    return IndefiniteMassMatrixError(f"Its pivot is not positive at {layout.velocity_name(int(component))}")


class Products:
    """Products with M and B, which are given by their stored values."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.jacobian_rows, self.jacobian_columns = layout.assembled("jacobian")
        self.mass_rows, self.mass_columns = layout.assembled("mass")

    def released_rows(self, jacobian: Array) -> NDArray[np.intp]:
        """Rows of B that are zero, such as those of released constraints."""
        return np.flatnonzero(summed(self.jacobian_rows, (jacobian != 0).astype(float), self.layout.rows) == 0)

    def row_lengths(self, jacobian: Array) -> Array:
        """Euclidean norms of the rows of B on the free components."""
        squares = jacobian**2 * self.layout.free[self.jacobian_columns]
        return np.sqrt(summed(self.jacobian_rows, squares, self.layout.rows))

    def mass_diagonal(self, values: Array) -> Array:
        """Diagonal of M."""
        is_diagonal = self.mass_rows == self.mass_columns
        return summed(self.mass_rows[is_diagonal], values[is_diagonal], self.layout.dimension)

    def sparse_mass(self, values: Array) -> Sparse:
        """M of one state, with both triangles."""
        from scipy.sparse import coo_array

        n, off = self.layout.dimension, self.mass_rows != self.mass_columns
        rows = np.concatenate([self.mass_rows, self.mass_columns[off]])
        columns = np.concatenate([self.mass_columns, self.mass_rows[off]])
        return coo_array((np.concatenate([values, values[off]]), (rows, columns)), shape=(n, n)).tocsr()

    def sparse_jacobian(self, values: Array) -> Sparse:
        """B of one state (rows × dimension)."""
        from scipy.sparse import coo_array

        places, shape = (self.jacobian_rows, self.jacobian_columns), (self.layout.rows, self.layout.dimension)
        return coo_array((values, places), shape=shape).tocsr()

    @cached_property
    def _mass_places(self) -> Scattering:
        n, off = self.layout.dimension, np.flatnonzero(self.mass_rows != self.mass_columns)
        places = [n * self.mass_rows + self.mass_columns, (n * self.mass_columns + self.mass_rows)[off]]
        return Scattering(np.concatenate([np.arange(len(self.mass_rows)), off]), np.concatenate(places), (n, n))

    @cached_property
    def _jacobian_places(self) -> Scattering:
        rows, n = self.layout.rows, self.layout.dimension
        every = np.arange(len(self.jacobian_rows))
        return Scattering(every, n * self.jacobian_rows + self.jacobian_columns, (rows, n))

    def mass_matrix(self, values: Array) -> Array:
        """M as matrices (…, dimension, dimension)."""
        return self._mass_places.dense(values)

    def jacobian_matrix(self, values: Array) -> Array:
        """B as matrices (…, rows, dimension)."""
        return self._jacobian_places.dense(values)

    def multiply(self, jacobian: Array, v: Array) -> Array:
        return summed(self.jacobian_rows, jacobian * v[..., self.jacobian_columns], self.layout.rows)

    def apply_mass(self, mass: Array, v: Array) -> Array:
        i, j = self.mass_rows, self.mass_columns
        mirrored = np.where(i != j, mass * v[..., i], 0.0)
        return summed(i, mass * v[..., j], self.layout.dimension) + summed(j, mirrored, self.layout.dimension)

    def pull(self, jacobian: Array, multipliers: Array) -> Array:
        return summed(self.jacobian_columns, jacobian * multipliers[..., self.jacobian_rows], self.layout.dimension)


class DenseAlgebra(Products):
    """Linear algebra with dense matrices, for small systems."""

    def mass_blocks(self, mass: Array) -> list[tuple[NDArray[np.intp], Array]]:
        """All velocity components and M, as a single block; fixed components have a one on the diagonal."""
        free = self.layout.free
        blocks = np.where(np.outer(free, free), self.mass_matrix(mass), np.diag((~free).astype(float)))
        blocks = blocks.reshape(-1, len(free), len(free))
        return [(np.tile(np.arange(len(free)), (len(blocks), 1)), blocks)]

    def _check(self, mass: Array) -> None:
        if not self.layout.mass_is_constant:
            _check_pivots(self.layout, *self.mass_blocks(mass)[0])

    def solve_mass(self, mass: Array, r: Array) -> Array:
        self._check(mass)
        free = self.layout.free
        solution = np.zeros_like(r)
        matrix = self.mass_matrix(mass)[..., free, :][..., free]
        solution[..., free] = np.linalg.solve(matrix, r[..., free, None])[..., 0]
        return solution

    def solve_saddle(self, mass: Array, right: Array, left: Array, r: Array, c: Array) -> tuple[Array, Array]:
        self._check(mass)
        free = self.layout.free
        n, m = int(free.sum()), c.shape[-1]
        matrix = np.zeros((*c.shape[:-1], n + m, n + m))
        matrix[..., :n, :n] = self.mass_matrix(mass)[..., free, :][..., free]
        matrix[..., :n, n:] = np.swapaxes(self.jacobian_matrix(right)[..., free], -1, -2)
        matrix[..., n:, :n] = self.jacobian_matrix(left)[..., free]
        solution = np.linalg.solve(matrix, np.concatenate([r[..., free], c], axis=-1)[..., None])[..., 0]
        acceleration = np.zeros_like(r)
        acceleration[..., free] = solution[..., :n]
        return acceleration, solution[..., n:]


def pairs_in_columns(columns: NDArray[np.intp], kept: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs of stored values in the same column."""
    first, second = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    order = np.argsort(columns, kind="stable")
    order = order[kept[order]]
    starts = np.flatnonzero(np.diff(columns[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    for size in np.unique(sizes):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        first.append(np.repeat(members, size, axis=1).ravel())
        second.append(np.tile(members, (1, size)).ravel())
    return np.concatenate(first), np.concatenate(second)


class BandedAlgebra(Products):
    """Linear-time solver: M by nodes, S = B1 M⁻¹ B0ᵀ as a band matrix in reverse Cuthill-McKee order."""

    @cached_property
    def products(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of stored values of B1 and B0 that share a free velocity component with diagonal M."""
        return pairs_in_columns(self.jacobian_columns, self.layout.free[self.jacobian_columns])

    @cached_property
    def position(self) -> NDArray[np.int32]:
        """Position of each constraint equation in the order of elimination."""
        return elimination_order(self.layout)

    @cached_property
    def bandwidth(self) -> int:
        """Half bandwidth of S in that order."""
        return half_bandwidth(self.layout, self.position)

    @cached_property
    def _blocks(self) -> list[tuple[NDArray[np.intp], int]]:
        """Velocity components by node type, shape (nodes, dimension)."""
        groups = []
        for node in self.layout.nodes:
            d = node.type.dimension
            groups.append((np.arange(node.velocity.start, node.velocity.stop).reshape(-1, d), d))
        return groups

    @property
    def _is_diagonal(self) -> bool:
        return bool(np.all(self.mass_rows == self.mass_columns))

    def _inverse_diagonal(self, mass: Array) -> Array:
        diagonal = summed(self.mass_rows, mass, self.layout.dimension)
        if not np.all(diagonal[self.layout.free] > 0):
            free = np.flatnonzero(self.layout.free)
            _check_pivots(self.layout, free[:, None], diagonal[free, None, None])
        inverse = np.zeros_like(diagonal)
        inverse[self.layout.free] = 1 / diagonal[self.layout.free]
        return inverse

    def mass_blocks(self, mass: Array) -> list[tuple[NDArray[np.intp], Array]]:
        """Velocity components (nodes × d) and blocks of M (nodes × d × d) of each node set, the identity if fixed."""
        matrix = self.sparse_mass(mass)
        blocks = []
        for index, d in self._blocks:
            i, j = np.repeat(index, d, axis=1), np.tile(index, (1, d))
            mobile = self.layout.free[index]
            block = np.asarray(matrix[i.ravel(), j.ravel()]).reshape(-1, d, d)
            block = block * mobile[:, :, None] * mobile[:, None, :]
            block[:, range(d), range(d)] += ~mobile
            blocks.append((index, block))
        return blocks

    def _inverse_blocks(self, mass: Array) -> Sparse:
        from scipy.sparse import coo_array

        n = self.layout.dimension
        parts, place = [], []
        for index, block in self.mass_blocks(mass):
            d = index.shape[1]
            mobile = self.layout.free[index]
            _check_pivots(self.layout, index, block)
            parts.append((np.linalg.inv(block) * mobile[:, :, None] * mobile[:, None, :]).ravel())
            place.append((np.repeat(index, d, axis=1).ravel(), np.tile(index, (1, d)).ravel()))
        rows, columns = (np.concatenate([p[k] for p in place]) for k in (0, 1))
        matrix = coo_array((np.concatenate(parts), (rows, columns)), shape=(n, n)).tocsr()
        matrix.eliminate_zeros()
        return matrix

    def solve_mass(self, mass: Array, r: Array) -> Array:
        if r.ndim > 1:
            return np.array([self.solve_mass(*row) for row in zip(mass, r, strict=True)])
        if self._is_diagonal:
            return self._inverse_diagonal(mass) * r
        return np.asarray(self._inverse_blocks(mass) @ r)

    def solve_saddle(self, mass: Array, right: Array, left: Array, r: Array, c: Array) -> tuple[Array, Array]:
        from scipy.linalg import solve_banded

        if r.ndim > 1:
            rows = [self.solve_saddle(*row) for row in zip(mass, right, left, r, c, strict=True)]
            return np.array([a for a, _ in rows]), np.array([multipliers for _, multipliers in rows])
        k, m = self.bandwidth, len(c)
        band = np.zeros((2 * k + 1) * m)
        if self._is_diagonal:
            inverse: Array | Sparse = self._inverse_diagonal(mass)
            first, second = self.products
            values = left[first] * inverse[self.jacobian_columns[first]] * right[second]
            i, j = self.position[self.jacobian_rows[first]], self.position[self.jacobian_rows[second]]
            a = inverse * r
        else:
            from scipy.sparse import csr_array

            inverse = self._inverse_blocks(mass)
            shape = (m, self.layout.dimension)
            b1 = csr_array((left, (self.position[self.jacobian_rows], self.jacobian_columns)), shape=shape)
            b0 = csr_array((right, (self.position[self.jacobian_rows], self.jacobian_columns)), shape=shape)
            complement = (b1 @ inverse @ b0.T).tocoo()
            values, i, j = complement.data, complement.coords[0], complement.coords[1]
            a = inverse @ r
        np.add.at(band, (k + i - j) * m + j, values)
        x = np.empty(m)
        x[self.position] = self.multiply(left, a) - c
        multipliers = solve_banded((k, k), band.reshape(2 * k + 1, m), x, check_finite=False)[self.position]
        forced = r - self.pull(right, multipliers)
        a = inverse * forced if self._is_diagonal else inverse @ forced
        return np.asarray(a), multipliers


def algebra_of(layout: Layout) -> DenseAlgebra | BandedAlgebra:
    """Return the solver for a layout."""
    return DenseAlgebra(layout) if layout.is_fixed else BandedAlgebra(layout)


def elimination_order(layout: Layout) -> NDArray[np.int32]:
    """Position of each constraint equation: elements in reverse Cuthill-McKee order over shared free nodes."""
    widths: list[int] = []
    starts: list[int] = []
    instance: list[NDArray[np.int64]] = []
    node: list[NDArray[np.int64]] = []
    count = 0
    for members, first, width in zip(layout.members, layout.first_rows, layout.element_rows, strict=True):
        if not width:
            continue
        n = len(members)
        starts += (first + width * np.arange(n)).tolist()
        widths += [width] * n
        instance.append(np.repeat(np.arange(count, count + n), members.shape[1]))
        node.append(members.ravel())
        count += n
    if not count:
        return np.zeros(0, dtype=np.int32)
    nodes = np.concatenate(node)
    mobile = ~layout.fixed[nodes]
    order = band_order(np.concatenate(instance)[mobile], nodes[mobile], count)
    position = np.empty(layout.rows, dtype=np.int32)
    sizes = np.array(widths)[order]
    begin = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for k, width in enumerate(sizes):
        start = starts[order[k]]
        position[start : start + width] = begin[k] + np.arange(width)
    return position


def band_order(instances: NDArray[np.int64], nodes: NDArray[np.int64], count: int) -> NDArray[np.int32]:
    """Elements in the order of their elimination, from pairs of an element and one of its free nodes."""
    if _is_chain(instances, nodes, count):
        return np.arange(count, dtype=np.int32)[::-1]
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    shape = (count, int(nodes.max(initial=0)) + 1)
    incidence = coo_array((np.ones(len(nodes)), (instances, nodes)), shape=shape).tocsr()
    order: NDArray[np.int32] = reverse_cuthill_mckee((incidence @ incidence.T).tocsr(), symmetric_mode=True)
    return order


def _is_chain(instances: NDArray[np.int64], nodes: NDArray[np.int64], count: int) -> bool:
    """Return whether each element shares nodes only with the next one: the usual case, which does not need SciPy."""
    node, instance = np.unique(np.stack([nodes, instances]), axis=1)
    shared = node[1:] == node[:-1]
    joined = instance[:-1][shared]
    of_two = not np.any(shared[1:] & shared[:-1])
    return of_two and bool(np.all(instance[1:][shared] == joined + 1)) and len(np.unique(joined)) == count - 1


def half_bandwidth(layout: Layout, position: NDArray[np.int32]) -> int:
    """Largest distance of two constraint equations that share a free node."""
    rows, columns = layout.assembled("jacobian")
    if not len(rows):
        return 0
    mobile = layout.free[columns]
    node_of = np.zeros(layout.dimension, dtype=np.intp)
    count = 0
    for node in layout.nodes:
        d = node.type.dimension
        node_of[node.velocity] = count + np.repeat(np.arange(node.count), d)
        count += node.count
    place, node_index = position[rows[mobile]], node_of[columns[mobile]]
    low, high = np.full(count, layout.rows), np.full(count, -1)
    np.minimum.at(low, node_index, place)
    np.maximum.at(high, node_index, place)
    used = high >= 0
    return int((high[used] - low[used]).max()) if used.any() else 0
