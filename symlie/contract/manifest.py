"""Manifest: numerical description of a model and of its generated code.

`Types` depends only on the types of a model; nodes, instances and values are run-time data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symlie.contract.connections import ConnectionLayout
from symlie.contract.dependents import DependentPlaces
from symlie.contract.records import OPTIONAL, from_json, to_json
from symlie.utilities.reading import other_format, reading
from symlie.utilities.showing import Brief

FORMAT = 14
"""Version of the manifest's layout; folders of another format are rejected."""

COST = "cost"
"""Name of the output with the cost of a run."""

RUNNING_COST = "running_cost"
"""Name of the first-order state with the integral of a running cost."""


@dataclass(frozen=True)
class FieldLayout:
    """A named part of a state vector."""

    name: str
    offset: int
    shape: tuple[int, ...]

    @property
    def part(self) -> slice:
        """Slice of its components."""
        return slice(self.offset, self.offset + math.prod(self.shape))


@dataclass(frozen=True)
class AngleLayout:
    """Planar rotation stored as (cos φ, sin φ)."""

    field: str
    """Storage field that contains it."""
    cosine: int
    sine: int
    component: int
    """Component of the local coordinates that equals φ'."""


@dataclass(frozen=True)
class NodeType:
    """Group or homogeneous space of nodes."""

    name: str
    storage: int
    dimension: int
    """Dimension of the algebra, and of the local coordinates of a step."""
    velocities: int
    """Number of velocity components: the dimension, or 0 for first-order states."""
    is_frame: bool
    """True if the flows of points compose to no group; only ``advance`` is defined then."""
    identity: tuple[float, ...]
    storage_fields: tuple[FieldLayout, ...]
    velocity_fields: tuple[FieldLayout, ...]
    angles: tuple[AngleLayout, ...]
    is_translated: bool = field(default=False, kw_only=True, metadata={OPTIONAL: True})
    """True for first-order states that are elements of the group which moves them by translation."""

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
    """Named constraint equations of an element."""

    name: str
    size: int
    level: int
    """0 for Φ(t, q) = 0, 1 for ψ(t, q, v) = 0, 2 for B(t, q) v' + Z(t, q, v) = 0."""
    is_affine: bool = True
    """True if B does not depend on v, so that ψ is A(t, q) v + b(t, q)."""
    balances: tuple[int, ...] = ()
    """Massless velocity components of an instance whose force balances these are; their multipliers are zero."""
    activity: int = field(default=-1, metadata={OPTIONAL: True})
    """Number, among those of an instance, of the activity that multiplies the equations: 1 in force, 0 released; -1 for
    equations that are always in force."""
    absent: tuple[int, ...] = field(default=(), metadata={OPTIONAL: True})
    """Local nodes on which the equations do not act, although zeros are stored for them."""


@dataclass(frozen=True)
class OutputComponents:
    """Named output: the sum over all elements that contribute to it."""

    name: str
    size: int
    unit: str


@dataclass(frozen=True)
class EventFunction:
    """Scalar whose zeros are events, one value per instance."""

    name: str
    direction: int
    """Sign changes that count: 1 rising, -1 falling, 0 both."""
    is_terminal: bool


@dataclass(frozen=True)
class ResetComponent:
    """Component of the state of an instance that takes a new value at one of its events."""

    event: int
    """Number of the event among those of the type."""
    is_velocity: bool
    component: int
    """Index among the velocities, or among the stored components, of the instance."""


CONTACT_EVENTS = ("touch", "lift", "stick", "slip")
"""Events of a contact; the last two belong to contacts with friction."""

FRICTION_EVENTS = ("", "turn", "stick", "slip")
"""Events of friction of a constraint in these places; a reaction with one component turns when its sign changes."""


