"""The derived model as data: kernels with their layouts. This is all that `emit` sees of a model.

`ModelKernels` holds types only; how many nodes and elements there are and how they connect is an `Arrangement`, which
is run-time data except for small models, whose tables are written into the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.signature import Argument, Signature
from symlie.ir.schemes import Scheme
from symlie.ir.straightline import Operand, StraightLine
from symlie.showing import Brief


@dataclass(frozen=True)
class Kernel:
    """A generated function: signature, instructions, and which operand goes to which output component."""

    signature: Signature
    body: StraightLine
    description: str

    @property
    def outputs(self) -> list[tuple[Argument, tuple[Operand, ...]]]:
        """Each output argument with the operands of its components."""
        rows = []
        position = 0
        for argument in self.signature.arguments:
            if argument.is_output:
                size = argument.size or 0
                rows.append((argument, self.body.outputs[position : position + size]))
                position += size
        return rows


@dataclass(frozen=True)
class FieldLayout:
    """A named part of a state vector."""

    name: str
    offset: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class AngleLayout:
    """A rotation of the plane that is stored as (cos φ, sin φ)."""

    field: str
    """Storage field that it is part of."""
    cosine: int
    sine: int
    component: int
    """Component of local coordinates that φ' is."""


@dataclass(frozen=True)
class NodeTypeKernels:
    """Kernels and layout of one node type."""

    name: str
    storage: int
    dimension: int
    """Dimension of the algebra that local coordinates of a step are in."""
    velocities: int
    """Number of velocity components: the dimension, or 0 if the motion is given by a field."""
    is_frame: bool
    """Whether points move by flows that compose to no group; only ``advance`` has a meaning then."""
    identity: tuple[float, ...]
    storage_fields: tuple[FieldLayout, ...]
    velocity_fields: tuple[FieldLayout, ...]
    angles: tuple[AngleLayout, ...]
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True)
class SparsePattern:
    """Positions of the stored values of a matrix; ``constants`` are values known at derivation."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    constants: tuple[float | None, ...]

    @property
    def count(self) -> int:
        """Number of stored values."""
        return len(self.rows)


@dataclass(frozen=True)
class ConstraintRows:
    """Named rows of an element's constraints; Φ of nonholonomic rows is zero."""

    name: str
    size: int
    is_holonomic: bool
    is_of_accelerations: bool = False
    """Whether they have no B v + b = 0 either."""


@dataclass(frozen=True)
class OutputComponents:
    """A named output; over several instances and element types it is a sum."""

    name: str
    size: int
    unit: str


@dataclass(frozen=True)
class EventValue:
    """A scalar whose zeros are looked for, one value per instance."""

    name: str
    direction: int
    """Which sign changes count: 1 rising, -1 falling, 0 both."""
    is_terminal: bool


@dataclass(frozen=True)
class ParameterLayout:
    """A parameter of the model or of an element type."""

    name: str
    shape: tuple[int, ...]
    default: tuple[float, ...]
    unit: str


@dataclass(frozen=True)
class InputLayout:
    """A function of time that is given at run time; its slots follow the parameters."""

    name: str
    size: int
    unit: str


@dataclass(frozen=True)
class ElementTypeKernels:
    """Kernels and local layout of one element type."""

    name: str
    node_types: tuple[str, ...]
    parameters: tuple[ParameterLayout, ...]
    prepared_count: int
    """Length of an instance's parameters with the constants computed from them."""
    mass: SparsePattern
    """Lower triangle."""
    mass_is_constant: bool
    conserves_energy: bool
    """Whether T + V is constant as far as this type is concerned, while inputs and prescribed motions do no work."""
    jacobian: SparsePattern
    constraints: tuple[ConstraintRows, ...]
    has_constraint_rate: bool
    """Whether Φ depends on time, so that b = ∂Φ/∂t appears in the hidden constraint."""
    outputs: tuple[OutputComponents, ...]
    events: tuple[EventValue, ...]
    fields: tuple[int, ...]
    """Places whose nodes have no velocity and get a field from the element."""
    places_backwards: bool
    """Whether the last instance is placed first."""
    placements: tuple[tuple[int, int], ...]
    """Places of nodes that the element puts where another one is plus an offset, with the place of that."""
    kernels: tuple[Kernel, ...]

    @property
    def rows(self) -> int:
        """Number of constraint rows of one instance."""
        return sum(c.size for c in self.constraints)

    @property
    def parameter_count(self) -> int:
        """Number of parameter values of one instance."""
        return sum(len(p.default) for p in self.parameters)


