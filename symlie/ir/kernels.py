"""The derived model as data: kernels with their layouts; the only model data that `emit` uses.

`ModelKernels` holds only types. Nodes, elements and their topology are in an `Arrangement`, which is run-time data
except for small models, whose tables are part of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.manifest import (
    Compliance,
    Curve,
    ElementType,
    Engagement,
    InitialCondition,
    InputLayout,
    Instances,
    JointRate,
    NodeSet,
    NodeType,
    ParameterLayout,
    Pattern,
    TableLayout,
)
from symlie.contract.signature import Argument, Signature
from symlie.ir.directions import components_seen
from symlie.ir.schemes import Scheme
from symlie.ir.straightline import Operand, StraightLine
from symlie.utilities.showing import Brief


@dataclass(frozen=True)
class Kernel:
    """Generated function: signature, instructions, and the operand of each output component."""

    signature: Signature
    body: StraightLine
    description: str
    directions: int = 0
    """Number of unit vectors along which a loop computes derivatives; zero without a loop.

    Outputs of the body are matrix rows, with one column for each; see `symlie.ir.directions`.
    """

    @property
    def repeated(self) -> frozenset[str]:
        """Targets of the instructions that depend on the vector."""
        seen = components_seen(self.body, self.directions)
        return frozenset(i.target for i in self.body.instructions if i.target in seen)

    @property
    def outputs(self) -> list[tuple[Argument, tuple[Operand, ...]]]:
        """Return each output argument with the operands of its components, or of its matrix rows."""
        rows = []
        position = 0
        for argument in self.signature.arguments:
            if argument.is_output:
                size = (argument.size or 0) // (self.directions or 1)
                rows.append((argument, self.body.outputs[position : position + size]))
                position += size
        return rows


def owners_read(kernel: Kernel, owners: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the owners of the components that a kernel reads, such as the node type of each component of ``q``."""
    read = {*(o for i in kernel.body.instructions for o in i.operands), *kernel.body.outputs}
    return {name for vector, names in owners.items() for k, name in enumerate(names) if f"{vector}[{k}]" in read}


def schemes_of(kernels: Iterable[Kernel]) -> tuple[Scheme, ...]:
    """Return the schemes of all coefficient functions that kernels use, by name."""
    found = {s.function: s for k in kernels for s in k.body.schemes}
    return tuple(found[name] for name in sorted(found))


@dataclass(frozen=True)
class NodeTypeKernels(NodeType):
    """Node type with its kernels."""

    kernels: tuple[Kernel, ...]


@dataclass(frozen=True)
class SparsePattern(Pattern):
    """Positions of the stored values of a matrix; ``constants`` are values known at derivation."""

    constants: tuple[float | None, ...]


@dataclass(frozen=True)
class ElementTypeKernels(ElementType):
    """Element type with its kernels."""

    mass: SparsePattern
    jacobian: SparsePattern
    parameters: tuple[ParameterLayout, ...]
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True)
class ModelKernels:
    """All generated code of the types of a model."""

    name: str
    node_types: tuple[NodeTypeKernels, ...]
    element_types: tuple[ElementTypeKernels, ...]
    parameters: tuple[ParameterLayout, ...]
    prepare: Kernel
    """Kernel that extends the parameters by the constants that depend only on them; all element kernels take the
    result."""
    initial: Kernel
    """Initial values of the nodes that are defined one by one."""
    inputs: tuple[InputLayout, ...] = ()
    motions: tuple[Kernel, ...] = ()
    """Configuration, velocity and acceleration of each prescribed node."""

    @property
    def prepared_parameters(self) -> int:
        """Length of the extended parameter vector."""
        return len(self.prepare.body.outputs)

    @property
    def parameter_count(self) -> int:
        """Number of parameter values."""
        return sum(len(p.default) for p in self.parameters)

    def node_type(self, name: str) -> NodeTypeKernels:
        """Return the node type of this name."""
        return next(t for t in self.node_types if t.name == name)

    def element_type(self, name: str) -> ElementTypeKernels:
        """Return the element type of this name."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Arrangement(Brief):
    """Nodes, in the order of the state vectors, and instances of each element type."""

    parameters: tuple[ParameterLayout, ...]
    """Parameters of the model with their defaults."""
    nodes: tuple[NodeSet, ...]
    instances: tuple[Instances, ...]
    motions: tuple[int, ...] = ()
    """Node of each prescribed motion."""
    breakpoints: tuple[str, ...] = ()
    """Names of parameters whose values are stop times."""
    tables: tuple[TableLayout, ...] = ()
    """Smooth tables with their points."""
    outputs: tuple[str, ...] = ()
    """Outputs defined on the model itself, in order of definition."""
    curves: tuple[Curve, ...] = ()
    frozen: tuple[str, ...] = ()
    """Parameters compiled as constants; ELEMENT.NAME for element types."""
    joint_rates: tuple[JointRate, ...] = ()
    conditions: tuple[InitialCondition, ...] = ()
    bases: tuple[tuple[str, int], ...] = ()
    compliances: tuple[Compliance, ...] = ()
    given_coordinates: tuple[tuple[str, str], ...] = ()
    engagements: tuple[Engagement, ...] = ()


@dataclass(frozen=True)
class Elimination:
    """Derived linear algebra of a small system; see `symlie.derive.elimination`."""

    kernels: tuple[Kernel, ...]
    factor_size: int

    @property
    def multiplies_rows(self) -> bool:
        """Return whether a kernel multiplies the constraint Jacobian and velocities; otherwise loops do."""
        return any(k.signature.name == "multiply_rows" for k in self.kernels)


@dataclass(frozen=True, eq=False)
class EmittedModel:
    """Types, their arrangement, and the elimination if the system is small."""

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
        return schemes_of(self.kernels)

    @property
    def storage(self) -> int:
        """Number of stored configuration components: of all nodes, and unwrapped angles and activities of all
        instances."""
        nodes = sum(n.count * self.types.node_type(n.type).storage for n in self.arrangement.nodes)
        return nodes + sum(i.count * self.types.element_type(i.element).unwrapped for i in self.arrangement.instances)

    @property
    def dimension(self) -> int:
        """Number of velocity components."""
        return sum(n.count * self.types.node_type(n.type).dimension for n in self.arrangement.nodes)

    @property
    def rows(self) -> int:
        """Number of constraint equations."""
        return sum(i.count * self.types.element_type(i.element).rows for i in self.arrangement.instances)

    @property
    def events(self) -> int:
        """Number of event values."""
        return sum(i.count * len(self.types.element_type(i.element).events) for i in self.arrangement.instances)
