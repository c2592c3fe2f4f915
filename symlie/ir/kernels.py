"""The derived model as data: kernels with their layouts. This is all that `emit` sees of a model."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.ir.schemes import Scheme
from symlie.ir.signature import Argument, Signature
from symlie.ir.straightline import Operand, StraightLine


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
class NodeTypeKernels:
    """Kernels and layout of one node type."""

    name: str
    storage: int
    dimension: int
    identity: tuple[float, ...]
    storage_fields: tuple[FieldLayout, ...]
    velocity_fields: tuple[FieldLayout, ...]
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
    """Named rows of an element's constraints."""

    name: str
    size: int


@dataclass(frozen=True)
class OutputComponents:
    """A named output of an element."""

    name: str
    size: int
    unit: str


@dataclass(frozen=True)
class ElementTypeKernels:
    """Kernels, local layout and connectivity of one element type."""

    name: str
    node_types: tuple[str, ...]
    instances: tuple[tuple[int, ...], ...]
    """For each instance the node of each local place, as an index into the model's nodes."""
    mass: SparsePattern
    """Lower triangle."""
    mass_is_constant: bool
    jacobian: SparsePattern
    constraints: tuple[ConstraintRows, ...]
    has_constraint_rate: bool
    """Whether Φ depends on time, so that b = ∂Φ/∂t appears in the hidden constraint."""
    outputs: tuple[OutputComponents, ...]
    kernels: tuple[Kernel, ...]

    @property
    def rows(self) -> int:
        """Number of constraint rows of one instance."""
        return sum(c.size for c in self.constraints)


@dataclass(frozen=True)
class NodeLayout:
    """A node of the model."""

    name: str
    type: str


@dataclass(frozen=True)
class ParameterLayout:
    """A parameter of the model."""

    name: str
    shape: tuple[int, ...]
    default: tuple[float, ...]
    unit: str


@dataclass(frozen=True)
class InitialMask:
    """Which initial components of a node were given."""

    node: str
    storage: tuple[bool, ...]
    velocity: tuple[bool, ...]


@dataclass(frozen=True)
class ModelKernels:
    """Everything that is emitted for a model."""

    name: str
    node_types: tuple[NodeTypeKernels, ...]
    nodes: tuple[NodeLayout, ...]
    element_types: tuple[ElementTypeKernels, ...]
    parameters: tuple[ParameterLayout, ...]
    prepare: Kernel
    """Extends the parameters by the constants that depend on them alone; all element kernels take the result."""
    initial: Kernel
    initial_masks: tuple[InitialMask, ...]
    linear_algebra: tuple[Kernel, ...]
    """Derived elimination for small systems; empty for large ones."""
    mass_is_diagonal: bool
    factor_size: int
    """Number of values of the factorised mass matrix of the derived elimination."""

    @property
    def storage(self) -> int:
        """Number of stored configuration components."""
        return sum(self.node_type(n.type).storage for n in self.nodes)

    @property
    def dimension(self) -> int:
        """Number of velocity components."""
        return sum(self.node_type(n.type).dimension for n in self.nodes)

    @property
    def rows(self) -> int:
        """Number of constraint rows."""
        return sum(e.rows * len(e.instances) for e in self.element_types)

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

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        return (
            *(k for t in self.node_types for k in t.kernels),
            *(k for e in self.element_types for k in e.kernels),
            self.prepare,
            self.initial,
            *self.linear_algebra,
        )

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Schemes of all coefficient functions used, by name."""
        found = {s.function: s for k in self.kernels for s in k.body.schemes}
        return tuple(found[name] for name in sorted(found))
