"""States of a system from named values, from arrays, or from solutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.evaluation.named_states import frozen, states_of_nodes
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.system.checks import check_on_groups
from symlie.runtime.system.parameters import real_array

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def given_state(
    system: System,
    q: State | Solution | ArrayLike | None,
    v: ArrayLike | None,
    t: ArrayLike | None,
    complete: bool,
    nodes: Mapping[str, object],
) -> State:
    """See `symlie.runtime.system.system.System.state`."""
    if q is None:
        if v is not None:
            raise ModelError("Velocities need configurations; pass both, as in system.state(q, v).")
        return states_of_nodes(system, t, complete, nodes)
    if nodes:
        raise ModelError(f"A state is given either by arrays or by nodes, not by both; omit {', '.join(nodes)}.")
    if isinstance(q, State | Solution):
        if v is not None or t is not None:
            raise ModelError("A state of a solution contains its velocity and its time; omit v and t.")
        return checked_state(system, q)
    return _of_arrays(system, q, v, t)


def checked_state(system: System, state: State | Solution) -> State:
    """Return a state after a check that it belongs to this system, possibly with other parameters."""
    if isinstance(state, State):
        if state.system is system:
            return state
        found = state
    elif isinstance(state, Solution):
        found = State(state.system, state.t, state.q, state.v, state.multipliers, state.carried)
    else:
        raise ModelError(f"A state must come from system.state or from a solution, not {state!r:.40}.")
    if not _are_equal(found.system.layout, system.layout):
        raise ModelError(
            f"The state belongs to another system, '{found.system.name}', not to '{system.name}'; build it by "
            "system.state of this system."
        )
    return found


def _are_equal(one: Layout, other: Layout) -> bool:
    """Return whether configurations and velocities have the same meaning."""
    return one is other or (
        one.interface_hash == other.interface_hash
        and (one.storage, one.dimension) == (other.storage, other.dimension)
        and [n.name for n in one.nodes] == [n.name for n in other.nodes]
    )


def _of_arrays(system: System, q: ArrayLike, v: ArrayLike | None, t: ArrayLike | None) -> State:
    layout = system.layout
    configurations = _components(layout.name, "configuration q", q, layout.storage)
    at_rest = np.zeros(layout.dimension)
    velocities = _components(layout.name, "velocity v", at_rest if v is None else v, layout.dimension)
    times = real_array("The time of a state", 0.0 if t is None else t)
    shapes = configurations.shape[:-1], velocities.shape[:-1], times.shape
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ModelError(f"The arrays of q, v and t have the shapes {shapes} of states, which do not fit.") from None
    configurations, velocities = (
        np.array(np.broadcast_to(x, (*shape, x.shape[-1])), order="C").reshape(-1, x.shape[-1])
        for x in (configurations, velocities)
    )
    rows = np.array(np.broadcast_to(times, shape), order="C").reshape(-1)
    for name, values in (("q", configurations), ("v", velocities), ("t", rows)):
        if not np.isfinite(values).all():
            raise ModelError(f"The {name} of a state of '{layout.name}' is not finite.")
    _take_dependent(system, rows, configurations, velocities)
    return State(
        system,
        frozen(rows.reshape(shape)) if shape else float(rows[0]),
        frozen(configurations.reshape(*shape, layout.storage)),
        frozen(velocities.reshape(*shape, layout.dimension)),
        None,
        np.zeros((*shape, layout.carried_size)),
    )


def _take_dependent(system: System, t: Array, q: Array, v: Array) -> None:
    """Compute prescribed and dependent nodes and full turns of angles; check that all others are on their groups."""
    layout, kernels = system.layout, system.kernels
    has_motions = len(layout.motion_storage) or layout.has_dependents
    if has_motions:
        kernels.prescribe_rows(system.prepared, t, q, v)
    check_on_groups(layout, q, kernels.normalize_rows(q), "configuration")
    for row, time in zip(q, t, strict=True) if layout.has_unwrapped else ():
        row[:] = system.mechanics.with_angles(float(time), row)


def _components(model: str, what: str, values: ArrayLike, size: int) -> Array:
    found = real_array(f"The {what}", values)
    if not found.ndim or found.shape[-1] != size:
        raise ModelError(f"The {what} of '{model}' has the shape {found.shape} instead of (..., {size}).")
    return found
