"""Recorded quantities of members: outputs, fields of nodes and continua, and multipliers, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.ensembles.design import Design
from symlie.errors import UnknownNameError
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.quantities import field_unit
from symlie.runtime.solution.local_fields import local_fields
from symlie.runtime.solution.outputs import output_names
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System


@dataclass(frozen=True)
class Recorded:
    """A recorded quantity; strings that do not apply are empty."""

    name: str
    """Requested name, or ``NODE.FIELD`` of a node recorded as a whole."""
    unit: str = ""
    """Unit; empty if only the model knows it."""
    output: str = ""
    """Name of the output."""
    node: str = ""
    """Name of the node or continuum."""
    field: str = ""
    """Name of its field."""
    constraint: str = ""
    """Name of the constraint of the multipliers."""
    axis: str = ""
    """Name of the dimension over nodes, segments or elements."""

    def dimensions(self, shape: tuple[int, ...]) -> dict[str, int]:
        """Return names and lengths of the dimensions of values with this shape at one time."""
        first = {self.axis: shape[0]} if self.axis else {}
        rest = shape[len(first) :]
        names = {0: (), 1: ("component",), 2: ("row", "column")}[len(rest)]
        return first | {f"{name}_{size}": size for name, size in zip(names, rest, strict=True)}

    def of_solution(self, solution: Solution) -> Array:
        """Return the values at the recorded times."""
        if self.output:
            return solution.outputs[self.output]
        if self.constraint:
            return solution.named_multipliers()[self.constraint]
        return solution.field(self.node, self.field)


def recorded_quantities(layout: Layout, names: Sequence[str] | None) -> tuple[Recorded, ...]:
    """Return the quantities for names of outputs, ``NODE.FIELD``, nodes, and ``multipliers_CONSTRAINT``; None: all
    outputs."""
    outputs = output_names(layout)
    found: list[Recorded] = []
    for name in outputs if names is None else names:
        node, _, field = name.partition(".")
        constraint = name.removeprefix("multipliers_")
        if name in outputs:
            axis = f"{name}_node" if name in layout.node_outputs else ""
            found.append(Recorded(name, _output_unit(layout, name), output=name, axis=axis))
        elif constraint != name and constraint in layout.constraints:
            axis = f"{constraint}_instance" if layout.constraints[constraint].is_array else ""
            found.append(Recorded(name, constraint=constraint, axis=axis))
        elif node in _fields(layout) and (field in _fields(layout)[node] or not field):
            chosen = [field] if field else _fields(layout)[node]
            for f in chosen:
                unit, axis = _fields(layout)[node][f]
                found.append(Recorded(f"{node}.{f}", unit, node=node, field=f, axis=axis))
        else:
            nodes = ", ".join(_fields(layout))
            raise UnknownNameError(
                f"Model '{layout.name}' has no quantity '{name}' to record; it has the outputs {', '.join(outputs)}, "
                f"the nodes {nodes} with fields as NODE.FIELD, and multipliers as multipliers_CONSTRAINT."
            )
    return tuple(dict.fromkeys(found))


def _output_unit(layout: Layout, name: str) -> str:
    if name == "energy":
        return "J"
    return layout.outputs[name][1] if name in layout.outputs else ""


def _fields(layout: Layout) -> dict[str, dict[str, tuple[str, str]]]:
    """Return units of the fields of nodes and continua, and names of their dimensions over nodes or segments."""
    found = {
        n.name: {f.name: (field_unit(n, f.name), f"{n.name}_node" if n.is_array else "") for f in n.type.fields}
        for n in layout.nodes
        if n.is_state
    }
    for curve in layout.curves:
        local = local_fields(layout, curve).items()
        found.setdefault(curve, {}).update({name: (f.unit, f"{curve}_segment") for name, f in local})
    return found


def values_of_members(
    design: Design, wanted: Sequence[Recorded], prepared: Prepared | None, states: MemberRecords
) -> dict[str, Array]:
    """Return values of quantities, members first, shape (n, records, …); without `prepared`, members are evaluated one
    by one."""
    system, count, records = design.system, len(design), states.t.shape[1]
    flat = States(*(rows.reshape(count * records, *rows.shape[2:]) for rows in states.parts))
    together = Solution(system, "", flat.t, flat.q, flat.v, flat.multipliers, flat.carried)
    local = {(curve, name) for curve in system.layout.curves for name in local_fields(system.layout, curve)}
    found: dict[str, Array] = {}
    for quantity in wanted:
        of_parameters = (quantity.node, quantity.field) in local
        is_observed = quantity.output and quantity.output not in system.layout.node_outputs
        if not (of_parameters or is_observed):
            values = _of_states(together, quantity)
            found[quantity.name] = values.reshape(count, records, *values.shape[1:])
        elif is_observed and prepared is not None:
            values = _observed(system, prepared, flat, quantity.output)
            found[quantity.name] = values.reshape(count, records, *values.shape[1:])
        else:
            found[quantity.name] = _one_by_one(design, quantity, states)
    return found


@dataclass(frozen=True, eq=False)
class MemberRecords:
    """Recorded states, members first: t (n, records), and q, v, λ, auxiliary state (n, records, components)."""

    t: Array
    q: Array
    v: Array
    multipliers: Array
    carried: Array

    @property
    def parts(self) -> tuple[Array, ...]:
        """All arrays in order."""
        return self.t, self.q, self.v, self.multipliers, self.carried


def _of_states(solution: Solution, quantity: Recorded) -> Array:
    """Return a quantity that depends only on states."""
    layout = solution.system.layout
    if quantity.output:
        node, field, _ = layout.node_outputs[quantity.output]
        return solution.field(node.name, field.name)[:, ~node.fixed]
    return quantity.of_solution(solution)


def _observed(system: System, prepared: Prepared, states: States, name: str) -> Array:
    assert isinstance(system.kernels, CKernels)
    if name in system.layout.outputs:
        block = system.kernels.observe(prepared, states, (), (name,))["outputs"]
        return block[:, 0] if block.shape[1] == 1 else block
    return system.kernels.observe(prepared, states, (name,))[name]


def _one_by_one(design: Design, quantity: Recorded, states: MemberRecords) -> Array:
    """Evaluate a quantity for each member individually; NaN for unrecorded times."""
    rows: list[Array | None] = []
    for k in range(len(design)):
        here = np.isfinite(states.t[k])
        if k in design.refused or not here.any():
            rows.append(None)
            continue
        solution = Solution(design.member(k), "", *(part[k][here] for part in states.parts))
        values = quantity.of_solution(solution)
        whole = np.full((len(here), *values.shape[1:]), np.nan)
        whole[here] = values
        rows.append(whole)
    like = next((values for values in rows if values is not None), None)
    if like is None:
        with np.errstate(all="ignore"):
            values = quantity.of_solution(Solution(design.system, "", *(part[0] for part in _identity(design).parts)))
        like = np.empty((states.t.shape[1], *values.shape[1:]))
    return np.array([np.full_like(like, np.nan) if values is None else values for values in rows])


def _identity(design: Design) -> MemberRecords:
    """Return one state of one member, at the identity and at rest."""
    layout = design.system.layout
    sizes = (layout.dimension, layout.rows, layout.carried_size)
    q = np.zeros(layout.storage)
    q[: len(layout.identity)] = layout.identity  # unwrapped angles follow
    return MemberRecords(np.zeros((1, 1)), q[None, None], *(np.zeros((1, 1, size)) for size in sizes))


def dimensions_of(
    design: Design, wanted: Sequence[Recorded], prepared: Callable[[Design], Prepared] | None, with_time: int
) -> dict[str, dict[str, int]]:
    """Return names and lengths of the dimensions of a member's values, by quantity; `with_time` is the
    number of times."""
    one = next((design.part(k, k + 1) for k in range(len(design)) if k not in design.refused), design.part(0, 1))
    with np.errstate(all="ignore"):
        values = values_of_members(one, wanted, prepared(one) if prepared else None, _identity(design))
    times = {"time": with_time} if with_time else {}
    return {x.name: times | x.dimensions(values[x.name].shape[2:]) for x in wanted}
