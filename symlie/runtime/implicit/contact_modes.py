"""Restitution and modes of contacts in time stepping, as in ``stepped_contacts.h``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import CONTACT_ROUNDING, SLOW_IMPACT
from symlie.errors import ContactModeError
from symlie.runtime.implicit.contact_equations import SLIDES
from symlie.runtime.implicit.contact_solution import ContactSolution
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.contacts.table import ContactTable


def rebounds(table: ContactTable, q: Array, rate: Array, fastest: float) -> Array:
    """Return velocities that Newton's law adds to the equations after an impact, shape (rows,), for their ``rate``
    before it: none for closed contacts and those that hardly approach."""
    found, speed = np.zeros_like(rate), rate[table.normal]
    approaches = (q[table.closed] == 0) & (speed < -SLOW_IMPACT * fastest)
    found[table.normal] = np.where(approaches, table.restitution * speed, 0.0)
    return found


def with_rebounds(
    solution_of: Callable[[Array], ContactSolution], before: Array, guess: Array, size: float, correction: float
) -> tuple[ContactSolution, Array]:
    """Return a solution with restitution, or without it if there is none: jammed bodies cannot rebound from all
    contacts."""
    try:
        solution = solution_of(before)
        return solution, solution.solve(guess, size, correction)
    except ContactModeError:
        if not before.any():
            raise
    solution = solution_of(np.zeros_like(before))
    return solution, solution.solve(guess, size, correction)


def pushing(table: ContactTable, mu: Array) -> NDArray[np.bool_]:
    """Return a mask of equations whose multipliers are not round-off of an open contact."""
    kept = np.ones(len(mu), dtype=bool)
    kept[table.normal] = mu[table.normal] < 0
    table.scatter(np.repeat((mu[table.normal] < 0)[:, None], 2, axis=1), kept)
    return kept


def stepped_modes(
    table: ContactTable, q: Array, h: float, force: Array, moving: tuple[Array, Array], solution: ContactSolution
) -> tuple[Array, Array]:
    """Return q with the modes of contacts, and their multipliers, for the velocities of the equations and the sizes of
    the terms of these (``moving``).

    A contact is closed if it has a force and does not separate. The multipliers of slip are zero while it slides.
    """
    (rate, size), sets = moving, solution.rows.sets
    size = np.maximum(size[table.normal], -h * force[table.normal] / solution.weights[0])
    pushes = force[table.normal] < 0
    is_closed = pushes & (np.abs(rate[table.normal]) <= CONTACT_ROUNDING * size)
    slides = pushes & (sets == SLIDES) & (table.slips > 0) & (table.friction > 0)
    tangential = table.tangential(force)
    length = np.linalg.norm(tangential, axis=1)
    slides &= length > 0
    q = table.opened(q)
    q[table.closed] = is_closed
    with_slip = table.slips > 0
    sticks = is_closed & with_slip & ~slides & (table.friction > 0)
    q[table.sticks[with_slip]] = sticks[with_slip]
    for k in range(2):
        own = slides & (table.slips > k)
        # Friction pushes along -Wᵀ λ against the slip.
        q[table.direction[own] + k] = tangential[own, k] / length[own]
    kept = np.where(table.rows & pushing(table, force), force, 0.0)
    table.scatter(np.where(slides[:, None], 0.0, table.tangential(kept)), kept)
    return q, kept
