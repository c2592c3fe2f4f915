"""(A - σ)⁻¹ of the equations z' = A z of small motions, from the equations in all components.

Rounding is thereby relative to each entry of the equations. With D = [v - ζ, ·], Z = [ζ, ·] and w = a + (D + σ) η,

    ((C + σM - MZ)(D + σ) + K) η + Bᵀ λ = -(C + σM - MZ) a - M b,
    B η = 0 for holonomic constraints,   (B (D + σ) + H) η = -B a for nonholonomic constraints

for right-hand sides a of η' and b of w'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.first_order import independent_rows, null_space

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization


def independent_constraints(linear: Linearization) -> NDArray[np.intp]:
    """Return the indices of a largest set of independent rows of B, with preference for holonomic constraints."""
    from scipy.linalg import qr

    jacobian, holonomic = linear.jacobian.toarray(), linear.system.layout.holonomic
    positions, velocities = np.flatnonzero(holonomic), np.flatnonzero(~holonomic)
    chosen = positions[independent_rows(jacobian[positions])]
    more = jacobian.shape[1] - null_space(jacobian).shape[1] - len(chosen) if len(jacobian) else 0
    if more <= 0:
        return chosen
    # Constraints nonlinear in v may have zero rows at rest.
    velocities = velocities[np.any(jacobian[velocities], axis=1)]
    rows = jacobian[velocities]
    left = rows @ null_space(jacobian[positions]) / np.linalg.norm(rows, axis=1)[:, None]
    pivots = qr(left.T, mode="r", pivoting=True)[1]
    return np.sort(np.concatenate([chosen, velocities[pivots[:more]]]))


class FirstOrderInverse:
    """Map (a, b) ↦ (η, w), factorised once for independent constraint equations ``rows`` and the shift σ; raises
    LinAlgError if the shifted matrix is singular."""

    def __init__(self, linear: Linearization, rows: NDArray[np.intp], shift: float) -> None:
        from scipy.sparse import diags_array, eye_array

        self._mass, self._jacobian = linear.mass, linear.jacobian[rows]
        self._on_positions = linear.system.layout.holonomic[rows].astype(float)
        self._moving = (linear.drift + shift * eye_array(linear.drift.shape[0])).tocsr()
        self._resisted = linear.damping + shift * linear.mass - linear.mass @ linear.spin
        on_velocities = self._jacobian @ self._moving + linear.hidden[rows]
        below = diags_array(self._on_positions) @ self._jacobian + diags_array(1 - self._on_positions) @ on_velocities
        largest = abs(below).max(axis=1).toarray().ravel() if len(rows) else np.zeros(0)
        if not np.all(largest > 0):
            raise np.linalg.LinAlgError("a zero row")
        self._largest = largest
        self._factors = SaddlePoint(
            self._resisted @ self._moving + linear.stiffness,
            self._jacobian,
            rows=(diags_array(1 / largest) @ below).tocsr(),
            lost_pivot=0.0,
            refinements=1,
        )

    def __call__(self, a: Array, b: Array) -> tuple[Array, Array]:
        """Return η and w by column, for right-hand sides a of η' and b of w', shape (components, n)."""
        weights = ((1 - self._on_positions) / self._largest)[:, None]
        forces, rows = -(self._resisted @ a + self._mass @ b), -weights * (self._jacobian @ a)
        eta = self._factors.solve(forces, rows)[0]
        return eta, a + self._moving @ eta
