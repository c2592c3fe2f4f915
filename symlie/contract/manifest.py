"""The manifest: a model in numbers, all that is known of generated code besides its text.

`Types` depend on the types of a model alone; nodes, instances and values are run-time data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symlie.contract.records import OPTIONAL, from_json, to_json
from symlie.reading import other_format, reading
from symlie.showing import Brief

FORMAT = 13
"""Version of the manifest's layout; a folder of another format is refused."""


@dataclass(frozen=True)
class FieldLayout:
    """A named part of a state vector."""

    name: str
    offset: int
    shape: tuple[int, ...]

    @property
    def part(self) -> slice:
        """Where its components are."""
        return slice(self.offset, self.offset + math.prod(self.shape))


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
class NodeType:
    """A group or homogeneous space of nodes."""

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

    @property
    def fields(self) -> tuple[FieldLayout, ...]:
        """Fields of the configuration and of the velocity."""
        return self.storage_fields + self.velocity_fields


@dataclass(frozen=True)
class Pattern:
    """Positions of the stored values of a matrix."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of stored values."""
        return len(self.rows)


@dataclass(frozen=True)
class ConstraintRows:
    """Named rows of an element's constraints."""

    name: str
    size: int
    level: int
    """0 for Φ(t, q) = 0, 1 for ψ(t, q, v) = 0, 2 for B(t, q) v' + Z(t, q, v) = 0."""
    is_affine: bool = True
    """Whether B does not depend on v, so that ψ is A(t, q) v + b(t, q)."""
    balances: tuple[int, ...] = ()
    """Velocity components of an instance without mass whose forces the rows are, so that multipliers are zero."""


@dataclass(frozen=True)
class OutputComponents:
    """A named output; over several instances and element types it is a sum."""

    name: str
    size: int
    unit: str


@dataclass(frozen=True)
class EventFunction:
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
    interpolation: str
    """The least smooth one that its tables may have; empty if they may have any."""


@dataclass(frozen=True, eq=False, repr=False)
class TableLayout(Brief):
    """A smooth function through points that can be replaced at run time; its slots follow those of the inputs."""

    name: str
    size: int
    unit: str
    interpolation: str
    end: str
    outside: str
    is_of_time: bool
    points: NDArray[np.float64]
    values: NDArray[np.float64]
    """Shape (n, size)."""


@dataclass(frozen=True)
class ElementType:
    """Local layout of an element type."""

    name: str
    node_types: tuple[str, ...]
    prepared_parameters: int
    """Length of an instance's parameters with the constants computed from them."""
    mass: Pattern
    """Lower triangle."""
    mass_is_constant: bool
    conserves_energy: bool
    """Whether T + V is constant as far as this type is concerned, while inputs and prescribed motions do no work."""
    jacobian: Pattern
    constraints: tuple[ConstraintRows, ...]
    has_constraint_rate: bool
    """Whether Φ depends on time, so that b = ∂Φ/∂t appears in the hidden constraint."""
    outputs: tuple[OutputComponents, ...]
    local_outputs: tuple[OutputComponents, ...]
    """Outputs of each instance, which the set of this name computes."""
    events: tuple[EventFunction, ...]
    fields: tuple[int, ...]
    """Places whose nodes have no velocity and get a field from the element."""
    places_backwards: bool
    """Whether the last instance is placed first."""
    placements: tuple[tuple[int, int], ...]
    """Places of nodes that the element puts where another one is plus an offset, with the place of that."""
    located: tuple[int, ...]
    """Places of nodes whose whole configuration and velocity the element states."""
    unwrapped: int
    """Angles over turns of an instance; they follow the storage of its nodes in the configuration that it takes."""
    switches: int = field(default=0, kw_only=True, metadata={OPTIONAL: True})
    """Functions of an instance whose signs choose pieces of forces and constraints."""

    @property
    def rows(self) -> int:
        """Number of constraint rows of one instance."""
        return sum(c.size for c in self.constraints)


