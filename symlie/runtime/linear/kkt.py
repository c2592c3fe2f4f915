"""Saddle point systems of statics and of vibrations, with sparse matrices of any size.

[ A   Bᵀ ] [x]   [r]
[ R  -εI ] [y] = [c],   R = B by default
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Sparse

Numbers = NDArray[Any]
"""Real or complex numbers."""

LARGEST_DENSE = 120
"""Largest number of unknowns for which a dense factorisation is faster."""

SHIFT = 1e-9
"""Shift of the diagonal that makes a singular matrix with entries of size one invertible."""

LOST_PIVOT = 1e-14
"""Relative size of a pivot of the equilibrated matrix that consists of round-off."""


class SaddlePoint:
    """Equilibrated saddle point matrix, factorised once.

    Parameters
    ----------
    matrix
        A, sparse (n × n).
    jacobian
        B, sparse (m × n).
    regularisation
        ε; a small value solves redundant constraint equations in the least-squares sense.
    rows
        R, sparse (m × n).
    lost_pivot
        Relative size of a pivot of the equilibrated matrix up to which the matrix is singular.
    refinements
        Steps of iterative refinement; one makes the backward error small relative to each entry.
    is_extended
        True: residuals of the refinement are computed in extended precision if the platform has it, so that solutions
        are exact up to rounding for any condition number of the matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        The matrix is singular to working precision.
    """

    def __init__(
        self,
        matrix: Sparse,
        jacobian: Sparse,
        regularisation: float = 0.0,
        rows: Sparse | None = None,
        *,
        lost_pivot: float = LOST_PIVOT,
        refinements: int = 0,
        is_extended: bool = False,
    ) -> None:
        from scipy.sparse import block_array, diags_array, eye_array

        self._size = matrix.shape[0]
        below = jacobian if rows is None else rows
        count = jacobian.shape[0]
        corner = -regularisation * eye_array(count) if regularisation and count else None
        blocks = [[matrix, jacobian.T], [below, corner]] if count else [[matrix]]
        whole = block_array(blocks, format="csr")
        scale = np.ones(whole.shape[0])
        for _ in range(2):
            scaled = abs(diags_array(scale) @ whole @ diags_array(scale))
            largest = np.maximum(scaled.max(axis=1).toarray().ravel(), scaled.max(axis=0).toarray().ravel())
            if not np.all(largest > 0) or not np.all(np.isfinite(largest)):
                raise np.linalg.LinAlgError("a zero row")
            scale /= np.sqrt(largest)
        self._scale, self._refinements = scale, refinements
        equilibrated = (diags_array(scale) @ whole @ diags_array(scale)).tocsc()
        self._matrix = equilibrated.astype(np.longdouble) if is_extended else equilibrated
        self._factorize(equilibrated, lost_pivot)

    def _factorize(self, matrix: Sparse, lost_pivot: float) -> None:
        from scipy.linalg import lu_factor, lu_solve
        from scipy.sparse.linalg import splu

        if matrix.shape[0] <= LARGEST_DENSE:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                factors = lu_factor(matrix.toarray())
            pivots = np.abs(np.diag(factors[0]))
            self._solve: Callable[[Numbers, bool], Numbers] = lambda right, transposed: lu_solve(
                factors, right, trans=int(transposed), check_finite=False
            )
        else:
            try:
                sparse = splu(matrix)
            except RuntimeError as error:
                raise np.linalg.LinAlgError(str(error)) from error
            pivots = np.abs(sparse.U.diagonal())
            self._solve = lambda right, transposed: sparse.solve(right, "T" if transposed else "N")
        if not pivots.min() > lost_pivot * pivots.max():
            raise np.linalg.LinAlgError("a zero pivot")

    def solve(self, r: Numbers, c: Numbers, *, transposed: bool = False) -> tuple[Numbers, Numbers]:
        """Return x and y for one right-hand side or several columns, on request with the transposed matrix."""
        right = (self._scale * np.concatenate([r, c]).T).T
        matrix = self._matrix.T if transposed else self._matrix
        solution = self._solve(right, transposed)
        for _ in range(self._refinements):
            residual = np.asarray(right - matrix @ solution, dtype=right.dtype)
            solution = solution + self._solve(residual, transposed)
        solution = (self._scale * solution.T).T
        return solution[: self._size], solution[self._size :]


def undetermined(matrix: Sparse) -> int:
    """Unknown with the largest component in a solution of A x = 0, with units in which the entries of the singular A
    have size one."""
    from scipy.sparse import diags_array, eye_array
    from scipy.sparse.linalg import splu

    largest = abs(matrix).max(axis=0).toarray().ravel()
    scale = diags_array(1 / np.sqrt(np.where(largest > 0, largest, 1.0)))
    factors = splu((scale @ matrix @ scale + SHIFT * eye_array(matrix.shape[0])).tocsc())
    x = np.random.default_rng(0).uniform(1, 2, matrix.shape[0])
    for _ in range(2):
        x = factors.solve(x)
        x /= np.abs(x).max()
    return int(np.argmax(np.abs(x)))
