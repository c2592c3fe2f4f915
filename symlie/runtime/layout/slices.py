"""Positions of nodes, constraints and events in the vectors of a system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import ConstraintRows, EventFunction, NodeType
from symlie.utilities.showing import Brief


@dataclass(frozen=True, eq=False, repr=False)
class NodeSlice(Brief):
    """Position of a node, or of an array of nodes, in the state vectors."""

    name: str
    type: NodeType
    count: int
    is_array: bool
    storage: slice
    velocity: slice
    fixed: NDArray[np.bool_]
    """Flags of fixed nodes, shape (count,)."""
    dependent: NDArray[np.bool_]
    """Flags of dependent nodes, which are not unknowns, shape (count,)."""
    velocity_given: NDArray[np.bool_]
    """Flags of specified velocity components, which completion preserves, shape (count · dimension,)."""
    unit: str
    """Unit of the coordinates in Rⁿ; empty if it is unknown."""

    @property
    def is_state(self) -> bool:
        """True unless all nodes of the slice are dependent."""
        return not bool(self.dependent.any()) or not bool((self.dependent | self.fixed).all())

    def by_node(self, values: NDArray[np.float64], *, velocity: bool) -> NDArray[np.float64]:
        """Values of this slice over time, shape (n, components), or (n, count, components) for arrays."""
        part = values[:, self.storage]
        if velocity:
            part = values[:, self.velocity] if self.type.velocities else values[:, :0]
        return part.reshape(len(values), self.count, -1) if self.is_array else part


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintSlice(Brief):
    """Equations of a named constraint: those of all unnamed elements of a type, or those of one quantity."""

    stated: ConstraintRows
    rows: NDArray[np.int64]
    """Indices of the equations, shape (elements, size), or (1, size)."""
    is_array: bool
    element: str
    instances: NDArray[np.int64]
    """Numbers of these elements, shape (elements,)."""


@dataclass(frozen=True, eq=False, repr=False)
class OutputPart(Brief):
    """Contribution of some elements of a type to a named output."""

    element: int
    output: int
    """Number of the output among those of the type."""
    instances: NDArray[np.int64]
    first: int
    """First component of the named output to which the contribution is added."""


@dataclass(frozen=True, eq=False, repr=False)
class CurveSlice(Brief):
    """Positions of the nodes of a curve in the state vectors."""

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
    """Rotation vectors from the first and the last node to the curve, in rad; empty if the rotations agree."""


@dataclass(frozen=True)
class EventValue(EventFunction):
    """One event function, of the model or of an element."""

    element: str
    instance: int
