"""Shapes used to draw a model, without influence on the equations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.attached_shapes import GROUND, AttachedShape
from symlie.contract.shapes import Shape, color_text
from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.ground import Ground
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeArray, NodeReference
from symlie.modeling.terms import Output
from symlie.rotations import Rotation


class Drawn:
    """Base of models with shapes."""

    name: str
    nodes: list[Node]
    arrays: list[NodeArray]
    outputs: list[Output]
    shapes: list[AttachedShape]

    def shape(
        self,
        node: object,
        shape: Shape,
        *,
        at: ArrayLike | None = None,
        rotation: Rotation | None = None,
        color: str | Sequence[float] | None = None,
    ) -> None:
        """Attach a shape to a node for `Solution.view`; a node may have several.

        Shapes are not part of the equations: a change requires neither derivation nor compilation. A body without
        shapes is drawn as the box with its mass and inertia.

        Parameters
        ----------
        node
            A node, a member of a node array, an entire array, a rod, a rigid body, the ground, or the NAME of a body
            whose position is the output NAME_x.
        shape
            From `box`, `cylinder`, `sphere`, `capsule`, `arrow`, `tube` or `mesh`.
        at
            Position of the shape in axes of the node, in m; default: its origin.
        rotation
            Rotation from axes of the shape to axes of the node; default: none.
        color
            ``"#rrggbb"``, or red, green and blue between 0 and 1; default: chosen by the viewer.

        Raises
        ------
        UnknownNameError
            If the node does not exist.
        ModelError
            If the shape is not a shape, or if position or colour have the wrong form.
        """
        name, index = self._drawn_node(node)
        if not isinstance(shape, Shape):
            raise ModelError(f"'{name}' needs a shape such as sl.box(0.2, 0.1, 0.4), not {shape!r}.")
        place = _place(name, at)
        self.shapes.append(AttachedShape(name, index, shape, place, _quaternion(name, rotation), color_text(color)))

    def _drawn_node(self, node: object) -> tuple[str, int | None]:
        if isinstance(node, Ground):
            return GROUND, None
        own = getattr(node, "node", None) or getattr(node, "nodes", None)  # of bodies, or of rods
        found = own if isinstance(own, Node | NodeArray) else node
        if isinstance(found, NodeReference) and any(a is found.array for a in self.arrays):
            return found.array.name, found.index
        own_nodes: list[Node | NodeArray] = [*self.nodes, *self.arrays]
        names = [n.name for n in own_nodes]
        if (known := next((n for n in own_nodes if n is found), None)) is not None:
            return known.name, None
        placed = [o.name.removesuffix("_x") for o in self.outputs if o.name.endswith("_x")]
        if isinstance(found, str) and found in (*names, *placed):
            return found, None
        listed = ", ".join([*names, *placed]) or "none"
        raise UnknownNameError(f"There is no node {node!r} of '{self.name}' to draw a shape at; it has: {listed}.")


def _place(name: str, at: ArrayLike | None) -> tuple[float, float, float]:
    try:
        place = np.zeros(3) if at is None else np.asarray(at, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The position of a shape of '{name}' must consist of numbers, not {at!r}.") from error
    if place.shape not in ((2,), (3,)) or not np.all(np.isfinite(place)):
        raise ModelError(f"The position of a shape of '{name}' must be two or three finite numbers, not {at!r}.")
    x, y, z = (*map(float, place), 0.0)[:3]
    return x, y, z


def _quaternion(name: str, rotation: Rotation | None) -> tuple[float, float, float, float]:
    if rotation is None:
        return 1.0, 0.0, 0.0, 0.0
    if not isinstance(rotation, Rotation):
        raise ModelError(f"The rotation of a shape of '{name}' must be an sl.rotation(…), not {rotation!r}.")
    try:
        w, x, y, z = (float(c) for c in rotation.spatial_quaternion)
    except TypeError as error:
        raise ModelError(f"The rotation of a shape of '{name}' must consist of numbers, not of parameters.") from error
    return w, x, y, z
