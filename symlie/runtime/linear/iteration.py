"""Iterations for eigenvalues of large sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from symlie.errors import EquilibriumError

Found = TypeVar("Found")


class NotFoundError(Exception):
    """The iteration does not converge."""


def converged(iterate: Callable[[], tuple[Found, Found]], wanted: int) -> tuple[Found, Found]:
    """Eigenvalues and eigenvectors of an iteration, or those that converged before it stopped."""
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence

    try:
        values, vectors = iterate()
    except ArpackNoConvergence as error:
        values, vectors = error.eigenvalues, error.eigenvectors
        if len(values) < wanted:
            raise NotFoundError from None
    except ArpackError as error:
        raise EquilibriumError(f"The iteration for modes failed: {error}; ask for fewer modes.") from None
    return values, vectors
