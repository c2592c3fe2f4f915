"""Nearest solutions of linear equations in a metric, where some equations may take precedence over others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint

LARGEST_DENSE = 1200
"""Largest number of unknowns and equations for which singular values are computed."""

RANK = 1e-9
"""Relative singular value of dependent equations, whose length in the metric is one or `WEIGHT`."""

WEIGHT = 1e3
"""Weight of equations that take precedence."""

DETERMINED = 1e-10
"""Share of the squared metric norm that a determined linear function has in the span of the equations."""

REGULARISATION = 1e-10
"""ε of large systems; repetitions remove its error."""

ROUNDS = 3
"""Repetitions that remove rounding errors."""

MOST_ROUNDS = 100
"""Largest number of repetitions for large systems, each of which multiplies the error by ε/(σ² + ε) with the singular
value σ of an equation."""

SETTLED = 0.9
"""Ratio of successive corrections above which these consist of rounding errors, or converge too slowly."""


class Nearest:
    """x ↦ the point nearest to x in the metric D on A x = c, or nearest to A x = c in the least-squares sense.

    Parameters
    ----------
    equations
        A, sparse (m × n).
    metric
        D, sparse and positive definite (n × n).
    outweighed
        Number of equations at the end that yield to the others where they contradict each other.
    """

    def __init__(self, equations: Sparse, metric: Sparse, outweighed: int = 0) -> None:
        from scipy.linalg import solve_triangular

        m, n = equations.shape
        self.equations, self._metric = equations.tocsr(), metric.tocsc()
        weights = np.full(m, WEIGHT if outweighed else 1.0)
        weights[m - outweighed :] = 1.0
        self._solve: Callable[[Array], Array]
        self._rounds = ROUNDS if m + n <= LARGEST_DENSE else MOST_ROUNDS
        if m + n <= LARGEST_DENSE:
            root = np.linalg.cholesky(metric.toarray())
            lengths = solve_triangular(root, equations.toarray().T, lower=True).T
            self.lengths = np.linalg.norm(lengths, axis=1)
            scale = weights / np.where(self.lengths > 0, self.lengths, 1.0)
            inverse = np.linalg.pinv(scale[:, None] * lengths, rcond=RANK)
            self._solve = lambda c: solve_triangular(root, inverse @ (scale * c), lower=True, trans="T")
        else:
            from scipy.sparse import diags_array

            self.lengths = metric_lengths(self.equations, metric)
            scale = weights / np.where(self.lengths > 0, self.lengths, 1.0)
            factors = SaddlePoint(metric, (diags_array(scale) @ self.equations).tocsr(), REGULARISATION)
            self._solve = lambda c: factors.solve(np.zeros(n), scale * c)[0]

    def point(self, x: Array, c: Array) -> Array:
        """Point nearest to x with A x = c."""
        return repeated(self._solve, self.equations, self._metric, x, c, self._rounds)

    def misfit(self, x: Array, c: Array) -> Array:
        """Residual A x - c, relative to the lengths of the equations in the metric."""
        return np.asarray((self.equations @ x - c) / np.where(self.lengths > 0, self.lengths, 1.0))

    def is_determined(self, row: Array) -> bool:
        """Return whether A x = c determines the value of a linear function of x."""
        from scipy.sparse.linalg import spsolve

        change = np.asarray(spsolve(self._metric, row))
        admitted = self.point(change, np.zeros(self.equations.shape[0]))
        return float(row @ admitted) <= DETERMINED * float(row @ change)


def metric_lengths(equations: Sparse, metric: Sparse) -> Array:
    """Return the lengths of equations in the diagonal of a metric, which are independent of units."""
    return np.asarray(np.sqrt(equations.multiply(equations) @ (1 / metric.diagonal())))


def repeated(
    solve: Callable[[Array], Array], equations: Sparse, metric: Sparse, x: Array, c: Array, rounds: int = MOST_ROUNDS
) -> Array:
    """Return x with repeated corrections by an approximate solution of A x = c, until they no longer decrease."""
    size = np.inf
    for k in range(rounds):
        step = solve(c - equations @ x)
        x, before, size = x + step, size, float(np.sqrt(step @ (metric @ step)))
        if k + 1 >= ROUNDS and not size < SETTLED * before:
            break
    return x
