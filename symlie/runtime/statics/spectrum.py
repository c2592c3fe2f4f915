"""All eigenvalues of a matrix, with those that are zero told from round-off, and their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array

Complex = NDArray[np.complex128]

ZERO = 1e-12
"""Singular value of a balanced matrix, relative to the largest one, that is round-off of zero."""

ROUNDING = 64 * np.finfo(float).eps
"""Size of the matrix, relative to its own, that changes nothing: what its entries and the iteration are accurate to."""

SWEEPS = 4
"""Sweeps of the balancing, which needs no accuracy."""

SAME_SIZE = 1e-9
"""Relative difference of two moduli that are taken for equal in the order of eigenvalues."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues s, from slow to fast."""

    values: Complex
    """Shape (n,)."""
    vectors: Complex
    """Right eigenvectors by column; of a defective s = 0 vectors of its chains."""
    accuracy: Array
    """What rounding may have changed the eigenvalues by, to first order, shape (n,)."""


def spectrum(matrix: Array) -> Spectrum:
    """All eigenvalues of a real matrix.

    The matrix is balanced. Then null spaces are split off by orthogonal transformations until the rest is regular, so
    that s = 0 of any multiplicity, with chains of any length, is exact. What else is smaller than its bound of rounding
    is zero, too: ε ‖A‖/|yᴴ x| with normed left and right eigenvectors. Source: [Kublanovskaya1966].

    Parameters
    ----------
    matrix
        Shape (n, n).
    """
    from scipy.linalg import eig

    n = len(matrix)
    if not n:
        return Spectrum(np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex), np.zeros(0))
    balanced, scaling = _balanced(matrix)
    size = float(np.linalg.norm(balanced, 2))
    triangular, turned, zeros = _without_null_spaces(balanced, ZERO * size)
    values, left, right = eig(triangular[zeros:, zeros:], left=True, right=True)
    overlap = np.abs(np.sum(left.conj() * right, axis=0))
    accuracy = np.concatenate([np.zeros(zeros), ROUNDING * size / np.maximum(overlap, np.finfo(float).eps)])
    vectors = np.eye(n, dtype=complex)
    for k, s in enumerate(values):
        above = s * np.eye(zeros) - triangular[:zeros, :zeros]
        vectors[zeros:, zeros + k] = right[:, k]
        vectors[:zeros, zeros + k] = np.linalg.solve(above, triangular[:zeros, zeros:] @ right[:, k])
    values = np.concatenate([np.zeros(zeros), values])
    values = np.where(np.abs(values.real) <= accuracy, 0.0, values.real) + 1j * np.where(
        np.abs(values.imag) <= accuracy, 0.0, values.imag
    )
    return ordered(values, scaling[:, None] * (turned @ vectors), accuracy)


def _balanced(matrix: Array) -> tuple[Array, Array]:
    """D⁻¹ A D whose rows and columns have about the same sizes, and D, of powers of two.

    Parts that are round-off do not count, so that D stays bounded where A falls into blocks. Source: [Osborne1960].
    """
    balanced, scaling = matrix.copy(), np.ones(len(matrix))
    for _ in range(SWEEPS):
        noise = ZERO * float(np.abs(balanced).max(initial=0))
        for k in range(len(matrix)):
            row, column = (np.linalg.norm(np.delete(x, k)) for x in (balanced[k], balanced[:, k]))
            if min(row, column) > noise:
                factor = 2.0 ** np.round(np.log2(row / column) / 2)
                scaling[k] *= factor
                balanced[k] /= factor
                balanced[:, k] *= factor
    return balanced, scaling


def _without_null_spaces(matrix: Array, zero: float) -> tuple[Array, Array, int]:
    """T = Qᵀ A Q with zeros on and below the diagonal of its first columns; T, Q, and how many columns these are."""
    n = len(matrix)
    triangular, turned, zeros = matrix.copy(), np.eye(n), 0
    while zeros < n:
        _, singular, right = np.linalg.svd(triangular[zeros:, zeros:])
        more = int(np.sum(singular <= zero))
        if not more:
            break
        basis = np.roll(right, more, axis=0).T
        triangular[:, zeros:] = triangular[:, zeros:] @ basis
        triangular[zeros:] = basis.T @ triangular[zeros:]
        turned[:, zeros:] = turned[:, zeros:] @ basis
        triangular[zeros:, zeros : zeros + more] = 0
        zeros += more
    return triangular, turned, zeros


def ordered(values: Complex, vectors: Complex | Array, accuracy: Array) -> Spectrum:
    """Eigenvalues from slow to fast, by |s|; those of one size growing ones first, of a conjugate pair Im s > 0 first.

    Parameters
    ----------
    values, vectors, accuracy
        As in `Spectrum`, in any order; eigenvalues with Im s < 0 need not be there.
    """
    kept = np.flatnonzero(values.imag >= 0)
    sizes = np.abs(values[kept])
    by_size = np.argsort(sizes, kind="stable")
    gaps = np.diff(sizes[by_size]) > SAME_SIZE * sizes[by_size][1:]
    group = np.empty(len(kept), dtype=int)
    group[by_size] = np.concatenate([[0], np.cumsum(gaps)])[: len(kept)]
    kept = kept[np.lexsort((-values[kept].imag, -values[kept].real, group))]
    twice = np.repeat(kept, np.where(values[kept].imag > 0, 2, 1))
    second = np.concatenate([[False], twice[1:] == twice[:-1]])[: len(twice)]
    s, x = values[twice] + 0.0, vectors[:, twice]  # no negative zeros
    return Spectrum(np.where(second, s.conj(), s), np.where(second, x.conj(), x), accuracy[twice])


def one_of_each_pair(values: Complex) -> NDArray[np.intp]:
    """Indices of eigenvalues with Im s ≥ 0."""
    return np.flatnonzero(values.imag >= 0)
