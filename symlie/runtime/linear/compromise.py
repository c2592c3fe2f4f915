"""Compromise between contradictory linear equations, independent of their units, bases and coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.nearest import DETERMINED, Nearest


def compromise(
    fixed: Sparse, rigid: Sparse, equations: Sparse, target: Array, groups: NDArray[np.intp], metric: Sparse
) -> Array:
    """Return the x with C x = 0 that minimises the sum of squared deviations of groups of equations A x = c.

    A deviation is measured by the smallest wᵀ D w of a change w of x, with C w = 0, that removes it from its group. If
    no such change removes it, the part that remains is the smallest one by the changes with F w = 0 that remove it.
    Deviations are therefore independent of the basis of the equations of a group. Among several minima, x has the
    smallest xᵀ D x.

    Parameters
    ----------
    fixed
        F, sparse; some x with F x = 0 satisfies each group of equations.
    rigid
        C, sparse (k × n), with the rows of F.
    equations, target
        A, sparse (m × n), and c, shape (m,).
    groups
        Number of the group of each equation, shape (m,).
    metric
        D, sparse and positive definite (n × n).
    """
    from scipy.sparse.linalg import splu

    whole = splu(metric.tocsc()).solve(equations.toarray().T)
    changes, possible = (_projected(whole.T, rows, metric) for rows in (rigid, fixed))  # equations × n
    lengths, longest, largest = (_symmetric(equations @ w.T) for w in (changes, possible, whole.T))
    roots = []
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        here = np.ix_(rows, rows)
        values, basis = np.linalg.eigh(longest[here])
        is_possible = values > DETERMINED * np.linalg.eigvalsh(largest[here]).max(initial=0.0)
        unit = (basis[:, is_possible] / np.sqrt(values[is_possible])).T
        shares, basis = np.linalg.eigh(unit @ lengths[here] @ unit.T)
        is_open = shares > DETERMINED
        root = np.zeros((int(is_open.sum()), len(groups)))
        root[:, rows] = (basis[:, is_open] / np.sqrt(shares[is_open])).T @ unit
        roots.append(root)
    scale = np.vstack([np.zeros((0, len(groups))), *roots])
    values, basis = np.linalg.eigh(scale @ lengths @ scale.T)
    is_open = values > DETERMINED * np.max(values, initial=0.0)
    sizes, basis = np.sqrt(values[is_open]), basis[:, is_open]
    y = basis.T @ (scale @ target) / sizes
    return np.asarray(changes.T @ (scale.T @ (basis @ (y / sizes))))


def _projected(changes: Array, rows: Sparse, metric: Sparse) -> Array:
    """Return the nearest changes, one in each row, that satisfy homogeneous equations."""
    permitted, nothing = Nearest(rows, metric), np.zeros(rows.shape[0])
    return np.array([permitted.point(w, nothing) for w in changes]).reshape(changes.shape)


def _symmetric(matrix: Array) -> Array:
    return np.asarray((matrix + matrix.T) / 2)
