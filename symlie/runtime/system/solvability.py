"""Whether accelerations and multipliers are determined, and if not, which rows and components are to blame."""

from __future__ import annotations

import numpy as np

from symlie.errors import NotFiniteError, RedundantConstraintsError, SingularMassMatrixError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.linear.redundancy import MOST_DEPENDENCIES, RANK_TOLERANCE, Dependency, smallest_dependency
from symlie.runtime.linear.schur import BandedAlgebra, DenseAlgebra, summed

LOST_MASS = 1e-14
"""Relative size of an eigenvalue of M, with a diagonal of ones, that is round-off only."""

MOST_NAMED = 6
"""Constraints of a dependency that are named one by one."""


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
        They are not; the message names as few as possible that depend on each other.
    """
    if not layout.rows:
        return
    norms = np.sqrt(summed(algebra.jacobian_rows, jacobian**2 * layout.free[algebra.jacobian_columns], layout.rows))
    if not np.all(norms > 0):
        raise RedundantConstraintsError(
            f"In '{layout.name}', {layout.row_name(int(np.argmin(norms)))} has a zero Jacobian on the free nodes at "
            "the initial configuration; it constrains nothing there."
        )
    unit = jacobian / norms[algebra.jacobian_rows]
    if isinstance(algebra, DenseAlgebra):
        values = np.linalg.svd(algebra.jacobian_matrix(unit)[:, layout.free], compute_uv=False)
        if len(values) == layout.rows and values[-1] > RANK_TOLERANCE:
            return
    found = smallest_dependency(algebra.sparse_jacobian(unit)[:, layout.free])
    if found is not None:
        raise RedundantConstraintsError(
            f"The constraints of '{layout.name}' are redundant: {_described(layout, found)}"
        )


def _described(layout: Layout, found: Dependency) -> str:
    """What depends on what, and what to do."""
    names = layout.row_names(found.rows)
    listed = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        listed += f" and rows of {len(names) - MOST_NAMED} more constraints, {len(found.rows)} rows in all,"
    count = f"at least {found.dependencies}" if found.dependencies == MOST_DEPENDENCIES else str(found.dependencies)
    others = f" There are {count} such dependencies in all." if found.dependencies > 1 else ""
    smallest = (
        "the smallest such set"
        if found.is_smallest
        else "without any one of them they do not; another set may be smaller"
    )
    return f"{listed} depend on each other ({smallest}); remove any one of these rows, or free a node.{others}"


def _raise_singular(
    layout: Layout, algebra: DenseAlgebra | BandedAlgebra, mass: Array, jacobian: Array, place: str
) -> None:
    """Raise the error for a mass matrix that is singular; the sentence depends on whether constraints help."""
    free = np.flatnonzero(layout.free)
    try:
        SaddlePoint(algebra.sparse_mass(mass)[free][:, free], algebra.sparse_jacobian(jacobian)[:, free])
    except np.linalg.LinAlgError:
        raise SingularMassMatrixError(
            f"The mass matrix of '{layout.name}' is singular along {place}, and no constraint fixes it; give it mass."
        ) from None
    raise SingularMassMatrixError(
        f"The mass matrix of '{layout.name}' is singular along {place}. The constraints fix that direction, but "
        "explicit methods divide by M alone in their first stage; give it some mass, or take a coordinate without mass "
        "out of the model."
    )
