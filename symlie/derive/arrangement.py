"""Arrangement of a model: its nodes grouped by type, its elements, and the elimination of small systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from sympy import Expr, Integer, Matrix

from symlie.contract.manifest import Curve, Instances, NodeOutput, NodeSet
from symlie.contract.tables import SLOTS
from symlie.derive.elimination.kept import derive_kept_elimination
from symlie.derive.elimination.saddle import derive_elimination
from symlie.errors import ModelError
from symlie.groups.group import Field
from symlie.groups.rotation_parameters import RotationParameters, starting_storage, stepped_rotation
from symlie.ir.kernels import Arrangement, ElementTypeKernels, Elimination, Kernel, ModelKernels, SparsePattern
from symlie.modeling.element_type import ElementInstances
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.values import InitialValue, coordinate_rates


def arrange(model: Model, *, fixed: bool) -> Arrangement:
    """Return the nodes in the order of the state vectors, and the elements of each type."""
    initial = model.initial_values
    computed = {n.name for n in computed_initially(model, fixed=fixed)}
    sets = [_single_node(n, initial.get(n.name, ()), n.name not in computed) for n in model.nodes]
    sets += [
        NodeSet(
            a.name,
            a.group.name,
            a.count,
            True,
            tuple(np.flatnonzero(a.fixed).tolist()),
            tuple(a.storage_given.tolist()),
            tuple(a.velocity_given.tolist()),
            tuple(NodeOutput(*o) for o in a.outputs),
            a.storage,
            a.velocity,
        )
        for a in model.arrays
    ]
    order = list(dict.fromkeys(s.type for s in sets))
    sets.sort(key=lambda s: order.index(s.type))
    first: dict[str, int] = {}
    count = 0
    for s in sets:
        first[s.name] = count
        count += s.count
    instances = []
    if not model.is_empty:
        places = np.array([[first[n.name] for n in model.nodes]], dtype=np.int32)
        instances.append(Instances(model.name, (), (), places, np.zeros((1, 0))))
    before = sum(len(p.symbols) for p in model.parameters)
    instances += [_instances(stated, first, before) for stated in model.instances]
    motions = tuple(first[m.node] + m.index for m in model.motions)
    curves = tuple(
        Curve(
            c.name,
            np.array([first[node] + k for node, k in c.places], dtype=np.int32),
            np.array(c.arc),
            *c.end_rotations,
        )
        for c in model.curves
    )
    parameters, breakpoints = tuple(model.parameters), tuple(model.breakpoints)
    return Arrangement(
        parameters, tuple(sets), tuple(instances), motions, breakpoints, tuple(model.tables), curves=curves,
        joint_rates=tuple(model.joint_rates), conditions=tuple(model.conditions.values()), bases=model.bases,
        compliances=tuple(model.compliances.values()), given_coordinates=tuple(model.given_coordinates),
        engagements=tuple(model.engagements),
    )  # fmt: skip


def _instances(stated: ElementInstances, first: Mapping[str, int], parameters: int) -> Instances:
    """Return the elements in the order of addition; node numbers count from the number of the first node of each
    name, and slots of chosen inputs from the number of parameters of the model."""
    declared = stated.element.parameters
    places = np.array([[first[member] + k for member, k in row] for row in stated.nodes], dtype=np.int32)
    values, sources = np.vstack(stated.parameters), np.vstack(stated.sources)
    slots = slice(sum(len(p.default) for p in declared), None, 2)
    values[:, slots] = parameters + SLOTS * values[:, slots]
    shared = len(values) == 0 or bool(np.all(values == values[0]) and np.all(sources == sources[0]))
    rows = slice(1 if shared else None)
    return Instances(
        stated.element.name,
        tuple(p.name for p in declared),
        tuple(len(p.default) for p in declared),
        places.reshape(len(stated.nodes), -1),
        values[rows],
        sources[rows] if np.any(sources >= 0) else np.zeros((0, 0), dtype=np.int32),
        tuple(stated.names) if any(stated.names) else (),
        tuple(stated.labels) if any(stated.labels) else (),
        stated.connection,
    )


def computed_initially(model: Model, *, fixed: bool) -> list[Node]:
    """Return the nodes whose initial values are computed: all for fixed topology, otherwise those with parameters."""
    if fixed:
        return model.nodes
    return [
        n
        for n in model.nodes
        if any(c.free_symbols for v in model.initial_values.get(n.name, ()) for c in v.components)
    ]


def initial_components(node: Node, stated: Sequence[InitialValue]) -> tuple[list[Expr], list[Expr]]:
    """Return the initial storage and velocity of a node, by default the identity and zero."""
    storage: list[Expr] = list(starting_storage(node.group))
    velocity: list[Expr] = [Integer(0)] * node.group.dimension
    for value in _by_own_fields(node, stated):
        target = velocity if value.is_velocity else storage
        target[value.field.offset : value.field.offset + value.field.size] = value.components
    return storage, velocity


def _by_own_fields(node: Node, stated: Sequence[InitialValue]) -> Sequence[InitialValue]:
    """Return initial values converted to the velocity fields of the node: ω to ρ' = G⁺(ρ) ω, or ρ' to ω = G(ρ) ρ'."""
    turned = stepped_rotation(node.group)
    if turned is None:
        return stated
    parameters, rho = turned.parameters, list(turned.parameters.start)
    own = next(f for f in node.group.velocity_fields if f.offset == turned.part.start)
    found = []
    for value in sorted(stated, key=lambda v: v.is_velocity):
        if value.field.name == parameters.field:
            rho = list(value.components)
        if value.is_velocity and value.field.name in ("Omega", coordinate_rates(parameters).name):
            value = _as_own(node, value, own, parameters, rho)
        found.append(value)
    return found


