"""Eigenvalues of the stiffness matrix on the constraints near zero, and their directions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.entry_rounding import entry_rounding
from symlie.runtime.linear.iteration import RitzPairs, largest
from symlie.runtime.linear.kkt import Numbers, SaddlePoint
from symlie.runtime.linear.shifts import ROUNDING, Eigenpairs, from_reciprocals, near, resolved
from symlie.runtime.statics.first_order import independent_rows
from symlie.runtime.statics.oscillations import FIRST, Oscillations
from symlie.runtime.statics.residual import Statics
from symlie.runtime.statics.steady_motion import Coefficients

LARGEST_DENSE = 90
"""Largest number of free velocity components for which all eigenvalues are computed."""

NEAREST = 12
"""Number of eigenvalues of larger systems."""

SYMMETRIC = 1e-8
"""Relative size of the asymmetric part of K due to round-off and to the tolerance of the equilibrium."""

REAL = 1e-9
"""Imaginary part of an eigenvalue, relative to its size, that is attributed to round-off."""


def critical_stiffness(statics: Statics, q: Array, multipliers: Array, lengths: Array) -> tuple[Array, Array]:
    """Return the real eigenvalues of K x + Bᵀ μ = κ L⁻² x, B x = 0 with L = diag(lengths), in ascending order and
    exactly zero if zero within rounding, and x by column. For large systems only the eigenvalues nearest to zero are
    returned."""
    from scipy.sparse import csr_array, diags_array, eye_array

    def scaled(q: Array, multipliers: Array) -> dict[str, Sparse]:
        stiffness, *_ = statics.newton_matrices(q, multipliers)
        return {"stiffness": (scale @ stiffness @ scale).tocsr(), "jacobian": (statics.jacobian(q) @ scale).tocsr()}

    def nudged(change: Callable[[Array], Array]) -> dict[str, Sparse]:
        return scaled(statics.system.kernels.normalize(change(q)), change(multipliers))

    scale, n = diags_array(lengths), len(lengths)
    matrices = scaled(q, multipliers)
    errors, none = entry_rounding(matrices, nudged), csr_array((n, n))
    stiffness, jacobian = matrices["stiffness"], matrices["jacobian"]
    rounding = Coefficients(mass=none, damping=none, hidden=none, **errors)
    asymmetric, largest = (float(np.abs(m.data).max(initial=0)) for m in (stiffness - stiffness.T, stiffness))
    equations: Oscillations | _Unsymmetric
    if asymmetric <= SYMMETRIC * largest:
        equations = Oscillations(eye_array(n, format="csr"), stiffness, jacobian, rounding)
    else:
        equations = _Unsymmetric(stiffness, jacobian, rounding.stiffness)
    found = equations.all() if n <= LARGEST_DENSE else equations.slowest(min(NEAREST, n - jacobian.shape[0] - 2))
    values = np.where(found.is_zero, 0.0, found.values)
    real = np.abs(np.imag(values)) <= np.maximum(REAL * np.abs(values), found.bound)
    values, vectors = np.real(values[real]), np.real(found.vectors[:, real])
    order = np.argsort(values, kind="stable")
    return values[order], lengths[:, None] * vectors[:, order]


class _Unsymmetric:
    """Eigenvalues κ of K x + Bᵀ μ = κ x, B x = 0 for unsymmetric K, from x ↦ y with (K + σ) y + Bᵀ μ = x, B y = 0."""

    def __init__(self, stiffness: Sparse, jacobian: Sparse, rounding: Sparse) -> None:
        self._stiffness, self._jacobian, self._rounding = stiffness, jacobian, rounding

    def all(self) -> Eigenpairs:
        """Return all eigenvalues."""
        from scipy.linalg import eig

        n = self._stiffness.shape[0]
        rows = self._jacobian[independent_rows(self._jacobian.toarray())]

        def at(shift: float) -> Eigenpairs:
            inverse = self._factors(self._stiffness, rows, shift).solve(np.eye(n), np.zeros((rows.shape[0], n)))[0]
            reciprocals, left, right = eig(inverse, left=True, right=True)
            kept = np.argsort(-np.abs(reciprocals), kind="stable")[: n - rows.shape[0]]
            return self._pairs(reciprocals[kept], left[:, kept].conj(), right[:, kept], shift)

        return self._resolved(at, 1.0)

    def slowest(self, count: int) -> Eigenpairs:
        """Return the eigenvalues nearest to zero, by iteration."""
        n, m = self._jacobian.shape[1], self._jacobian.shape[0]

        def vectors(matrix: Sparse, shift: float) -> RitzPairs:
            factors = self._factors(matrix, self._jacobian, shift)

            def apply(x: Array) -> Array:
                return factors.solve(x, np.zeros((m, x.shape[1])))[0]

            return largest(apply, n, n - m, count, count)

        def at(shift: float) -> Eigenpairs:
            right, left = (vectors(matrix, shift) for matrix in (self._stiffness, self._stiffness.T.tocsr()))
            same = np.argmin(np.abs(left.values - right.values[:, None]), axis=1)
            return self._pairs(right.values, left.vectors[:, same], right.vectors, shift, right.residuals)

        return self._resolved(at, FIRST)

    def _resolved(self, at: Callable[[float], Eigenpairs], part: float) -> Eigenpairs:
        """Return the eigenvalues from a sequence of shifts that starts at ``part`` times the largest stiffness."""
        shift = part * float(np.abs(self._stiffness.data).max(initial=0.0))
        first = near(at, shift)
        if first is None:
            raise np.linalg.LinAlgError("singular with every shift")
        return resolved(first, at, shift)

    def _factors(self, stiffness: Sparse, rows: Sparse, shift: float) -> SaddlePoint:
        from scipy.sparse import eye_array

        return SaddlePoint(stiffness + shift * eye_array(rows.shape[1]), rows, lost_pivot=0.0, refinements=1)

    def _pairs(
        self, reciprocals: Numbers, left: Numbers, right: Numbers, shift: float, residuals: Array | float = 0.0
    ) -> Eigenpairs:
        """Return the eigenvalues ordered by modulus."""
        values, magnified, growth = from_reciprocals(reciprocals, -shift)
        left, right = (x / np.linalg.norm(x, axis=0) for x in (left, right))
        overlap = np.maximum(np.abs(np.sum(left * right, axis=0)), np.finfo(float).eps)
        noise = np.sum(np.abs(left) * (self._rounding @ np.abs(right)), axis=0) / overlap
        error = (ROUNDING * growth + residuals) * magnified / overlap
        order = np.argsort(np.abs(values), kind="stable")
        shifts = np.full(len(values), shift)
        return Eigenpairs(values[order], right[:, order], error[order], noise[order], shifts, growth)
