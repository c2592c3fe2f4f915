"""Sets of kernels as data: of node types, or of element types with the places of the values that they give."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.contract.set_table import JetLayout
from symlie.contract.sets import KernelSet
from symlie.ir.kernels import Kernel, SparsePattern, schemes_of
from symlie.ir.schemes import Scheme


@dataclass(frozen=True)
class NodeTypeSet:
    """Kernels of a node type."""

    name: str
    storage: int
    dimension: int
    kernels: tuple[Kernel, ...]
    jets: tuple[JetLayout, ...] = ()
    moves_by_field: bool = False
    """Whether its nodes have no velocities."""


@dataclass(frozen=True)
class NodePlace:
    """The node at a place of an element type: its type, and how many numbers it has of each vector."""

    type: str
    storage: int
    dimension: int
    velocities: int
    """The dimension, or zero where it has no velocity."""


@dataclass(frozen=True)
class ElementTypeSet:
    """Matrices of an element type."""

    name: str
    storage: int
    velocities: int
    rows: int
    """Constraint rows of an instance."""
    patterns: tuple[SparsePattern, ...]
    """Positions of the stored values of each matrix of the set."""
    kernels: tuple[Kernel, ...]
    """Its functions, those of them that do not vanish."""
    sees_configuration: bool = False
    """Whether M a + g + Bᵀ λ depends on the configuration."""
    jets: tuple[JetLayout, ...] = ()
    places: tuple[NodePlace, ...] = ()
    """Nodes of an instance, where it has jets."""
    fields: tuple[tuple[int, int], ...] = ()
    """Places of nodes that it moves by fields, with the dimension of each."""
    placements: tuple[tuple[int, int, int], ...] = ()
    """Places of nodes that it places, those of their references, and the dimension of each."""
    places_backwards: bool = False
    """Whether its last instance places nodes first."""
    places_in_turn: bool = False
    """Whether offsets may depend on nodes that other instances of the type place."""
    events: int = 0
    """Event functions of an instance."""


@dataclass(frozen=True)
class MotionSet:
    """The jet of a prescribed motion: of q, then of v."""

    storage: int
    dimension: int
    kernels: tuple[Kernel, ...]
    jet: JetLayout


@dataclass(frozen=True)
class SetKernels:
    """A set of kernels of a model, types in the order of its own kernels."""

    model: str
    set: KernelSet
    nodes: tuple[NodeTypeSet, ...] = ()
    elements: tuple[ElementTypeSet, ...] = ()
    weights: tuple[float, ...] = ()
    """Weights over h of loads at both ends of a step, of a discrete Lagrangian."""
    motions: tuple[MotionSet, ...] = ()
    """Prescribed motions, one after the other."""
    elimination: tuple[Kernel, ...] = ()
    """What solves the saddle point system again and again, of models of fixed topology."""
    follows_fields: bool = False
    """Whether fields have series beside those of their nodes."""
    has_angles: bool = False
    """Whether angles over turns follow the nodes in configurations that kernels of nodes move."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        of_nodes = (k for t in self.nodes for k in t.kernels)
        of_elements = (k for e in self.elements for k in e.kernels)
        return (*of_nodes, *of_elements, *(k for m in self.motions for k in m.kernels), *self.elimination)

    @property
    def jets(self) -> tuple[JetLayout, ...]:
        """All jets: of node types, of element types, of motions."""
        types: tuple[NodeTypeSet | ElementTypeSet, ...] = (*self.nodes, *self.elements)
        return (*(jet for t in types for jet in t.jets), *(motion.jet for motion in self.motions))

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Schemes of all coefficient functions used, by name."""
        return schemes_of(self.kernels)
