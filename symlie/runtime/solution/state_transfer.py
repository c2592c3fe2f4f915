"""Initial values of a system from a state of a solution of another model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.system.given_coordinates import without_node
from symlie.runtime.system.initial_values import conditions_of, field_rows
from symlie.runtime.system.output_jacobian import linear_outputs

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System


def with_state(system: System, solution: Solution, t: float | None, nodes: Sequence[str] | None) -> System:
    """See `symlie.runtime.system.system.System.with_state`."""
    if not len(solution.t):
        raise ModelError("A solution without states has no state to start from.")
    at = None if t is None else solution(t)
    state = (solution.q[-1], solution.v[-1]) if at is None else (at.q, at.v)
    own = system.stated_values()[:2]
    targets = [n for n in system.layout.nodes if _moves(n)] if nodes is None else list(map(system.layout.node, nodes))
    sources = _sources(system, solution, targets)
    changed = {key: rows for key, rows in system.initial_values.items() if key[0] not in sources}
    for node in targets:
        moving = ~(node.fixed | node.dependent)
        for field in (*node.type.storage_fields, *(node.type.velocity_fields if node.type.velocities else ())):
            rows = field_rows(node, field.name, *own).copy()
            rows[moving] = field_rows(sources[node.name], field.name, *state)[moving]
            changed[node.name, field.name] = rows
        system = dataclasses.replace(system, given_coordinates=without_node(system, node.name))
    return _with_rates(dataclasses.replace(system, initial_values=changed))


def _moves(node: NodeSlice) -> bool:
    return not bool((node.fixed | node.dependent).all())


def _sources(system: System, solution: Solution, targets: Sequence[NodeSlice]) -> dict[str, NodeSlice]:
    """Return the nodes of a solution by name; raise ModelError if one is missing or has another group or size."""
    found = {n.name: n for n in solution.system.layout.nodes}
    missing = [n.name for n in targets if n.name not in found]
    others = [
        f"'{n.name}' is {_described(n)} here and {_described(found[n.name])} there"
        for n in targets
        if n.name in found and _described(n) != _described(found[n.name])
    ]
    if missing or others:
        lost = [f"it has no node {', '.join(map(repr, missing))}"] if missing else []
        raise ModelError(
            f"The solution of '{solution.system.name}' does not have the state of '{system.name}': "
            f"{'; '.join([*lost, *others])}. Select common nodes by nodes=[…], and give the others by with_initial."
        )
    return {n.name: found[n.name] for n in targets}


def _described(node: NodeSlice) -> str:
    return f"{node.count} nodes on {node.type.name}" if node.is_array else f"on {node.type.name}"


def _with_rates(system: System) -> System:
    """Return the system with the specified rates of joints replaced by those of its specified velocities."""
    if not (conditions := conditions_of(system)):
        return system
    q, v, _ = system.stated_values()
    rates = linear_outputs(system.mechanics, 0.0, system.kernels.normalize(q), list(conditions)).values(v)
    keys = {output: key for key, output in system.layout.joint_rates.items()}
    ends = np.cumsum([len(values) for values, _ in conditions.values()])
    values = {keys[name]: part[None] for name, part in zip(conditions, np.split(rates, ends[:-1]), strict=True)}
    return dataclasses.replace(system, initial_values={**system.initial_values, **values})
