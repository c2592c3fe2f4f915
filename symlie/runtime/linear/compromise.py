"""Compromise between contradictory linear equations, independent of their units, bases and coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.nearest import DETERMINED, Nearest


def compromise(rigid: Sparse, equations: Sparse, target: Array, groups: NDArray[np.intp], metric: Sparse) -> Array:
    """Return the x with C x = 0 that minimises the sum of squared deviations of groups of equations A x = c.

    A deviation is measured by the smallest wᵀ D w of a change w of x, with C w = 0, that removes it from its group. It
    is therefore independent of the basis of the equations of a group. Among several minima, x has the smallest xᵀ D x.

    Parameters
    ----------
    rigid
        C, sparse (k × n).
    equations, target
        A, sparse (m × n), and c, shape (m,).
    groups
        Number of the group of each equation, shape (m,).
    metric
        D, sparse and positive definite (n × n).
    """
    from scipy.sparse.linalg import splu

    whole = splu(metric.tocsc()).solve(equations.toarray().T)
    nothing = np.zeros(rigid.shape[0])
    permitted = Nearest(rigid, metric)
    changes = np.array([permitted.point(w, nothing) for w in whole.T]).reshape(whole.T.shape)  # equations × n
    lengths = equations @ changes.T
    lengths = (lengths + lengths.T) / 2
    largest = np.asarray(equations @ whole)
    roots = []
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        here = np.ix_(rows, rows)
        values, basis = np.linalg.eigh(lengths[here])
        open_ones = values > DETERMINED * np.linalg.eigvalsh(largest[here]).max(initial=0.0)
        root = np.zeros((int(open_ones.sum()), len(groups)))
        root[:, rows] = (basis[:, open_ones] / np.sqrt(values[open_ones])).T
        roots.append(root)
    scale = np.vstack([np.zeros((0, len(groups))), *roots])
    values, basis = np.linalg.eigh(scale @ lengths @ scale.T)
    is_open = values > DETERMINED * np.max(values, initial=0.0)
    sizes, basis = np.sqrt(values[is_open]), basis[:, is_open]
    y = basis.T @ (scale @ target) / sizes
    return np.asarray(changes.T @ (scale.T @ (basis @ (y / sizes))))
