"""Equations of contacts of a time-stepping step, as in ``contact_equations.h``.

The unknowns are u = (x, μ), where x is an increment or a velocity. A stage has the residual r = (momentum, c), where c
are its constraint equations, the gaps of contacts and their slip. With the impulses y = -(μ + μ_0) of contacts, their
equations are replaced by the natural map

    y_N = max(y_N - ρ c_N, 0),    y_T = projection of y_T - ρ c_T onto |y_T| ≤ μ max(y_N - ρ c_N, 0),

whose active sets are *open*, *sliding* and *sticking*. The matrix [M, B_nᵀ; L B, D] of a step of the semismooth Newton
method contains a block of each contact in L and D; the groups of the saddle point matrix store these.

Source: [AlartCurnier1991].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.implicit.contact_sweeps import ContactSweeps
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.contact_tables import contact_tables
from symlie.runtime.linear.factors import Factors
from symlie.runtime.linear.saddle import SaddleAlgebra
from symlie.runtime.system.contacts.table import ContactTable

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics

OPEN, SLIDES, STICKS = 0, 1, 2
"""Active sets of a contact."""


@dataclass(frozen=True, eq=False)
class ContactRows:
    """Equations of contacts at an iterate, after the replacement by the natural map.

    Attributes
    ----------
    residual
        Residual of all equations, shape (rows,).
    sets
        Active set of each contact.
    left
        Factors of the own row of each equation in L, and of the other tangential row, shape (rows,) each.
    block
        D of each contact, shape (contacts, 3, 3), for the normal and both tangential equations.
    error
        Largest entry of the natural map, as a gap or velocity.
    """

    residual: Array
    sets: NDArray[np.intp]
    left: tuple[Array, Array]
    block: Array
    error: float


def contact_rows(
    table: ContactTable,
    c: Array,
    impulse: Array,
    is_eligible: NDArray[np.bool_],
    weights: tuple[Array, Array],
    touching: float,
) -> ContactRows:
    """Replace equations of contacts by the natural map.

    Parameters
    ----------
    table
        The contacts.
    c
        All equations, shape (rows,).
    impulse
        Impulses -y of all equations, shape (rows,).
    is_eligible
        Contacts that may close; the impulses of others are zero.
    weights
        ρ of the normal equation and of the tangential ones, of each contact.
    touching
        Largest gap or velocity with which a contact counts as closed although nothing pushes it.
    """
    (rho_n, rho_t), n = weights, table.normal
    y_n, y_t, c_t = -impulse[n], -table.tangential(impulse), table.tangential(c)
    is_closed = is_eligible & ((y_n - rho_n * c[n] > 0) | (np.abs(c[n]) <= touching))
    s = y_t - rho_t[:, None] * c_t
    size = np.sqrt(s[:, 0] * s[:, 0] + s[:, 1] * s[:, 1])
    pushed = np.where(is_closed, y_n - rho_n * c[n], 0.0)
    radius = table.friction * pushed
    has_slip = table.slips > 0
    is_stuck = is_closed & has_slip & (size <= radius) & (table.friction > 0)
    sets = np.where(is_stuck, STICKS, np.where(is_closed, SLIDES, OPEN)).astype(np.intp)
    residual, own, other = c.copy(), np.ones(len(c)), np.zeros(len(c))
    residual[n] = np.where(is_closed, c[n], -y_n)
    own[n] = is_closed
    u = np.divide(s, size[:, None], out=np.zeros_like(s), where=size[:, None] > 0)
    part = np.divide(radius, size, out=np.zeros_like(size), where=size > 0)
    # With one slip velocity, u = ±1 and the projection does not depend on its size.
    part = np.where(table.slips > 1, part, 0.0)
    A = part[:, None, None] * (np.eye(2) - u[:, :, None] * u[:, None, :])
    # The equation of the gap replaces the derivative of the radius with respect to the gap.
    along = np.where(is_closed, table.friction * y_n, 0.0)
    slid = np.where(is_stuck[:, None], c_t, -y_t + along[:, None] * u)
    table.scatter(slid, residual)
    table.scatter(np.where(is_stuck[:, None], 1.0, -rho_t[:, None] * A[:, [0, 1], [0, 1]]), own)
    table.scatter(np.where(is_stuck[:, None], 0.0, -rho_t[:, None] * A[:, [0, 1], [1, 0]]), other)
    block = np.zeros((len(n), 3, 3))
    block[:, 0, 0] = np.where(is_closed, 0.0, 1.0)
    block[:, 1:, 1:] = np.where(is_stuck[:, None, None], 0.0, np.eye(2) - A)
    block[:, 1:, 0] = np.where((is_closed & ~is_stuck)[:, None], -table.friction[:, None] * u, 0.0)
    off = np.where(is_closed, np.abs(c[n]), np.abs(y_n) / rho_n)
    off_t = np.where(is_stuck, np.abs(c_t).max(axis=1), np.abs(slid).max(axis=1) / rho_t)
    error = float(np.maximum(off, np.where(has_slip, off_t, 0.0)).max(initial=0))
    return ContactRows(residual, sets, (own, other), block, error)


class ContactMatrix:
    """Elimination of the matrix of a semismooth Newton step."""

    def __init__(self, mechanics: Mechanics, table: ContactTable) -> None:
        assert isinstance(mechanics.solver, SaddleAlgebra)
        self._algebra, self._layout, self._table = mechanics.solver, mechanics.layout, table

    @cached_property
    def _tables(self) -> dict[str, NDArray[np.int32]]:
        return contact_tables(self._layout, self._algebra.structure)

    def sweeps(self, mass: Array, right: Array, left: Array) -> ContactSweeps | None:
        """Return Gauss–Seidel sweeps about an iterate, or None if M couples nodes."""
        if len(self._tables["NODE_MASS"]) < len(mass):
            return None
        return ContactSweeps(self._tables, self._table, mass, right, left, self._algebra.jacobian_columns)

    def along(self, left: Array, x: Array) -> Array:
        """Return B x."""
        return self._algebra.multiply(left, x)

    def open_factors(self, mass: Array, right: Array, left: Array) -> Factors:
        """Factorise the matrix with the impulses of contacts as given numbers."""
        own, count = np.where(self._table.rows, 0.0, 1.0), len(self._table.normal)
        none, sets = np.zeros(len(own)), np.full(count, OPEN, dtype=np.intp)
        rows = ContactRows(none, sets, (own, none), np.tile(np.eye(3), (count, 1, 1)), 0.0)
        return self.factors(mass, right, left, rows, (np.ones(count), np.ones(count)), compliance=0.0)

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return len(self._algebra.structure.order)

    def weights(self, mass: Array, right: Array, left: Array) -> tuple[Array, Array]:
        """Return ρ of the normal equation of each contact and of its tangential ones, from the diagonal of M."""
        algebra, layout, table = self._algebra, self._layout, self._table
        diagonal = np.zeros(layout.dimension)
        on = algebra.mass_rows == algebra.mass_columns
        np.add.at(diagonal, algebra.mass_rows[on], mass[on])
        columns = algebra.jacobian_columns
        moved = layout.free[columns] & (diagonal[columns] > 0)
        terms = np.where(moved, np.abs(right * left) / np.where(moved, diagonal[columns], 1.0), 0.0)
        sums = np.bincount(algebra.jacobian_rows, terms, layout.rows)
        normal, tangential = sums[table.normal], table.tangential(sums.astype(float)).sum(axis=1)
        return 1 / np.where(normal > 0, normal, 1.0), 1 / np.where(tangential > 0, tangential, 1.0)

    def factors(
        self,
        mass: Array,
        right: Array,
        left: Array,
        rows: ContactRows,
        weights: tuple[Array, Array],
        *,
        compliance: float,
    ) -> Factors:
        """Factorise the matrix; with a compliance of closed contacts, relative to the inverse mass along them, they may
        be redundant."""
        algebra, n, t, table = self._algebra, self._layout.dimension, self._tables, self._table
        values = np.zeros(algebra.structure.values)
        (own, other), of = rows.left, algebra.jacobian_rows
        for name, part in (
            ("MASS_TO", mass),
            ("MASS_MIRROR", mass),
            ("PULL_TO", right),
            ("SADDLE_PUSH_TO", own[of] * left),
        ):
            np.add.at(values, algebra.tables[name], part)
        np.add.at(values, t["CONTACT_ACROSS_TO"], other[of] * left)
        values[algebra.tables["SADDLE_UNIT_TO"]] = 1
        held = np.setdiff1d(algebra.released_rows(left), np.flatnonzero(table.rows))
        values[algebra.tables["SADDLE_DIAGONAL"][n + held]] = 1
        block = rows.block.copy()
        block[:, 0, 0] -= np.where(rows.sets != OPEN, compliance / weights[0], 0.0)
        for k in (1, 2):
            block[:, k, k] -= np.where(rows.sets == STICKS, compliance / weights[1], 0.0)
        # A sliding contact sticks in part across the direction of slip: I - A replaces A.
        block[:, 1:, 1:] += compliance * (rows.sets == SLIDES)[:, None, None] * (np.eye(2) - block[:, 1:, 1:])
        np.add.at(values, t["CONTACT_BLOCK_TO"].ravel(), block.ravel())
        values[algebra.structure.stored :] = 0
        return Factors(algebra.structure, values)
