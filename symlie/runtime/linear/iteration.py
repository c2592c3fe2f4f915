"""Largest eigenvalues of an operator, such as the inverse of a large sparse matrix, by a block Krylov-Schur iteration.

Blocks find multiple eigenvalues, such as those of rigid-body modes, which a single vector finds only through rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import Numbers

CONVERGED = 1e-13
"""Largest residual of a converged eigenpair, relative to the eigenvalue."""

ROUNDED = 16 * np.finfo(float).eps
"""Largest residual, relative to the norm of the operator, that counts as rounding."""

ACCEPTED = 1e-3
"""Largest acceptable residual, relative to the norm of the operator."""

DEPENDENT = 1e-12
"""Smallest squared length of an independent direction in a block of unit vectors."""

LOST = 1e3 * np.finfo(float).eps
"""Relative length of the component of a vector outside the search space that counts as rounding."""

BLOCKS = 4
"""Number of blocks, in addition to the wanted vectors, at which the search space is reduced to the wanted vectors."""

PATIENCE = 10
"""Number of blocks without a smaller residual after which the residual is attributed to rounding of the operator."""

STEPS = 60
"""Maximum number of blocks."""


class NotFoundError(Exception):
    """The iteration does not converge."""


@dataclass(frozen=True, eq=False)
class RitzPairs:
    """Approximate eigenpairs in the order of decreasing moduli."""

    values: Numbers
    vectors: Numbers
    """Unit vectors by column."""
    residuals: Array
    """Norms of the residuals."""
    norm: float
    """Norm of the operator on the search space."""


def largest(
    apply: Callable[[Array], Array], size: int, rank: int, wanted: int, equal: int, metric: Sparse | None = None
) -> RitzPairs:
    """Return the largest eigenvalues, at least as many as wanted.

    Parameters
    ----------
    apply
        Operator on vectors by column, shape (size, n).
    size
        Length of the vectors.
    rank
        Dimension of the range of the operator, or less.
    wanted
        Number of eigenvalues, at most ``rank``.
    equal
        Largest multiplicity of an eigenvalue: the size of a block.
    metric
        Matrix M, positive definite on the range of the operator, in whose product the operator is symmetric; None for
        operators that are not symmetric.

    Raises
    ------
    NotFoundError
        The iteration does not converge.
    """
    search = _Search(apply, size, metric)
    block = search.independent(np.zeros((size, 0)), min(equal, rank))
    best, least, waited = search.state, np.inf, 0
    for _ in range(STEPS):
        if not block.shape[1]:
            break
        search.extend(block)
        if search.dimension >= wanted:
            found = search.pairs()
            residual = float(found.residuals[:wanted].max())
            best, least, waited = (search.state, residual, 0) if residual < least else (best, least, waited + 1)
            if _has_converged(found, wanted) or waited == PATIENCE:
                break
        block = search.independent(search.images[:, -block.shape[1] :], min(equal, rank - search.dimension))
        if search.dimension > wanted + BLOCKS * equal:
            # The next block contains the residuals of all vectors, so that it also continues a reduced space.
            search.reduce(wanted)
    # The error of a vector is that of the slowest mode in it, so modes are separated first.
    search.state = best if np.isfinite(least) else search.state
    search.reduce(wanted)
    found = search.pairs()
    if np.any(found.residuals[:wanted] > ACCEPTED * found.norm):
        raise NotFoundError
    return found


def _has_converged(found: RitzPairs, wanted: int) -> bool:
    allowed = np.maximum(CONVERGED * np.abs(found.values), ROUNDED * found.norm)
    return bool(np.all((found.residuals <= allowed)[:wanted]))


class _Search:
    """Search space: a basis that is orthonormal in the metric, and the images of the basis vectors."""

    def __init__(self, apply: Callable[[Array], Array], size: int, metric: Sparse | None) -> None:
        self._apply, self._metric, self._draw = apply, metric, np.random.default_rng(0)
        self.basis, self.images = np.zeros((size, 0)), np.zeros((size, 0))

    @property
    def dimension(self) -> int:
        """Dimension of the space."""
        return self.basis.shape[1]

    def extend(self, block: Array) -> None:
        """Extend the space by vectors of `independent`."""
        self.basis, self.images = np.hstack([self.basis, block]), np.hstack([self.images, self._apply(block)])

    def independent(self, candidates: Array, count: int) -> Array:
        """Return orthonormal vectors outside the space, from the candidates and, if these do not suffice, from random
        vectors."""
        block = self._orthonormal(candidates, self.basis, LOST)[:, :count]
        if block.shape[1] < count:
            known = np.hstack([self.basis, block])
            fresh = self._orthonormal(self._draw.standard_normal((len(known), count - block.shape[1])), known)
            # Vectors lie in the range of the inverse of first-order equations only after two applications.
            for _ in range(2):
                fresh = self._orthonormal(self._apply(fresh), known)
            block = np.hstack([block, fresh])
        return block

    @property
    def state(self) -> tuple[Array, Array]:
        """The basis and its images."""
        return self.basis, self.images

    @state.setter
    def state(self, state: tuple[Array, Array]) -> None:
        self.basis, self.images = state

    def pairs(self) -> RitzPairs:
        """Return the eigenpairs of the operator on the space."""
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
        """Reduce the space to the vectors of the largest eigenvalues, and apply the operator again."""
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
