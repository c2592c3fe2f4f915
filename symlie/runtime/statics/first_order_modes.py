"""Modes with damping, gyroscopic forces or nonholonomic constraints: eigenvalues of z' = A z, with dense matrices.

With a shift σ, 1/(s - σ) are eigenvalues of (A - σ)⁻¹. The vectors of a defective s = 0 are its Jordan chains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.kkt import Numbers
from symlie.runtime.linear.shifts import ROUNDING, Eigenpairs, from_reciprocals, resolved, second_order
from symlie.runtime.linear.spectrum import Spectrum, balanced, chains_of_zero, ordered, without_rounding
from symlie.runtime.statics.first_order import first_order
from symlie.runtime.statics.first_order_inverse import FirstOrderInverse, independent_constraints
from symlie.runtime.statics.first_order_rounding import FirstOrderRounding
from symlie.runtime.statics.steady_motion import Coefficients

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization


def first_order_modes(linear: Linearization, rounding: Coefficients) -> Spectrum:
    """Return all eigenvalues and shapes of equations in components of equal mass; raise EquilibriumError if the
    equations are not determined."""
    return _FirstOrderModes(linear, rounding).found()


CLEAN = 16 * np.finfo(float).eps
"""Size of an entry of A or of (A - σ)⁻¹, relative to its summed terms, that is attributed to rounding."""


APART = 30.0
"""Ratio of the largest eigenvalue of (A - σ)⁻¹ to another one above which the latter counts as fast."""


@dataclass(frozen=True, eq=False)
class _Balanced:
    """A or (A - σ)⁻¹ in balanced coordinates."""

    matrix: Array
    basis: Array
    """z of these coordinates, by column."""
    dual: Array
    """Dual basis: dualᵀ basis = 1."""
    size: float
    """Norm to which rounding of the matrix is relative."""
    shift: float = 0.0
    """σ; zero if the matrix is A."""

    def restricted(self, right: Array, left: Array) -> Array:
        """Return A on an invariant subspace with mutually dual bases."""
        found = left.T @ self.matrix @ right
        return self.shift * np.eye(len(found)) + np.linalg.inv(found) if self.shift else found


class _FirstOrderModes:
    def __init__(self, linear: Linearization, rounding: Coefficients) -> None:
        self._linear, self._order = linear, first_order(linear)
        self._rounding = FirstOrderRounding(linear, rounding, self._order)
        self._rows = independent_constraints(linear)
        self._configurations = len(self._order.matrix) - self._order.basis.shape[1]
        self._matrices: dict[float, _Balanced] = {}

    def found(self) -> Spectrum:
        """Return the spectrum."""
        matrix = self._order.matrix
        if not len(matrix):
            nothing = np.zeros((len(self._order.variation), 0), dtype=complex)
            return Spectrum(np.zeros(0, dtype=complex), nothing, np.zeros(0))
        first = self._pairs(self._balanced(matrix, self._terms(), self._rate()))
        found = resolved(first, self._at, float(first.sizes[-1]))
        vectors = found.vectors.copy()
        values, accuracy = without_rounding(found.values.astype(complex), found.bound)
        zeros = int(np.argmin(np.append(found.is_zero, False)))
        if zeros > 1:
            self._replace_zeros(found, zeros, vectors, accuracy)
        return ordered(values, self._order.variation @ vectors, accuracy)

    def _rate(self) -> float:
        """Return a scale of the eigenvalues from the blocks of A; the block of K is in 1/s²."""
        x, matrix = self._configurations, np.abs(self._order.matrix)
        rate = max(np.sqrt(matrix[x:, :x].max(initial=0)), matrix[:x, :x].max(initial=0), matrix[x:, x:].max(initial=0))
        return float(rate) if rate > 0 else 1.0

    def _terms(self) -> Array:
        """Return the sizes of the terms that are summed in the entries of A."""
        m, order, x = self._linear, self._order, self._configurations
        along, across, basis = (np.abs(a) for a in (order.variation[:, :x], order.velocity[:, :x], order.basis))
        resisted = abs(m.damping) + abs(m.mass) @ abs(m.spin)
        forces = basis.T @ np.hstack([resisted @ across + abs(m.stiffness) @ along, resisted @ basis])
        return np.vstack(
            [
                along.T @ np.hstack([across + abs(m.drift) @ along, basis]),
                np.abs(np.linalg.inv(order.mass)) @ forces,
            ]
        )

    def _at(self, shift: float) -> Eigenpairs:
        from scipy.linalg import schur

        inverse = FirstOrderInverse(self._linear, self._rows, shift)
        found = self._balanced(*self._applied(inverse, shift, np.eye(len(self._order.matrix))), shift, shift)
        largest = float(np.abs(np.linalg.eigvals(found.matrix)).max())

        def is_slow(real: float, imag: float = 0.0) -> bool:
            return bool(np.hypot(real, imag) > largest / APART)

        # Columns with a small slow component have the errors of slow modes; the Schur form separates them.
        turn = schur(found.matrix, sort=is_slow)[1]
        basis, dual = found.basis @ turn, found.dual @ turn
        applied, terms = self._applied(inverse, shift, basis)
        terms = np.abs(dual).T @ terms
        matrix = np.where(np.abs(dual.T @ applied) > CLEAN * terms, dual.T @ applied, 0.0)
        self._matrices[shift] = _Balanced(matrix, basis, dual, float(np.linalg.norm(terms, 2)), shift)
        return self._pairs(self._matrices[shift])

    def _applied(self, inverse: FirstOrderInverse, shift: float, z: Array) -> tuple[Array, Array]:
        """Return (A - σ)⁻¹ z by column, and the sizes of the terms that are summed in it."""
        order, x = self._order, self._configurations
        along, across = order.variation[:, :x], order.velocity[:, :x]
        a = order.variation @ z
        eta, w = inverse(a, order.velocity @ z)
        positions = along.T @ eta
        # w = a + (D + σ) η
        moved = abs(self._linear.drift) @ np.abs(eta) + shift * np.abs(eta)
        summed = np.abs(a) + moved + np.abs(across) @ np.abs(positions)
        found = np.vstack([positions, order.basis.T @ (w - across @ positions)])
        return found, np.vstack([np.abs(along).T @ np.abs(eta), np.abs(order.basis).T @ summed])

    def _balanced(self, matrix: Array, terms: Array, rate: float, shift: float = 0.0) -> _Balanced:
        """Balance a matrix whose entries are sums of terms of given sizes, with velocities relative to a rate."""
        x = self._configurations
        units = np.concatenate([np.ones(x), np.full(len(matrix) - x, rate)])
        # Balancing must not amplify entries that are rounding only.
        matrix = np.where(np.abs(matrix) > CLEAN * terms, matrix, 0.0)
        scaled, scaling = balanced(matrix * units / units[:, None])
        units = units * scaling
        if not np.all(np.isfinite(scaled)):
            raise np.linalg.LinAlgError("an overflow")
        size = float(np.linalg.norm(terms * units / units[:, None], 2))
        self._matrices[shift] = _Balanced(scaled, np.diag(units), np.diag(1 / units), size, shift)
        return self._matrices[shift]

    def _pairs(self, of: _Balanced) -> Eigenpairs:
        """Return the eigenvalues ordered by modulus."""
        from scipy.linalg import eig

        found, left, right = eig(of.matrix, left=True, right=True)
        overlap = np.abs(np.sum(left.conj() * right, axis=0))
        error = ROUNDING * of.size / np.maximum(overlap, np.finfo(float).eps)
        values, magnified, growth = from_reciprocals(found, of.shift) if of.shift else (found, np.ones(len(found)), 0.0)
        vectors, rows = of.basis @ right, of.dual @ left.conj()
        noise = self._rounding.of_eigenvalues(values, vectors, rows)
        error = (error + growth * second_order(noise, magnified)) * magnified
        if of.shift:
            error += noise * np.maximum(growth * np.abs(values - of.shift) / APART - 1, 0.0)
        order = np.argsort(np.abs(values), kind="stable")
        shifts = np.full(len(values), of.shift)
        return Eigenpairs(values[order], vectors[:, order], error[order], noise[order], shifts, growth)

    def _replace_zeros(self, found: Eigenpairs, zeros: int, vectors: Numbers, accuracy: Array) -> None:
        """Replace in place the vectors of s = 0 by Jordan chains, and their accuracy by the effect of rounding on
        these."""
        from scipy.linalg import schur

        of = self._matrices[float(found.shift[zeros - 1])]
        largest = max(float(found.sizes[zeros - 1]), np.finfo(float).tiny)
        end = np.inf if zeros == len(of.matrix) else np.sqrt(largest * float(found.sizes[zeros]))

        def is_slow(real: float, imag: float = 0.0) -> bool:
            value = complex(real, imag)
            return bool(abs(1 + of.shift * value) < end * abs(value) if of.shift else abs(value) < end)

        (_, right, count), (_, left, other) = (schur(m, sort=is_slow) for m in (of.matrix, of.matrix.T))
        if count != zeros or other != zeros:
            return
        right, left = right[:, :zeros], left[:, :zeros]
        overlap = left.T @ right
        left = left @ np.linalg.inv(overlap).T
        slow = of.restricted(right, left)
        computed = ROUNDING * (of.shift if of.shift else of.size) / np.linalg.svd(overlap, compute_uv=False)[-1]

        def disturbed(basis: Array) -> Array:
            rows, columns = of.dual @ left @ basis, of.basis @ right @ basis
            return self._rounding.of_subspace(basis.T @ slow @ basis, columns, rows)

        zero = computed + float(np.linalg.norm(disturbed(np.eye(zeros)), 2))
        basis = chains_of_zero(slow, zero)
        # Computation errors appear as remainders in the chain; rounding of the entries acts along it.
        whole = np.abs(basis.T @ slow @ basis) + disturbed(basis)
        accuracy[:zeros] = float(np.abs(np.linalg.eigvals(whole)).max()) + computed
        vectors[:, :zeros] = of.basis @ right @ basis