@dataclass(frozen=True)
class ModelKernels:
    """Everything that is generated for the types of a model."""

    name: str
    node_types: tuple[NodeTypeKernels, ...]
    element_types: tuple[ElementTypeKernels, ...]
    parameters: tuple[ParameterLayout, ...]
    prepare: Kernel
    """Extends the parameters by the constants that depend on them alone; all element kernels take the result."""
    initial: Kernel
    """Initial values of the nodes that are stated one by one."""
    inputs: tuple[InputLayout, ...] = ()
    motions: tuple[Kernel, ...] = ()
    """Configuration, velocity and acceleration of each prescribed node."""

    @property
    def prepared_count(self) -> int:
        """Length of the extended parameter vector."""
        return len(self.prepare.body.outputs)

    @property
    def parameter_count(self) -> int:
        """Number of parameter values."""
        return sum(len(p.default) for p in self.parameters)

    def node_type(self, name: str) -> NodeTypeKernels:
        """The node type of this name."""
        return next(t for t in self.node_types if t.name == name)

    def element_type(self, name: str) -> ElementTypeKernels:
        """The element type of this name."""
        return next(e for e in self.element_types if e.name == name)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        return (
            *(k for t in self.node_types for k in t.kernels),
            *(k for e in self.element_types for k in e.kernels),
            self.prepare,
            self.initial,
            *self.motions,
        )


@dataclass(frozen=True)
class NodeOutput:
    """An output that is a field of the configuration of all nodes of an array that are not clamped."""

    name: str
    field: str
    unit: str


@dataclass(frozen=True, eq=False, repr=False)
class NodeSet(Brief):
    """A named node, or a named array of nodes."""

    name: str
    type: str
    count: int
    is_array: bool
    fixed: NDArray[np.bool_]
    """Which nodes are clamped, shape (count,)."""
    storage_given: NDArray[np.bool_]
    velocity_given: NDArray[np.bool_]
    """Which initial components were stated, shape (storage,) and (dimension,)."""
    storage: NDArray[np.float64] | None = None
    velocity: NDArray[np.float64] | None = None
    """Initial values of an array, shape (count, storage) and (count, dimension)."""
    outputs: tuple[NodeOutput, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Instances(Brief):
    """All instances of an element type."""

    element: str
    nodes: NDArray[np.int32]
    """Nodes of each instance, shape (count, places), as indices into all nodes grouped by type."""
    parameters: NDArray[np.float64]
    """One row for all instances, or one for each."""

    @property
    def count(self) -> int:
        """Number of instances."""
        return len(self.nodes)


@dataclass(frozen=True, eq=False, repr=False)
class Arrangement(Brief):
    """Nodes, in the order of the state vectors, and instances of each element type."""

    nodes: tuple[NodeSet, ...]
    instances: tuple[Instances, ...]
    parameters: dict[str, tuple[ParameterLayout, ...]]
    """Parameters with their defaults, of the model and of each element type, by name."""
    motions: tuple[int, ...] = ()
    """The node that each prescribed motion moves."""
    breakpoints: tuple[str, ...] = ()
    """Names of parameters whose values are times that must be step boundaries."""


@dataclass(frozen=True)
class Elimination:
    """Derived linear algebra of a small system; see `symlie.derive.elimination`."""

    kernels: tuple[Kernel, ...]
    factor_size: int


@dataclass(frozen=True, eq=False)
class EmittedModel:
    """What is emitted: types, their arrangement, and the elimination if the system is small."""

    types: ModelKernels
    arrangement: Arrangement
    elimination: Elimination | None

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        return (*self.types.kernels, *(self.elimination.kernels if self.elimination else ()))

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Schemes of all coefficient functions used, by name."""
        found = {s.function: s for k in self.kernels for s in k.body.schemes}
        return tuple(found[name] for name in sorted(found))

    @property
    def storage(self) -> int:
        """Number of stored configuration components."""
        return sum(n.count * self.types.node_type(n.type).storage for n in self.arrangement.nodes)

    @property
    def dimension(self) -> int:
        """Number of velocity components."""
        return sum(n.count * self.types.node_type(n.type).dimension for n in self.arrangement.nodes)

    @property
    def rows(self) -> int:
        """Number of constraint rows."""
        return sum(i.count * self.types.element_type(i.element).rows for i in self.arrangement.instances)

    @property
    def events(self) -> int:
        """Number of event values."""
        return sum(i.count * len(self.types.element_type(i.element).events) for i in self.arrangement.instances)
