"""What a model says of how it is drawn: shapes at its nodes, on which no equation depends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.contract.attached_shapes import GROUND, AttachedShape
from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.ground import Ground
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeArray, NodeReference
from symlie.modeling.terms import Output
from symlie.rotations import Rotation
from symlie.shapes import Shape, color_text


class Drawn:
    """The part of a model that says how it is drawn."""

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
        at: Sequence[float] | None = None,
        rotation: Rotation | None = None,
        color: str | Sequence[float] | None = None,
    ) -> None:
        """Draw a node with a shape in `Solution.view`; a node may have several.

        Shapes are no part of the equations: to change one neither derives nor compiles. A body without shapes is drawn
        as the box that has its mass and inertia.

        Parameters
        ----------
        node
            A node, a member of a node array, a whole array or a rod, a rigid body, the ground, or the NAME of a body
            whose position is the output NAME_x.
        shape
            From `box`, `cylinder`, `sphere`, `capsule`, `arrow`, `tube` or `mesh`.
        at
            Place of the shape in axes of the node, in m; its origin by default.
        rotation
            From axes of the shape to those of the node; none by default.
        color
            ``"#rrggbb"``, or red, green and blue between 0 and 1; chosen by the page by default.

        Raises
        ------
        UnknownNameError
            There is no such node.
        ModelError
            No shape; a place or a colour of the wrong form.
        """
        name, index = self._drawn_node(node)
        if not isinstance(shape, Shape):
            raise ModelError(f"'{name}' is drawn with a shape such as sl.box(0.2, 0.1, 0.4), not with {shape!r}.")
        place = _place(name, at)
        self.shapes.append(AttachedShape(name, index, shape, place, _quaternion(name, rotation), color_text(color)))

    def _drawn_node(self, node: object) -> tuple[str, int | None]:
        if isinstance(node, Ground):
            return GROUND, None
        own = getattr(node, "node", None) or getattr(node, "nodes", None)  # of bodies and of rods
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


def _place(name: str, at: Sequence[float] | None) -> tuple[float, float, float]:
    try:
        place = np.zeros(3) if at is None else np.asarray(at, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The place of a shape of '{name}' is made of numbers, not {at!r}.") from error
    if place.shape not in ((2,), (3,)) or not np.all(np.isfinite(place)):
        raise ModelError(f"The place of a shape of '{name}' has two or three finite numbers, not {at!r}.")
    x, y, z = (*map(float, place), 0.0)[:3]
    return x, y, z


def _quaternion(name: str, rotation: Rotation | None) -> tuple[float, float, float, float]:
    if rotation is None:
        return 1.0, 0.0, 0.0, 0.0
    if not isinstance(rotation, Rotation):
        raise ModelError(f"The rotation of a shape of '{name}' is an sl.rotation(…), not {rotation!r}.")
    try:
        w, x, y, z = (float(c) for c in rotation.spatial_quaternion)
    except TypeError as error:
        raise ModelError(f"The rotation of a shape of '{name}' is made of numbers, not of parameters.") from error
    return w, x, y, z
