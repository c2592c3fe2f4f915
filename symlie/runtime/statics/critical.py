"""Eigenvalues of the stiffness matrix on the constraints next to zero, and their directions."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.first_order import null_space

LARGEST_DENSE = 90
"""Free velocity components up to which all eigenvalues are computed."""

NEAREST = 12
"""Eigenvalues of larger systems."""

NEUTRAL = 1e-11
"""Eigenvalue relative to the largest stiffness that is round-off of zero."""

REAL = 1e-9
"""Imaginary part of an eigenvalue, relative to its size, that is round-off."""


def critical_stiffness(stiffness: Sparse, jacobian: Sparse, lengths: Array) -> tuple[Array, Array]:
    """Real eigenvalues of K x + Bᵀ μ = κ L⁻² x, B x = 0, ascending, and x by column.

    Those that are round-off are zero. Of large systems they are the ones next to zero.

    Parameters
    ----------
    stiffness, jacobian
        K and B on the free components, sparse.
    lengths
        Diagonal of L, the sizes of the components.
    """
    from scipy.sparse import diags_array

    scale = diags_array(lengths)
    scaled, rows = (scale @ stiffness @ scale).tocsr(), (jacobian @ scale).tocsr()
    largest = float(np.abs(scaled.data).max(initial=0))
    is_symmetric = bool(np.abs((scaled - scaled.T).data).max(initial=0) <= 1e-8 * largest)
    if is_symmetric:
        scaled = (scaled + scaled.T) / 2
    if len(lengths) <= LARGEST_DENSE:
        values, vectors = _dense(scaled, rows, is_symmetric)
    else:
        values, vectors = _nearest(scaled, rows, is_symmetric, largest)
    real = np.abs(np.imag(values)) <= REAL * np.abs(values)
    values, vectors = np.real(values[real]), np.real(vectors[:, real])
    order = np.argsort(values, kind="stable")
    values = np.where(np.abs(values) <= NEUTRAL * largest, 0.0, values)
    return values[order], lengths[:, None] * vectors[:, order]


def _dense(scaled: Sparse, rows: Sparse, is_symmetric: bool) -> tuple[Array, Array]:
    basis = null_space(rows.toarray())
    reduced = basis.T @ (scaled @ basis)
    values, vectors = np.linalg.eigh(reduced) if is_symmetric else np.linalg.eig(reduced)
    return values, basis @ vectors


def _nearest(scaled: Sparse, rows: Sparse, is_symmetric: bool, largest: float) -> tuple[Array, Array]:
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import LinearOperator, eigs, eigsh

    n, m = scaled.shape[0], rows.shape[0]
    for shift in (0.0, NEUTRAL * largest):
        try:
            factors = SaddlePoint(scaled + shift * eye_array(n), rows)
        except np.linalg.LinAlgError:
            continue
        break
    else:
        raise np.linalg.LinAlgError("a singular stiffness")
    inverse = LinearOperator((n, n), matvec=lambda x: factors.solve(x, np.zeros(m))[0], dtype=float)
    start = inverse @ np.random.default_rng(0).standard_normal(n)
    count = min(NEAREST, n - m - 2)
    reciprocals, vectors = (eigsh if is_symmetric else eigs)(inverse, count, v0=start)
    return 1 / reciprocals - shift, vectors