def _as_own(
    node: Node, value: InitialValue, own: Field, parameters: RotationParameters, rho: Sequence[Expr]
) -> InitialValue:
    """Convert an initial velocity of a rotation to the velocity field of its node."""
    if value.field.name == own.name:
        return value
    if any(c.free_symbols for c in rho):
        raise ModelError(
            f"The initial rotation of node '{node.name}' depends on parameters; give its {own.name} instead of "
            f"{value.field.name}."
        )
    at = np.array(rho, dtype=float)
    matrix = parameters.spin_by_rates(at) if own.name == "Omega" else parameters.rates_by_spin(at)
    return replace(value, field=own, components=tuple(Matrix(matrix) * Matrix(value.components)))


def _single_node(node: Node, stated: Sequence[InitialValue], has_numbers: bool) -> NodeSet:
    group = node.group
    given = [False] * group.storage_dimension, [False] * group.dimension
    for value in _by_own_fields(node, stated):
        mask = given[value.is_velocity]
        if not value.is_given:
            continue
        mask[value.field.offset : value.field.offset + value.field.size] = [True] * value.field.size
    rows = [np.array([p], dtype=float) if has_numbers else np.zeros((0, 0)) for p in initial_components(node, stated)]
    masks = tuple(given[0]), tuple(given[1])
    return NodeSet(node.name, group.name, 1, False, (), *masks, (), rows[0], rows[1], node.unit)


def small_elimination(types: ModelKernels, arrangement: Arrangement) -> Elimination:
    """Return the derived elimination of a model of fixed topology."""
    system, of_contacts = _small_system(types, arrangement), _rows_of_contacts(types, arrangement)
    return derive_elimination(*system, with_numbers=bool(arrangement.frozen), of_contacts=of_contacts)


def _rows_of_contacts(types: ModelKernels, arrangement: Arrangement) -> list[int]:
    """Return the constraint equations of contacts with a gap."""
    found, first = list[int](), 0
    for instances in arrangement.instances:
        element = types.element_type(instances.element)
        own = element.rows_of_contacts
        for _ in range(instances.count):
            found += [first + row for row in own]
            first += element.rows
    return found


def kept_elimination(types: ModelKernels, arrangement: Arrangement) -> tuple[Kernel, ...]:
    """Return the derived elimination for one matrix and several right-hand sides."""
    return derive_kept_elimination(*_small_system(types, arrangement), with_numbers=bool(arrangement.frozen))


def _small_system(
    types: ModelKernels, arrangement: Arrangement
) -> tuple[SparsePattern, SparsePattern, list[bool], int]:
    """Return the patterns of M and B, the mask of velocity components, and the number of constraint equations."""
    kinds = [types.node_type(s.type) for s in arrangement.nodes for _ in range(s.count)]
    moving = [k.velocities > 0 for k in kinds for _ in range(k.dimension)]
    rows = sum(i.count * types.element_type(i.element).rows for i in arrangement.instances)
    return *assembled_patterns(types, arrangement), moving, rows


def assembled_patterns(types: ModelKernels, arrangement: Arrangement) -> tuple[SparsePattern, SparsePattern]:
    """Return the patterns of the assembled M (lower triangle) and B, with the values of all elements in order."""
    offsets = [0]
    for s in arrangement.nodes:
        for _ in range(s.count):
            offsets.append(offsets[-1] + types.node_type(s.type).dimension)
    mass: list[tuple[int, int, float | None]] = []
    jacobian: list[tuple[int, int, float | None]] = []
    row = 0
    for instances in arrangement.instances:
        element: ElementTypeKernels = types.element_type(instances.element)
        for places in instances.nodes:
            moving = [n for n, name in zip(places, element.node_types, strict=True) if types.node_type(name).velocities]
            columns = [k for n in moving for k in range(offsets[n], offsets[n + 1])]
            for i, j, c in zip(element.mass.rows, element.mass.columns, element.mass.constants, strict=True):
                mass.append((max(columns[i], columns[j]), min(columns[i], columns[j]), c))
            pattern = element.jacobian
            for i, j, c in zip(pattern.rows, pattern.columns, pattern.constants, strict=True):
                jacobian.append((row + i, columns[j], c))
            row += element.rows
    return _joined(mass), _joined(jacobian)


def _joined(entries: list[tuple[int, int, float | None]]) -> SparsePattern:
    return SparsePattern(tuple(e[0] for e in entries), tuple(e[1] for e in entries), tuple(e[2] for e in entries))
