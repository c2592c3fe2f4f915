"""Discrete states of systems with changes at events: modes of contacts, and constraints that are in force."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.event_changes import CONTACT_TABLE, FIRST_EVENT
from symlie.runtime.layout.layout import Layout


def angle_places(layout: Layout) -> NDArray[np.intp]:
    """Return the indices of unwrapped angles in a configuration, without discrete states, shape (angles,)."""
    mask = np.zeros(layout.storage, dtype=bool)
    mask[layout.unwrapped] = True
    for places in layout.activity_places:
        mask[places] = False
    return np.flatnonzero(mask)


def gaps(layout: Layout) -> NDArray[np.bool_]:
    """Return flags of event values that are gaps of contacts, shape (events,)."""
    touches = layout.contacts[layout.contacts[:, CONTACT_TABLE.index("normal")] >= 0, FIRST_EVENT]
    mask = np.zeros(len(layout.events), dtype=bool)
    mask[touches[touches >= 0]] = True
    return mask


def modes(layout: Layout) -> Iterator[tuple[str, str, int, int]]:
    """Yield name, meaning, first index in a configuration and size of each discrete state."""
    table = {name: layout.contacts[:, CONTACT_TABLE.index(name)].tolist() for name in CONTACT_TABLE}
    for k, name in enumerate(layout.contact_names):
        what = f"contact {name}" if table["normal"][k] >= 0 else f"friction {name}"
        if table["normal"][k] >= 0:
            yield f"{name}.closed", f"1 if {what} is closed", table["closed"][k], 1
        if (slips := table["slips"][k]) > 0:
            yield f"{name}.sticks", f"1 if {what} sticks", table["sticks"][k], 1
            yield f"{name}.direction", f"direction in which {what} slides", table["direction"][k], slips
            implied = f"1 if other equations imply that {what} sticks"
            yield f"{name}.implied", implied, table["direction"][k] + slips, slips
    of_contacts = {*table["closed"], *table["sticks"]}
    for name, part in layout.constraints.items():
        found = np.unique(layout.row_activities[part.rows.ravel()]).tolist()
        places = [k for k in found if k >= 0 and k not in of_contacts]
        for number, k in enumerate(places, start=1):
            label = f"{name}[{number}]" if len(places) > 1 else name
            yield f"{label}.in_force", f"1 if constraint {label} is in force", k, 1
