"""Points of a path of equilibria: predictor along the tangent, Newton corrections orthogonal to it.

    [ K   Bᵀ  f' ] [δ ]     [ g + Bᵀλ ]
    [ B   0   Φ' ] [Δλ] = - [ Φ       ],     q ← q∘exp(δ),  λ ← λ + Δλ,  μ ← μ + Δμ
    [ aᵀ  0   b  ] [Δμ]     [ 0       ]

(a, b) is the tangent with weights that make arc lengths dimensionless: the mean square of δ relative to the sizes of
its components plus the square of Δμ relative to its range. The matrix is regular at limit points, where K is singular.

Source: [Deuflhard2004], section 5.2; [Riks1979].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.critical import critical_stiffness
from symlie.runtime.statics.parameter_family import ParameterFamily

MOST_CORRECTIONS = 10
"""Largest number of Newton corrections of a point."""

CONTRACTION = 0.7
"""Ratio of successive corrections above which a step is too long."""

NEUTRAL_SHIFT = 1e-9
"""Relative stiffness added to directions without stiffness, such as rigid-body motions."""


class CorrectionError(Exception):
    """Newton's method does not converge to a point of the path."""


@dataclass(frozen=True)
class PathPoint:
    """Equilibrium on a path with the tangent of the path."""

    q: Array
    multipliers: Array
    """λ of holonomic constraints."""
    value: float
    """Continuation parameter."""
    step: Array
    """δ of the tangent, shape (free components,)."""
    multiplier_step: Array
    value_step: float
    stiffness: Array
    """Eigenvalues of K on the constraints, ascending; see `critical_stiffness`."""

    @property
    def unstable(self) -> int:
        """Number of directions with negative stiffness."""
        return int(np.sum(self.stiffness < 0))


class Continuation:
    """Computation of path points for a parameter range ``scale`` and a tolerance of the relative Newton correction."""

    def __init__(self, family: ParameterFamily, scale: float, tolerance: float) -> None:
        self.family, self.scale, self.tolerance = family, scale, tolerance
        self.lengths: Array | None = None

    def first(self, q: Array, multipliers: Array, value: float, sign: float) -> PathPoint:
        """Return the point at an equilibrium, with the tangent along which the parameter increases (``sign`` 1) or
        decreases (-1); raise CorrectionError if the tangent is not determined, as at a bifurcation point."""
        self.lengths = self.family.statics(value).sizes(q).length
        return self._point(q, multipliers, value, np.zeros(len(self.lengths)), sign * self.scale)

    def next(self, point: PathPoint, h: float) -> PathPoint:
        """Return the point at arc length h along the tangent, or raise CorrectionError."""
        statics = self.family.statics(point.value + h * point.value_step)
        value = point.value + h * point.value_step
        q = statics.prescribed(statics.moved(point.q, h * point.step))
        multipliers = point.multipliers + h * point.multiplier_step
        sizes, last = statics.sizes(q), np.inf
        for _ in range(MOST_CORRECTIONS):
            statics = self.family.statics(value)
            factors, stiffness = self._factors(q, multipliers, value, point.step, point.value_step)
            statics = self.family.statics(value)
            force, constraint = statics.force(q, multipliers), statics.constraint(q)
            if not np.all(np.isfinite(force)):
                raise CorrectionError
            is_rounding = statics.is_rounding(q, multipliers, force, constraint, stiffness, statics.jacobian(q))
            move, change = factors.solve(np.append(-force, 0.0), -constraint)
            length = max(sizes.largest(move[:-1]), abs(move[-1]) / self.scale)
            if not (length <= max(CONTRACTION * last, self.tolerance) or is_rounding):
                raise CorrectionError
            if statics.turned(q, move[:-1]) > 1:
                raise CorrectionError
            value += float(move[-1])
            statics = self.family.statics(value)
            q = statics.prescribed(statics.moved(q, move[:-1]))
            multipliers, last = multipliers + change, length
            if length <= self.tolerance or is_rounding:
                return self._point(q, multipliers, value, point.step, point.value_step)
        raise CorrectionError

    def dot(self, point: PathPoint, other: PathPoint) -> float:
        """Return the cosine of the angle between two tangents."""
        a, b = self._weighted(point.step, point.value_step)
        return float(a @ other.step + b * other.value_step)

    def _weighted(self, step: Array, value_step: float) -> tuple[Array, float]:
        assert self.lengths is not None
        return step / (self.lengths**2 * max(len(step), 1)), value_step / self.scale**2

    def _factors(
        self, q: Array, multipliers: Array, value: float, step: Array, value_step: float
    ) -> tuple[SaddlePoint, Sparse]:
        from scipy.sparse import block_array, csr_array, diags_array

        force_rate, constraint_rate = self.family.rates(q, multipliers, value, self.scale)
        statics = self.family.statics(value)
        stiffness, *_ = statics.newton_matrices(q, multipliers)
        jacobian = statics.jacobian(q)
        a, b = self._weighted(step, value_step)
        corner = csr_array(np.array([[b]]))
        nothing = csr_array((len(constraint_rate), 1))
        right = block_array([[jacobian, nothing]], format="csr")
        below = block_array([[jacobian, csr_array(constraint_rate[:, None])]], format="csr")
        assert self.lengths is not None
        shifted = NEUTRAL_SHIFT * float(np.abs(stiffness.diagonal() * self.lengths**2).max(initial=0))
        for shift in (0.0, shifted):
            regular = stiffness + diags_array(shift / self.lengths**2) if shift else stiffness
            rates = csr_array(force_rate[:, None])
            matrix = block_array([[regular, rates], [csr_array(a[None]), corner]], format="csr")
            try:
                return SaddlePoint(matrix, right, rows=below), stiffness
            except np.linalg.LinAlgError:
                continue
        raise CorrectionError

    def _point(self, q: Array, multipliers: Array, value: float, step: Array, value_step: float) -> PathPoint:
        factors, _ = self._factors(q, multipliers, value, step, value_step)
        found, change = factors.solve(np.append(np.zeros(len(step)), 1.0), np.zeros(len(multipliers)))
        a, b = self._weighted(found[:-1], float(found[-1]))
        length = np.sqrt(float(a @ found[:-1]) + b * float(found[-1]))
        if not (np.isfinite(length) and length > 0):
            raise CorrectionError
        assert self.lengths is not None
        values, _ = critical_stiffness(self.family.statics(value), q, multipliers, self.lengths)
        return PathPoint(q, multipliers, value, found[:-1] / length, change / length, float(found[-1]) / length, values)
