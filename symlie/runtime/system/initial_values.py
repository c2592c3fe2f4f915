"""Initial values by field, or by other quantities, such as angular velocities for states that are momenta.

A Python function of the model computes a field from such a quantity, so quantities require the model. Generated folders
and files contain numbers only: they store the resulting fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, SymlieError, UnknownNameError
from symlie.rotations import with_rotations
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.system.parameters import numbers

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

InitialValues = Mapping[tuple[str, str], Array]
"""Arrays by node and field or quantity, and specified rates of joints by joint and rate."""


@dataclass(frozen=True, eq=False)
class InitialQuantity:
    """Quantity that may replace a field as the initial value of a node array."""

    field: str
    """Name of the computed field."""
    size: int
    """Number of components per node."""
    function: Callable[..., object]
    """Function that computes the field of all nodes from keyword arguments."""
    arguments: tuple[str, ...]
    """Names of its arguments: the quantity, fields of the array, parameters."""


Scalar = TypeVar("Scalar", bound=np.generic)

Quantities = Mapping[tuple[str, str], InitialQuantity]
"""Initial quantities by node array and name."""

Placements = Mapping[str, Callable[[InitialValues, Mapping[str, object]], InitialValues]]
"""Functions by joint that set the initial values for given joint coordinates and rates."""


def changed_initial_values(
    layout: Layout,
    source: Callable[[], Quantities] | None,
    values: InitialValues,
    node: str,
    fields: Mapping[str, object],
) -> InitialValues:
    """Return initial values with changed fields or quantities of a node; raise UnknownNameError for unknown names,
    ModelError for wrong numbers or several values of one field.
    """
    part = layout.node(node)
    shapes = {f.name: f.shape for f in part.type.storage_fields}
    fields = with_rotations(f"Node '{node}' on {part.type.name}", shapes, fields)
    own = _sizes(part)
    names = dict.fromkeys([*(name for owner, name in values if owner == node), *fields])
    others: dict[str, InitialQuantity] = {}
    if source is not None and not set(names) <= set(own):
        others = {name: quantity for (owner, name), quantity in source().items() if owner == node}
    sizes = own | {name: quantity.size for name, quantity in others.items()}
    changed = dict(values)
    for name, value in fields.items():
        if name not in sizes:
            lost = "" if source or not part.is_array else " Other quantities require the model."
            raise UnknownNameError(f"Node '{node}' has no field '{name}'; it has: {', '.join(sizes)}.{lost}")
        check_independent(layout, part, name)
        changed[node, name] = numbers(f"initial value {node}.{name}", value, sizes[name], part.count)
    given: dict[str, str] = {}
    for name in names:
        field = others[name].field if name in others else name
        other = given.setdefault(field, name)
        if other != name:
            raise ModelError(
                f"Node '{node}' cannot start from both {other} and {name}, which both determine {field}; give one of "
                "them."
            )
    return changed


def check_independent(layout: Layout, node: NodeSlice, field: str) -> None:
    """Raise ModelError if a field of a dependent node has no initial value."""
    is_velocity = field in {f.name for f in node.type.velocity_fields}
    if node.is_state or (is_velocity and layout.state_rates):
        return
    raise ModelError(
        f"Node '{node.name}' depends on other nodes, which determine its initial {field}; give initial values of these "
        "nodes."
    )


def initial_fields(system: System) -> InitialValues:
    """Return initial values by field alone, with fields computed from quantities; raise ModelError if a function of the
    model fails.
    """
    values, layout = system.initial_values, system.layout
    fields = {k: rows for k, rows in values.items() if is_joint_rate(layout, k) or k[1] in _sizes(layout.node(k[0]))}
    if len(fields) == len(values) or system.quantity_source is None:
        return values
    q, v = system.own_initial()
    for (name, label), quantity in _in_order({k: x for k, x in system.quantity_source().items() if k in values}):
        for (other, field), rows in of_nodes(layout, fields).items():
            field_rows(layout.node(other), field, q, v)[:] = rows
        node, here = layout.node(name), system.kernels.normalize(q)
        arguments: dict[str, Array] = {}
        for argument in quantity.arguments:
            if argument == label:
                arguments[label] = np.broadcast_to(values[name, label], (node.count, quantity.size))
            elif argument in _sizes(node):
                arguments[argument] = field_rows(node, argument, here, v)
            else:
                arguments[argument] = _parameter(system, argument)
        what = f"{name}.{quantity.field} that '{layout.name}' computes from {label}"
        try:
            # Copy the arguments, because functions may modify them in place.
            result = quantity.function(**{key: rows.copy() for key, rows in arguments.items()})
        except SymlieError:
            raise
        except Exception as error:
            raise ModelError(f"The {what} cannot be computed: {type(error).__name__}: {error}.") from error
        fields[name, quantity.field] = numbers(what, result, _sizes(node)[quantity.field], node.count)
    return fields


def is_joint_rate(layout: Layout, key: tuple[str, str]) -> bool:
    """Return whether a key of initial values is a joint and its rate rather than a node and its field."""
    return key in layout.joint_rates and all(n.name != key[0] for n in layout.nodes)


def of_nodes(layout: Layout, values: InitialValues) -> InitialValues:
    """Return the initial values of nodes, without rates of joints."""
    return {key: rows for key, rows in values.items() if not is_joint_rate(layout, key)}


def moved_nodes(layout: Layout, fields: InitialValues) -> set[str]:
    """Return the nodes whose velocities, or rates as first-order states, are among initial values."""
    rates = {(r.joint, r.state) for r in layout.manifest.joint_rates if r.state}
    labels = {f.name for n in layout.nodes for f in n.type.velocity_fields}
    return {name for name, label in fields if label in labels or (name, label) in rates}


def are_all_moved(layout: Layout, given: set[str]) -> bool:
    """Return whether initial velocities of all independent nodes replace those of bodies in the model."""
    rates = {r.joint for r in layout.manifest.joint_rates if r.state}
    moving = (n for n in layout.nodes if n.is_state and not n.fixed.all() and (n.type.velocities or n.name in rates))
    return all(n.name in given for n in moving)


def conditions_of(system: System) -> Mapping[str, tuple[Array, str]]:
    """Return specified initial values of outputs, such as rates of joints, with their names for messages."""
    layout = system.layout
    fields = system.initial_fields
    given = moved_nodes(layout, fields)
    of_nodes = {r.output for r in layout.manifest.joint_rates if r.joint in given}
    if are_all_moved(layout, given):
        of_nodes |= {c.output for c in layout.manifest.conditions} - {*layout.joint_rates.values()}
    stated = {
        c.output: (np.array(c.values), c.description) for c in layout.manifest.conditions if c.output not in of_nodes
    }
    for key, rows in fields.items():
        if is_joint_rate(layout, key):
            stated[layout.joint_rates[key]] = rows.ravel(), f"{key[1]} of joint '{key[0]}'"
    return stated


def _in_order(given: Quantities) -> Iterator[tuple[tuple[str, str], InitialQuantity]]:
    """Yield the specified quantities, each after those that compute its arguments."""
    left = dict(given)
    while left:
        computed = {(node, quantity.field) for (node, _), quantity in left.items()}
        ready = [k for k, x in left.items() if computed.isdisjoint((k[0], a) for a in x.arguments)]
        if not ready:
            names = " and ".join(f"{node}.{name}" for node, name in left)
            raise ModelError(
                f"Each of {names} requires a field that is computed from another one of them; give a field."
            )
        yield ready[0], left.pop(ready[0])


def own_initial(system: System) -> tuple[Array, Array]:
    """See `symlie.runtime.system.system.System.own_initial`."""
    layout = system.layout
    single_q, single_v = system.kernels.initial(system.prepared)
    q, v = np.zeros(layout.storage), np.empty(layout.dimension)
    q[layout.unwrapped] = layout.initial_activities
    position_q = position_v = 0
    stated = {n.name: n for n in layout.manifest.nodes}
    for node in layout.nodes:
        if stated[node.name].has_numbers:
            q[node.storage] = stated[node.name].storage.ravel()
            v[node.velocity] = stated[node.name].velocity.ravel()
        else:
            width, dimension = node.type.storage, node.type.dimension
            q[node.storage] = single_q[position_q : position_q + width]
            v[node.velocity] = single_v[position_v : position_v + dimension]
            position_q += width
            position_v += dimension
    return q, v


def field_rows(node: NodeSlice, name: str, q: NDArray[Scalar], v: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a view of the part of q or v that is a field of a node or node array, shape (count, components)."""
    for fields, vector in ((node.type.storage_fields, q[node.storage]), (node.type.velocity_fields, v[node.velocity])):
        for field in fields:
            if field.name == name:
                return vector.reshape(node.count, -1)[:, field.part]
    raise KeyError(name)


def _sizes(node: NodeSlice) -> dict[str, int]:
    """Return the number of components of each field of a node."""
    return {f.name: math.prod(f.shape) for f in node.type.fields}


def _parameter(system: System, name: str) -> Array:
    """Return a model parameter in its shape, or a parameter of an element type with one entry or row per element."""
    layout = system.layout
    if name in layout.parameters:
        position, shape, _ = layout.parameters[name]
        return system.parameters[position].reshape(shape)
    ((element, columns),) = layout.parameters_of_elements[name]
    rows = system.element_parameters[element][:, columns]
    rows = np.broadcast_to(rows, (layout.instance_counts[element], rows.shape[1]))
    return rows[:, 0] if rows.shape[1] == 1 else rows
