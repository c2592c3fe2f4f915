"""Changes of the state at events in a time loop in NumPy; see ``event_changes.h``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.contract.constants import CONTACT_ROUNDING, POSITION_TOLERANCE, TIME_RESOLUTION, VELOCITY_TOLERANCE
from symlie.errors import InconsistentResetError, NotFiniteError, TooManyImpactsError
from symlie.runtime.integrate.loop_state import Counters
from symlie.runtime.integrate.within.event_search import AT_START
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.stepper import State, Stepper
from symlie.runtime.solution.event_changes import changed, contacts_at_events
from symlie.runtime.system.mechanics import Mechanics

_CLOSED_AND_SPEED = [CONTACT_TABLE.index(name) for name in ("closed", "largest_speed")]
_TOUCH_EVENT = CONTACT_TABLE.index("touch_event")


def change_state(
    stepper: Stepper, state: State, events: Sequence[int], counters: Counters, end: float
) -> tuple[Array, float]:
    """Apply the changes of events at the time of a state, and return the values of all event functions afterwards, with
    the shortest time until a contact closes again, 0 if it is unknown.

    A function of such an event that remains zero counts as not yet zero. The state may advance to a time before
    ``end``. In time stepping contacts do not take part: the next step contains their impulses, and λ remains that of
    the last step.
    """
    mechanics, control = stepper.mechanics, stepper.control
    layout, t, flight, modes = mechanics.layout, state.t, 0.0, state.q
    if stepper.steps_over:
        state.q = stepper.contacts[0].opened(state.q)
    before = stepper.events(t, state.q, state.v, state.multipliers)
    _, known = _sized_residual(mechanics, t, state.q, state.v)
    state.q, state.v, _, moves = changed(mechanics, t, state.q, state.v, state.multipliers, events)
    if len(layout.contacts) and not stepper.steps_over:
        found = contacts_at_events(mechanics, t, state.q, state.v, events, end, treatment=control.impacts)
        counters.impacts += bool((found.impulses[layout.contacts[:, 0]] > 0)[layout.contacts[:, 0] >= 0].any())
        if counters.impacts > control.most_impacts:
            raise TooManyImpactsError(f"There are more than {control.most_impacts} impacts.")
        t, state.q, state.v, flight, moves = found.t, found.q, found.v, found.flight, True
        if counters.changes_at_once > 0 and not _is_later(counters, t):
            state.q = _with_slack(layout, state.q, events)
        state.t = t
    if not (np.isfinite(state.q).all() and np.isfinite(state.v).all()):
        raise NotFiniteError("The state after an event is not finite.")
    if layout.rows:
        _check(mechanics, state, moves, float(np.abs(known).max(initial=0)), counters.largest_constraint)
        if stepper.steps_over:
            state.q = stepper.contacts[0].with_modes(state.q, modes)
        else:
            state.multipliers = mechanics.index1(t, state.q, state.v)[1]
    after = stepper.events(t, state.q, state.v, state.multipliers)
    for event in events:
        if after[event] == before[event]:
            after[event] = -AT_START * layout.events[event].direction
    return after, flight


def _with_slack(layout: Layout, q: Array, events: Sequence[int]) -> Array:
    """Return a configuration in which open contacts whose gap remains zero up to rounding touch only beyond rounding:
    they separate too slowly for the next steps."""
    q = q.copy()
    size = float(np.abs(q[: layout.node_storage]).max(initial=0))
    touched = layout.contacts[np.isin(layout.contacts[:, _TOUCH_EVENT], events)]
    for closed, speed in touched[:, _CLOSED_AND_SPEED].tolist():
        if q[closed] == 0:
            q[speed + 1] = 2 * CONTACT_ROUNDING * size
    return q


def _is_later(counters: Counters, t: float) -> bool:
    """Return whether time separates a change from the last one."""
    return not t - counters.changed_at < TIME_RESOLUTION * max(abs(t), abs(counters.changed_at))


def time_goes_on(counters: Counters, t: float, events: int, flight: float) -> bool:
    """Count changes that time does not separate; False if there are more than events, so that they accumulate.

    ``flight`` is the time until the next impact if it is known, otherwise 0.
    """
    apart, is_first = t - counters.changed_at, counters.changes_at_once == 0
    is_later = _is_later(counters, t)
    if not is_first and is_later:
        counters.flight = apart
    counters.changes_at_once = 1 if is_first or is_later else counters.changes_at_once + 1
    counters.flight = flight or counters.flight
    counters.changed_at = t
    return counters.changes_at_once <= events + 1


def violation(mechanics: Mechanics, t: float, q: Array, v: Array) -> str:
    """Description of the constraint equation that a state violates most."""
    phi, (size, residual) = mechanics.constraint(t, q), _sized_residual(mechanics, t, q, v)
    relative = np.abs(residual) / np.maximum(1, size), np.abs(phi) / max(1.0, float(np.abs(q).max(initial=0)))
    is_position = bool(relative[1].max(initial=0) > relative[0].max(initial=0))
    row, name = int(np.argmax(relative[is_position])), "Φ" if is_position else "B v + b"
    return f"{mechanics.layout.row_name(row)}: {name} = {(phi if is_position else residual)[row]:.3g}"


def _sized_residual(mechanics: Mechanics, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the sizes of the terms of B v + b, and its values."""
    if not mechanics.layout.rows:
        return np.zeros(0), np.zeros(0)
    B = mechanics.jacobian(t, q, v)
    return mechanics.algebra.multiply(np.abs(B), np.abs(v)), mechanics.hidden_residual(t, q, v, B)


def _check(mechanics: Mechanics, state: State, moves: bool, known: float, drift: float) -> None:
    """Raise `InconsistentResetError` if a changed state violates constraints.

    Methods that satisfy constraints of velocities only approximately leave the residual ``known``.
    """
    t, q, v = state.t, state.q, state.v
    phi = mechanics.constraint(t, q) if moves else np.zeros(0)
    bound = POSITION_TOLERANCE * max(1.0, float(np.abs(q).max(initial=0))) + 2 * drift
    size, residual = _sized_residual(mechanics, t, q, v)
    is_kept = np.abs(residual) <= VELOCITY_TOLERANCE * np.maximum(1, size) + 2 * known
    if not (np.abs(phi).max(initial=0) <= bound and is_kept.all()):
        raise InconsistentResetError("The state after an event violates a constraint.")
