"""Markers: points and axes of bodies at which joints and forces act, as numbers in body axes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from symlie.elements.placement import Array, BodyNode, body_dimension, finite_numbers, initial_placement
from symlie.elements.rigid_body import RigidBody
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.modeling.ground import Ground
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeReference
from symlie.utilities.showing import line

Body = RigidBody | BodyNode | Ground
"""Objects that joints and forces connect: a rigid body, a node with a rotation and a position, or the ground."""


class Marker:
    """A point and axes of a body.

    Parameters
    ----------
    body
        A rigid body, a node on a group of a rotation and a position, a node of an array of these, or the ground.
    point
        Position relative to the body's node, in body axes, in m.
    axis
        z axis of the marker in body axes, of any length; the third axis of the body by default. In the plane the x
        axis, by default the first axis of the body.
    across
        Direction whose part perpendicular to the axis is the x axis of the marker, from which angles are measured. By
        default the coordinate axis farthest from the axis. Not used in the plane.

    Raises
    ------
    ModelError
        If the body is not a body, the axis has length zero, ``across`` is parallel to the axis, or a shape is wrong.
    """

    def __init__(
        self,
        body: Body,
        point: ArrayLike,
        axis: ArrayLike | None = None,
        across: ArrayLike | None = None,
    ) -> None:
        group = group_of(body)
        size = len(np.ravel(np.asarray(point))) if group is None else body_dimension(group)
        if size is None:
            raise ModelError(
                f"{body!r} is not a body: joints need a rotation and a position, as on SO3xR3, SE3 or SE2."
            )
        self.body: Body = body
        self.point: Array = finite_numbers("point of a marker", point, size)
        self.axes: Array = axes_along("a marker", size, axis, across)

    def __repr__(self) -> str:
        return line("Marker", [f"of {self.body!r}", f"at {self.point.tolist()}"])

    def placed(self, model: Model) -> tuple[Array, Array]:
        """Return point and axes (as columns) in inertial axes in the initial configuration.

        Parameters
        ----------
        model
            The model of the body.
        """
        turn, position = placement(model, self.body, len(self.point))
        return position + turn @ self.point, turn @ self.axes


Connectable = Body | Marker
"""Objects that joints and forces connect: a `RigidBody`, a `Node` with a rotation and a position, also of an array or
of a rod, the `Model.ground`, or a `Marker` on one of them."""


def group_of(body: Body) -> LieGroup | None:
    """Return the group of the node of a body, or None for the ground."""
    if isinstance(body, Ground):
        return None
    node = node_of(body)
    if node is None:
        raise ModelError(f"{body!r} is not a body; give a rigid body, a node, or the ground of the model.")
    group = node.array.group if isinstance(node, NodeReference) else node.group
    if not isinstance(group, LieGroup) or body_dimension(group) is None:
        raise ModelError(f"{body!r} is not a body: joints need a rotation and a position, as on SO3xR3, SE3 or SE2.")
    return group


def node_of(body: object) -> BodyNode | None:
    """Return the node of a body, or None for the ground."""
    if isinstance(body, RigidBody):
        return body.node
    return body if isinstance(body, Node | NodeReference) else None


def placement(model: Model, body: Body, size: int) -> tuple[Array, Array]:
    """Return rotation matrix and position of a body in the initial configuration."""
    node = node_of(body)
    return (np.eye(size), np.zeros(size)) if node is None else initial_placement(model, node)


def on_body(model: Model, body: Body, point: Array, axes: Array) -> Marker:
    """Return the marker of a body with the given point and axes in the initial configuration."""
    turn, position = placement(model, body, len(point))
    local = turn.T @ axes
    if len(point) == 2:
        return Marker(body, turn.T @ (point - position), local[:, 0])
    return Marker(body, turn.T @ (point - position), local[:, 2], local[:, 0])


def same_body(a: Body, b: Body) -> bool:
    """Return whether two bodies are identical."""
    first, second = node_of(a), node_of(b)
    if isinstance(first, NodeReference) and isinstance(second, NodeReference):
        return first.array is second.array and first.index == second.index
    return first is second


def body_name(body: Body) -> str:
    """Return the name of a body in messages."""
    node = node_of(body)
    return "the ground" if node is None else repr(node) if isinstance(node, NodeReference) else f"'{node.name}'"


def axes_along(what: str, size: int, axis: object, across: object = None) -> Array:
    """Return orthonormal axes as columns: in space with z along an axis and x towards ``across``, in the plane with x
    along the axis.
    """
    if size == 2:
        x = direction(what, [1.0, 0.0] if axis is None else axis, 2)
        return np.array([[x[0], -x[1]], [x[1], x[0]]])
    z = direction(what, [0.0, 0.0, 1.0] if axis is None else axis, 3)
    given = np.eye(3)[int(np.argmin(np.abs(z)))] if across is None else direction(what, across, 3)
    rest = given - (given @ z) * z
    length = math.sqrt(rest @ rest)
    if length < 1e-6:
        raise ModelError(f"The direction across the axis of {what} is parallel to the axis.")
    x = rest / length
    y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
    return np.array([x, y, z]).T.copy()


def direction(what: str, value: object, size: int) -> Array:
    """Return a unit vector, or raise `ModelError`."""
    vector = finite_numbers("axis of a marker", value, size)
    length = math.sqrt(vector @ vector)
    if not length > 0:
        raise ModelError(f"The axis of {what} has length zero; it needs a direction.")
    return vector / length