@dataclass(frozen=True)
class ContactLayout:
    """Contact of an element, or friction of a constraint, by numbers among the constraint equations, activities,
    outputs and events of an instance."""

    name: str
    normal: int
    """Equation of the gap; -1 of friction of a constraint."""
    slip: int
    """First equation of slip; -1 without friction."""
    slips: int
    """Number of slip velocities."""
    closed: int
    """Activity of the gap."""
    sticks: int
    """Activity of the slip; -1 without friction."""
    direction: int
    """First component of the direction of sliding; -1 without friction."""
    largest_speed: int
    """Largest speed of approach in a sequence of impacts; the force that is round-off follows."""
    events: tuple[int, ...]
    """Events as in `CONTACT_EVENTS`; -1 if it has none. The second one of friction is the turn of a reaction."""
    reactions: int = field(default=0, metadata={OPTIONAL: True})
    """Number of components of the reaction of a constraint with friction, whose direction follows the force that is
    round-off."""
    dissipation: int = field(default=-1, metadata={OPTIONAL: True})
    """Output of the power that friction dissipates; -1 without friction."""


@dataclass(frozen=True)
class ParameterLayout:
    """Parameter of the model or of an element type."""

    name: str
    shape: tuple[int, ...]
    default: tuple[float, ...]
    unit: str


@dataclass(frozen=True)
class InputLayout:
    """Function of time that is specified at run time; its slots follow the parameters."""

    name: str
    size: int
    unit: str
    interpolation: str
    """Least smooth interpolation that its tables may have; empty if any is allowed."""


@dataclass(frozen=True, eq=False, repr=False)
class TableLayout(Brief):
    """Smooth function through points that are replaceable at run time; its slots follow the slots of inputs."""

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
    """Number of an instance's parameters, including the constants computed from them."""
    mass: Pattern
    """Lower triangle."""
    mass_is_constant: bool
    conserves_energy: bool
    """True if this type conserves T + V unless inputs or prescribed motions do work."""
    jacobian: Pattern
    constraints: tuple[ConstraintRows, ...]
    has_constraint_rate: bool
    """True if Φ depends on time, so that b = ∂Φ/∂t appears in the hidden constraint."""
    outputs: tuple[OutputComponents, ...]
    local_outputs: tuple[OutputComponents, ...]
    """Outputs of each instance, computed by the set of this name."""
    events: tuple[EventFunction, ...]
    fields: tuple[int, ...]
    """Local nodes without velocity whose field the element defines."""
    dependents: DependentPlaces
    """Dependent nodes that the element defines."""
    unwrapped: int
    """Unwrapped angles of an instance, then activities of its constraints; they follow the storage of its nodes in the
    configuration argument."""
    switches: int = field(default=0, kw_only=True, metadata={OPTIONAL: True})
    """Number of functions of an instance whose signs select branches of forces and constraints."""
    resets: tuple[ResetComponent, ...] = field(default=(), kw_only=True, metadata={OPTIONAL: True})
    """Components that events change, in the order of the results of the kernel ``resets``."""
    activities: int = field(default=0, kw_only=True, metadata={OPTIONAL: True})
    """Number of activities of constraints of an instance."""
    contacts: tuple[ContactLayout, ...] = field(default=(), kw_only=True, metadata={OPTIONAL: True})
    """Contacts of an instance."""

    @property
    def rows(self) -> int:
        """Number of constraint equations of one instance."""
        return sum(c.size for c in self.constraints)

    @property
    def rows_of_contacts(self) -> tuple[int, ...]:
        """Constraint equations of the contacts of one instance, in order."""
        rows = [range(c.slip, c.slip + c.slips) for c in self.contacts if c.normal >= 0]
        return tuple(sorted([*(c.normal for c in self.contacts if c.normal >= 0), *(k for r in rows for k in r)]))


@dataclass(frozen=True)
class Types:
    """Data that depend only on the node and element types of a model."""

    format: int
    symlie: str
    """Version of symlie that wrote it."""
    model: str
    interface_hash: str
    """Hash of all signatures; the generated code reports the same."""
    fixed_topology: bool
    """True if counts and tables are part of the generated text."""
    node_types: tuple[NodeType, ...]
    element_types: tuple[ElementType, ...]
    inputs: tuple[InputLayout, ...]
    prepared_parameters: int
    """Length of the parameter vector, including the constants computed from it."""
    operations: dict[str, int]
    """Operation count of each generated function."""
    branches_by_parameters: bool = field(default=False, kw_only=True, metadata={OPTIONAL: True})
    """True if parameters alone choose branches of some functions, such as the absolute value of a parameter."""

    def has(self, owner: str, kernel: str) -> bool:
        """Return whether a node type, an element type or the model has a kernel of this name."""
        return f"{owner}_{kernel}" in self.operations


