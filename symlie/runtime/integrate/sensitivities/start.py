"""Derivatives of the state at the start of a run.

Consistent initial values are the result of an assembly and a completion of velocities. They are differentiated by
central differences of order six,

    δx = (45 (x₁ - x₋₁) - 9 (x₂ - x₋₂) + (x₃ - x₋₃)) / (60 ε),   x_k = x(p + k ε)  (1)

whose error is about (ε/p)⁶ and rounding divided by ε/p. If the changed initial values violate constraints, they are
assembled: changed as little as possible, so that the derivative is that along the constraints. Stored components of
configurations are differentiated; the tangent δ in the Lie algebra has their rate. The derivative of λ follows from
the acceleration-level system. Variables that leave the bits of the state have the derivative zero.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.errors import InconsistentInitialValuesError, ModelError
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.start import Start, start_of
from symlie.runtime.system.system import System

RELATIVE = 2.0**-9
"""ε relative to the size of the values of a variable; a power of two, so that p ± kε is exact for many values."""

WEIGHTS = (45 / 60, -9 / 60, 1 / 60)
"""Weights of (1)."""


def start_tangents(system: System, t: float, q: Array, variables: Sequence[Variable]) -> tuple[Array, Array]:
    """Return the derivatives of q and v at time t by the variables, shape (variables, dimension)."""
    layout = system.layout
    count = len(variables)
    stored, dv = np.zeros((count, layout.storage)), np.zeros((count, layout.dimension))
    if not any(v.changes_start for v in variables):
        return np.zeros_like(dv), dv
    base = consistent_start(system, t)[1]
    moved = functools.partial(_moved_start, system, t, base)
    for k, variable in enumerate(variables):
        if not variable.changes_start:
            continue
        step = RELATIVE * variable.size(system)
        first = moved(variable, step)
        if np.array_equal(first.q, base.q) and np.array_equal(first.v, base.v):
            continue
        for j, weight in enumerate(WEIGHTS, start=1):
            ends = [moved(variable, sign * j * step) for sign in (1, -1)[j == 1 :]]
            after, before = [first, *ends] if j == 1 else ends
            stored[k] += weight * (after.q - before.q) / step
            dv[k] += weight * (after.v - before.v) / step
    return in_algebra(system, q, stored), dv


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


def _moved_start(system: System, t: float, base: Start, variable: Variable, change: float) -> Start:
    """Return the start with another value of a variable; raise ModelError if its contacts have other modes."""
    try:
        found = consistent_start(variable.moved(system, change), t)[1]
    except InconsistentInitialValuesError:
        if not len(system.layout.contacts):
            raise
        found = None
    modes = _modes(system)
    if found is None or not np.array_equal(found.q[modes], base.q[modes]):
        raise ModelError(
            f"Contacts of '{system.name}' change their modes at the start with '{variable.label}', by which the run "
            "has no derivatives; choose other initial values, or expressions of parameters that keep the modes."
        )
    return found


def _modes(system: System) -> NDArray[np.intp]:
    """Indices of the modes of contacts in a configuration."""
    contacts = system.layout.contacts
    columns = [CONTACT_TABLE.index(name) for name in ("closed", "sticks")]
    places = contacts[:, columns].ravel()
    return np.unique(places[places >= 0])


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
