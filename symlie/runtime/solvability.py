"""Whether accelerations and multipliers are determined, and if not, which rows and components are to blame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.errors import NotFiniteError, RedundantConstraintsError, SingularMassMatrixError
from symlie.runtime.algebra import BandedAlgebra, DenseAlgebra, summed
from symlie.runtime.layout import Array, Layout
from symlie.runtime.saddle import SaddlePoint

RANK_TOLERANCE = 1e-11
"""Relative size of a singular value or pivot below which rows count as dependent: far above round-off, far below
anything a well-posed mechanism has."""

LOST_MASS = 1e-14
"""Relative size of an eigenvalue of M, with a diagonal of ones, that is round-off only."""

INVOLVED = 1e-6
"""Relative size of a coefficient from which a row takes part in a dependency."""

MOST_NAMED = 6
"""Rows of a dependency that are named one by one."""


def check_solvable(layout: Layout, algebra: DenseAlgebra | BandedAlgebra, mass: Array, jacobian: Array) -> None:
    """Check that accelerations and multipliers are determined.

    Raises
    ------
    RedundantConstraintsError
        Rows of B depend on each other; the message names them.
    SingularMassMatrixError
        M has a direction without mass, and the message tells whether constraints fix it; or a negative one.
    NotFiniteError
        An entry is infinite or NaN.
    """
    for what, entries, name, places in (
        ("mass matrix", mass, layout.velocity_name, algebra.mass_rows),
        ("constraint Jacobian", jacobian, layout.row_name, algebra.jacobian_rows),
    ):
        if not np.all(np.isfinite(entries)):
            place = int(places[np.flatnonzero(~np.isfinite(entries))[0]])
            raise NotFiniteError(f"The {what} of '{layout.name}' is not finite at the initial state in {name(place)}.")
    check_rows(layout, algebra, jacobian)
    for index, blocks in algebra.mass_blocks(mass):
        size = np.sqrt(np.abs(np.diagonal(blocks, axis1=1, axis2=2)))
        size = np.where(size > 0, size, 1.0)
        values, directions = np.linalg.eigh(blocks / (size[:, :, None] * size[:, None, :]))
        lost = np.flatnonzero(~(values[:, 0] > LOST_MASS * values[:, -1]))
        if len(lost):
            component = index[lost[0]][np.argmax(np.abs(directions[lost[0], :, 0]))]
            where = layout.velocity_name(int(component))
            if values[lost[0], 0] < -LOST_MASS * np.abs(values[lost[0]]).max():
                raise SingularMassMatrixError(
                    f"The kinetic energy of '{layout.name}' is negative for motions along {where} at the initial "
                    "configuration; masses and inertias must be positive."
                )
            _raise_singular(layout, algebra, mass, jacobian, where)


def check_rows(layout: Layout, algebra: DenseAlgebra | BandedAlgebra, jacobian: Array) -> None:
    """Check that the rows of B are independent on the free components.

    Raises
    ------
    RedundantConstraintsError
        They are not; the message names those that depend on each other.
    """
    if not layout.rows:
        return
    norms = np.sqrt(summed(algebra.jacobian_rows, jacobian**2 * layout.free[algebra.jacobian_columns], layout.rows))
    if not np.all(norms > 0):
        raise RedundantConstraintsError(
            f"In '{layout.name}', {layout.row_name(int(np.argmin(norms)))} has a zero Jacobian on the free nodes at "
            "the initial configuration; it constrains nothing there."
        )
    if isinstance(algebra, DenseAlgebra):
        involved = _dependent_rows(algebra.jacobian_matrix(jacobian)[:, layout.free] / norms[:, None])
    else:
        involved = _dependent_rows_of_band(layout, algebra, jacobian / norms[algebra.jacobian_rows])
    if len(involved):
        raise RedundantConstraintsError(
            f"The constraints of '{layout.name}' are redundant: {_listed(layout, involved)} depend on each other; "
            "remove one of them or free a node."
        )


def _listed(layout: Layout, rows: Sequence[int]) -> str:
    names = [layout.row_name(row) for row in rows[:MOST_NAMED]]
    return ", ".join(names) + (f" and {len(rows) - MOST_NAMED} others" if len(rows) > MOST_NAMED else "")


def _dependent_rows(unit: Array) -> list[int]:
    """Rows that take part in the dependency of the smallest singular value."""
    left, values, _ = np.linalg.svd(unit)
    padded = np.concatenate([values, np.zeros(len(unit) - len(values))])
    if padded[-1] > RANK_TOLERANCE * padded[0]:
        return []
    return [int(i) for i in np.flatnonzero(np.abs(left[:, -1]) > INVOLVED)]


def _dependent_rows_of_band(layout: Layout, algebra: BandedAlgebra, unit: Array) -> list[int]:
    """The same by the Cholesky pivots of B Bᵀ, a band matrix: a row with a lost pivot and those it depends on."""
    from scipy.linalg import solveh_banded
    from scipy.linalg.lapack import dpbtrf

    rows = algebra.jacobian_rows
    first, second = algebra.products
    k, m = algebra.bandwidth, layout.rows
    i, j = algebra.position[rows[first]], algebra.position[rows[second]]
    band = np.zeros((k + 1, m))
    lower = i >= j
    np.add.at(band, (i[lower] - j[lower], j[lower]), unit[first[lower]] * unit[second[lower]])
    factor, info = dpbtrf(band, lower=1)
    pivots = factor[0] ** 2
    column = info - 1 if info > 0 else int(np.argmin(pivots))
    if info == 0 and pivots[column] > RANK_TOLERANCE:
        return []
    coefficients = np.ones(column + 1)
    if column:
        known = np.zeros(column)
        low = max(0, column - k)
        known[low:] = [band[column - n, n] for n in range(low, column)]
        leading = band[: min(k + 1, column), :column].copy()
        for distance in range(1, len(leading)):
            leading[distance, max(0, column - distance) :] = 0
        coefficients[:column] = -solveh_banded(leading, known, lower=True)
    order = np.argsort(algebra.position)
    found = np.flatnonzero(np.abs(coefficients) > INVOLVED * np.abs(coefficients).max())
    return sorted(int(order[n]) for n in found)


def _raise_singular(
    layout: Layout, algebra: DenseAlgebra | BandedAlgebra, mass: Array, jacobian: Array, place: str
) -> None:
    """Raise the error for a mass matrix that is singular; the sentence depends on whether constraints help."""
    from scipy.sparse import coo_array

    n = layout.dimension
    off = algebra.mass_rows != algebra.mass_columns
    rows, columns = (
        np.r_[algebra.mass_rows, algebra.mass_columns[off]],
        np.r_[algebra.mass_columns, algebra.mass_rows[off]],
    )
    free = np.flatnonzero(layout.free)
    whole = coo_array((np.r_[mass, mass[off]], (rows, columns)), shape=(n, n)).tocsr()[free][:, free]
    constraints = coo_array((jacobian, (algebra.jacobian_rows, algebra.jacobian_columns)), shape=(layout.rows, n))
    try:
        SaddlePoint(whole, constraints.tocsr()[:, free])
    except np.linalg.LinAlgError:
        raise SingularMassMatrixError(
            f"The mass matrix of '{layout.name}' is singular along {place}, and no constraint fixes it; give it mass."
        ) from None
    raise SingularMassMatrixError(
        f"The mass matrix of '{layout.name}' is singular along {place}. The constraints fix that direction, but "
        "explicit methods divide by M alone in their first stage; give it some mass, or take a coordinate without mass "
        "out of the model."
    )