@dataclass(frozen=True)
class NodeOutput:
    """Output that is a configuration field of all free nodes of an array."""

    name: str
    field: str
    unit: str


@dataclass(frozen=True, eq=False, repr=False)
class NodeSet(Brief):
    """Named node, or named array of nodes."""

    name: str
    type: str
    count: int
    is_array: bool
    fixed: tuple[int, ...]
    """Mask of the fixed nodes."""
    storage_given: tuple[bool, ...]
    velocity_given: tuple[bool, ...]
    """Masks of the specified initial components, one entry per component of storage and of velocity."""
    outputs: tuple[NodeOutput, ...]
    storage: NDArray[np.float64]
    velocity: NDArray[np.float64]
    """Initial values, shape (count, storage) and (count, dimension); empty for nodes whose values a kernel computes."""
    unit: str = field(default="", metadata={OPTIONAL: True})
    """Unit of the coordinates in Rⁿ; empty if it is unknown."""

    @property
    def has_numbers(self) -> bool:
        """Return whether its initial values are numbers rather than results of a kernel."""
        return self.is_array or bool(self.storage.size)


@dataclass(frozen=True)
class Label:
    """Name of a constraint, output or event of one instance in results."""

    name: str
    first: int = 0
    """First component of this part in the quantity of this name."""


@dataclass(frozen=True, eq=False, repr=False)
class Instances(Brief):
    """All instances of an element type."""

    element: str
    parameter_names: tuple[str, ...]
    parameter_sizes: tuple[int, ...]
    nodes: NDArray[np.int32]
    """Nodes of each instance, shape (count, local nodes), as indices into all nodes grouped by type."""
    parameters: NDArray[np.float64]
    """One row for all instances, or one for each."""
    sources: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))
    """Index of the model parameter value that each entry of ``parameters`` equals, or -1; empty if none does."""
    names: tuple[str, ...] = ()
    """Name of each instance, or an empty text; empty if no instance has a name."""
    labels: tuple[tuple[Label, ...], ...] = ()
    """Labels of the constraints, outputs and events of each instance, in the order of the type. Instances with an empty
    tuple are reported under the names of the type; empty if all are."""
    connection: ConnectionLayout | None = field(default=None, metadata={OPTIONAL: True})
    """Bodies and appearance of joints and of forces between two bodies."""

    @property
    def count(self) -> int:
        """Number of instances."""
        return len(self.nodes)

    @property
    def has_labels(self) -> bool:
        """Return whether some instance has individual names in results."""
        return any(self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Brief):
    """Consecutive nodes along an arc length."""

    name: str
    nodes: NDArray[np.int32]
    """Node indices as in `Instances`; a closed curve repeats its first node at the end."""
    arc: NDArray[np.float64]
    """Arc length of each node, increasing, in m."""
    start_rotation: tuple[float, ...] = field(default=(), metadata={OPTIONAL: True})
    """Rotation vector from the first node to the curve there, in rad; empty if their axes coincide."""
    end_rotation: tuple[float, ...] = field(default=(), metadata={OPTIONAL: True})
    """The same at the last node."""


@dataclass(frozen=True)
class JointRate:
    """Rate of a joint: the output JOINT_RATE, linear in the velocities."""

    joint: str
    rate: str
    coordinate: str = field(default="", metadata={OPTIONAL: True})
    """The coordinate whose rate it is; empty for angular velocities."""
    state: str = field(default="", metadata={OPTIONAL: True})
    """Field of the node of the joint that stores the rate, if the rate is a first-order state."""

    @property
    def output(self) -> str:
        """Name of the output."""
        return f"{self.joint}_{self.rate}"


@dataclass(frozen=True)
class InitialCondition:
    """Initial values of an output, in addition to initial values of nodes."""

    output: str
    values: tuple[float, ...]
    description: str
    """Name in messages, such as "the rate of joint 'crank'"."""


@dataclass(frozen=True)
class Compliance:
    """Compliances of the equations of a joint or constraint, which share forces among redundant equations."""

    constraint: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Engagement:
    """Constraint or joint that an event of the model releases or engages."""

    constraint: str
    event: str
    """Name of the event; empty for the start."""
    is_engaged: bool


