"""The matrix of Newton's method for implicit steps, with sparse matrices; the NumPy form of ``iteration_matrix.h``.

    [ β' M + γ' C + K T   Bᵀ   (β' M + γ' C) B_nᵀ ]
    [ B T                 0    0                  ]
    [ γ' B + H T          0    γ' B B_nᵀ          ]

It is the derivative of [M v̇ + g + Bᵀλ; Φ; B v + b] by (θ, λ, η), where the configuration is q_n∘exp(θ), and
dv = γ' (dθ + B_nᵀ dη), dv̇ = β' (dθ + B_nᵀ dη). The last row and column belong to stabilised index 2 alone. Rows
without Φ have γ' B + H T in the second row, and neither the third nor an η. Components that nothing integrates keep
their θ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from symlie.runtime.system.system import System


@dataclass(frozen=True)
class Weights:
    """What an implicit formula makes of θ, and what of its matrix is left out.

    Attributes
    ----------
    acceleration, velocity
        β' in 1/s², and γ' in 1/s.
    has_tangent
        Whether T(θ) is there; else it is 1.
    is_full
        Whether derivatives of M v̇ and of Bᵀλ are there.
    is_scaled
        Whether dynamic rows are divided by β', and multipliers multiplied.
    """

    acceleration: float
    velocity: float
    has_tangent: bool = True
    is_full: bool = True
    is_scaled: bool = True


@dataclass(frozen=True)
class Point:
    """Where a matrix is taken: the end of a step, and its increment."""

    t: float
    q: Array
    v: Array
    acceleration: Array
    multipliers: Array
    theta: Array


class IterationMatrices:
    """Matrices of a system for steps that begin at one configuration after the other.

    Parameters
    ----------
    system
        The system.
    """

    def __init__(self, system: System) -> None:
        self.system, self.layout, self.algebra = system, system.layout, system.algebra
        self.mechanics, self.kernels = system.mechanics, system.newton_matrices

    def jacobian(self, values: Array) -> csr_array:
        """B (rows × dimension) of stored values."""
        from scipy.sparse import coo_array

        shape = (self.layout.rows, self.layout.dimension)
        return coo_array((values, (self.algebra.jacobian_rows, self.algebra.jacobian_columns)), shape=shape).tocsr()

    def mass(self, values: Array) -> csr_array:
        """M (dimension × dimension) of stored values."""
        from scipy.sparse import coo_array

        i, j, n = self.algebra.mass_rows, self.algebra.mass_columns, self.layout.dimension
        off = i != j
        places = (np.concatenate([i, j[off]]), np.concatenate([j, i[off]]))
        return coo_array((np.concatenate([values, values[off]]), places), shape=(n, n)).tocsr()

    def tangent(self, theta: Array) -> csr_array:
        """T(θ) (dimension × dimension), node by node."""
        from scipy.sparse import coo_array

        n = self.layout.dimension
        first, local = self._components
        rows, columns, values = [], [], []
        for k in range(int(local.max()) + 1):
            column = self.mechanics.kernels.transport(theta, (local == k).astype(float))
            at = np.flatnonzero(column)
            rows.append(at)
            columns.append(first[at] + k)
            values.append(column[at])
        places = (np.concatenate(rows), np.concatenate(columns))
        return coo_array((np.concatenate(values), places), shape=(n, n)).tocsr()

    @cached_property
    def _components(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first component of each component's node, and its place there."""
        sizes = np.concatenate([np.full(n.count, n.type.dimension) for n in self.layout.nodes])
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        return first, np.arange(len(first)) - first

    @cached_property
    def free(self) -> csr_array:
        """Diagonal matrix of ones for the components that are integrated."""
        from scipy.sparse import diags_array

        return diags_array(self.layout.free.astype(float))

    def matrix(self, at: Point, weights: Weights, start: csr_array | None = None) -> tuple[csr_array, csr_array]:
        """The matrix at a point, and K there, both sparse.

        Parameters
        ----------
        at
            The point.
        weights
            What the formula makes of θ.
        start
            B_n, for stabilised index 2.
        """
        from scipy.sparse import block_array, diags_array, eye_array

        m, layout, w = self.mechanics, self.layout, weights
        a, multipliers = (at.acceleration, at.multipliers) if w.is_full else (0 * at.v, 0 * at.multipliers)
        K, C, H = self.kernels(m.p, at.t, at.q, at.v, a, multipliers)
        T = self.tangent(at.theta) if w.has_tangent else eye_array(layout.dimension)
        M = self.mass(m.mass(at.t, at.q))
        free = diags_array(layout.free.astype(float))
        held = diags_array((~layout.free).astype(float))
        dynamic = w.acceleration * M + w.velocity * C
        first = free @ (dynamic + K @ T) + held
        if not layout.rows:
            return first, K
        B = self.jacobian(m.jacobian(at.t, at.q))
        has_phi, has_none = (diags_array(mask.astype(float)) for mask in (layout.holonomic, ~layout.holonomic))
        hidden = w.velocity * B + H @ T
        second = has_phi @ B @ T + has_none @ hidden
        if start is None:
            return block_array([[first, free @ B.T], [second, None]], format="csr"), K
        back = free @ start.T @ has_phi
        pushed = w.velocity * B @ back
        matrix = block_array(
            [
                [first, free @ B.T, free @ self._within_nodes(dynamic) @ back],
                [second, None, has_none @ pushed],
                [has_phi @ hidden, None, has_phi @ pushed + has_none],
            ],
            format="csr",
        )
        return matrix, K

    def _within_nodes(self, matrix: csr_array) -> csr_array:
        """The diagonal blocks of nodes."""
        from scipy.sparse import coo_array

        found = matrix.tocoo()
        first, _ = self._components
        i, j = found.coords
        kept = first[i] == first[j]
        return coo_array((found.data[kept], (i[kept], j[kept])), shape=found.shape).tocsr()

    def rounding(self, at: Point, K: csr_array) -> float:
        """Norm of a residual that is made of rounding alone: of its terms, and of the configuration that they see."""
        m, layout = self.mechanics, self.layout
        M = self.mass(m.mass(at.t, at.q))
        size = self._sizes(at.q)
        r = abs(M) @ abs(at.acceleration) + abs(m.force(at.t, at.q, at.v)) + abs(K) @ size
        parts = [r * layout.free]
        if layout.rows:
            B = abs(self.jacobian(m.jacobian(at.t, at.q)))
            parts[0] = (r + B.T @ abs(at.multipliers)) * layout.free
            parts.append(B @ size)
        return float(np.finfo(float).eps * np.linalg.norm(np.concatenate(parts)))

    def _sizes(self, q: Array) -> Array:
        """For each velocity component the largest stored component of its node."""
        sizes = []
        for node in self.layout.nodes:
            largest = np.abs(q[node.storage].reshape(node.count, -1)).max(axis=1, initial=0.0)
            sizes.append(np.repeat(largest, node.type.dimension))
        return np.concatenate(sizes)


class Factors:
    """Factors of such a matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        It is singular.
    """

    def __init__(self, matrix: csr_array, weights: Weights, dimension: int, rows: int) -> None:
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import splu

        scale = weights.acceleration if weights.is_scaled else 1.0
        size = matrix.shape[0]
        self._rows = np.ones(size)
        self._rows[:dimension] = 1 / scale
        self._columns = np.ones(size)
        self._columns[dimension : dimension + rows] = scale
        try:
            self._factors = splu((diags_array(self._rows) @ matrix @ diags_array(self._columns)).tocsc())
        except RuntimeError as error:
            raise np.linalg.LinAlgError(str(error)) from error

    def solve(self, r: Array) -> Array:
        """The solution for a right-hand side."""
        return np.asarray(self._columns * self._factors.solve(self._rows * r))
