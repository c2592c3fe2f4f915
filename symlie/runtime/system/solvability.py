"""Solvability for accelerations and multipliers, with the equations and components that make the system singular."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import RANK_SHIFT
from symlie.errors import NotFiniteError, RedundantConstraintsError, SingularMassMatrixError
from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.runtime.linear.dependent_rows import DependentRows
from symlie.runtime.linear.kkt import SaddlePoint, undetermined
from symlie.runtime.linear.redundancy import (
    MOST_DEPENDENCIES,
    RANK_TOLERANCE,
    Dependency,
    cleaned,
    smallest_dependency,
    smallest_of,
)
from symlie.runtime.linear.schur import BandedAlgebra, DenseAlgebra
from symlie.runtime.linear.unknowns import Indices

LOST_MASS = 1e-14
"""Relative size of an eigenvalue of M, scaled to unit diagonal, that is attributed to round-off."""

MOST_NAMED = 6
"""Largest number of constraints of a dependency that are listed in a message."""

MOST_NAMED_SHORTLY = 2
"""Largest number of constraints that are listed in a warning of one line."""


class LostMass(NamedTuple):
    """Null space of a mass matrix."""

    mass: Array
    """Stored values of the mass matrix."""
    components: Indices
    """Velocity components without which M is regular, as many at each node as its massless directions."""
    along: int
    """Index of the largest component of the first massless direction; -1 without such a direction."""
    is_negative: bool
    """True if that direction has negative mass."""


def lost_mass(algebra: DenseAlgebra | BandedAlgebra, mass: Array) -> LostMass:
    """Return the massless directions by the eigenvalues of the blocks of M; none if M is not finite."""
    lost = [np.zeros(0, dtype=np.intp)]
    along, is_negative = -1, False
    for index, blocks in algebra.mass_blocks(mass) if np.all(np.isfinite(mass)) else ():
        size = np.sqrt(np.abs(np.diagonal(blocks, axis1=1, axis2=2)))
        size = np.where(size > 0, size, 1.0)
        unit = blocks / (size[:, :, None] * size[:, None, :])
        values, directions = np.linalg.eigh(unit)
        for k in np.flatnonzero(~(values[:, 0] > LOST_MASS * values[:, -1])):
            if along < 0:
                along = int(index[k][np.argmax(np.abs(directions[k, :, 0]))])
                is_negative = bool(values[k, 0] < -LOST_MASS * np.abs(values[k]).max())
            rank = int(np.sum(np.abs(values[k]) > LOST_MASS * np.abs(values[k]).max()))
            lost.append(index[k][_undetermined(unit[k], rank)])
    return LostMass(mass, np.concatenate(lost), along, is_negative)


def _undetermined(block: Array, rank: int) -> Indices:
    """Return the indices that remain after ``rank`` pivots in an elimination of a symmetric block with pivoting."""
    rest, left = block, np.arange(len(block))
    for _ in range(rank):
        pivot = left[np.argmax(np.abs(np.diag(rest)[left]))]
        left = left[left != pivot]
        rest = rest - np.outer(rest[pivot], rest[pivot]) / rest[pivot, pivot]
    return left


def check_solvable(
    algebra: DenseAlgebra | BandedAlgebra,
    lost: LostMass,
    jacobian: Array,
    *,
    takes_redundant_rows: bool,
    where: str = "the initial configuration",
) -> None:
    """Raise RedundantConstraintsError, SingularMassMatrixError (also for negative mass) or NotFiniteError unless
    accelerations and multipliers are determined; ``where`` describes the state in messages.
    """
    layout = algebra.layout
    for what, entries, name, places in (
        ("mass matrix", lost.mass, layout.velocity_name, algebra.mass_rows),
        ("constraint Jacobian", jacobian, layout.row_name, algebra.jacobian_rows),
    ):
        if not np.all(np.isfinite(entries)):
            place = int(places[np.flatnonzero(~np.isfinite(entries))[0]])
            raise NotFiniteError(f"The {what} of '{layout.name}' is not finite at {where} in {name(place)}.")
    if not takes_redundant_rows:
        check_rows(algebra, jacobian, "free a node, or integrate with redundant='minimal_norm'", where)
    if lost.along < 0:
        return
    if lost.is_negative:
        along = layout.velocity_name(lost.along)
        raise SingularMassMatrixError(
            f"The kinetic energy of '{layout.name}' is negative for motions along {along} at {where}; masses and "
            "inertias must be positive."
        )
    free = np.flatnonzero(layout.free)
    M, B = algebra.sparse_mass(lost.mass)[free][:, free], algebra.sparse_jacobian(jacobian)[:, free]
    B = B[np.flatnonzero((layout.row_activities < 0) | (algebra.row_lengths(jacobian) > 0))]
    try:
        SaddlePoint(M, B, RANK_SHIFT if takes_redundant_rows else 0.0)
    except np.linalg.LinAlgError:
        component = int(free[undetermined(M + B.T @ B)]) if layout.rows else lost.along
        along, body = layout.velocity_name(component), layout.body_of(component)
        raise SingularMassMatrixError(
            f"Body '{body}' of '{layout.name}' has no mass and no inertia along {along}, and no joint fixes it "
            "there, so no force determines its acceleration; give it mass and inertia, or fix it by a joint."
            if body
            else f"The mass matrix of '{layout.name}' is singular along {along}, and no constraint fixes it; give it "
            "mass, or a constraint."
        ) from None


def check_rows(
    algebra: DenseAlgebra | BandedAlgebra, jacobian: Array, remedy: str, where: str = "the initial configuration"
) -> None:
    """Raise RedundantConstraintsError if constraint equations are dependent on the free components; ``remedy`` is an
    alternative to the removal of an equation.
    """
    layout = algebra.layout
    if not layout.rows:
        return
    norms = algebra.row_lengths(jacobian)
    released = (norms == 0) & (layout.row_activities >= 0)
    if released.all():
        return
    norms[released] = 1.0
    if not np.all(norms > 0):
        raise RedundantConstraintsError(
            f"In '{layout.name}', {layout.row_name(int(np.argmin(norms)))} has a zero Jacobian on the free nodes at "
            f"{where}; it has no effect there."
        )
    unit = jacobian / norms[algebra.jacobian_rows]
    if isinstance(algebra, DenseAlgebra):
        values = np.linalg.svd(algebra.jacobian_matrix(unit)[~released][:, layout.free], compute_uv=False)
        if len(values) == layout.rows - released.sum() and values[-1] > RANK_TOLERANCE:
            return
    found = smallest_dependency(_with_held(algebra.sparse_jacobian(unit)[:, layout.free], released))
    if found is not None:
        raise RedundantConstraintsError(
            f"The constraints of '{layout.name}' are redundant: {_described(layout, found)}; "
            f"{'give one of them more freedom' if _joints(layout, found) else 'remove any one of these equations'}, "
            f"{remedy}.{_others(found)}"
        )


def _with_held(rows: Sparse, held: NDArray[np.bool_]) -> Sparse:
    """Return a matrix with a further column for each of some rows that are zero."""
    from scipy.sparse import eye_array, hstack

    return hstack([rows, eye_array(len(held), format="csr")[:, np.flatnonzero(held)]], format="csr")


def rank_of_rows(algebra: DenseAlgebra | BandedAlgebra, jacobian: Array, dependent: DependentRows) -> str:
    """Return a short sentence with the rank of B and a set of dependent constraints."""
    layout = algebra.layout
    rank = f"The {layout.rows} constraint equations of '{layout.name}' have rank {layout.rows - dependent.count}"
    if not dependent.count:
        return f"{rank}."
    lengths = algebra.row_lengths(jacobian)
    unit = dependent.combinations * np.where(lengths > 0, lengths, 1.0)[:, None]
    found = smallest_of(cleaned(unit / np.linalg.norm(unit, axis=0)))
    return f"{rank}: {_described(layout, found, MOST_NAMED_SHORTLY)}."


def _described(layout: Layout, found: Dependency, most: int = 0) -> str:
    """Describe dependent joints and other constraints, with at most ``most`` names in the short form."""
    named, how = most or MOST_NAMED, "" if most else _how_small(found)
    joints = _joints(layout, found)
    if joints:
        others = [] if most else layout.row_names([row for row in found.rows if row not in layout.joint_of_row])
        one = f"joint {joints[0]}" if len(joints) == 1 else f"joints {', '.join(joints[:named])}"
        more = f" and {len(joints) - named} more" if len(joints) > named else ""
        is_one = len(joints) + len(others) == 1
        small = "" if is_one else how
        return f"{', '.join([one + more, *others])} {'holds' if is_one else 'hold'} a motion redundantly{small}"
    names = layout.row_names(found.rows)
    if len(found.rows) == 1:
        return f"{names[0]} has no effect"
    listed = ", ".join(names[:named])
    if len(names) > named:
        listed += f" and equations of {len(names) - named} more constraints, {len(found.rows)} equations in all,"
    return f"{listed} depend on each other{how}"


def _joints(layout: Layout, found: Dependency) -> list[str]:
    """Return the quoted names of the joints of a dependency."""
    return [f"'{n}'" for n in dict.fromkeys(layout.joint_of_row[r] for r in found.rows if r in layout.joint_of_row)]


def _how_small(found: Dependency) -> str:
    smallest = "the smallest such set"
    return f" ({smallest if found.is_smallest else 'without any one of them they do not; another set may be smaller'})"


def _others(found: Dependency) -> str:
    count = f"at least {found.dependencies}" if found.dependencies == MOST_DEPENDENCIES else str(found.dependencies)
    return f" In total, {count} dependencies exist." if found.dependencies > 1 else ""
