"""Directions of reactions of constraints with friction."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array, Layout

PLACES = [CONTACT_TABLE.index(name) for name in ("closed", "sticks", "largest_speed", "reactions", "reaction")]


def turn_reactions(layout: Layout, q: Array, reactions: Array) -> float:
    """Replace the directions of reactions with several components in configurations, shape (…, storage), by those of
    given reactions, and return the largest change of those on which sliding friction acts."""
    largest = 0.0
    for closed, sticks, speed, count, first in layout.turning_reactions[:, PLACES].tolist():
        F, place = reactions[..., first : first + count], slice(speed + 2, speed + 2 + count)
        size = np.linalg.norm(F, axis=-1, keepdims=True)
        found = np.where(size > 0, F / np.where(size > 0, size, 1.0), q[..., place])
        slides = (q[..., closed] != 0) & (q[..., sticks] == 0)
        change = np.abs(found - q[..., place]).max(axis=-1)
        largest = max(largest, float(np.where(slides & np.isfinite(change), change, 0.0).max(initial=0)))
        q[..., place] = found
    return largest
