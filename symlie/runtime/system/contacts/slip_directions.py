"""Directions of sliding contacts whose slip turns; as in ``slip_directions.h``.

Friction keeps its side of the stored direction d where the slip γ passes through zero, and γ·d = 0 is the end of
sliding. If γ turns without vanishing, d follows it at the ends of steps, so that γ·d is positive while γ is not zero.
While γ is small, its direction is stiff, and its turn in a step limits the length of adaptive steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import (
    CONTACT_ROUNDING,
    LARGEST_SLIP_TURN,
    LARGEST_TURN_ERROR,
    RESTING_SLIP,
    SLOW_SLIP,
    TURNED_SLIP,
)
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.mechanics import Mechanics


def turning_error(mechanics: Mechanics, times: tuple[float, float], start: Motion, end: Motion) -> float:
    """Return an error of a step between two times in which slow slip turns, relative to the tolerances; 0 if none does.

    Slip that vanishes within the rounding of the time does not count.
    """
    begin, t = times
    own, table = _in_plane(mechanics, start.q)
    if not len(own):
        return 0.0
    (a0, s0), (a1, s1) = (_components(mechanics, t, motion, own) for motion in (start, end))
    cross, along = np.abs(a0 * s1 - s0 * a1), a0 * a1 + s0 * s1
    turned = (along > 0) & (cross > LARGEST_SLIP_TURN * along)
    if not turned.any():
        return 0.0
    full = end.q.copy()
    full[table["sticks"][own]] = 1.0
    size = mechanics.algebra.multiply(np.abs(mechanics.jacobian(t, full, end.v)), np.abs(end.v))
    terms = np.hypot(size[table["slip"][own]], size[table["slip"][own] + 1])
    first, last = np.hypot(a0, s0), np.hypot(a1, s1)
    turned &= (np.maximum(first, last) <= SLOW_SLIP * terms) & (first > CONTACT_ROUNDING * terms)
    turned &= first * (t - begin) > CONTACT_ROUNDING * abs(t) * np.hypot(a1 - a0, s1 - s0)
    if not turned.any():
        return 0.0
    angle = float((cross[turned] / along[turned]).max()) / LARGEST_SLIP_TURN
    return min(angle * angle * (angle * angle), LARGEST_TURN_ERROR)


class Motion(NamedTuple):
    """State with its multipliers."""

    q: Array
    v: Array
    multipliers: Array


def _in_plane(mechanics: Mechanics, q: Array) -> tuple[NDArray[np.intp], dict[str, NDArray[np.intp]]]:
    """Return the contacts that slide in two directions, and the columns of the table of contacts."""
    table = {name: mechanics.layout.contacts[:, k].astype(np.intp) for k, name in enumerate(CONTACT_TABLE)}
    own, first = np.flatnonzero(table["slips"] > 1), table["direction"]
    is_sliding = (q[table["closed"][own]] != 0) & (q[table["sticks"][own]] == 0)
    return own[is_sliding & ((q[first[own]] != 0) | (q[first[own] + 1] != 0))], table


def _components(mechanics: Mechanics, t: float, motion: Motion, own: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return the components of the slip along and across the stored directions, in which the event functions are
    linear."""
    first, stick = (mechanics.layout.contacts[own, CONTACT_TABLE.index(name)] for name in ("direction", "stick_event"))
    across = motion.q.copy()
    across[first], across[first + 1] = -motion.q[first + 1], motion.q[first]
    along, sideways = (mechanics.events(t, q, motion.v, motion.multipliers)[stick] for q in (motion.q, across))
    return along, sideways


def follow_slip(
    mechanics: Mechanics, t: float, q: Array, v: Array, multipliers: Array, event: Array
) -> tuple[Array, Array]:
    """Return a configuration and event values with renewed directions of contacts whose slip has turned from them."""
    own, table = _in_plane(mechanics, q)
    slip, sticks, first, stick = (table[name] for name in ("slip", "sticks", "direction", "stick_event"))
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
