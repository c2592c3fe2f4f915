"""Joints and forces between two bodies: their nodes and their appearance.

Manifests of older versions lack both; for them, they follow from the name of the element type, such as
``revolute_SE3_ground``.
"""

from __future__ import annotations

from collections.abc import Sequence

from symlie.contract import connections as looks
from symlie.contract.connections import ConnectionLayout, Part
from symlie.contract.manifest import Instances

_BY_NAME: dict[str, tuple[Part, ...]] = {
    "revolute": looks.HINGE, "prismatic": looks.SLIDER, "cylindrical": looks.PIN_IN_SLIDER, "screw": looks.SCREW,
    "universal": looks.CROSS, "constant_velocity": looks.BALL_ON_SHAFT, "planar": looks.PLATE, "rigid": looks.BLOCK,
    "in_line": looks.BALL_ON_AXIS, "point_on_line": looks.BALL_ON_AXIS, "point_on_plane": looks.BALL_ON_AXIS,
}  # fmt: skip
"""Appearance of spatial joints by the beginning of the name of their element type."""

_IN_PLANE = {"prismatic": looks.PLANAR_SLIDER, "point_on_line": looks.PLANAR_BALL_ON_AXIS}


def connection_of(instances: Instances) -> ConnectionLayout | None:
    """Return the connection of the instances of an element type; None if they do not connect two bodies."""
    sizes = dict(zip(instances.parameter_names, instances.parameter_sizes, strict=True))
    if instances.connection is not None or not {"point_a", "point_b"} <= set(sizes):
        return instances.connection
    by_name = _BY_NAME | (_IN_PLANE if sizes["point_a"] == 2 else {})
    kind = next((k for k in by_name if instances.element.startswith(f"{k}_")), None)
    bodies = (0, 1) if instances.nodes.shape[1] > 1 else (0, -1) if instances.element.endswith("_ground") else (-1, 0)
    return ConnectionLayout(bodies, looks.BALL if kind is None else by_name[kind])


def nodes_of_bodies(connection: ConnectionLayout, nodes: Sequence[int]) -> tuple[int | None, int | None]:
    """Return the nodes of the first and of the second body among those of an instance; None for the ground."""
    first, second = (None if k < 0 else int(nodes[k]) for k in connection.bodies)
    return first, second
