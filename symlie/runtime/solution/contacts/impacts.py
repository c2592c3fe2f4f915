"""Impacts of contacts in a solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from symlie.contract.manifest import CONTACT_EVENTS
from symlie.errors import ModelError
from symlie.options import Impacts
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import method_of_run
from symlie.runtime.solution.event_changes import changed, contacts_at_events
from symlie.runtime.system.contacts.switching import Switched
from symlie.runtime.system.contacts.table import ContactTable
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
