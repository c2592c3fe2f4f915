"""Eigenvalues and their order, balancing of matrices, and Jordan chains of zero eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array

Complex = NDArray[np.complex128]

ZERO = 1e-12
"""Size of a row or column, relative to the largest entry, that balancing ignores."""

SWEEPS = 4
"""Sweeps of the balancing, which does not need accuracy."""

SAME_SIZE = 1e-9
"""Relative difference of two moduli that count as equal in the order of eigenvalues."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues s, from slow to fast."""

    values: Complex
    """Shape (n,)."""
    vectors: Complex
    """Right eigenvectors by column; vectors of its Jordan chains for a defective s = 0."""
    accuracy: Array
    """First-order bound of the eigenvalue errors by rounding, shape (n,)."""


def balanced(matrix: Array) -> tuple[Array, Array]:
    """D⁻¹ A D with rows and columns of about equal size, and D, a diagonal matrix of powers of two.

    Parts at round-off are ignored, so that D stays bounded if A decouples into blocks. Source: [Osborne1960].
    """
    result, scaling = matrix.copy(), np.ones(len(matrix))
    for _ in range(SWEEPS):
        noise = ZERO * float(np.abs(result).max(initial=0))
        for k in range(len(matrix)):
            row, column = (np.linalg.norm(np.delete(x, k)) for x in (result[k], result[:, k]))
            if min(row, column) > noise:
                factor = 2.0 ** np.round(np.log2(row / column) / 2)
                scaling[k] *= factor
                result[k] /= factor
                result[:, k] *= factor
    return result, scaling


def chains_of_zero(matrix: Array, zero: float) -> Array:
    """Orthogonal basis Q, by column, in which Qᵀ A Q is zero on and below the diagonal, as far as A is nilpotent.

    Null spaces with singular values up to `zero` are split off until the rest is regular. Source: [Kublanovskaya1966].
    """
    n = len(matrix)
    triangular, basis, zeros = matrix.copy(), np.eye(n), 0
    while zeros < n:
        _, singular, right = np.linalg.svd(triangular[zeros:, zeros:])
        more = int(np.sum(singular <= zero))
        if not more:
            break
        turn = np.roll(right, more, axis=0).T
        triangular[:, zeros:] = triangular[:, zeros:] @ turn
        triangular[zeros:] = turn.T @ triangular[zeros:]
        basis[:, zeros:] = basis[:, zeros:] @ turn
        triangular[zeros:, zeros : zeros + more] = 0
        zeros += more
    return basis


def without_rounding(values: Complex, bound: Array, imaginary: Array | None = None) -> tuple[Complex, Array]:
    """Return eigenvalues whose parts below the bound of their errors are zero, and bounds of the errors that remain.

    A computed value s̃ with the error |s̃ - s| ≤ ε is replaced by ŝ, and |ŝ - s| ≤ ε + |ŝ - s̃|. `imaginary` is another
    limit of the imaginary parts.
    """
    limit = bound if imaginary is None else imaginary
    found = np.where(np.abs(values.real) <= bound, 0.0, values.real) + 1j * np.where(
        np.abs(values.imag) <= limit, 0.0, values.imag
    )
    found = np.where(np.abs(values) <= bound, 0.0, found)
    return found, bound + np.abs(found - values)


def ordered(values: Complex, vectors: Complex | Array, accuracy: Array) -> Spectrum:
    """Eigenvalues from slow to fast by |s|; growing ones first among equal moduli, Im s > 0 first in a conjugate pair.

    The arguments are those of `Spectrum` in any order; eigenvalues with Im s < 0 may be missing.
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
