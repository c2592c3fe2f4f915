"""Accumulation of events, such as impacts of a ball: the times between them fall below the resolution of
time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symlie.contract.constants import TIME_RESOLUTION
from symlie.runtime.integrate.loop_state import Counters
from symlie.runtime.solution.recorder import Event

if TYPE_CHECKING:
    from symlie.runtime.integrate.run import Run

ACCUMULATION = "accumulation"
"""Status of a run that ends with such an event."""


def accumulating_event(run: Run, events: Sequence[Event], counters: Counters) -> Event | None:
    """Event with which a run ends because it recurs within the resolution of time: the last one that changed the state,
    or a terminal event at the start of a function that has left or crossed zero."""
    if counters.changes_at_once > len(run.system.layout.events) + 1:
        return events[-1] if events else None
    begin, at = run.begin.t, run.begin.at
    for event in events:
        if event.is_terminal and begin < event.t < begin + TIME_RESOLUTION * max(abs(begin), abs(event.t)):
            values = run.system.mechanics.events(begin, at.q, at.v, at.multipliers)
            for function, value in zip(run.system.layout.events, values, strict=True):
                is_it = (function.name, function.instance) == (event.name, event.instance)
                if is_it and (value == 0 or value * function.direction > 0):
                    return event
    return None
