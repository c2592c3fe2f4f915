"""Contacts of a system as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.event_changes import CONTACT_TABLE, implied_places
from symlie.runtime.layout.layout import Array, Layout

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


class ContactTable:
    """Contacts of a system: their equations, their places in a configuration, and their laws."""

    def __init__(self, mechanics: Mechanics) -> None:
        layout: Layout = mechanics.layout
        table = {name: layout.contacts[:, k].astype(np.intp) for k, name in enumerate(CONTACT_TABLE)}
        self.normal, self.slips = table["normal"], table["slips"]
        second = np.where(self.slips > 1, table["slip"] + 1, -1)
        self.tangents = np.stack([np.where(self.slips > 0, table["slip"], -1), second], axis=1)
        self.closed, self.sticks = table["closed"], table["sticks"]
        self.direction, self.largest_speed = table["direction"], table["largest_speed"]
        self._implied = implied_places(layout)
        laws = mechanics.kernels.contacts(mechanics.p, 0.0, np.zeros(layout.storage))
        self.friction, self.restitution = laws.reshape(-1, 2).T
        self.rows = np.zeros(layout.rows, dtype=bool)
        self.rows[self.normal] = True
        self.rows[self.tangents[self.tangents >= 0]] = True

    def opened(self, q: Array) -> Array:
        """Return a configuration with all contacts open."""
        return self._with(q, 0.0)

    def full(self, q: Array) -> Array:
        """Return a configuration with the equations of all contacts in force."""
        return self._with(q, 1.0)

    def with_modes(self, q: Array, other: Array) -> Array:
        """Return a configuration with the modes of contacts of another one."""
        return np.where(self.opened(np.ones_like(q)) == 0, other, q)

    def _with(self, q: Array, activity: float) -> Array:
        q = q.copy()
        q[self.closed] = activity
        q[self.sticks[self.slips > 0]] = activity
        q[self.largest_speed] = q[self.largest_speed + 1] = 0.0
        for k in range(2):
            q[self.direction[self.slips > k] + k] = 0.0
        q[self._implied] = 0.0
        return q

    def tangential(self, values: Array) -> Array:
        """Return the tangential entries of a vector of all equations, shape (contacts, 2), zero for missing ones."""
        return np.where(self.tangents >= 0, values[np.maximum(self.tangents, 0)], 0.0)

    def scatter(self, tangential: Array, values: Array) -> None:
        """Store tangential entries in a vector of all equations."""
        there = self.tangents >= 0
        values[self.tangents[there]] = tangential[there]

    def friction_forces(self, q: Array, multipliers: Array) -> Array:
        """Return the friction of each contact along its slip velocities, shape (contacts, 2), for the multipliers of
        time stepping."""
        direction = np.zeros((len(self.slips), 2))
        for k in range(2):
            own = self.slips > k
            direction[own, k] = q[self.direction[own] + k]
        sliding = self.friction * multipliers[self.normal]
        return sliding[:, None] * direction - self.tangential(multipliers)
