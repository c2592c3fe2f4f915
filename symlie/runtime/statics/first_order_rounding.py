"""Effect of rounding of the entries of the equations on eigenvalues, from left and right eigenvectors.

To first order, an entry of the equations changes an eigenvalue by the left vector times the change of the entry times
the right vector. Left vectors consist of multipliers: p of η' = w - D η, y of the forces, ν of the constraint
equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.entry_rounding import ROUNDING
from symlie.runtime.linear.kkt import Numbers
from symlie.runtime.linear.multipliers import Multipliers
from symlie.runtime.linear.shifts import root_bound
from symlie.runtime.statics.first_order import FirstOrder
from symlie.runtime.statics.steady_motion import Coefficients

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization


class _Sides(NamedTuple):
    left: Array
    """Moduli of the multipliers of all equations, by column."""
    right: Array
    """Rounding of the terms of all equations, by column."""
    shapes: Numbers
    """η."""
    forces: Numbers
    """y."""


class FirstOrderRounding:
    """Effect of rounding of the entries of the equations of small motions, in components of equal mass."""

    def __init__(self, linear: Linearization, rounding: Coefficients, order: FirstOrder) -> None:
        self._linear, self._rounding, self._order = linear, rounding, order
        self._on_positions = linear.system.layout.holonomic
        self._multipliers = Multipliers(linear.jacobian)
        self._of_positions = Multipliers(linear.jacobian[np.flatnonzero(self._on_positions)])
        self._inverse_mass = np.linalg.inv(order.mass).T

    def of_eigenvalues(self, values: Numbers, vectors: Numbers, rows: Numbers) -> Array:
        """Return bounds of the change of eigenvalues, shape (n,), for right eigenvectors and conjugated left
        eigenvectors by column: rowsᵀ A = s rowsᵀ."""
        sides = self._sides(np.diag(values), vectors, rows)
        moved = np.sum(sides.left * sides.right, axis=0)
        slope = np.abs(np.sum(rows * vectors, axis=0))
        curvature = np.abs(np.sum(sides.forces * (self._linear.mass @ sides.shapes), axis=0))
        return root_bound(moved, slope, curvature)

    def of_subspace(self, restricted: Array, vectors: Array, rows: Array) -> Array:
        """Return bounds of the change of the entries of A on an invariant subspace, shape (n, n), with a basis
        ``vectors`` and the dual basis of the left subspace by column: rowsᵀ vectors = 1."""
        sides = self._sides(restricted, vectors, rows)
        return np.asarray(sides.left.T @ sides.right)

    def _sides(self, restricted: Numbers, vectors: Numbers, rows: Numbers) -> _Sides:
        m, order = self._linear, self._order
        x = len(order.matrix) - order.basis.shape[1]
        eta, w = order.variation @ vectors, order.velocity @ vectors
        p, y = order.variation[:, :x] @ rows[:x], order.basis @ (self._inverse_mass @ rows[x:])
        accelerated = w @ restricted
        multipliers = self._multipliers(-(m.mass @ (accelerated - m.spin @ w) + m.damping @ w + m.stiffness @ eta))
        resisted = m.damping - m.mass @ m.spin
        hidden = self._multipliers(p - resisted.T @ y - m.mass.T @ (y @ restricted.T))
        positions = self._of_positions(-(p @ restricted.T + m.drift.T @ p + m.stiffness.T @ y + m.hidden.T @ hidden))
        r, eta_size, w_size = self._rounding, np.abs(eta), np.abs(w)
        forces = r.stiffness @ eta_size + r.damping @ w_size + r.jacobian.T @ np.abs(multipliers)
        forces += r.mass @ (np.abs(accelerated) + abs(m.spin) @ w_size)
        right = [
            forces,
            ROUNDING * (abs(m.drift) @ eta_size),
            r.jacobian @ w_size + r.hidden @ eta_size,
            r.jacobian[np.flatnonzero(self._on_positions)] @ eta_size,
        ]
        left = [np.abs(part) for part in (y, p, hidden, positions)]
        return _Sides(np.vstack(left), np.vstack(right), eta, y)
