"""Undamped motions M η'' + K η + Bᵀ δλ = 0 with B η = 0: squared frequencies and shapes.

With a shift σ, 1/(ω² + σ) are eigenvalues of x ↦ y with (K + σ M) y + Bᵀ λ = M x and B y = 0, which is symmetric in the
metric M. Rounding of the entries changes ω² by at most |φ|ᵀ |δK - ω² δM| |φ| + 2 |λ|ᵀ |δB| |φ| if φᵀ M φ = 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.iteration import largest
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.linear.multipliers import Multipliers
from symlie.runtime.linear.shifts import ROUNDING, Eigenpairs, from_reciprocals, near, resolved, root_bound
from symlie.runtime.linear.spectrum import Spectrum, ordered
from symlie.runtime.statics.first_order import independent_rows, no_mass, null_space
from symlie.runtime.statics.steady_motion import Coefficients

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization

FIRST = 1e-8
"""First shift of large systems, relative to the largest ratio of stiffness and mass."""


def oscillations(linear: Linearization, rounding: Coefficients, modes: int | None = None) -> Spectrum:
    """Return the spectrum of equations in components of equal mass, or its slowest modes by iteration; raise
    EquilibriumError for an unconstrained massless direction, NotFoundError if the iteration finds fewer modes."""
    equations = Oscillations(linear.mass, linear.stiffness, linear.jacobian, rounding)
    try:
        found = equations.all() if modes is None else equations.slowest(modes)
    except np.linalg.LinAlgError:
        raise no_mass(linear.system.name) from None
    bound, is_zero = found.bound, found.is_zero
    roots = np.sqrt((-np.where(is_zero, 0.0, found.values)).astype(complex))
    # A zero may be as far from its computed value as this value from the exact one.
    accuracy = np.where(is_zero, np.sqrt(bound + found.sizes), root_bound(bound, 2 * np.abs(roots), 1.0))
    values, vectors = np.concatenate([roots, -roots]), np.hstack([found.vectors, found.vectors])
    return ordered(values, vectors, np.concatenate([accuracy, accuracy]))


class Oscillations:
    """Eigenvalues ω² of K φ + Bᵀ λ = ω² M φ, B φ = 0, in components of about equal mass, with M and K symmetric up to
    rounding."""

    def __init__(self, mass: Sparse, stiffness: Sparse, jacobian: Sparse, rounding: Coefficients) -> None:
        self._multipliers = Multipliers(jacobian)
        self._mass, self._jacobian = (mass + mass.T) / 2, jacobian
        self._stiffness = (stiffness + stiffness.T) / 2
        self._rounding = rounding
        # Forces that are unbalanced because of rounding make K asymmetric by about the error of its entries.
        self._disturbed = rounding.stiffness + abs(stiffness - stiffness.T) / 2

    def all(self) -> Eigenpairs:
        """Return all eigenvalues, with dense matrices; raise LinAlgError unless M is positive definite on the null
        space of B."""
        from scipy.linalg import eigh

        jacobian = self._jacobian.toarray()
        basis = null_space(jacobian)
        mass, stiffness = (basis.T @ (m @ basis) for m in (self._mass, self._stiffness))
        squares, vectors = eigh((stiffness + stiffness.T) / 2, (mass + mass.T) / 2)
        first = self._pairs(squares, basis @ vectors)
        rows = self._jacobian[independent_rows(jacobian)]
        nothing = np.zeros((rows.shape[0], len(squares)))

        def at(shift: float) -> Eigenpairs:
            factors, shapes = self._factors(shift, rows), first.vectors
            # The error of a column is that of its slowest mode, so modes are separated first.
            for _ in range(2):
                y = factors.solve(self._mass @ shapes, nothing)[0]
                matrix = shapes.T @ (self._mass @ y)
                reciprocals, coordinates = eigh((matrix + matrix.T) / 2)
                shapes, y = shapes @ coordinates, y @ coordinates
            return self._from_inverse(reciprocals, y, shift)

        return resolved(first, at, float(np.abs(squares).max(initial=0)))

    def slowest(self, modes: int) -> Eigenpairs:
        """Return the slowest modes, by iteration; raise LinAlgError if no shift makes K regular on the null space of B,
        NotFoundError if the iteration finds fewer modes."""
        n, m = self._mass.shape[0], self._jacobian.shape[0]

        def at(shift: float) -> Eigenpairs:
            factors = self._factors(shift, self._jacobian)

            def apply(x: Array) -> Array:
                return factors.solve(self._mass @ x, np.zeros((m, x.shape[1])))[0]

            pairs = largest(apply, n, n - m, modes, modes, self._mass)
            return self._from_inverse(pairs.values, pairs.vectors, shift, pairs.residuals)

        unit = FIRST * float(np.abs(self._stiffness.diagonal()).max() / np.abs(self._mass.diagonal()).max())
        first = near(at, unit)
        if first is None:
            raise np.linalg.LinAlgError("singular with every shift")
        return resolved(first, at, unit)

    def _factors(self, shift: float, rows: Sparse) -> SaddlePoint:
        return SaddlePoint(self._stiffness + shift * self._mass, rows, lost_pivot=0.0, refinements=1)

    def _from_inverse(
        self, reciprocals: Array, vectors: Array, shift: float, residuals: Array | float = 0.0
    ) -> Eigenpairs:
        values, magnified, growth = from_reciprocals(reciprocals, -shift)
        found = self._pairs(values, vectors, shift)
        order = np.argsort(np.abs(values), kind="stable")
        magnified, left = magnified[order], np.broadcast_to(residuals, len(order))[order]
        sizes = np.abs(found.vectors)
        coupled = sizes.T @ (self._disturbed @ sizes)
        np.fill_diagonal(coupled, 0.0)
        # Coupling of modes by rounding changes eigenvalues to second order.
        error = (ROUNDING * growth + left) * magnified + coupled**2 @ (1 / np.sqrt(magnified))
        return replace(found, error=error, growth=growth)

    def _pairs(self, squares: Array, vectors: Array, shift: float = 0.0) -> Eigenpairs:
        """Return eigenvalues ordered by modulus, with shapes normalised to φᵀ M φ = 1."""
        order = np.argsort(np.abs(squares), kind="stable")
        squares, vectors = squares[order], vectors[:, order]
        vectors = vectors / np.sqrt(np.sum(vectors * (self._mass @ vectors), axis=0))
        sizes = np.abs(vectors)
        multipliers = np.abs(self._multipliers(self._mass @ vectors * squares - self._stiffness @ vectors))
        coupled = sizes.T @ (self._disturbed @ sizes)
        noise = np.diag(coupled).copy()
        noise += np.abs(squares) * np.sum(sizes * (self._rounding.mass @ sizes), axis=0)
        noise += 2 * np.sum(multipliers * (self._rounding.jacobian @ sizes), axis=0)
        # Rounding mixes modes whose eigenvalues it may make equal.
        is_near = np.abs(squares[:, None] - squares) <= noise[:, None] + noise
        noise = noise + np.sum(np.where(is_near, coupled - np.diag(np.diag(coupled)), 0.0), axis=1)
        error = np.full(len(squares), ROUNDING * np.abs(squares).max(initial=0.0))
        return Eigenpairs(squares, vectors, error, noise, np.full(len(squares), shift))