@dataclass(frozen=True)
class Types:
    """What depends on the types of a model alone."""

    format: int
    symlie: str
    """Version that wrote it."""
    model: str
    interface_hash: str
    """Hash of all signatures, which the generated code reports too."""
    fixed_topology: bool
    """Whether counts and tables are written into the text."""
    node_types: tuple[NodeType, ...]
    element_types: tuple[ElementType, ...]
    inputs: tuple[InputLayout, ...]
    prepared_parameters: int
    """Length of the parameter vector with the constants computed from it."""
    operations: dict[str, int]
    """Operations of each generated function."""

    def has(self, owner: str, kernel: str) -> bool:
        """Whether a node type, an element type or the model has a kernel of this name."""
        return f"{owner}_{kernel}" in self.operations


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
    fixed: tuple[int, ...]
    """Which nodes are clamped."""
    storage_given: tuple[bool, ...]
    velocity_given: tuple[bool, ...]
    """Which initial components were stated, as many as components of storage and of dimension."""
    outputs: tuple[NodeOutput, ...]
    storage: NDArray[np.float64]
    velocity: NDArray[np.float64]
    """Initial values, shape (count, storage) and (count, dimension); empty for nodes whose values a kernel computes."""

    @property
    def has_numbers(self) -> bool:
        """Whether its initial values are numbers, and no results of a kernel."""
        return self.is_array or bool(self.storage.size)


@dataclass(frozen=True)
class Label:
    """What a constraint, output or event of one instance is called in results."""

    name: str
    first: int = 0
    """Component of the quantity of this name from which on it is this part."""


@dataclass(frozen=True, eq=False, repr=False)
class Instances(Brief):
    """All instances of an element type."""

    element: str
    parameter_names: tuple[str, ...]
    parameter_sizes: tuple[int, ...]
    nodes: NDArray[np.int32]
    """Nodes of each instance, shape (count, places), as indices into all nodes grouped by type."""
    parameters: NDArray[np.float64]
    """One row for all instances, or one for each."""
    sources: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))
    """For each entry of ``parameters`` the index of the model's parameter value that it is, or -1; empty if none is."""
    names: tuple[str, ...] = ()
    """Name of each instance, or an empty text; empty if none has a name."""
    labels: tuple[tuple[Label, ...], ...] = ()
    """Of each instance the labels of its constraints, outputs and events, in the order of the type. Instances with an
    empty tuple are reported under the names of the type; empty if all are."""

    @property
    def count(self) -> int:
        """Number of instances."""
        return len(self.nodes)

    @property
    def has_labels(self) -> bool:
        """Whether some instance is reported under names of its own."""
        return any(self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Brief):
    """Nodes one after the other along an arc length."""

    name: str
    nodes: NDArray[np.int32]
    """As `Instances` have them; on a closed curve the first comes again at the end."""
    arc: NDArray[np.float64]
    """Arc length of each node, increasing, in m."""
    start_rotation: tuple[float, ...] = field(default=(), metadata={OPTIONAL: True})
    """Rotation vector from the first node to the curve there, in rad; empty where it has the rotation of the node."""
    end_rotation: tuple[float, ...] = field(default=(), metadata={OPTIONAL: True})
    """The same at the last node."""


@dataclass(frozen=True)
class JointRate:
    """A rate of a joint: the output JOINT_RATE, linear in the velocities."""

    joint: str
    rate: str
    coordinate: str = field(default="", metadata={OPTIONAL: True})
    """The coordinate whose rate it is; empty for angular velocities."""

    @property
    def output(self) -> str:
        """Name of the output."""
        return f"{self.joint}_{self.rate}"


@dataclass(frozen=True)
class InitialCondition:
    """Values that an output has at the start, in addition to initial values of nodes."""

    output: str
    values: tuple[float, ...]
    description: str
    """Its name in messages, such as "the rate of joint 'crank'"."""


@dataclass(frozen=True)
class Compliance:
    """Compliances of the equations of a joint or constraint, which share forces among redundant equations."""

    constraint: str
    values: tuple[float, ...]


def has_outputs_of_instances(types: Iterable[tuple[ElementType, Instances]]) -> bool:
    """Whether some instances have outputs under names of their own.

    Parameters
    ----------
    types
        Element types with their instances.
    """
    return any(element.outputs and instances.has_labels for element, instances in types)


