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

ALONG = 0.5
"""Cosine of the angle between the path and directions without stiffness above which the path follows one of them, as at
a limit point."""


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
    neutral: Array
    """Orthonormal directions without stiffness, relative to the lengths, by column."""

    @property
    def unstable(self) -> int:
        """Number of directions with negative stiffness."""
        return int(np.sum(self.stiffness < 0))


class _Factors:
    """Factorised equations of a correction that does not move along neutral directions (by column)."""

    def __init__(self, matrix: Sparse, right: Sparse, below: Sparse, neutral: Array) -> None:
        from scipy.sparse import csr_array, vstack

        self._equations, self._neutral = right.shape[0], neutral.shape[1]
        border = csr_array(np.hstack([neutral.T, np.zeros((self._neutral, 1))]))
        self._whole = SaddlePoint(matrix, vstack([right, border]).tocsr(), rows=vstack([below, border]).tocsr())

    def solve(self, r: Array, c: Array) -> tuple[Array, Array]:
        """Return the unknowns and multipliers for a right-hand side."""
        x, y = self._whole.solve(r, np.append(c, np.zeros(self._neutral)))
        return x, y[: self._equations]


class Continuation:
    """Computation of path points for a parameter range ``scale`` and a tolerance of the relative Newton correction."""

    def __init__(self, family: ParameterFamily, scale: float, tolerance: float) -> None:
        self.family, self.scale, self.tolerance = family, scale, tolerance
        self.lengths: Array | None = None
        self._neutral: Array | None = None

    def first(self, q: Array, multipliers: Array, value: float, sign: float) -> PathPoint:
        """Return the point at an equilibrium, with the tangent along which the parameter increases (``sign`` 1) or
        decreases (-1); raise CorrectionError if the tangent is not determined, as at a bifurcation point."""
        self.lengths, self._neutral = self.family.statics(value).sizes(q).length, None
        return self._point(q, multipliers, value, np.zeros(len(self.lengths)), sign * self.scale)

    def next(self, point: PathPoint, h: float) -> PathPoint:
        """Return the point at arc length h along the tangent, or raise CorrectionError."""
        self._neutral = point.neutral
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
    ) -> tuple[_Factors, Sparse]:
        from scipy.sparse import block_array, csr_array

        force_rate, constraint_rate = self.family.rates(q, multipliers, value, self.scale)
        statics = self.family.statics(value)
        stiffness, *_ = statics.newton_matrices(q, multipliers)
        jacobian = statics.jacobian(q)
        a, b = self._weighted(step, value_step)
        corner = csr_array(np.array([[b]]))
        nothing = csr_array((len(constraint_rate), 1))
        right = block_array([[jacobian, nothing]], format="csr")
        below = block_array([[jacobian, csr_array(constraint_rate[:, None])]], format="csr")
        matrix = block_array([[stiffness, csr_array(force_rate[:, None])], [csr_array(a[None]), corner]], format="csr")
        try:
            return _Factors(matrix, right, below, np.zeros((len(step), 0))), stiffness
        except np.linalg.LinAlgError:
            pass
        assert self.lengths is not None
        for known in (self._neutral, None):
            try:
                if known is None:
                    values, vectors = critical_stiffness(self.family.statics(value), q, multipliers, self.lengths)
                    self._neutral = _neutral(values, vectors / self.lengths[:, None])
                return _Factors(matrix, right, below, self._across(step)), stiffness
            except np.linalg.LinAlgError:
                continue
        raise CorrectionError

    def _across(self, step: Array) -> Array:
        """Return the duals of the neutral directions that the path does not follow, shape (free components, n)."""
        assert self.lengths is not None and self._neutral is not None
        neutral, along = self._neutral, step / self.lengths
        share = neutral.T @ along
        if np.linalg.norm(share) > ALONG * np.linalg.norm(along):
            neutral = neutral @ np.linalg.svd(share[None])[2][1:].T
        return np.asarray(neutral / self.lengths[:, None])

    def _point(self, q: Array, multipliers: Array, value: float, step: Array, value_step: float) -> PathPoint:
        factors, _ = self._factors(q, multipliers, value, step, value_step)
        found, change = factors.solve(np.append(np.zeros(len(step)), 1.0), np.zeros(len(multipliers)))
        a, b = self._weighted(found[:-1], float(found[-1]))
        length = np.sqrt(float(a @ found[:-1]) + b * float(found[-1]))
        if not (np.isfinite(length) and length > 0):
            raise CorrectionError
        assert self.lengths is not None
        values, vectors = critical_stiffness(self.family.statics(value), q, multipliers, self.lengths)
        neutral = _neutral(values, vectors / self.lengths[:, None])
        tangent = found[:-1] / length, change / length, float(found[-1]) / length
        return PathPoint(q, multipliers, value, *tangent, values, neutral)


def _neutral(stiffness: Array, shapes: Array) -> Array:
    """Return an orthonormal basis of the shapes without stiffness."""
    return np.asarray(np.linalg.qr(shapes[:, stiffness == 0])[0])
