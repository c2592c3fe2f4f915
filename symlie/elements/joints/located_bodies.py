"""Minimal coordinates of long chains and trees: bodies are dependent nodes, and accelerations solve a banded system.

The only states are the coordinates c and rates c' of joints. Poses and velocities of bodies are products along the
tree; accelerations v' of bodies and multipliers λ of joints follow from

    M v' + Bᵀλ = -g,    B v' + Z = 0,

with acceleration-level constraints of the joints. The Schur complement B M⁻¹ Bᵀ has a block for each joint and for each
two joints that share a body; c'' is the relative acceleration of the joint. Code and derivation depend only on the
kinds of joints, and a stage costs O(1) per body: `symlie.runtime.linear` eliminates a band, or trees from their leaves.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sympy import Integer

from symlie.contract.manifest import Label
from symlie.elements.connection import element_frames
from symlie.elements.joints.coordinates import Coordinate
from symlie.elements.joints.frames import SIDES, Frame, relative_rate
from symlie.elements.joints.initial_rates import located_rates
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.kinematics import Turned, constant, displacement, relative_rotation
from symlie.elements.joints.placed_bodies import Joined, crossed, storage_and_velocity, stored_body
from symlie.elements.joints.rows import BALL_RATE, reaction
from symlie.elements.joints.tree import Tree, body_key
from symlie.elements.marker import group_of, node_of
from symlie.elements.placement import Array
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace
from symlie.groups.spaces import product_space, translation_space
from symlie.groups.standard import SO2, SO3, real_space
from symlie.ir.differentiate import forward
from symlie.ir.program import Euclidean, Value, Vector
from symlie.modeling.element_type import ElementInstances, ElementType, add_instances
from symlie.modeling.freezing import values_and_sources
from symlie.modeling.instances import Place, labels_of
from symlie.modeling.model import Model
from symlie.modeling.node import Node, column

_Parameters = tuple[Array, NDArray[np.int32]]
"""Parameter values of an instance, and indices of the model parameter values they are taken from, or -1."""

SPIN = "Omega"
"""Field of the angular velocity of a ball joint."""


def located_model(model: Model, tree: Tree) -> Model:
    """Return a model whose bodies depend on the coordinates and rates of a tree of joints, which become first-order
    states."""
    other = model.copy()
    other.joints, other.given_coordinates = [], {}
    behind = {joint.name: body for body, (_, joint) in tree.items() if joint is not None}
    located = {body.name for body in behind.values() if isinstance(body, Node)}
    other.initial_values = {
        name: [v for v in values if name not in located or (v.is_velocity and v.is_given)]
        for name, values in model.initial_values.items()
    }
    other.joint_rates = [
        replace(r, state=r.rate if r.coordinate else SPIN) if r.joint in behind else r for r in model.joint_rates
    ]
    of_states = {r.output for r in other.joint_rates if r.state}
    other.conditions = {name: c for name, c in model.conditions.items() if name not in of_states}
    other.instances = [i for stated in model.instances if (i := _without(stated, set(behind))).nodes]
    elements: dict[object, ElementType] = {}
    markers = _parameters(model, behind)
    for joint in (j for _, j in tree.values() if j is not None):
        _add(other, joint, behind[joint.name], markers[joint.name], elements)
    reported = [n for n in other.nodes if n.name in located]
    reports = {group: _report(group) for group in dict.fromkeys(n.lie_group for n in reported)}
    for node in reported:
        element = reports[node.lie_group]
        labels = tuple(Label(f"{node.name}_{o.name}") for o in element.outputs)
        add_instances(other, element, [((node.name, 0),)], np.zeros((1, 0)), np.zeros((1, 0), dtype=np.int32), [labels])
    return other


def _without(instances: ElementInstances, names: set[str]) -> ElementInstances:
    """Return the instances of an element type without some names."""
    rows = [k for k, name in enumerate(instances.names) if name not in names]
    if len(rows) == len(instances.names):
        return instances
    values, sources = values_and_sources(instances)
    return ElementInstances(
        instances.element,
        [instances.nodes[k] for k in rows],
        [values[rows]],
        [sources[rows]],
        [instances.names[k] for k in rows],
        [instances.labels[k] for k in rows],
        instances.connection,
    )


def _report(group: LieGroup) -> ElementType:
    """Return the element type with the outputs of a dependent body."""
    element = ElementType(f"located_{group.name}", body=group)
    q = element.body
    for label, value, unit in (("R", q.R, ""), ("x", q.x, "m"), ("Omega", q.Omega, "rad/s")):
        element.output(label, value.matrix if hasattr(value, "matrix") else value, unit=unit)
    return element


def _parameters(model: Model, names: Collection[str]) -> dict[str, _Parameters]:
    """Return the parameters of some instances by their names."""
    found: dict[str, _Parameters] = {}
    for instances in model.instances:
        rows = [k for k, name in enumerate(instances.names) if name in names]
        if rows:
            values, sources = values_and_sources(instances)
            found |= {instances.names[k]: (values[k : k + 1], sources[k : k + 1]) for k in rows}
    return found


def _add(other: Model, joint: Joint, body: object, markers: _Parameters, elements: dict[object, ElementType]) -> None:
    """Add the node of the coordinates of a joint, and the instance that defines the outboard body."""
    groups = tuple(group_of(m.body) for m in joint.markers)
    is_second = body_key(joint.markers[1].body) is body
    coordinates = joint._rows.coordinates
    space = _space(joint._rows.is_ball, tuple(c.name for c in coordinates), tuple(c.rate for c in coordinates))
    kind = (joint._kind(), groups, is_second)
    if kind not in elements:
        elements[kind] = _LocatingJoint(joint, groups, is_second, space).element
    element = elements[kind]
    places: list[Place] = [(n.name, 0) for m in joint.markers if isinstance(n := node_of(m.body), Node)]
    if space is not None:
        node = Node(other.program, joint.name, space)
        other._add_node(node)
        places.append((joint.name, 0))
        start, rates = located_rates(joint)
        given = joint.model.conditions
        for name, value in _by_name(joint, start, rates).items():
            is_open = f"{joint.name}_{name}" not in given and name in (SPIN, *joint._rows.rates)
            give = other._guess_velocity if is_open else other.initial
            give(node, **{name: np.asarray(value).tolist()})
    values, sources = markers
    add_instances(other, element, [tuple(places)], values, sources, [labels_of(element, joint.name)], [joint.name])
    next(i for i in other.instances if i.element is element).connection = joint._instances.connection


def _by_name(joint: Joint, start: Array, rates: Array) -> dict[str, Array]:
    """Return the initial values of a joint by field."""
    if joint._rows.is_ball:
        return {"R": start, SPIN: rates}
    coordinates = joint._rows.coordinates
    values = zip(coordinates, start, rates, strict=True)
    return {name: x for c, value, rate in values for name, x in ((c.name, value), (c.rate, rate))}


@functools.cache
def _space(is_ball: bool, names: tuple[str, ...], rates: tuple[str, ...]) -> HomogeneousSpace | None:
    """Return the space of coordinates, followed by their rates, or None for a rigid joint."""
    if is_ball:
        return product_space(translation_space(SO3, "right"), "R3", name="ball_motion", fields=["R", SPIN])
    if not names:
        return None
    fields = [*names, *rates]
    return product_space(*[real_space(1)] * len(fields), name="_".join([*names, "motion"]), fields=fields)


@dataclass
class _LocatingJoint:
    """Element type of a joint that defines the outboard body as a dependent node."""

    joint: Joint
    groups: Sequence[LieGroup | None]
    """Groups of both bodies; None for the ground."""
    is_second: bool
    """True if the second body is outboard."""
    space: HomogeneousSpace | None
    """Space of the coordinates and rates; None for a rigid joint."""

    def __post_init__(self) -> None:
        joint, sides = self.joint, zip(SIDES, self.groups, strict=True)
        nodes: dict[str, ConfigurationSpace] = {side: group for side, group in sides if group is not None}
        nodes |= {} if self.space is None else {"across": self.space}
        words = [joint._kind(), *("ground" if g is None else g.name for g in self.groups)]
        name = "_".join([*words, "locates", SIDES[self.is_second]])
        self.element = ElementType(name, **nodes)
        self.a, self.b = element_frames(self.element, joint._size)
        self._state()

    def _state(self) -> None:
        element, joint, a, b = self.element, self.joint, self.a, self.b
        rows = joint._rows.vanishing(a, b, {})
        element.acceleration_constraint(element.name, self._rate(forward(element.program, rows, element.motion())))
        coordinates = self._coordinates()
        for c, (value, rate) in coordinates:
            element.output(c.name, value, unit=c.unit)
            element.output(c.rate, rate, unit=c.rate_unit)
        force, moment = reaction(element, a, b, [element.name])
        element.output("force", force, unit="N")
        element.output("moment", moment, unit="N m")
        if joint._rows.is_ball:
            spin = relative_rate(a, b)
            across = element.across
            element.output(BALL_RATE, across.Omega, unit="rad/s")
            element.field(across, [*across.Omega, *self._rate(spin)])
        elif coordinates:
            rates = [c.rate_of(element, a, b) for c, _ in coordinates]
            element.field(element.across, [*(rate for _, (_, rate) in coordinates), *self._rate(rates)])
        self._locate(coordinates)

    def _rate(self, expressions: Sequence[object]) -> Vector:
        """Return the time derivatives of functions of t, q and v, with accelerations."""
        element = self.element
        seeds = [(n.velocity, n.acceleration.components) for n in element.moving_nodes]
        return forward(element.program, [e for e in expressions], [*element.motion(), *seeds])

    def _coordinates(self) -> list[tuple[Coordinate, Vector]]:
        """Return the coordinates with values and rates."""
        stated = self.joint._rows.coordinates
        if not stated:
            return []
        values = self.element.across.value.components
        return [(c, (values[k], values[k + len(stated)])) for k, c in enumerate(stated)]

    def _locate(self, coordinates: list[tuple[Coordinate, Vector]]) -> None:
        """Define the pose and velocity of the outboard body."""
        element, program, size = self.element, self.element.program, self.joint._size
        seeds = element.motion()
        if self.joint._rows.is_ball:
            node = element.across
            R, spin = tuple(node.R), tuple(node.Omega)
            across = Turned(Value(R, SO3), spin), (Integer(0),) * size
            seeds.append((across[0].value, spin))
        else:
            group = SO3 if size == 3 else SO2
            turned = relative_rotation(program, size, coordinates) if coordinates else None
            across = turned or Turned(Value(group.identity, group), None), displacement(size, coordinates)
            seeds += [(Value((value,), Euclidean(1)), (rate,)) for _, (value, rate) in coordinates]
        frames = {True: self.b, False: self.a}
        behind, before = frames[self.is_second].node, frames[not self.is_second].node
        assert behind is not None
        markers = Joined(*_marker(self.a)), Joined(*_marker(self.b))
        placed = crossed(program, stored_body(program, before, size), markers, across, self.is_second).placed
        x_dot = program.vector(forward(program, placed.x, seeds), "x_dot")
        configuration, velocity = storage_and_velocity(program, behind.lie_group, placed, x_dot)
        stored, moving = behind.group.storage_fields, behind.group.velocity_fields
        fields = {f.name: column(configuration[f.offset : f.offset + f.size]) for f in stored}
        fields |= {f.name: column(velocity[f.offset : f.offset + f.size]) for f in moving}
        element.dependent(behind, **fields)


def _marker(frame: Frame) -> tuple[Turned, Vector]:
    """Return the axes of a marker as a rotation, and its point, in body axes."""
    return constant(len(frame.offset), tuple(frame.axes)), tuple(frame.offset)
