"""Where nodes, constraints and events sit in the vectors of a system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import ConstraintRows, EventFunction, NodeType
from symlie.showing import Brief


@dataclass(frozen=True, eq=False, repr=False)
class NodeSlice(Brief):
    """Where a node, or an array of nodes, sits in the state vectors."""

    name: str
    type: NodeType
    count: int
    is_array: bool
    storage: slice
    velocity: slice
    fixed: NDArray[np.bool_]
    """Clamped nodes, shape (count,)."""
    placed: NDArray[np.bool_]
    """Nodes that elements place by others, which are no states, shape (count,)."""
    velocity_given: NDArray[np.bool_]
    """Velocity components that are not completed from constraints, shape (count · dimension,)."""

    @property
    def is_state(self) -> bool:
        """Whether some node of it moves by itself; otherwise they are where others place them."""
        return not bool(self.placed.any()) or not bool((self.placed | self.fixed).all())

    def by_node(self, values: NDArray[np.float64], *, velocity: bool) -> NDArray[np.float64]:
        """Values over time of this slice, shape (n, components), or (n, count, components) for arrays."""
        part = values[:, self.storage]
        if velocity:
            part = values[:, self.velocity] if self.type.velocities else values[:, :0]
        return part.reshape(len(values), self.count, -1) if self.is_array else part


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintSlice(Brief):
    """Rows of a named constraint: of all instances of its element type that have no names, or of one quantity."""

    stated: ConstraintRows
    rows: NDArray[np.int64]
    """Shape (instances, size), or (1, size)."""
    is_array: bool
    element: str
    instances: NDArray[np.int64]
    """Which instances of the element type these are, shape (instances,)."""


@dataclass(frozen=True, eq=False, repr=False)
class OutputPart(Brief):
    """What some instances of an element type contribute to a named output."""

    element: int
    output: int
    """Number of the output among those of the type."""
    instances: NDArray[np.int64]
    first: int
    """Component of the named output from which on it is added."""


@dataclass(frozen=True, eq=False, repr=False)
class CurveSlice(Brief):
    """Where the nodes of a curve sit in the state vectors."""

    name: str
    type: NodeType
    arc: NDArray[np.float64]
    """Arc length of each node, in m."""
    storage: NDArray[np.int64]
    """Components of the configuration of each node, shape (nodes, storage)."""
    velocity: NDArray[np.int64]
    """Components of the velocity of each node, shape (nodes, dimension)."""
    nodes: NDArray[np.int64]
    """Number of each node among all nodes."""
    end_rotations: tuple[tuple[float, ...], tuple[float, ...]]
    """Rotation vectors from the first and the last node to the curve, in rad; empty where it has their rotations."""


@dataclass(frozen=True)
class EventValue(EventFunction):
    """One event function: of the model, or of one instance of an element type."""

    element: str
    instance: int
