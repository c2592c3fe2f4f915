"""Changes of the state at events: new values of components, and impulses of engaged constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from symlie.contract.constants import ENGAGED, VELOCITY_STEPS
from symlie.contract.manifest import CONTACT_EVENTS
from symlie.errors import ModelError
from symlie.options import Impacts
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import method_of_run
from symlie.runtime.solution.recorder import Event
from symlie.runtime.system.contacts.switching import ContactSwitching, Fired, Switched
from symlie.runtime.system.contacts.table import ContactTable
from symlie.runtime.system.mechanics import Mechanics
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution


@dataclass(frozen=True, eq=False, repr=False)
class Impact(Brief):
    """Impact of contacts, from `Solution.impacts`."""

    t: float
    """Time, in s."""
    contacts: tuple[str, ...]
    """Names of the contacts with impulses."""
    impulses: dict[str, Array]
    """Impulse of each of these contacts: the normal one, then those of friction along the slip velocities, in N s;
    of friction of constraints those along its slip velocities."""
    reactions: dict[str, Array]
    """Impulses Λ of constraints by name, with the force -BᵀΛ, in N s or N m s."""
    energy_loss: float
    """Decrease of the energy, in J."""
    duration: float
    """Time that the impact takes, in s: zero unless it stands for the rest of a sequence of impacts; in time stepping
    the length of its step."""


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


def impacts_of(solution: Solution) -> list[Impact]:
    """See `symlie.runtime.solution.solution.Solution.impacts`."""
    layout, mechanics = solution.system.layout, solution.system.mechanics
    if solution.settings and method_of_run(solution.method, solution.settings).steps_over(layout):
        return _impacts_in_steps(solution)
    index = {(value.name, value.instance): k for k, value in enumerate(layout.events)}
    touches = layout.contact_of_event % len(CONTACT_EVENTS) == 0
    found: list[Impact] = []
    times = sorted({e.t for e in solution.events})
    for t in times:
        here = [e for e in solution.events if e.t == t]
        for before in {tuple(e.v): e for e in here}.values():
            at_once = [index[e.name, e.instance] for e in here if np.array_equal(e.v, before.v)]
            if not (touches & (layout.contact_of_event >= 0))[at_once].any():
                continue
            q, v, _, _ = changed(mechanics, t, before.q, before.v, before.multipliers, at_once)
            end = next((later for later in times if later > t), float(solution.t[-1]) + np.finfo(float).tiny)
            treatment = get_args(Impacts).index(solution.settings.get("impacts", "newton"))
            after = contacts_at_events(mechanics, t, q, v, at_once, end, treatment=treatment)
            found += _impact(solution, t, (q, v), after)
    return found


def _impacts_in_steps(solution: Solution) -> list[Impact]:
    """Impacts in steps of time stepping, each at the end of its step: contacts that were open before have a force.
    Impulses are those of the whole step."""
    layout, mechanics, found = solution.system.layout, solution.system.mechanics, list[Impact]()
    if not len(layout.contacts) or len(solution.t) < 2:
        return found
    if len(solution.t) <= solution.statistics.accepted:
        raise ModelError("Impacts of time stepping are known from all of its states; use record_every=1.")
    table = ContactTable(mechanics)
    for k in np.flatnonzero((solution.multipliers[1:, table.normal] < 0).any(axis=1)).tolist():
        h, force, closed = solution.t[k + 1] - solution.t[k], solution.multipliers[k + 1], solution.q[k, table.closed]
        met = np.flatnonzero((force[table.normal] < 0) & (closed == 0))
        # A state after a reset has the forces of the step before it.
        if not (h > 0 and len(met)):
            continue
        friction = table.friction_forces(solution.q[k + 1], force)
        impulses = {
            layout.contact_names[i]: np.append(-h * force[table.normal[i]], h * friction[i, : table.slips[i]])
            for i in met.tolist()
        }
        energies = [mechanics.energy(solution.t[n], solution.q[n], solution.v[n]).sum() for n in (k, k + 1)]
        found.append(
            Impact(float(solution.t[k + 1]), tuple(impulses), impulses, {}, float(energies[0] - energies[1]), float(h))
        )
    return found


def _impact(solution: Solution, t: float, before: tuple[Array, Array], after: Switched) -> list[Impact]:
    layout, mechanics = solution.system.layout, solution.system.mechanics
    own = {
        name: [*([normal] if normal >= 0 else []), *range(slip, slip + slips)]
        for name, (normal, slip, slips) in zip(layout.contact_names, layout.contacts[:, :3].tolist(), strict=True)
    }
    impulses = {name: after.impulses[rows] for name, rows in own.items() if after.impulses[rows[0]] != 0}
    names = dict(zip(layout.contact_names, layout.contacts[:, 0].tolist(), strict=True))
    met = tuple(name for name in impulses if names[name] >= 0)
    if not met:
        return []
    of_contacts = {row for rows in own.values() for row in rows}
    reactions = {
        name: after.reactions[part.rows if part.is_array else part.rows[0]]
        for name, part in layout.constraints.items()
        if not set(part.rows.ravel().tolist()) <= of_contacts
    }
    energies = [mechanics.energy(t, *before).sum(), mechanics.energy(after.t, after.q, after.v).sum()]
    loss = float(energies[0] - energies[1])
    return [Impact(t, met, impulses, reactions, loss, after.t - t)]


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
