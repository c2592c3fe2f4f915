"""Derivatives of the state at the start of a run.

Initial values are functions of the variables, and velocities are completed. Both are differentiated by central
differences of order six,

    δx = (45 (x₁ - x₋₁) - 9 (x₂ - x₋₂) + (x₃ - x₋₃)) / (60 ε),   x_k = x(p + k ε)  (1)

whose error is about (ε/p)⁶ and rounding divided by ε/p. Changed initial values that violate constraints are assembled:
they change as little as possible. The derivative of the assembled configuration follows from the implicit function
theorem, see `starts.configurations`. Stored components of configurations are differentiated; the tangent δ in the Lie
algebra has their rate. The derivative of λ follows from the acceleration-level system. Variables that leave the bits of
the state have the derivative zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.errors import InconsistentInitialValuesError, ModelError
from symlie.runtime.integrate.sensitivities.starts.configurations import ConsistentConfigurations
from symlie.runtime.integrate.sensitivities.starts.corners import (
    check_corners,
    check_input_corners,
    check_parameter_corners,
    functions_of_runs,
)
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.start import Start, start_of
from symlie.runtime.system.system import System

RELATIVE = 2.0**-9
"""ε relative to the size of the values of a variable; a power of two, so that p ± kε is exact for many values."""

WEIGHTS = (45 / 60, -9 / 60, 1 / 60)
"""Weights of (1)."""

PLACES = (1, -1, 2, -2, 3, -3)
"""Numbers k of (1)."""


def start_tangents(system: System, t: float, q: Array, variables: Sequence[Variable]) -> tuple[Array, Array]:
    """Return the derivatives of q and v at time t by the variables, shape (variables, dimension)."""
    layout = system.layout
    count = len(variables)
    stored, dv = np.zeros((count, layout.storage)), np.zeros((count, layout.dimension))
    if not (any(v.changes_start for v in variables) or any(e.switches for e in layout.elements)):
        return np.zeros_like(dv), dv
    base = start_of(system, t)
    check_parameter_corners(system, variables, lambda moved: functions_of_runs(moved, t, base.q, base.v))
    check_input_corners(system, t, (base.q, base.v), variables)
    for k, variable in enumerate(variables):
        if not variable.changes_start:
            continue
        step = RELATIVE * variable.size(system)
        moved = variable.moved(system, step)
        if _has_start(moved, t, base, system):
            continue
        first = _start(moved, t)
        if first is not None and np.array_equal(first.q, base.q) and np.array_equal(first.v, base.v):
            continue
        starts = _starts(system, t, base, variable, step)
        stored[k], dv[k] = (_difference(x, step) for x in ([s.q for s in starts], [s.v for s in starts]))
    dq = in_algebra(system, q, stored)
    check_corners(system, t, (base.q, base.v), variables, (dq, dv))
    return dq, dv


def _has_start(moved: System, t: float, base: Start, system: System) -> bool:
    """Return whether a start with specified velocities is also that of another system; masses do not matter then, of
    which changes may be no inertia."""
    stated, specified = system.stated_state(), moved.stated_state()
    if stated.conditions or stated.rates is not None or len(system.layout.contacts):
        return False
    pairs = [(stated.q, base.q), (stated.v, base.v), (stated.q, specified.q), (stated.v, specified.v)]
    if not all(np.array_equal(x, y) for x, y in pairs):
        return False
    jacobians = [x.mechanics.jacobian(t, base.q, base.v) for x in (system, moved)]
    rows = [
        (x.mechanics.constraint(t, base.q), x.mechanics.hidden_residual(t, base.q, base.v, B))
        for x, B in zip((system, moved), jacobians, strict=True)
    ]
    return all(np.array_equal(x, y) for x, y in zip(*rows, strict=True))


def _starts(system: System, t: float, base: Start, variable: Variable, step: float) -> list[Start]:
    """Return the starts x_k of (1), assembled if one of them violates constraints."""
    moved = [variable.moved(system, k * step) for k in PLACES]
    starts = [start for x in moved if (start := _start(x, t)) is not None]
    if _change_modes(system, base, starts):
        raise _change_of_modes(system, variable)
    if len(starts) == len(moved):
        return starts
    configurations = ConsistentConfigurations(system, t, base.q)
    specified = in_algebra(system, base.q, _difference([configurations.specified(x) for x in moved], step)[None])[0]
    violation = _difference([configurations.violation(x) for x in moved], step)
    configured = configurations.along(configurations.direction(specified, violation))
    try:
        starts = [consistent_start(configured(x, k * step), t)[1] for k, x in zip(PLACES, moved, strict=True)]
    except InconsistentInitialValuesError:
        if not len(system.layout.contacts):
            raise
        raise _change_of_modes(system, variable) from None
    if _change_modes(system, base, starts):
        raise _change_of_modes(system, variable)
    return starts


def _start(system: System, t: float) -> Start | None:
    """Return the state of a system at time t, or None if its initial values violate constraints."""
    try:
        return start_of(system, t)
    except InconsistentInitialValuesError:
        return None


def _difference(values: Sequence[Array], step: float) -> Array:
    """Return the derivative (1) of values x_k."""
    total = np.zeros_like(values[0])
    for j, weight in enumerate(WEIGHTS):
        total += weight * (values[2 * j] - values[2 * j + 1]) / step
    return total


def check_contacts_at_start(system: System, t: float) -> None:
    """Raise ModelError if contacts close with an impact at the start of a run."""
    if not len(system.layout.contacts):
        return
    before = system.consistent_state(t, steps_contacts=True).v
    if not np.array_equal(before, start_of(system, t).v):
        raise ModelError(
            f"Contacts of '{system.name}' close with an impact at the start t = {t:g}, where runs have no "
            "derivatives; choose initial values with open contacts, or with closed contacts at rest."
        )


def _change_of_modes(system: System, variable: Variable) -> ModelError:
    """Return the error if contacts have other modes for other values of a variable."""
    return ModelError(
        f"Contacts of '{system.name}' change their modes at the start with '{variable.label}', by which the run "
        "has no derivatives; choose other initial values, or expressions of parameters that keep the modes."
    )


def _change_modes(system: System, base: Start, starts: Sequence[Start]) -> bool:
    """Return whether contacts have other modes at one of some starts."""
    contacts = system.layout.contacts
    columns = [CONTACT_TABLE.index(name) for name in ("closed", "sticks")]
    places = contacts[:, columns].ravel()
    modes = places[places >= 0]
    return any(not np.array_equal(start.q[modes], base.q[modes]) for start in starts)


def consistent_start(system: System, t: float) -> tuple[System, Start]:
    """Return a system, assembled if its initial values violate constraints, and its state at time t."""
    try:
        return system, start_of(system, t)
    except InconsistentInitialValuesError:
        assembled = system.assembled(t)
        return assembled, start_of(assembled, t)


def in_algebra(system: System, q: Array, stored: Array) -> Array:
    """Return the tangents in the Lie algebra of rates of stored components, shape (variables, dimension)."""
    layout, rate = system.layout, system.sets.nodes("ambient").storage_rate
    found = np.zeros((len(stored), layout.dimension))
    if not stored.any():
        return found
    widest = max(n.type.dimension for n in layout.nodes)
    local = np.concatenate([np.tile(np.arange(n.type.dimension), n.count) for n in layout.nodes])
    units = np.array([local == k for k in range(widest)], dtype=float)
    rates = rate(q[None], units)
    for node in layout.nodes:
        width, dimension = node.type.storage, node.type.dimension
        for k in range(node.count):
            begin, first = node.storage.start + k * width, node.velocity.start + k * dimension
            part = stored[:, begin : begin + width]
            if part.any():
                columns = rates[:dimension, begin : begin + width].T
                found[:, first : first + dimension] = np.linalg.lstsq(columns, part.T, rcond=None)[0].T
    return found
