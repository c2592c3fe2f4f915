"""States of a system from values by name, one or many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.state import State
from symlie.runtime.system.initial_values import is_joint_rate
from symlie.runtime.system.parameters import real_array

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def states_of_nodes(system: System, t: ArrayLike | None, complete: bool, nodes: Mapping[str, object]) -> State:
    """Return the states with values of nodes and joints, in the shape to which their leading axes and the times
    broadcast."""
    times = real_array("The time of a state", 0.0 if t is None else t)
    if not np.isfinite(times).all():
        raise ModelError(f"The time of a state of named nodes must be finite, not {t!r}.")
    stated = {name: _fields(name, fields) for name, fields in nodes.items()}
    leading = {
        (name, field): _leading(value, _shape(system, name, field))
        for name, fields in stated.items()
        for field, value in fields.items()
    }
    shapes = {"t": times.shape} | {f"{name}.{field}": shape for (name, field), shape in leading.items()}
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        given = ", ".join(f"{name} of {shape}" for name, shape in shapes.items() if shape)
        raise ModelError(f"The values of '{system.name}' are for states of different shapes: {given}.") from None
    if not shape:
        return _single(system, float(times), complete, stated)
    times = np.broadcast_to(times, shape)
    found = [
        _single(system, float(times[k]), complete, _selected(stated, leading, shape, k)) for k in np.ndindex(shape)
    ]

    def joined(name: str) -> Array:
        parts = np.array([getattr(state, name) for state in found])
        return frozen(parts.reshape(*shape, parts.shape[-1]))

    known = joined("of_solution") if complete and found else None
    return State(system, frozen(times), joined("q"), joined("v"), known, joined("carried"))


def frozen(values: Array) -> Array:
    """Return a copy that cannot be changed, because states share derived data."""
    found = values.copy()
    found.flags.writeable = False
    return found


def _fields(name: str, fields: object) -> Mapping[str, object]:
    if not isinstance(fields, Mapping):
        raise ModelError(
            f"The values of '{name}' must be a mapping of fields, as in {name}={{\"x\": …}}; arrays are passed by "
            "position, as in system.state(q, v)."
        )
    return fields


def _shape(system: System, name: str, field: str) -> tuple[int, ...] | None:
    """Return the shape of a field of a node, or of a coordinate or rate of a joint; None for other names."""
    layout = system.layout
    if is_joint_rate(layout, (name, field)):
        part = layout.outputs[layout.joint_rates[name, field]][0]
        return (part.stop - part.start,)
    node = next((node for node in layout.nodes if node.name == name), None)
    if node is None:
        return () if name in layout.joints else None
    known = {f.name: f.shape for f in (*node.type.storage_fields, *node.type.velocity_fields)}
    if field not in known:
        return None
    return (node.count, *known[field]) if node.is_array else known[field]


def _leading(value: object, shape: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the leading axes of values of many states with fields of a shape."""
    stated = np.shape(value) if isinstance(value, np.ndarray | list | tuple) else ()
    if shape is None or math.prod(stated) == math.prod(shape):
        return ()
    if len(stated) > len(shape) and stated[len(stated) - len(shape) :] == shape:
        return stated[: len(stated) - len(shape)]
    return stated if math.prod(shape) == 1 else ()


def _selected(
    stated: Mapping[str, Mapping[str, object]],
    leading: Mapping[tuple[str, str], tuple[int, ...]],
    shape: tuple[int, ...],
    k: tuple[int, ...],
) -> dict[str, dict[str, object]]:
    """Return the values of one of many states."""
    found: dict[str, dict[str, object]] = {}
    for name, fields in stated.items():
        found[name] = {}
        for field, value in fields.items():
            axes = leading[name, field]
            if axes:
                values = np.asarray(value)
                value = np.broadcast_to(values, (*shape, *values.shape[len(axes) :]))[k]
            found[name][field] = value
    return found


def _single(system: System, t: float, complete: bool, nodes: Mapping[str, Mapping[str, object]]) -> State:
    changed = system
    for name, fields in nodes.items():
        changed = changed.with_initial(name, **fields)
    carried = np.zeros(system.layout.carried_size)
    if complete:
        begin = changed.initial_state if t == 0 else changed.consistent_state(t)
        return State(system, t, frozen(begin.q), frozen(begin.v), frozen(begin.multipliers), carried)
    rates = [key for key in changed.initial_values if is_joint_rate(system.layout, key)]
    if rates:
        raise ModelError(
            f"The velocities of '{rates[0][0]}' follow from its rate only by completion; give velocities of nodes, or "
            "use complete=True."
        )
    stated = changed.stated_state()
    q, v = stated.q.copy(), np.where(stated.given & system.layout.free, stated.v, 0.0)
    system.mechanics.prescribe(t, q, v)
    return State(system, t, frozen(system.mechanics.with_start_angles(t, q)), frozen(v), None, carried)
