"""Eigenvalues over many orders of magnitude: each from the shift with the smallest rounding error.

Eigenvalues of a matrix A have errors relative to the largest one, those of (A - σ)⁻¹ relative to σ. The shifts σ
descend from the fastest eigenvalues until rounding of the computation disturbs each eigenvalue less than rounding of
the entries of the equations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.iteration import NotFoundError
from symlie.runtime.linear.kkt import Numbers

ROUNDING = 64 * np.finfo(float).eps
"""Error of a computed eigenvalue relative to the size of the matrix."""

RESOLVED = 1e-10
"""Relative error of the computation below which no further shift is tried."""

DESCENT = 0.05
"""Largest ratio of a shift to the previous one."""

FARTHER = 1e-3
"""Factor of this ratio after a shift that does not improve an eigenvalue that may be zero."""

SLOWEST = 1e-40
"""Smallest shift, relative to the fastest eigenvalue."""

MOST_SHIFTS = 16
"""Largest number of shifts."""

NEAR = 20.0
"""Growth of the inverse, relative to the reciprocal of the shift, that reveals an eigenvalue too close to the shift."""

TRIES = 4
"""Number of attempts to replace a shift that is too close to an eigenvalue, each twice the previous one."""

COMPARABLE = 4.0
"""Ratio of errors within which the gap between eigenvalues decides which computation supplies them."""


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Eigenvalues in ascending order of their moduli, from one or several computations."""

    values: Numbers
    """Shape (n,), real or complex."""
    vectors: Numbers
    """Right eigenvectors by column."""
    error: Array
    """Error of the computation, shape (n,)."""
    noise: Array
    """Change of the eigenvalues by rounding of the entries of the equations, shape (n,)."""
    shift: Array
    """Shift of the computation, shape (n,); zero if unshifted."""
    growth: float = 0.0
    """Largest modulus of an eigenvalue of the inverse; zero without an inverse."""

    @property
    def sizes(self) -> Array:
        """Moduli of the eigenvalues."""
        return np.abs(self.values)

    @property
    def bound(self) -> Array:
        """Bound of the eigenvalue errors from both kinds of rounding."""
        return self.error + self.noise

    @property
    def is_zero(self) -> Array:
        """Flags of eigenvalues that are zero within their error."""
        return np.asarray(self.sizes <= self.bound)


def resolved(first: Eigenpairs, at: Callable[[float], Eigenpairs], fastest: float) -> Eigenpairs:
    """Compute eigenvalues with as many shifts as needed.

    `at` computes the same number of eigenvalues with a shift and raises `numpy.linalg.LinAlgError` for a singular
    shifted matrix; `fastest` is the modulus of eigenvalues that the first computation finds accurately.
    """
    found, least, limit, useless = first, fastest, len(first.values), 0
    for _ in range(MOST_SHIFTS):
        is_open = (found.error > np.maximum(RESOLVED * found.sizes, found.noise)) & (found.sizes < DESCENT * least)
        candidates = np.flatnonzero(is_open[:limit])
        if not len(candidates):
            break
        last = int(candidates[-1])
        size, error = float(found.sizes[last]), float(found.error[last])
        least = min(max(size, error), DESCENT * least) * (FARTHER**useless if error >= size else 1.0)
        try:
            slower = near(at, least) if least > SLOWEST * fastest else None
        except NotFoundError:  # rounding may make the inverse of the same vector another one each time
            break
        if slower is None:
            break
        found = _joined(slower, found)
        useless = useless + 1 if last < len(found.values) and found.error[last] >= error / 2 else 0
        limit = limit if useless == 0 or error >= size else last
    return found


def near(at: Callable[[float], Eigenpairs], shift: float) -> Eigenpairs | None:
    """Eigenvalues with a shift near the given one that is not an eigenvalue; None if the matrix is singular."""
    for doubled in range(TRIES):
        sigma = shift * 2.0**doubled
        try:
            found = at(sigma)
        except np.linalg.LinAlgError:
            continue
        if found.growth * sigma <= NEAR:
            return found
    return None


def root_bound(moved: Array | float, slope: Array | float, curvature: Array | float) -> Array:
    """Bound on a root δ of ε = a δ ± b δ² with ε, a, b ≥ 0; for a double eigenvalue it is √(ε/b)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        simple = 2 * moved / (slope + np.sqrt(np.maximum(np.square(slope) - 4 * np.multiply(curvature, moved), 0.0)))
        double = 2 * np.sqrt(np.divide(moved, curvature))
    return np.asarray(np.where(np.greater(moved, 0), np.fmin(simple, double), 0.0))


def second_order(noise: Array, magnified: Array) -> float:
    """Square of the relative change of eigenvalues of the inverse by rounding, a change that affects all others as
    well."""
    return float(np.square(np.minimum(noise / np.sqrt(magnified), 1.0)).max(initial=0.0))


def from_reciprocals(reciprocals: Numbers, shift: float) -> tuple[Numbers, Array, float]:
    """Eigenvalues from a shifted inverse, the amplification of their errors by the inverse, and its norm.

    The error is infinite if an eigenvalue of the inverse may be rounding of larger ones.
    """
    growth = float(np.abs(reciprocals).max(initial=0.0))
    sizes = np.abs(reciprocals)
    least = np.finfo(float).eps ** 2 * growth
    known = np.where(sizes > least, reciprocals, least)
    magnified = np.where(sizes > ROUNDING * growth, 1 / np.abs(known) ** 2, np.inf)
    return shift + 1 / known, magnified, growth


def _joined(slow: Eigenpairs, fast: Eigenpairs) -> Eigenpairs:
    """Slow eigenvalues of one computation and fast ones of another, split at a gap where both are accurate."""
    count = min(len(slow.values), len(fast.values))
    tiny = np.finfo(float).tiny
    # Sums that contain infinite costs could not be compared.
    most = np.finfo(float).max
    costs = [
        np.log(np.minimum(np.maximum.reduce([x.error, RESOLVED * x.sizes, x.noise])[:count] + tiny, most))
        for x in (slow, fast)
    ]
    cost = np.concatenate([[0.0], np.cumsum(costs[0])]) + np.concatenate([np.cumsum(costs[1][::-1])[::-1], [0.0]])
    allowed = np.flatnonzero(cost <= cost.min() + np.log(COMPARABLE))
    gaps = np.zeros(count + 1)
    gaps[1:-1] = np.log(fast.sizes[1:count] + tiny) - np.log(slow.sizes[: count - 1] + tiny)
    cut = int(allowed[np.argmax(gaps[allowed])])

    def joined(a: Numbers, b: Numbers) -> Numbers:
        return np.concatenate([a[..., :cut], b[..., cut:count]], axis=-1)

    return Eigenpairs(
        joined(slow.values, fast.values),
        joined(slow.vectors, fast.vectors),
        joined(slow.error, fast.error),
        joined(slow.noise, fast.noise),
        joined(slow.shift, fast.shift),
    )
