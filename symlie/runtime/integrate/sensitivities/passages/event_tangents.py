"""Derivatives of events, and the conditions under which a run has derivatives after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.integrate.sensitivities.named_derivatives import OutputDerivatives
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.recorder import Event
from symlie.utilities.showing import line

SAME_TIME = 1e-9
"""Difference of derivatives of equal times, as a motion relative to the tangents of the configuration, up to which they
differ by rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class EventSensitivity(OutputDerivatives):
    """Derivatives of an event of a run, from `Sensitivity.events`; a mapping of the names of outputs to their
    derivatives at the event, shape (components, variables).

    All derivatives are those of the values at the time of the event, which moves with the variables. They are NaN if
    this time has no derivatives, since the event function is zero at the start of the run or touches zero.

    Attributes
    ----------
    event
        The event.
    variables
        Names of the variables with their components.
    time
        Derivatives of its time, in s per unit of the variable, shape (variables,).
    configuration
        Derivatives of the configuration in the Lie algebra, shape (dimension, variables).
    velocity
        Derivatives of the velocity, shape (dimension, variables).
    multipliers
        Derivatives of λ, shape (constraint equations, variables).
    """

    event: Event
    variables: tuple[str, ...]
    time: Array
    configuration: Array
    velocity: Array
    multipliers: Array
    _outputs: Mapping[str, Array]

    def __repr__(self) -> str:
        return line("EventSensitivity", [f"'{self.event.name}'", f"t = {self.event.t:.6g}"])


def check_events(layout: Layout, events: Sequence[Event], found: Sequence[StateTangents]) -> None:
    """Raise ModelError if a run has no derivatives after an event that ends it or changes the state."""
    changes = {(layout.events[k].name, layout.events[k].instance) for k in np.flatnonzero(layout.event_changes)}
    tangents = StateTangents.side_by_side(found)
    before: tuple[Event, Array] | None = None
    for event, time, dq in zip(events, tangents.t[:, 0], tangents.q, strict=True):
        if not (event.is_terminal or (event.name, event.instance) in changes):
            continue
        if not np.isfinite(time).all():
            raise ModelError(
                f"Event '{event.name}' at t = {event.t:.9g} has no derivatives, since its function is zero at the "
                "start of the run or touches zero; change the initial values or parameters."
            )
        if before is not None and event.t == before[0].t:
            speed = np.abs(event.v).max(initial=0.0)
            size = np.abs(dq).max(axis=0, initial=0.0) + speed * np.abs(time)
            if (speed * np.abs(time - before[1]) > SAME_TIME * size).any():
                raise ModelError(
                    f"Events '{before[0].name}' and '{event.name}' are both at t = {event.t:.9g}, but their times "
                    "have different derivatives, so that the run after them has none; change the initial values or "
                    "parameters."
                )
        before = event, time
