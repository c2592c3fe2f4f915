"""Changes of the state and of activities of constraints at events, as indices of the vectors of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import ENGAGED, RELEASED
from symlie.contract.manifest import CONTACT_EVENTS

if TYPE_CHECKING:
    from symlie.runtime.layout.layout import Array, Layout


def changes_at_events(layout: Layout) -> NDArray[np.int32]:
    """See `Layout.changes`."""
    rows, result, event = [np.zeros((0, 3), dtype=np.int32)], 0, 0
    for element, velocities, stored in zip(layout.elements, layout.places, layout.stored_places, strict=True):
        for own_v, own_q in zip(velocities, stored, strict=True):
            for k, reset in enumerate(element.resets):
                place = own_v[reset.component] if reset.is_velocity else layout.dimension + own_q[reset.component]
                rows.append(np.array([[event + reset.event, place, result + k]], dtype=np.int32))
            event, result = event + len(element.events), result + len(element.resets)
    names = {value.name: k for k, value in enumerate(layout.events)}
    for stated in layout.manifest.engagements:
        for place in _activities_of(layout, stated.constraint).ravel() if stated.event else ():
            to = ENGAGED if stated.is_engaged else RELEASED
            rows.append(np.array([[names[stated.event], layout.dimension + place, to]], dtype=np.int32))
    return np.concatenate(rows)


UNDETERMINED = -1.0
"""Largest speed of approach of a contact whose mode at the start of a run is not known yet."""

CONTACT_TABLE = (
    "normal", "slip", "slips", "closed", "sticks", "direction", "largest_speed",
    *(f"{kind}_event" for kind in CONTACT_EVENTS), "reactions", "reaction",
)  # fmt: skip
"""Columns of `Layout.contacts`: equations, number of slip velocities, indices in a configuration, event values, number
of components of a reaction and index of the first one among all of them. In a configuration, flags of equations of slip
that others imply follow the direction, and the direction of a reaction follows the force that is round-off."""

FIRST_EVENT = CONTACT_TABLE.index(f"{CONTACT_EVENTS[0]}_event")
"""Column of the first event of a contact."""


def contact_table(layout: Layout) -> NDArray[np.int32]:
    """See `Layout.contacts`."""
    rows, first_event, reaction = [np.zeros((0, len(CONTACT_TABLE)), dtype=np.int32)], 0, 0
    parts = zip(layout.elements, layout.row_places, layout.activity_places, strict=True)
    for element, equations, places in parts:
        for own_rows, own_places in zip(equations, places, strict=True):
            for c in element.contacts:
                at = [own_places[k] if k >= 0 else -1 for k in (c.closed, c.sticks, c.direction, c.largest_speed)]
                events = [first_event + k if k >= 0 else -1 for k in c.events]
                normal, slip = (own_rows[k] if k >= 0 else -1 for k in (c.normal, c.slip))
                row = [normal, slip, c.slips, *at, *events, c.reactions, reaction]
                rows.append(np.array([row], dtype=np.int32))
                reaction += c.reactions
            first_event += len(element.events)
    return np.concatenate(rows)


def implied_places(layout: Layout) -> NDArray[np.intp]:
    """Return the indices in a configuration of numbers that are 1 for equations of slip that others imply."""
    contacts = layout.contacts[:, [CONTACT_TABLE.index(name) for name in ("direction", "slips")]].tolist()
    return np.array([first + slips + k for first, slips in contacts for k in range(slips)], dtype=np.intp)


def contacts_of_events(layout: Layout) -> NDArray[np.int32]:
    """See `Layout.contact_of_event`."""
    found = np.full(len(layout.events), -1, dtype=np.int32)
    events = layout.contacts[:, FIRST_EVENT : FIRST_EVENT + len(CONTACT_EVENTS)]
    contacts, kinds = np.nonzero(events >= 0)
    found[events[contacts, kinds]] = len(CONTACT_EVENTS) * contacts + kinds
    return found


def initial_activities(layout: Layout) -> Array:
    """See `Layout.initial_activities`: a constraint starts released if it is released then, or only engaged later.

    Contacts are open and have no modes yet.
    """
    values, released = np.zeros(layout.storage - layout.node_storage), set[str]()
    for places in layout.activity_places:
        values[places - layout.node_storage] = 1.0
    for name in dict.fromkeys(e.constraint for e in layout.manifest.engagements):
        stated = [e for e in layout.manifest.engagements if e.constraint == name]
        if any(not e.event for e in stated) or all(e.is_engaged for e in stated):
            released.add(name)
    for name in released:
        values[_activities_of(layout, name) - layout.node_storage] = 0.0
    for contact in layout.contacts:
        modes = contact[[CONTACT_TABLE.index(name) for name in ("closed", "sticks", "direction")]]
        kept = [*modes[:2], *(modes[2] + np.arange(2 * contact[CONTACT_TABLE.index("slips")]))]
        values[[int(p) - layout.node_storage for p in kept if p >= 0]] = 0.0
        largest = contact[CONTACT_TABLE.index("largest_speed")] - layout.node_storage
        values[largest : largest + 2] = UNDETERMINED, 0.0
        values[largest + 2 : largest + 2 + contact[CONTACT_TABLE.index("reactions")]] = 0.0
    return values


def row_activities(layout: Layout) -> NDArray[np.int32]:
    """See `Layout.row_activities`."""
    found = np.full(layout.rows, -1, dtype=np.int32)
    for element, rows, places in zip(layout.elements, layout.row_places, layout.activity_places, strict=True):
        own = np.array([c.activity for c in element.constraints for _ in range(c.size)], dtype=np.int64)
        for column in np.flatnonzero(own >= 0):
            found[rows[:, column]] = places[:, own[column]]
    return found


def _activities_of(layout: Layout, name: str) -> NDArray[np.int64]:
    """Return the indices of the activities of a joint or constraint in a configuration."""
    if name in layout.named_instances:
        element, instance = layout.named_instances[name]
        return np.asarray(layout.activity_places[element][instance])
    kinds = [(k, c) for k, e in enumerate(layout.elements) for c in e.constraints if c.name == name and c.activity >= 0]
    element, constraint = kinds[0]
    return np.asarray(layout.activity_places[element][:, constraint.activity])