def has_outputs_of_instances(types: Iterable[tuple[ElementType, Instances]]) -> bool:
    """Return whether some instances of the element types have individual names for outputs."""
    return any(element.outputs and instances.has_labels for element, instances in types)


@dataclass(frozen=True)
class Manifest(Types):
    """Model with its nodes, in the order of the state vectors, its instances and values."""

    options: dict[str, object]
    """Build options of the model."""
    parameters: tuple[ParameterLayout, ...]
    frozen: tuple[str, ...]
    """Parameters compiled as constants, with these values; ELEMENT.NAME for element types."""
    nodes: tuple[NodeSet, ...]
    instances: tuple[Instances, ...]
    motions: tuple[int, ...]
    """Node of each prescribed motion."""
    breakpoints: tuple[str, ...]
    """Names of parameters whose values are stop times."""
    tables: tuple[TableLayout, ...]
    """Smooth tables with the points of the model."""
    outputs: tuple[str, ...]
    """Outputs defined on the model itself, in order of definition, which is lost if it is cut into element types."""
    curves: tuple[Curve, ...]
    sets: tuple[str, ...]
    """Further sets of kernels in the folder, see `symlie.contract.sets.SETS`."""
    joint_rates: tuple[JointRate, ...] = field(default=(), metadata={OPTIONAL: True})
    """Rates of joints, zero initially unless they are specified or the constraints require other values."""
    conditions: tuple[InitialCondition, ...] = field(default=(), metadata={OPTIONAL: True})
    """Conditions on the initial velocities, such as specified rates of joints."""
    compliances: tuple[Compliance, ...] = field(default=(), metadata={OPTIONAL: True})
    bases: tuple[tuple[str, int], ...] = field(default=(), metadata={OPTIONAL: True})
    """Floating bodies that carry joints, by node and index; unspecified velocities are zero initially if possible."""
    given_coordinates: tuple[tuple[str, str], ...] = field(default=(), metadata={OPTIONAL: True})
    """Joints and their coordinates that initial values were given of, which assembly keeps."""
    engagements: tuple[Engagement, ...] = field(default=(), metadata={OPTIONAL: True})
    """Releases and engagements of constraints."""


@dataclass(frozen=True)
class ConstrainedPlace:
    """Local node of an element type with constraints: its block of an instance's Jacobian, constraint equations ×
    dimension."""

    element: int
    """Index of the element type."""
    place: int
    node_type: str
    rows: int
    dimension: int
    offset: int
    """First index of the block among the stored values of the instance."""


def constrained_places(node_types: Sequence[NodeType], element_types: Sequence[ElementType]) -> list[ConstrainedPlace]:
    """Return the local nodes with velocities of all element types with constraints."""
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
    """Return the numbers of constraint equations of two instances that can share a node, and its dimension, sorted and
    unique."""
    shared = [(a, b) for a in places for b in places if a.node_type == b.node_type]
    return sorted({(a.rows, b.rows, a.dimension) for a, b in shared})


def text_of(kind: type[Types], content: Types) -> str:
    """Return a manifest, or its part that depends only on types, as text with one line per entry."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in to_json(kind, content).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_types(text: str) -> Types:
    """Return the `Types` described by a text."""
    return from_json(Types, json.loads(text))


REMEDY = "generate the model again with 'symlie generate'"
"""Advice if a manifest is unreadable."""


def read_manifest(text: str) -> Manifest:
    """Return the manifest in a text; raise `FormatError` if it has another format or is damaged."""
    with reading("The manifest", f"is damaged; {REMEDY}"):
        content = json.loads(text)
        check_format(content, "The manifest", REMEDY)
        return from_json(Manifest, content)


def check_format(content: object, what: str, remedy: str) -> None:
    """Check that this version reads the format of a manifest; otherwise raise `FormatError` with the version that wrote
    it."""
    head: Mapping[str, object] = content if isinstance(content, dict) else {}
    if head.get("format") != FORMAT:
        raise other_format(what, repr(head.get("format")), FORMAT, head.get("symlie"), remedy)
