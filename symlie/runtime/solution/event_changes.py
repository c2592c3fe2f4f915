"""Changes of the state at events: new values of components, and impulses of engaged constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from symlie.contract.constants import ENGAGED, VELOCITY_STEPS
from symlie.contract.manifest import CONTACT_EVENTS
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Event
from symlie.runtime.system.contacts.switching import ContactSwitching, Fired, Switched
from symlie.runtime.system.mechanics import Mechanics

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution


class Changed(NamedTuple):
    """State after events."""

    q: Array
    v: Array
    impulses: Array
    """Λ of M (v⁺ - v⁻) + BᵀΛ = 0, where v⁻ follows resets, shape (rows,); zero unless a constraint is engaged."""
    moves: bool
    """True if the configuration or activities of constraints have changed."""


def changed(mechanics: Mechanics, t: float, q: Array, v: Array, multipliers: Array, events: Iterable[int]) -> Changed:
    """State after the changes of events, given by their numbers among all event values; constraints are not checked."""
    layout = mechanics.layout
    values = mechanics.resets(t, q, v, multipliers)
    q, v, moves, engages = q.copy(), v.copy(), False, False
    for event in events:
        for _, component, result in layout.changes[layout.changes[:, 0] == event].tolist():
            value = float(result == ENGAGED) if result < 0 else values[result]
            if component < layout.dimension:
                v[component] = value
            else:
                q[component - layout.dimension], moves = value, True
            engages |= result == ENGAGED
    mechanics.prescribe(t, q, v)
    q = mechanics.with_angles(t, q) if moves else q
    impulses = np.zeros(layout.rows)
    for _ in range((VELOCITY_STEPS if layout.has_nonlinear_rows else 1) if engages else 0):
        B = mechanics.jacobian(t, q, v)
        at_rest = np.zeros(layout.dimension)
        change, further = mechanics.saddle(mechanics.mass(t, q), B, B, at_rest, -mechanics.hidden_residual(t, q, v, B))
        v, impulses = v + change, impulses + further
    return Changed(q, v, impulses, moves)


def contacts_at_events(
    mechanics: Mechanics, t: float, q: Array, v: Array, events: Iterable[int], end: float, *, treatment: int
) -> Switched:
    """State after the changes of contacts at events, given by their numbers; see `ContactSwitching.switched`."""
    kinds: list[set[int]] = [set() for _ in CONTACT_EVENTS]
    for event in events:
        if (found := int(mechanics.layout.contact_of_event[event])) >= 0:
            kinds[found % len(kinds)].add(found // len(kinds))
    return ContactSwitching(mechanics, treatment=treatment).switched(t, q, v, Fired(*kinds), end)


def impulses_at(solution: Solution, event: Event) -> dict[str, Array]:
    """See `symlie.runtime.solution.solution.Solution.impulses`."""
    if not any(e is event for e in solution.events):
        raise ModelError("The event belongs to another solution; use one of solution.events.")
    layout, mechanics = solution.system.layout, solution.system.mechanics
    index = {(value.name, value.instance): k for k, value in enumerate(layout.events)}
    at_once = [index[e.name, e.instance] for e in solution.events if e.t == event.t and np.array_equal(e.v, event.v)]
    rows = layout.changes[layout.changes[:, 2] == ENGAGED]
    if not set(rows[:, 0].tolist()) & set(at_once):
        return {}
    found = changed(mechanics, event.t, event.q, event.v, event.multipliers, at_once).impulses
    return {name: found[part.rows if part.is_array else part.rows[0]] for name, part in layout.constraints.items()}
