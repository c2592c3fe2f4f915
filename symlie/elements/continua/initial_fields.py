"""Initial values along a continuum, at its own nodes and at ends joined to other nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.elements.continua.grid import Array, along_arc
from symlie.elements.continua.joined import turning_field
from symlie.elements.placement import BodyNode, initial_storage, rotation_of
from symlie.groups.classical.coordinates import group_of_rotations
from symlie.groups.group import LieGroup
from symlie.modeling.model import Model
from symlie.modeling.node_array import NodeArray, NodeReference
from symlie.rotations import Rotation, rotation_form

COINCIDENT = 1e-9
"""Angle in rad below which an end and its node have the same rotation; typed numbers are less accurate than doubles."""


@dataclass(frozen=True, eq=False)
class InitialFields:
    """Initial values by field: functions of s, one value for all nodes, or one value for each node or each added
    node."""

    name: str
    group: LieGroup
    values: Mapping[str, object]
    arc: Array
    """Coordinate s of all nodes, in m."""
    own: slice
    """Nodes that the continuum adds."""

    def of_own_nodes(self) -> dict[str, object]:
        """Return the values for the nodes that the continuum adds."""
        return {name: self._own(name, value) for name, value in self.values.items()}

    def _own(self, name: str, value: object) -> object:
        rows = self._rows(name, value)
        return along_arc(value, self.arc[self.own]) if rows is None else rows[self.own]

    def _rows(self, name: str, value: object) -> Sequence[object] | Array | None:
        """Return one value for each node of the continuum, or None if the values have another form."""
        if callable(value) or isinstance(value, Rotation | Mapping):
            return None
        if isinstance(value, list | tuple) and all(isinstance(v, Rotation) for v in value):
            return value if len(value) == len(self.arc) else None
        size = next((f.size for f in (*self.group.storage_fields, *self.group.velocity_fields) if f.name == name), 0)
        rows = np.asarray(value)
        return rows if rows.ndim > 1 and len(rows) == len(self.arc) and rows.size == size * len(rows) else None

    def rotation_from(self, model: Model, node: BodyNode, index: int) -> tuple[float, ...]:
        """Return the rotation vector from a node to the end joined to it (index 0 or -1), empty if both rotations are
        equal."""
        from scipy.spatial.transform import Rotation as Rotations

        stored = next((f for f in self.group.storage_fields if rotation_form(f.name, f.shape)), None)
        stated = next(((n, v) for n, v in self.values.items() if stored and n in (stored.name, "rotation")), None)
        space = node.array.group if isinstance(node, NodeReference) else node.group
        joined = isinstance(space, LieGroup) and group_of_rotations(space) is self.group
        if stored is None or stated is None or turning_field(self.group) is None or not joined:
            return ()
        name, value = stated
        rows = self._rows(name, value)
        if rows is not None:
            value = rows[index]
        elif callable(value) and not isinstance(value, Rotation):
            value = along_arc(value, self.arc[[index]])
        elif not isinstance(value, Rotation | Mapping) and np.size(np.asarray(value, dtype=object)) != stored.size:
            return ()  # values of the added nodes only
        end = NodeArray(self.name, self.group, 1)
        end.initial(**{name: value})
        there, here = rotation_of(self.group, initial_storage(model, node)), rotation_of(self.group, end.storage[0])
        between = there.T @ here
        if len(between) == 2:
            turn = np.array([np.arctan2(between[1, 0], between[0, 0])])
        else:
            turn = Rotations.from_matrix(between).as_rotvec()
        return () if float(np.linalg.norm(turn)) <= COINCIDENT else tuple(turn.tolist())
