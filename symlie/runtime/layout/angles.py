"""Unwrapped angles of planar rotations, counted over every accepted step.

An angle is φ = 2πn + atan2(s, c) of the stored (c, s) = (cos φ, sin φ). The number n of full turns is auxiliary
integrator state. A step that turns by Δφ, from its local coordinates, changes n by the integer nearest to
(φ₀ + Δφ - atan2(s₁, c₁))/2π, where φ₀ = atan2(s₀, c₀). Samples alone do not determine the turns between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import WHOLE_TURN
from symlie.errors import UnknownNameError
from symlie.runtime.layout.slices import NodeSlice


@dataclass(frozen=True, eq=False)
class Angles:
    """Storage of all angles of a system, in the order of their nodes.

    Attributes
    ----------
    cosine, sine
        Storage components, shape (angles,).
    component
        Component of the local coordinates that is φ', shape (angles,).
    is_prescribed
        Flags of angles of prescribed nodes, which increments of a step do not contain, shape (angles,).
    first
        Index of the first angle of each node or node array.
    """

    cosine: NDArray[np.int32]
    sine: NDArray[np.int32]
    component: NDArray[np.int32]
    is_prescribed: NDArray[np.bool_]
    first: dict[str, int]

    def __len__(self) -> int:
        return len(self.cosine)

    @property
    def table(self) -> NDArray[np.int32]:
        """Cosine, sine, component and prescribed flag, shape (angles, 4), for C."""
        columns = (self.cosine, self.sine, self.component, self.is_prescribed)
        return np.column_stack(columns).astype(np.int32)

    def principal(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """atan2(s, c) between -π and π, shape (…, angles), of configurations (…, storage)."""
        return np.asarray(np.arctan2(q[..., self.sine], q[..., self.cosine]))

    def turns(
        self, q: NDArray[np.float64], turned: NDArray[np.float64], later: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Full turns between two configurations, from the rotation of the step between them, shape (…, angles)."""
        return np.asarray(np.rint((self.principal(q) + turned - self.principal(later)) / WHOLE_TURN))

    def of_node(self, node: NodeSlice, field: str | None) -> NDArray[np.intp]:
        """Indices of an angle of a node, shape (count,); `UnknownNameError` if the name is missing, unknown or
        ambiguous."""
        fields = [a.field for a in node.type.angles]
        if not fields:
            raise UnknownNameError(
                f"Node '{node.name}' has no angle; only nodes on SO2, SE2 and their products have angles."
            )
        if field not in fields and not (field is None and len(fields) == 1):
            raise UnknownNameError(
                f"Name the angle of node '{node.name}' by the field that stores it, one of: {', '.join(fields)}."
            )
        place = 0 if field is None else fields.index(field)
        return self.first[node.name] + len(fields) * np.arange(node.count) + place


def angles_of(nodes: Sequence[NodeSlice], prescribed: NDArray[np.int32]) -> Angles:
    """Angles of all nodes and node arrays; `prescribed` has the first velocity component of each prescribed node."""
    rows: list[tuple[int, int, int, bool]] = []
    first: dict[str, int] = {}
    for node in nodes:
        first[node.name] = len(rows)
        for k in range(node.count):
            storage = node.storage.start + k * node.type.storage
            velocity = node.velocity.start + k * node.type.dimension
            is_prescribed = velocity in prescribed
            for a in node.type.angles:
                rows.append((storage + a.cosine, storage + a.sine, velocity + a.component, is_prescribed))
    columns = np.array(rows, dtype=np.int32).reshape(-1, 4).T
    return Angles(columns[0], columns[1], columns[2], columns[3] != 0, first)
