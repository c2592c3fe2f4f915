"""Selection of the valid states of a failed run: those before a conservative system lost its energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

LOST_ENERGY = 0.25
"""Change of the energy, relative to the largest kinetic energy up to that time, above which a state is invalid."""

MOST_STATES = 10_000
"""Number of final states that are examined."""


def good_states(system: System, t: Array, q: Array, v: Array) -> int:
    """Return the number of valid states (t, q, v) of a failed run: all, if the model does not conserve energy."""
    if not (system.layout.conserves_energy and len(t)):
        return len(t)
    first = max(0, len(t) - MOST_STATES)
    rows = [0, *range(max(first, 1), len(t))]
    with np.errstate(all="ignore"):
        energies = np.array([system.mechanics.energy(t[k], q[k], v[k]) for k in rows])
        kinetic, change = energies[:, 0], np.abs(energies.sum(axis=1) - energies[0].sum())
    if not np.isfinite(change[0]):
        return len(t)
    is_lost, largest = np.zeros(len(rows), dtype=bool), kinetic[0]
    for k in range(len(rows)):
        scale = np.fmax(largest, kinetic[k])
        is_lost[k] = not change[k] <= LOST_ENERGY * scale and change[k] != 0
        largest = largest if is_lost[k] else scale
    lost_from_here = np.cumsum(is_lost[::-1])[::-1]
    wrong = is_lost & (2 * lost_from_here >= np.arange(len(rows), 0, -1))
    return rows[int(np.argmax(wrong))] if wrong.any() else len(t)
