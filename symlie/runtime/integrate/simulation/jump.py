"""Changes of velocities during a simulation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.within.event_search import AT_START
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.completion import StatedState, consistent_initial_state
from symlie.runtime.system.initial_values import check_independent, field_rows, is_joint_rate
from symlie.runtime.system.parameters import numbers, real_array
from symlie.runtime.system.system import System

Velocity: TypeAlias = ArrayLike | Mapping[str, Mapping[str, object]]
"""All velocities, or values by name of a node or joint and of a field or rate."""

Occurred: TypeAlias = tuple[tuple[str, int], ...]
"""Names and instances of the events at the current time."""


def state_after_jump(system: System, before: LoopState, velocity: Velocity, occurred: Occurred) -> LoopState:
    """State with other velocities, completed and checked like initial values, without method history."""
    t, at, mechanics = before.t, before.at, system.mechanics
    stated = _stated(system, at.q, at.v, velocity)
    found = consistent_initial_state(mechanics, t, stated)
    events = mechanics.events(t, at.q, at.v, at.multipliers), mechanics.events(t, found.q, found.v, found.multipliers)
    event = events[1].copy()
    for k, value in enumerate(system.layout.events):
        if (value.name, value.instance) in occurred and events[0][k] == events[1][k]:
            event[k] = -AT_START * value.direction
    after = dataclasses.replace(
        at, q=found.q, v=found.v, multipliers=found.multipliers, event=event, acceleration=None, own=None
    )
    return dataclasses.replace(before, at=after)


def _stated(system: System, q: Array, v: Array, velocity: Velocity) -> StatedState:
    layout = system.layout
    if not isinstance(velocity, Mapping):
        given = real_array("The velocity of a jump", velocity)
        if given.shape != v.shape or not np.isfinite(given).all():
            raise ModelError(
                f"The velocity of a jump of '{layout.name}' consists of {len(v)} finite numbers, or of fields by node "
                f'as in {{"ball": {{"x_dot": 1.0}}}}, not of an array of the shape {given.shape}.'
            )
        return StatedState(q, given, np.ones(len(v), dtype=bool), before=v)
    near, mask = v.copy(), np.zeros(len(v), dtype=bool)
    conditions: dict[str, tuple[Array, str]] = {}
    for name, fields in velocity.items():
        if not isinstance(fields, Mapping):
            raise ModelError(f"The velocity of '{name}' in a jump must be a mapping of fields, not {fields!r}.")
        for label, value in fields.items():
            if is_joint_rate(layout, (name, label)):
                output = layout.joint_rates[name, label]
                part, _ = layout.outputs[output]
                rates = numbers(f"{label} of joint '{name}' in a jump", value, part.stop - part.start)
                conditions[output] = rates.ravel(), f"{label} of joint '{name}'"
                continue
            node = layout.node(name)
            sizes = {f.name: math.prod(f.shape) for f in node.type.velocity_fields if node.type.velocities}
            if label not in sizes:
                raise UnknownNameError(
                    f"Node '{name}' has no velocity '{label}' for a jump; it has: {', '.join(sizes) or 'none'}."
                )
            check_independent(layout, node, label)
            if not layout.free[node.velocity].any():
                raise ModelError(f"The motion of node '{name}' is prescribed or fixed; its velocity cannot jump.")
            rows = numbers(f"velocity {name}.{label} of a jump", value, sizes[label], node.count)
            field_rows(node, label, q, near)[:] = rows
            field_rows(node, label, np.zeros(len(q), dtype=bool), mask)[:] = True
    return StatedState(q, near, mask, conditions, before=v)
