"""Smallest changes that satisfy linear equations, for systems of any size and with redundant equations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import LARGEST_DENSE, SaddlePoint
from symlie.runtime.linear.nearest import REGULARISATION, metric_lengths, repeated
from symlie.runtime.linear.redundancy import RANK_TOLERANCE

CLOSED = 1e-13
"""Largest |Φ| of an assembled configuration, relative to the coordinates that each equation compares."""


class LeastChange:
    """x ↦ B⁺ x and y ↦ B⁺B y, with the pseudoinverse that minimises changes in a metric.

    Parameters
    ----------
    jacobian
        B, sparse (m × n).
    metric
        Sparse positive definite D (n × n), which measures changes by wᵀ D w; default: the identity.
    tolerance
        Singular value of the rows, which have unit length in the metric, relative to the largest, below which they are
        dependent.
    """

    def __init__(self, jacobian: Sparse, metric: Sparse | None = None, tolerance: float = RANK_TOLERANCE) -> None:
        from scipy.sparse import eye_array

        n = jacobian.shape[1]
        inertia = eye_array(n, format="csr") if metric is None else metric
        lengths = metric_lengths(jacobian, inertia)
        self._scale = 1 / np.where(lengths > 0, lengths, 1.0)
        self._unit = jacobian.multiply(self._scale[:, None]).tocsr()
        self._solve: Callable[[Array], Array]
        if sum(jacobian.shape) <= LARGEST_DENSE:
            root = np.linalg.cholesky(inertia.toarray())
            unit = np.linalg.solve(root, self._unit.toarray().T).T
            inverse = np.linalg.solve(root.T, np.linalg.pinv(unit, rcond=tolerance))
            self._solve = lambda x: inverse @ x
        else:
            factors = SaddlePoint(inertia, self._unit, REGULARISATION)
            self._solve = lambda x: repeated(
                lambda c: factors.solve(np.zeros(n), c)[0], self._unit, inertia, np.zeros(n), x
            )

    def inverse(self, x: Array) -> Array:
        """B⁺ x."""
        return np.asarray(self._solve(self._scale * x))

    def along(self, y: Array) -> Array:
        """(1 - B⁺B) y."""
        return np.asarray(y - self._solve(self._unit @ y))


def kinetic_metric(mass: Sparse, lengths: Callable[[], Array]) -> Sparse:
    """Return M, or `mean_metric` if M is not positive definite."""
    try:
        if mass.shape[0] <= LARGEST_DENSE:
            np.linalg.cholesky(mass.toarray())
        elif not mass.diagonal().min() > 0:
            return mean_metric(mass, lengths())
    except np.linalg.LinAlgError:
        return mean_metric(mass, lengths())
    return mass


def mean_metric(mass: Sparse, lengths: Array) -> Sparse:
    """Return the geometric mean of the diagonal of M and its mean, as a sparse diagonal matrix D, which is always
    positive, for lengths of the components."""
    from scipy.sparse import diags_array

    # D lies between the metric M, in which the cross sections of thin rods rotate almost without cost, and equal
    # weights of all components. The mean is relative to the lengths of the components and thus independent of units.
    diagonal = np.abs(mass.diagonal()) * lengths**2
    mean = float(diagonal.mean()) if len(diagonal) and diagonal.any() else 1.0
    return diags_array(np.sqrt(np.where(diagonal > 0, diagonal, mean) * mean) / lengths**2, format="csr")
