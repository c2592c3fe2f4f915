"""Directions of sliding contacts whose slip turns; as in ``slip_directions.h``.

Friction keeps its side of the stored direction d where the slip γ passes through zero, and γ·d = 0 is the end of
sliding. If γ turns without vanishing, d follows it at the ends of steps, so that γ·d is positive while γ is not zero.
"""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import RESTING_SLIP, TURNED_SLIP
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.mechanics import Mechanics


def follow_slip(
    mechanics: Mechanics, t: float, q: Array, v: Array, multipliers: Array, event: Array
) -> tuple[Array, Array]:
    """Return a configuration and event values with renewed directions of contacts whose slip has turned from them."""
    contacts = mechanics.layout.contacts
    slip, slips, closed, sticks, first, stick = (
        contacts[:, CONTACT_TABLE.index(name)].astype(np.intp)
        for name in ("slip", "slips", "closed", "sticks", "direction", "stick_event")
    )
    own = np.flatnonzero(slips > 1)
    own = own[(q[closed[own]] != 0) & (q[sticks[own]] == 0) & ((q[first[own]] != 0) | (q[first[own] + 1] != 0))]
    if not len(own):
        return q, event
    # The event functions γ·d are linear in d.
    across = q.copy()
    across[first[own]], across[first[own] + 1] = -q[first[own] + 1], q[first[own]]
    sideways = mechanics.events(t, across, v, multipliers)[stick[own]]
    own = own[np.abs(sideways) > TURNED_SLIP * event[stick[own]]]
    if not len(own):
        return q, event
    q, event, full = q.copy(), event.copy(), q.copy()
    full[sticks[own]] = 1.0
    B = mechanics.jacobian(t, full, v)
    rate, size = mechanics.hidden_residual(t, full, v, B), mechanics.algebra.multiply(np.abs(B), np.abs(v))
    for i in own.tolist():
        rows = slice(slip[i], slip[i] + 2)
        if (np.abs(rate[rows]) <= RESTING_SLIP * size[rows]).all():
            continue
        length = float(np.sqrt(np.sum(rate[rows] ** 2)))
        q[first[i] : first[i] + 2] = rate[rows] / length
        event[stick[i]] = length
    return q, event
