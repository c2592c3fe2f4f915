"""Impulses of constraints at events of a solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import ENGAGED
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.event_changes import changed
from symlie.runtime.solution.recorder import Event

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution


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
