"""Initial values along a continuum: at the nodes that it adds, and at ends that are joined to nodes of others."""

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
"""Angle in rad up to which an end has the rotation of its node, since typed numbers have fewer digits than doubles."""


@dataclass(frozen=True, eq=False)
class InitialFields:
    """Initial values by field: functions of s, one value for all, or one for each node, or for each that is added.

    Attributes
    ----------
    name, group
        Of the continuum.
    values
        As stated.
    arc
        s of all its nodes, in m.
    own
        Which of them it adds.
    """

    name: str
    group: LieGroup
    values: Mapping[str, object]
    arc: Array
    own: slice

    def of_own_nodes(self) -> dict[str, object]:
        """Values for the nodes that the continuum adds."""
        return {name: self._own(name, value) for name, value in self.values.items()}

    def _own(self, name: str, value: object) -> object:
        rows = self._rows(name, value)
        return along_arc(value, self.arc[self.own]) if rows is None else rows[self.own]

    def _rows(self, name: str, value: object) -> Sequence[object] | Array | None:
        """One value for each of all nodes, if that is how they are stated."""
        if callable(value) or isinstance(value, Rotation | Mapping):
            return None
        if isinstance(value, list | tuple) and all(isinstance(v, Rotation) for v in value):
            return value if len(value) == len(self.arc) else None
        size = next((f.size for f in (*self.group.storage_fields, *self.group.velocity_fields) if f.name == name), 0)
        rows = np.asarray(value)
        return rows if rows.ndim > 1 and len(rows) == len(self.arc) and rows.size == size * len(rows) else None

    def rotation_from(self, model: Model, node: BodyNode, index: int) -> tuple[float, ...]:
        """Rotation vector from a node to the end that is joined to it; empty where both have one rotation.

        Parameters
        ----------
        model, node
            The node.
        index
            Which node of the continuum it is, 0 or -1.
        """
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
            return ()  # values of the nodes that it adds, which say nothing of this one
        end = NodeArray(self.name, self.group, 1)
        end.initial(**{name: value})
        there, here = rotation_of(self.group, initial_storage(model, node)), rotation_of(self.group, end.storage[0])
        between = there.T @ here
        if len(between) == 2:
            turn = np.array([np.arctan2(between[1, 0], between[0, 0])])
        else:
            turn = Rotations.from_matrix(between).as_rotvec()
        return () if float(np.linalg.norm(turn)) <= COINCIDENT else tuple(turn.tolist())
