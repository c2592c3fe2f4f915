"""Slowest eigenvalues of large systems with damping, gyroscopic forces or nonholonomic constraints, by iteration.

Right and left vectors of an eigenvalue s belong to

    [ (C + sM - MZ)(D + s) + K   Bᵀ ] [η]
    [ R                          0  ] [λ] = 0,   R = B for holonomic constraints, B (D + s) + H for others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.iteration import NotFoundError, largest
from symlie.runtime.linear.kkt import Numbers, SaddlePoint
from symlie.runtime.linear.shifts import (
    ROUNDING,
    Eigenpairs,
    from_reciprocals,
    near,
    resolved,
    root_bound,
    second_order,
)
from symlie.runtime.linear.spectrum import Spectrum, one_of_each_pair, ordered, without_rounding
from symlie.runtime.statics.first_order import no_mass
from symlie.runtime.statics.first_order_inverse import FirstOrderInverse
from symlie.runtime.statics.steady_motion import Coefficients

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization

ITERATED = 1e-9
"""Imaginary part of an eigenvalue, relative to its size, that is attributed to the iteration."""

FIRST = 1e-4
"""First shift, relative to the root of the largest ratio of stiffness and mass."""

SAME = 0.5
"""Cosine of the angle between vectors of two computations above which they belong to the same eigenvalue."""

NEARBY = 1e-8
"""Distance of the shift of an inverse iteration from an eigenvalue, relative to its size."""


def slow_modes(linear: Linearization, rounding: Coefficients, modes: int) -> Spectrum:
    """Return the slowest modes with both eigenvalues of conjugate pairs; raise EquilibriumError for an unconstrained
    massless direction, NotFoundError if the iteration finds fewer modes."""
    equations = _Iteration(linear, rounding, modes)
    unit = FIRST * float(np.sqrt(np.abs(linear.stiffness.diagonal()).max() / np.abs(linear.mass.diagonal()).max()))
    first = near(equations.at, unit)
    if first is None:
        raise no_mass(linear.system.name)
    found = resolved(first, equations.at, unit)
    iterated = np.maximum(found.bound, ITERATED * found.sizes)
    values, accuracy = without_rounding(found.values.astype(complex), found.bound, iterated)
    if len(one_of_each_pair(values)) < modes:
        raise NotFoundError
    return ordered(values, found.vectors, accuracy)


class _Iteration:
    def __init__(self, linear: Linearization, rounding: Coefficients, modes: int) -> None:
        self._linear, self._rounding = linear, rounding
        n = linear.mass.shape[0]
        self._on_positions = linear.system.layout.holonomic.astype(float)
        self._states = 2 * n - len(self._on_positions) - int(np.sum(self._on_positions))
        self._modes, self._count = modes, min(2 * modes + 2, self._states)

    def at(self, shift: float) -> Eigenpairs:
        """Return the eigenvalues nearest to a shift."""
        n = self._linear.mass.shape[0]
        inverse = FirstOrderInverse(self._linear, np.arange(len(self._on_positions)), shift)

        def apply(z: Array) -> Array:
            # Relative to the shift, velocities have the size of the variations.
            eta, w = inverse(z[:n], shift * z[n:])
            return np.vstack([eta, w / shift])

        pairs = largest(apply, 2 * n, self._states, self._count, self._modes + 1)
        values, magnified, growth = from_reciprocals(pairs.values, shift)
        vectors = pairs.vectors
        of_pairs = np.flatnonzero(values.imag >= 0)
        found = [self._disturbed(values[k], vectors[:n, k], shift) for k in of_pairs]
        of_all = np.array([int(np.argmin(np.abs(values[of_pairs] - (s.real + 1j * abs(s.imag))))) for s in values])
        noise, condition = (np.array(x)[of_all] for x in zip(*found, strict=True))
        error = condition * (pairs.norm * (ROUNDING + second_order(noise, magnified)) + pairs.residuals)
        # In the spectrum of the inverse, fast motions lie next to defective zeros, which rounding moves by its square
        # root.
        error = np.where(np.abs(pairs.values) > np.sqrt(ROUNDING) * pairs.norm, error * magnified, np.inf)
        order = np.argsort(np.abs(values), kind="stable")
        shifts = np.full(len(values), shift)
        return Eigenpairs(values[order], vectors[:n, order], error[order], noise[order], shifts, growth)

    def _disturbed(self, s: complex, shape: Numbers, shift: float) -> tuple[float, float]:
        """Return the change of an eigenvalue due to rounding, and its condition number with velocities relative to the
        shift."""
        from scipy.sparse import diags_array, eye_array

        m, r = self._linear, self._rounding
        n, rows = m.jacobian.shape[1], m.jacobian.shape[0]
        nearby = s + NEARBY * max(abs(s), NEARBY * shift)
        moving = m.drift + nearby * eye_array(n)
        resisted = m.damping + nearby * m.mass - m.mass @ m.spin
        matrix = (resisted @ moving + m.stiffness).tocsr()
        free = diags_array(1 - self._on_positions)
        below = (diags_array(self._on_positions) @ m.jacobian + free @ (m.jacobian @ moving + m.hidden)).tocsr()
        try:
            eta, multipliers = _null(matrix, m.jacobian, below, m.mass @ shape, rows)
            y, of_rows = _null(matrix.T.tocsr(), below, m.jacobian, m.mass @ eta.conj(), rows)
        except np.linalg.LinAlgError:  # the matrix is singular within rounding
            return 0.0, np.inf
        if abs(np.vdot(eta, shape)) < SAME * np.linalg.norm(shape):
            return 0.0, np.inf
        w = moving @ eta
        slope = y @ (m.mass @ w + resisted @ eta) + of_rows @ (free @ (m.jacobian @ eta))
        curvature = abs(y @ (m.mass @ eta))
        sizes = [np.abs(x) for x in (eta, w, y, multipliers, of_rows)]
        moved = sizes[2] @ (r.stiffness @ sizes[0] + r.damping @ sizes[1] + r.jacobian.T @ sizes[3])
        moved += sizes[2] @ (r.mass @ (abs(s) * sizes[1] + abs(m.spin) @ sizes[1]))
        moved += sizes[4] @ (r.jacobian @ (self._on_positions.max(initial=0.0) * sizes[0] + sizes[1]))
        moved += sizes[4] @ (r.hidden @ sizes[0])
        noise = float(root_bound(moved, abs(slope), curvature))
        right = np.hypot(np.linalg.norm(eta), np.linalg.norm(w) / shift)
        on_positions = resisted.T @ y + m.jacobian.T @ (free @ of_rows)
        left = np.hypot(np.linalg.norm(on_positions), shift * np.linalg.norm(m.mass.T @ y))
        return noise, float(right * left / max(abs(slope), np.finfo(float).eps * right * left))


def _null(matrix: Sparse, above: Sparse, below: Sparse, start: Numbers, rows: int) -> tuple[Numbers, Numbers]:
    """Return vectors x of length one and y with A x + Bᵀ y = 0 and R x = 0, by inverse iteration."""
    factors = SaddlePoint(matrix, above, rows=below, lost_pivot=0.0)
    x, none = start, np.zeros(rows)
    for _ in range(2):
        x, y = factors.solve(x, none)
        size = float(np.linalg.norm(x))
        x, y = x / size, y / size
    return x, y
