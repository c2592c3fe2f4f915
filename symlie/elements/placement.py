"""Poses and velocities of bodies in the initial configuration, as numbers."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr

from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.rotation_parameters import parametrised_rotation, starting_storage, stepped_rotation
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeReference
from symlie.modeling.values import InitialValue
from symlie.rotations import rotation, rotation_form

Array = NDArray[np.float64]

BodyNode = Node | NodeReference
"""Single node of a model, or a member of an array."""


def finite_numbers(what: str, value: object, size: int) -> Array:
    """Return an array of ``size`` finite numbers, or raise `ModelError`."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The {what} needs {size} numbers, not {value!r}.") from error
    if array.shape != (size,) or not np.isfinite(array).all():
        raise ModelError(f"The {what} needs {size} finite numbers, not {value!r}.")
    return array


@functools.cache
def body_dimension(group: ConfigurationSpace) -> int | None:
    """Return 3 for groups of a rotation and a position in space, 2 for groups in the plane, None for all others."""
    if not isinstance(group, LieGroup):
        return None
    if (turned := parametrised_rotation(group)) is not None:
        return 3 if [f.name for f in group.storage_fields] == [turned.parameters.field, "x"] else None
    if group.rotation is None:
        return None
    if not any(rotation_form(f.name, f.shape) for f in group.storage_fields):
        return None
    size = {f.name: f.size for f in group.storage_fields}.get("x")
    turning = {f.name: f.size for f in group.velocity_fields}.get("Omega")
    return size if (size, turning, group.dimension) in ((3, 3, 6), (2, 1, 3)) else None


def at_defaults(model: Model, expression: object, t: float | None = None) -> float:
    """Return the value of an expression at the defaults of parameters and, optionally, at the time t."""
    if isinstance(expression, int | float | sympy.Number):
        return float(expression)
    values: dict[Expr, float] = {s: d for p in model.parameters for s, d in zip(p.symbols, p.default, strict=True)}
    if t is not None:
        values[model.t] = t
    return float(sympy.sympify(expression).subs(values))


def initial_storage(model: Model, node: BodyNode) -> Array:
    """Return the stored components of a node in the initial configuration; for a prescribed node, at t = 0."""
    name, index = (node.array.name, node.index) if isinstance(node, NodeReference) else (node.name, 0)
    for motion in model.motions:
        if (motion.node, motion.index) == (name, index):
            return np.array([at_defaults(model, c, t=0.0) for c in motion.storage])
    if isinstance(node, NodeReference):
        return np.asarray(node.array.storage[node.index])
    storage = np.array(_starting_numbers(node.group))
    for value in model.initial_values.get(name, ()):
        if not value.is_velocity:
            storage[value.field.offset : value.field.offset + value.field.size] = numbers_of(model, value)
    return storage


@functools.cache
def _starting_numbers(group: ConfigurationSpace) -> tuple[float, ...]:
    return tuple(map(float, starting_storage(group)))


def numbers_of(model: Model, value: InitialValue) -> Sequence[float]:
    """Return the components of an initial value at the defaults of parameters."""
    return value.numbers or [at_defaults(model, c) for c in value.components]


def initial_placement(model: Model, node: BodyNode) -> tuple[Array, Array]:
    """Return rotation matrix and position of a body in the initial configuration."""
    group = node.array.group if isinstance(node, NodeReference) else node.group
    if body_dimension(group) is None:
        raise ModelError(f"{node!r} is not a body: joints need a rotation and a position, as on SO3xR3, SE3 or SE2.")
    storage = initial_storage(model, node)
    return rotation_of(group, storage), position_of(group, storage)


def rotation_of(group: ConfigurationSpace, storage: Array) -> Array:
    """Return the rotation matrix of stored components."""
    stored, form = next((f, form) for f in group.storage_fields if (form := rotation_form(f.name, f.shape)))
    part = storage[stored.offset : stored.offset + stored.size]
    if form == "planar":
        return np.array([[part[0], -part[1]], [part[1], part[0]]])
    if form == "matrix":
        return part.reshape(3, 3)
    if form.isupper():
        turned = rotation(euler=form, angles=part.tolist())
    else:
        turned = rotation(quaternion=part.tolist()) if form == "quaternion" else rotation(vector=part.tolist())
    return np.array([float(c) for c in turned.matrix]).reshape(3, 3)


def position_of(group: ConfigurationSpace, storage: Array) -> Array:
    """Return the position in stored components."""
    field = next(f for f in group.storage_fields if f.name == "x")
    return storage[field.offset : field.offset + field.size]


def initial_velocity(model: Model, node: Node) -> dict[str, Array] | None:
    """Return the initial ``Omega`` and ``x_dot`` of a body, both in inertial axes, or None if no velocity is known."""
    given = {v.field.name: v for v in model.initial_values.get(node.name, ()) if v.is_velocity}
    if not given:
        return None
    turn = initial_placement(model, node)[0]
    numbers = {name: np.array(numbers_of(model, v)) for name, v in given.items()}
    if (turned := stepped_rotation(node.group)) is not None and f"{turned.parameters.field}_dot" in numbers:
        rho = initial_storage(model, node)[turned.part]
        numbers["Omega"] = turned.parameters.spin_by_rates(rho) @ numbers[f"{turned.parameters.field}_dot"]
    spin = numbers.get("Omega", np.zeros(3 if len(turn) == 3 else 1))
    velocity = turn @ numbers["U"] if "U" in numbers else numbers.get("x_dot", np.zeros(len(turn)))
    return {"Omega": turn @ spin if len(turn) == 3 else spin, "x_dot": velocity}
