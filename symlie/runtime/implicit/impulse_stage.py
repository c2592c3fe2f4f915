"""Velocities after the impulses of a step at a configuration within it, as in ``impulse_step.h``.

    M (v⁺ - v) + h g(t, q, v) + Bᵀ μ = 0,   B v⁺ + b = 0,   laws of impact and friction for W v⁺ + e W v

Contacts with a gap have no impulse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import CONTACT_ROUNDING
from symlie.errors import NotFiniteError
from symlie.runtime.implicit.contact_equations import ContactMatrix
from symlie.runtime.implicit.contact_modes import rebounds, stepped_modes, with_rebounds
from symlie.runtime.implicit.contact_solution import ContactSolution
from symlie.runtime.implicit.newton_iteration import NewtonCounts
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.contacts.table import ContactTable

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


class _ImpulseStage:
    """The equations, for u = (v⁺, μ)."""

    def __init__(self, mechanics: Mechanics, t: float, full: Array, v: Array, push: Array) -> None:
        self._mechanics, self._t, self._q, self._v, self._push = mechanics, t, full, v, push
        self.mass = mechanics.mass(t, full)
        self.jacobian_start = self.jacobian = mechanics.jacobian(t, full, v)

    def residual(self, u: Array) -> Array:
        """Return the residual at u."""
        m, n = self._mechanics, len(self._v)
        r = self._push + m.algebra.pull(self.jacobian, u[n:]) + m.algebra.apply_mass(self.mass, u[:n] - self._v)
        return np.concatenate([m.layout.free * r, m.hidden_residual(self._t, self._q, u[:n], self.jacobian)])

    def check(self, r: Array) -> None:
        """Raise NotFiniteError with the name of the first entry that is not finite."""
        if not np.isfinite(r).all():
            entry, layout = int(np.flatnonzero(~np.isfinite(r))[0]), self._mechanics.layout
            n = layout.dimension
            name = layout.velocity_name(entry) if entry < n else layout.row_name(entry - n)
            raise NotFiniteError(f"The residual of the impulses of a step is not finite at {name}")


def step_impulses(
    mechanics: Mechanics, contacts: tuple[ContactTable, ContactMatrix], t: float, h: float, state: tuple[Array, Array],
    correction: float, counts: NewtonCounts,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return v⁺, q with the modes of contacts, and the impulses divided by h as multipliers."""
    (q, v), (table, matrix), m = state, contacts, mechanics
    n, full = m.layout.dimension, table.full(q)
    stage = _ImpulseStage(m, t, full, v, h * m.force(t, table.opened(q), v))
    bound = CONTACT_ROUNDING * max(1.0, float(np.abs(q).max(initial=0)))
    is_met = m.constraint(t, full)[table.normal] <= bound
    fastest = max(1.0, float(np.abs(v).max(initial=0)))
    none = np.zeros(m.layout.rows)
    solution, u = with_rebounds(
        lambda before: ContactSolution(stage, table, matrix, (none, before), is_met, counts),
        rebounds(table, q, m.hidden_residual(t, full, v, stage.jacobian), fastest),
        np.concatenate([v, none]), fastest, correction,
    )  # fmt: skip
    r, end = stage.residual(u), np.where(m.layout.free, u[:n], 0.0)
    size = m.algebra.multiply(np.abs(stage.jacobian), np.abs(end))
    modes, force = stepped_modes(table, full, h, u[n:] / h, (r[n:], size), solution)
    return end, modes, np.where(table.rows, force, u[n:] / h)
