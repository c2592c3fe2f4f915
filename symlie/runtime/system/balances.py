"""Consistent initial values of massless components, which follow from their balances of forces.

Newton's method starts from the specified values. It solves g_p(t, q) = 0 for coordinates while all others stay fixed,
and the balance or its time derivative for rates. The specified values of both are only initial guesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import NEWTON_STEPS, SETTLED
from symlie.errors import InconsistentInitialValuesError, SingularMassMatrixError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.unknowns import Indices

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics

SINGULAR = 1e-12
"""Smallest singular value of a regular balance Jacobian with rows of length one, relative to the largest."""

LEAST_SHARE = 2.0**-20
"""Fraction of a Newton step below which the line search fails."""


class Balances:
    """Force balances of the massless components of a system."""

    def __init__(self, mechanics: Mechanics) -> None:
        self._mechanics, self._layout = mechanics, mechanics.layout
        self.rows, self.components = mechanics.layout.balances
        self._of_position = mechanics.layout.holonomic[self.rows]

    def settled(self, t: float, q: Array, v: Array) -> Array:
        """Return the configuration whose massless components are in balance, or raise InconsistentInitialValuesError or
        SingularMassMatrixError.
        """
        m, chosen = self._mechanics, self._of_position
        rows = self.rows[chosen]
        if not len(rows):
            return q
        residual = m.constraint(t, q)[rows]
        for _ in range(NEWTON_STEPS):
            step = self._solution(self._matrix(t, q, v)[chosen][:, chosen], -residual, rows)
            settles = float(np.abs(step).max()) <= SETTLED * float(np.abs(q).max())
            share, size = 1.0, float(np.linalg.norm(residual))
            while share > LEAST_SHARE:
                trial = m.kernels.normalize(m.moved(q, self._spread(share * step, chosen)))
                after = m.constraint(t, trial)[rows]
                # The residual of a converged step changes only by rounding, possibly upwards.
                if settles or float(np.linalg.norm(after)) <= (1 - share / 4) * size:
                    break
                share /= 2
            else:
                break
            q, residual = trial, after
            if settles:
                return q
        row = int(rows[np.argmax(np.abs(residual))])
        raise InconsistentInitialValuesError(
            f"No balance of the forces on massless components of '{self._layout.name}' was found from the "
            f"initial values: {self._layout.row_name(row)} has {np.abs(residual).max():.3g}; give initial values "
            "nearer to it."
        )

    def check(self, t: float, q: Array, v: Array) -> None:
        """Raise SingularMassMatrixError unless the balances determine the massless components."""
        if len(self.rows):
            self._solution(self._matrix(t, q, v), np.zeros(len(self.rows)), self.rows)

    def with_rates(self, t: float, q: Array, v: Array) -> Array:
        """Return the velocity whose massless components satisfy their balance or its time derivative; raise as
        `settled` does."""
        if not len(self.rows):
            return v
        is_affine = not self._layout.has_nonlinear_rows
        v = np.where(is_affine & np.isin(np.arange(len(v)), self.components), 0.0, v)
        for _ in range(NEWTON_STEPS):
            residual = self._mechanics.hidden_residual(t, q, v)[self.rows]
            step = self._solution(self._matrix(t, q, v), -residual, self.rows)
            v = v + self._spread(step, np.ones(len(self.rows), dtype=bool))
            if is_affine or np.abs(step).max() <= SETTLED * np.abs(v).max():
                return v
        raise InconsistentInitialValuesError(
            f"No rates of the massless components of '{self._layout.name}' were found that balance the forces on "
            "them; give initial velocities nearer to the balance."
        )

    def _matrix(self, t: float, q: Array, v: Array) -> Array:
        """Return the derivatives of the balances with respect to the rates of the massless components."""
        m = self._mechanics
        whole = m.algebra.sparse_jacobian(m.jacobian(t, q, v))
        return np.asarray(whole[self.rows][:, self.components].toarray())

    def _solution(self, matrix: Array, right: Array, rows: Indices) -> Array:
        lengths = np.linalg.norm(matrix, axis=1)
        if np.isfinite(matrix).all() and lengths.all():
            u, values, vt = np.linalg.svd(matrix / lengths[:, None])
            if values[-1] > SINGULAR * values[0]:
                return np.asarray(vt.T @ ((u.T @ (right / lengths)) / values))
        row = int(rows[np.argmin(np.where(np.isfinite(lengths), lengths, -1.0))])
        where = self._layout.velocity_name(int(self.components[self.rows.tolist().index(row)]))
        raise SingularMassMatrixError(
            f"The forces on massless components of '{self._layout.name}' do not determine {where}: their "
            "derivatives by coordinates and rates of these components are singular at the initial values; give it "
            "mass, stiffness or damping."
        )

    def _spread(self, values: Array, chosen: NDArray[np.bool_]) -> Array:
        whole = np.zeros(self._layout.dimension)
        whole[self.components[chosen]] = values
        return whole
