"""Sets of kernels as data: kernels of node types, or kernels of element types with the positions of their values."""

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
    """True if its nodes are first-order states."""


@dataclass(frozen=True)
class NodePlace:
    """Local node of an element type: its type, and its sizes in each vector."""

    type: str
    storage: int
    dimension: int
    velocities: int
    """The dimension, or zero for first-order states."""


@dataclass(frozen=True)
class GradientPlaces:
    """Places of the components that a kernel of gradients computes; all others are zero."""

    kernel: str
    """Name in the table of system kernels."""
    weights: str
    """Vector of the weights: ``velocities``, ``rows``, ``fields``, ``dependents`` or ``outputs``."""
    places: tuple[tuple[str, tuple[int, ...]], ...]
    """Places of the components of each result, by name."""


@dataclass(frozen=True)
class ElementTypeSet:
    """Matrices of an element type."""

    name: str
    storage: int
    velocities: int
    rows: int
    """Constraint equations of an instance."""
    patterns: tuple[SparsePattern, ...]
    """Positions of the stored values of each matrix of the set."""
    kernels: tuple[Kernel, ...]
    """Functions that do not vanish."""
    sees_configuration: bool = False
    """True if M a + g + Bᵀ λ depends on the configuration."""
    jets: tuple[JetLayout, ...] = ()
    places: tuple[NodePlace, ...] = ()
    """Nodes of an instance, if it has jets or gradients."""
    fields: tuple[tuple[int, int], ...] = ()
    """Local nodes whose field it defines, with the dimension of each."""
    dependents: tuple[tuple[int, int], ...] = ()
    """Local dependent nodes with their references."""
    depends_in_turn: bool = False
    """True if their kernel may read dependent nodes of other instances of the type."""
    events: int = 0
    """Event functions of an instance."""
    gradients: tuple[GradientPlaces, ...] = ()
    """Results of kernels of gradients."""
    own_parameters: int = 0
    own_inputs: int = 0
    """Inputs that each instance chooses; the choices are the last of its parameters."""
    """Parameters of an instance, if it has gradients."""
    outputs: int = 0
    """Components of all outputs of an instance, if it has gradients."""


@dataclass(frozen=True)
class MotionSet:
    """Jet of a prescribed motion: of q, then of v."""

    storage: int
    dimension: int
    kernels: tuple[Kernel, ...]
    jet: JetLayout


@dataclass(frozen=True)
class SetKernels:
    """Set of kernels of a model, types in the order of the model."""

    model: str
    set: KernelSet
    nodes: tuple[NodeTypeSet, ...] = ()
    elements: tuple[ElementTypeSet, ...] = ()
    weights: tuple[float, ...] = ()
    """Weights, divided by h, of the loads at both ends of a step, of a discrete Lagrangian."""
    motions: tuple[MotionSet, ...] = ()
    """Prescribed motions in order, if the set has jets."""
    motion_gradients: tuple[tuple[Kernel, tuple[int, ...]], ...] = ()
    """Gradients of prescribed motions in order, if the set has gradients: kernel and places of the components that it
    computes."""
    elimination: tuple[Kernel, ...] = ()
    """Repeated solution of the saddle point system, for models of fixed topology."""
    follows_fields: bool = False
    """True if fields have series in addition to the rates of their nodes."""
    inputs: tuple[tuple[int, int], ...] = ()
    """First slot among the parameters, and number of components, of each input, if the set has gradients."""
    parameters: int = 0
    """Number of parameters of the model, if the set has gradients."""
    has_angles: bool = False
    """True if unwrapped angles follow the nodes in configurations that kernels of nodes advance."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        of_nodes = (k for t in self.nodes for k in t.kernels)
        of_elements = (k for e in self.elements for k in e.kernels)
        of_motions = (k for m in self.motions for k in m.kernels)
        gradients = (k for k, places in self.motion_gradients if places)
        return (*of_nodes, *of_elements, *of_motions, *gradients, *self.elimination)

    @property
    def jets(self) -> tuple[JetLayout, ...]:
        """All jets: of node types, of element types, of motions."""
        types: tuple[NodeTypeSet | ElementTypeSet, ...] = (*self.nodes, *self.elements)
        return (*(jet for t in types for jet in t.jets), *(motion.jet for motion in self.motions))

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Schemes of all coefficient functions used, by name."""
        return schemes_of(self.kernels)
