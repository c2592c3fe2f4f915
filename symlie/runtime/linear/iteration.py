"""The largest eigenvalues of an operator, such as an inverse of large sparse matrices, by a block Krylov iteration.

Several eigenvalues may be equal, as those of rigid-body modes are: one vector would find a second one by rounding only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import Numbers

CONVERGED = 1e-13
"""Residual of an eigenpair, relative to the eigenvalue, from which on it is found."""

ROUNDED = 16 * np.finfo(float).eps
"""Residual, relative to the norm of the operator, that is rounding."""

ACCEPTED = 1e-3
"""Residual, relative to the norm of the operator, beyond which nothing was found."""

DEPENDENT = 1e-12
"""Square of the relative size of a direction, in a block of vectors of length one, that others of the block span."""

LOST = 1e3 * np.finfo(float).eps
"""Size of what is left of a vector outside the search space, relative to the vector, that is rounding."""

BLOCKS = 4
"""Blocks beside the wanted vectors from which on the search space is reduced to the latter."""

STEPS = 60
"""Largest number of blocks that the operator is applied to."""


class NotFoundError(Exception):
    """The iteration does not converge."""


@dataclass(frozen=True, eq=False)
class RitzPairs:
    """Approximations of eigenpairs, from large to small moduli."""

    values: Numbers
    vectors: Numbers
    """By column, of length one."""
    residuals: Array
    """Norms of the residuals."""
    norm: float
    """Norm of the operator on the search space."""


def largest(
    apply: Callable[[Array], Array], size: int, rank: int, wanted: int, equal: int, metric: Sparse | None = None
) -> RitzPairs:
    """The largest eigenvalues, at least as many as wanted.

    Parameters
    ----------
    apply
        The operator, for vectors by column, shape (size, n).
    size
        Length of the vectors.
    rank
        Dimension of the range of the operator, or less.
    wanted
        Number of eigenvalues, not more than that.
    equal
        Number of independent vectors of one eigenvalue that are found.
    metric
        M in which the operator is symmetric, positive definite on its range; None: it is not symmetric.

    Raises
    ------
    NotFoundError
        The iteration does not converge.
    """
    search = _Search(apply, size, metric)
    block = search.independent(np.zeros((size, 0)), min(equal, rank))
    for _ in range(STEPS):
        if not block.shape[1]:
            break
        search.extend(block)
        if search.dimension >= wanted and search.has_converged(wanted):
            break
        if search.dimension > wanted + BLOCKS * equal:
            search.reduce(wanted)
        block = search.independent(search.images[:, -block.shape[1] :], min(equal, rank - search.dimension))
    # Errors of a vector are those of the slowest mode in it, so that modes are separated first.
    search.reduce(wanted)
    found = search.pairs()
    if np.any(found.residuals[:wanted] > ACCEPTED * found.norm):
        raise NotFoundError
    return found


class _Search:
    """A search space with a basis that is orthonormal in the metric, and its images."""

    def __init__(self, apply: Callable[[Array], Array], size: int, metric: Sparse | None) -> None:
        self._apply, self._metric, self._draw = apply, metric, np.random.default_rng(0)
        self.basis, self.images = np.zeros((size, 0)), np.zeros((size, 0))

    @property
    def dimension(self) -> int:
        """Its dimension."""
        return self.basis.shape[1]

    def extend(self, block: Array) -> None:
        """Add vectors of `independent`."""
        self.basis, self.images = np.hstack([self.basis, block]), np.hstack([self.images, self._apply(block)])

    def independent(self, candidates: Array, count: int) -> Array:
        """Orthonormal vectors outside the space, first from candidates, then from random ones."""
        block = self._orthonormal(candidates, self.basis, LOST)[:, :count]
        if block.shape[1] < count:
            known = np.hstack([self.basis, block])
            fresh = self._orthonormal(self._draw.standard_normal((len(known), count - block.shape[1])), known)
            # A vector is in the range of the inverse of equations of first order after two applications.
            for _ in range(2):
                fresh = self._orthonormal(self._apply(fresh), known)
            block = np.hstack([block, fresh])
        return block

    def has_converged(self, wanted: int) -> bool:
        """Whether the largest eigenvalues are found."""
        found = self.pairs()
        allowed = np.maximum(CONVERGED * np.abs(found.values), ROUNDED * found.norm)
        return bool(np.all((found.residuals <= allowed)[:wanted]))

    def pairs(self) -> RitzPairs:
        """Eigenpairs of the operator on the space."""
        restricted = self._restricted()
        if self._metric is None:
            values, coordinates = np.linalg.eig(restricted)
        else:
            values, coordinates = np.linalg.eigh(restricted)
        order = np.argsort(-np.abs(values), kind="stable")
        values, coordinates = values[order], coordinates[:, order]
        vectors = self.basis @ coordinates
        rest = self.images @ coordinates - vectors * values
        residuals = np.sqrt(np.maximum(np.sum(rest.conj() * self._measured(rest), axis=0).real, 0.0))
        return RitzPairs(values, vectors, residuals, float(np.linalg.norm(restricted, 2)) if len(restricted) else 0.0)

    def reduce(self, wanted: int) -> None:
        """Keep the vectors of the largest eigenvalues, one by one, and apply the operator anew."""
        from scipy.linalg import schur

        restricted = self._restricted()
        sizes = np.sort(np.abs(np.linalg.eigvals(restricted)))[::-1]
        if self._metric is not None:
            values, turn = np.linalg.eigh(restricted)
            turn = turn[:, np.argsort(-np.abs(values), kind="stable")[:wanted]]
        else:
            least = np.sqrt(sizes[wanted - 1] * sizes[wanted]) if wanted < len(sizes) else 0.0
            try:
                _, turn, count = schur(restricted, sort=lambda real, imag=0.0: bool(np.hypot(real, imag) >= least))
            except np.linalg.LinAlgError:  # the order of eigenvalues is rounding
                return
            turn = turn[:, : max(count, min(wanted, len(sizes)))]
        self.basis = self._orthonormal(self.basis @ turn, np.zeros((len(self.basis), 0)))
        self.images = self._apply(self.basis)

    def _restricted(self) -> Array:
        found = self._measured(self.basis).T @ self.images
        return found if self._metric is None else (found + found.T) / 2

    def _measured(self, x: Numbers) -> Numbers:
        return x if self._metric is None else self._metric @ x

    def _orthonormal(self, vectors: Array, known: Array, lost: float = 0.0) -> Array:
        for _ in range(3):
            before = self._lengths(vectors)
            vectors = vectors - known @ (self._measured(known).T @ vectors)
            after = self._lengths(vectors)
            kept = after > lost * before
            vectors = vectors[:, kept] / after[kept]
            if not vectors.shape[1]:
                break
            squares, turn = np.linalg.eigh(vectors.T @ self._measured(vectors))
            independent = squares > DEPENDENT * max(float(squares[-1]), 0.0)
            vectors = vectors @ (turn[:, independent] / np.sqrt(squares[independent]))
        return vectors

    def _lengths(self, x: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum(np.sum(x * self._measured(x), axis=0), 0.0)))