@dataclass(frozen=True)
class Manifest(Types):
    """A model with its nodes, in the order of the state vectors, its instances and values."""

    options: dict[str, object]
    """What the model was built with."""
    parameters: tuple[ParameterLayout, ...]
    frozen: tuple[str, ...]
    """Parameters whose values, those here, are constants of the text; those of element types as ELEMENT.NAME."""
    nodes: tuple[NodeSet, ...]
    instances: tuple[Instances, ...]
    motions: tuple[int, ...]
    """The node that each prescribed motion moves."""
    breakpoints: tuple[str, ...]
    """Names of parameters whose values are times that must be step boundaries."""
    tables: tuple[TableLayout, ...]
    """Smooth tables with the points that the model has."""
    outputs: tuple[str, ...]
    """Outputs of the model's own statement, in its order, which is lost where that is cut into element types."""
    curves: tuple[Curve, ...]
    sets: tuple[str, ...]
    """Further sets of kernels in the folder, see `symlie.contract.sets.SETS`."""
    joint_rates: tuple[JointRate, ...] = field(default=(), metadata={OPTIONAL: True})
    """Rates of joints, zero at the start unless they are given or the constraints demand other values."""
    conditions: tuple[InitialCondition, ...] = field(default=(), metadata={OPTIONAL: True})
    """Conditions on the initial velocities, such as given rates of joints."""
    compliances: tuple[Compliance, ...] = field(default=(), metadata={OPTIONAL: True})
    given_coordinates: tuple[tuple[str, str], ...] = field(default=(), metadata={OPTIONAL: True})
    """Joints and their coordinates that initial values were given of, which assembly keeps."""


@dataclass(frozen=True)
class ConstrainedPlace:
    """A place of an element type with constraints: its block of an instance's Jacobian, rows × dimension."""

    element: int
    """Which element type it is."""
    place: int
    node_type: str
    rows: int
    dimension: int
    offset: int
    """Where the block begins among the stored values of the instance."""


def constrained_places(node_types: Sequence[NodeType], element_types: Sequence[ElementType]) -> list[ConstrainedPlace]:
    """The places of all element types with constraints whose nodes have velocities."""
    places = []
    velocities = {t.name: t.velocities for t in node_types}
    for number, e in enumerate(element_types):
        offset = 0
        for k, name in enumerate(e.node_types if e.rows else ()):
            if velocities[name]:
                places.append(ConstrainedPlace(number, k, name, e.rows, velocities[name], offset))
            offset += velocities[name] * e.rows
    return places


def block_sizes(places: Sequence[ConstrainedPlace]) -> list[tuple[int, int, int]]:
    """Rows of a first and of a second instance that can share a node, and the node's dimension; each once, sorted."""
    shared = [(a, b) for a in places for b in places if a.node_type == b.node_type]
    return sorted({(a.rows, b.rows, a.dimension) for a, b in shared})


def text_of(kind: type[Types], content: Types) -> str:
    """A manifest, or the part of one that depends on types alone, as text: one line per entry."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in to_json(kind, content).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_types(text: str) -> Types:
    """`Types` from their text."""
    return from_json(Types, json.loads(text))


REMEDY = "generate the model again with 'symlie generate'"
"""What to do with a manifest that can not be read."""


def read_manifest(text: str) -> Manifest:
    """The manifest of a text.

    Parameters
    ----------
    text
        Content of ``manifest.json``.

    Raises
    ------
    FormatError
        It was written by a version with another format, or is damaged.
    """
    with reading("The manifest", f"is damaged; {REMEDY}"):
        content = json.loads(text)
        check_format(content, "The manifest", REMEDY)
        return from_json(Manifest, content)


def check_format(content: object, what: str, remedy: str) -> None:
    """Check that a manifest is of the format that this version reads.

    Parameters
    ----------
    content
        What ``manifest.json`` holds.
    what, remedy
        What the message calls it, and what to do.

    Raises
    ------
    FormatError
        It is of another one; the message names the version that wrote it.
    """
    head: Mapping[str, object] = content if isinstance(content, dict) else {}
    if head.get("format") != FORMAT:
        raise other_format(what, repr(head.get("format")), FORMAT, head.get("symlie"), remedy)
