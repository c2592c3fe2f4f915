"""Layout of the state of a model, read from its manifest."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.contract.dependents import Batch, batches
from symlie.contract.manifest import (
    REMEDY,
    Curve,
    ElementType,
    FieldLayout,
    Instances,
    Manifest,
    TableLayout,
    has_outputs_of_instances,
)
from symlie.contract.tables import SLOTS
from symlie.errors import UnknownNameError
from symlie.runtime.layout.angles import Angles, angles_of
from symlie.runtime.layout.component_names import ComponentNames
from symlie.runtime.layout.event_changes import (
    CONTACT_TABLE,
    changes_at_events,
    contact_table,
    contacts_of_events,
    initial_activities,
    row_activities,
)
from symlie.runtime.layout.node_places import NodePlaces
from symlie.runtime.layout.places import Places
from symlie.runtime.layout.reported import event_values, named_constraints, output_parts
from symlie.runtime.layout.slices import ConstraintSlice, CurveSlice, EventValue, NodeSlice, OutputPart
from symlie.utilities.reading import reading

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]

Sparse: TypeAlias = "csr_array"
"""A SciPy sparse matrix."""


class Layout(ComponentNames):
    """Names and positions of nodes, parameters, constraint equations and outputs.

    Parameters
    ----------
    manifest
        The manifest of a model.

    Raises
    ------
    FormatError
        Parts of the manifest contradict each other.
    """

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        with reading("The manifest", f"is damaged; {REMEDY}"), np.errstate(invalid="raise"):
            for name, value in {**vars(NodePlaces), **vars(Places), **vars(Layout)}.items():
                if isinstance(value, cached_property):
                    getattr(self, name)  # so that a damage is found here, and not in the middle of a run

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.manifest.model

    @property
    def options(self) -> dict[str, object]:
        """Options with which the model was built."""
        return self.manifest.options

    @property
    def is_fixed(self) -> bool:
        """True if counts and tables are part of the generated code."""
        return self.manifest.fixed_topology

    @property
    def interface_hash(self) -> str:
        """Expected interface hash of the generated code."""
        return self.manifest.interface_hash

    @property
    def prepared_parameters(self) -> int:
        """Length of the parameter vector with the constants computed from it."""
        return self.manifest.prepared_parameters

    @property
    def frozen(self) -> tuple[str, ...]:
        """Parameters compiled as constants; those of element types as ELEMENT.NAME."""
        return self.manifest.frozen

    @cached_property
    def inputs(self) -> dict[str, tuple[int, str]]:
        """Size and unit of each run-time input, in the order of their slots."""
        return {i.name: (i.size, i.unit) for i in self.manifest.inputs}

    @cached_property
    def input_interpolations(self) -> dict[str, str]:
        """Required smoothness of the interpolation of each input; empty if any interpolation is permitted."""
        return {i.name: i.interpolation for i in self.manifest.inputs}

    @cached_property
    def tables(self) -> dict[str, TableLayout]:
        """Smooth tables, whose slots follow those of the inputs."""
        return {t.name: t for t in self.manifest.tables}

    @cached_property
    def parameter_defaults(self) -> Array:
        """Default values of all parameters of the model."""
        return np.array([c for p in self.manifest.parameters for c in p.default], dtype=float)

    @cached_property
    def storage(self) -> int:
        """Length of a configuration, with the unwrapped angles of all elements."""
        return self.node_storage + sum(e.unwrapped * i.count for e, i in self._types)

    @cached_property
    def unwrapped(self) -> slice:
        """Indices of unwrapped angles in a configuration."""
        return slice(self.node_storage, self.storage)

    @cached_property
    def _types(self) -> list[tuple[ElementType, Instances]]:
        return list(zip(self.elements, self.instances, strict=True))

    @cached_property
    def events(self) -> list[EventValue]:
        """All event functions in the order of their values."""
        return event_values(self._types, self.name)

    @cached_property
    def activity_places(self) -> list[NDArray[np.int64]]:
        """For each element type the indices of activities of constraints in a configuration, shape (elements,
        activities)."""
        return [
            places[:, places.shape[1] - element.activities :]
            for element, places in zip(self.elements, self.unwrapped_places, strict=True)
        ]

    @cached_property
    def has_activities(self) -> bool:
        """True if events release or engage constraints."""
        return any(places.size for places in self.activity_places)

    @cached_property
    def initial_activities(self) -> Array:
        """Activities at the start with the unwrapped angles before them, shape (storage - storage of nodes,)."""
        return initial_activities(self)

    @cached_property
    def row_activities(self) -> NDArray[np.int32]:
        """Index of the activity of each constraint equation in a configuration, or -1, shape (rows,)."""
        return row_activities(self)

    @cached_property
    def changes(self) -> NDArray[np.int32]:
        """Changes of the state at events, shape (changes, 3): event value, component of (v, q), and result of the
        kernel ``resets``, or `RELEASED` or `ENGAGED` for activities of constraints."""
        return changes_at_events(self)

    @cached_property
    def event_changes(self) -> NDArray[np.bool_]:
        """Flags of event values that change the state, shape (events,)."""
        mask = np.zeros(len(self.events), dtype=bool)
        mask[self.changes[:, 0]] = True
        return mask | (self.contact_of_event >= 0)

    @property
    def changes_state(self) -> bool:
        """True if events change the state or the constraints."""
        return bool(len(self.changes) or len(self.contacts))

    @cached_property
    def contacts(self) -> NDArray[np.int32]:
        """Contacts, shape (contacts, columns); see `symlie.runtime.layout.event_changes.CONTACT_TABLE`."""
        return contact_table(self)

    @cached_property
    def contact_names(self) -> list[str]:
        """Name of each contact, as results report it."""
        touch, stick = (self.contacts[:, CONTACT_TABLE.index(f"{kind}_event")] for kind in ("touch", "stick"))
        suffix = len("_touch")  # as long as the one of friction, whose first event is to stick
        found = [self.events[k] for k in np.where(touch >= 0, touch, stick)]
        counts = Counter(e.name for e in found)
        return [e.name[:-suffix] + (f"[{e.instance}]" if counts[e.name] > 1 else "") for e in found]

    @cached_property
    def contact_of_event(self) -> NDArray[np.int32]:
        """For each event value four times the number of its contact plus the kind of the event, or -1, shape
        (events,)."""
        return contacts_of_events(self)

    @cached_property
    def ends_slip(self) -> NDArray[np.bool_]:
        """Flags of event values at which slip in two directions vanishes, shape (events,)."""
        mask = np.zeros(len(self.events), dtype=bool)
        slips, sticks = (self.contacts[:, CONTACT_TABLE.index(name)] for name in ("slips", "stick_event"))
        mask[sticks[slips > 1]] = True
        return mask

    @cached_property
    def turning_contacts(self) -> list[str]:
        """Names of contacts and friction that slide in two directions."""
        slips = self.contacts[:, CONTACT_TABLE.index("slips")]
        return [name for name, count in zip(self.contact_names, slips, strict=True) if count > 1]

    @cached_property
    def has_friction(self) -> bool:
        """True if constraint forces act along other rows than those of B while contacts slide."""
        normal, slip, reactions = (self.contacts[:, CONTACT_TABLE.index(n)] for n in ("normal", "slip", "reactions"))
        return bool((((normal >= 0) & (slip >= 0)) | (reactions > 0)).any())

    @cached_property
    def has_gaps(self) -> bool:
        """True if the model has unilateral contacts."""
        return bool((self.contacts[:, CONTACT_TABLE.index("normal")] >= 0).any())

    @cached_property
    def has_contacts_alone(self) -> bool:
        """True if the model has contacts, and all constraint equations belong to contacts."""
        rows = [c for e in self.elements for c in e.contacts if c.normal >= 0]
        return bool(rows) and all(
            e.rows == sum(1 + c.slips for c in e.contacts if c.normal >= 0) for e in self.elements
        )

    @cached_property
    def has_friction_alone(self) -> bool:
        """True if constraints or joints have friction."""
        return bool((self.contacts[:, CONTACT_TABLE.index("normal")] < 0).any())

    @cached_property
    def has_reactions(self) -> bool:
        """True if constraints have friction that depends on their reaction."""
        return bool((self.contacts[:, CONTACT_TABLE.index("reactions")] > 0).any())

    @cached_property
    def turning_reactions(self) -> NDArray[np.int32]:
        """Contacts of which C depends on the direction of a reaction with several components, rows of `contacts`."""
        return self.contacts[self.contacts[:, CONTACT_TABLE.index("reactions")] > 1]

    @cached_property
    def curves(self) -> dict[str, CurveSlice]:
        """Curves through nodes by name."""
        return {c.name: self._curve(c) for c in self.manifest.curves}

    def _curve(self, curve: Curve) -> CurveSlice:
        nodes, kind = curve.nodes.astype(np.int64), self.type_of_node[curve.nodes[0]]
        storage, velocity = (s[nodes][:, None] for s in self.starts)
        return CurveSlice(
            curve.name,
            kind,
            curve.arc,
            storage + np.arange(kind.storage),
            velocity + np.arange(kind.dimension),
            nodes,
            (curve.start_rotation, curve.end_rotation),
        )

    @cached_property
    def angles(self) -> Angles:
        """Planar rotations whose full turns are counted."""
        return angles_of(self.nodes, self.motion_velocity)

    @cached_property
    def carried(self) -> dict[str, slice]:
        """Parts of the auxiliary integrator state: numbers that q and v do not determine."""
        return {"turns": slice(0, len(self.angles))}

    @cached_property
    def joint_rates(self) -> dict[tuple[str, str], str]:
        """Outputs that are joint rates, by joint and name of the rate."""
        return {(r.joint, r.rate): r.output for r in self.manifest.joint_rates}

    @cached_property
    def compliance(self) -> Array:
        """Compliance of each constraint equation, shape (rows,); zero for rigid ones."""
        found = np.zeros(self.rows)
        for stated in self.manifest.compliances:
            rows = np.zeros(0, dtype=np.intp)
            if stated.constraint in self.named_instances:
                element, instance = self.named_instances[stated.constraint]
                rows = self.row_places[element][instance]
            elif stated.constraint in self.constraints:
                rows = self.constraints[stated.constraint].rows
            # Joints that minimal coordinates replace have no equations.
            if rows.size and rows.shape[-1] == len(stated.values):
                found[rows] = stated.values
        return found

    @property
    def algebra_header(self) -> str:
        """C header with the linear algebra of the model."""
        return "fixed_algebra.h" if self.is_fixed else "structured_algebra.h"

    @property
    def mass_is_constant(self) -> bool:
        """True if no mass matrix depends on the configuration."""
        return all(e.mass_is_constant for e in self.elements)

    @property
    def conserves_energy(self) -> bool:
        """True if T + V is constant."""
        return not len(self.contacts) and self._only_contacts_change_energy

    @property
    def loses_energy_at_contacts(self) -> bool:
        """True if T + V changes only by impacts and friction of contacts, which reduce it."""
        return bool(len(self.contacts)) and self._only_contacts_change_energy

    @property
    def _only_contacts_change_energy(self) -> bool:
        is_driven = bool(self.inputs) or bool(self.manifest.motions)
        return not is_driven and all(e.conserves_energy for e in self.elements)

    @cached_property
    def moving_types(self) -> NDArray[np.bool_]:
        """Flags of node types with integrated nodes, shape (types,)."""
        ends = np.cumsum(self.type_sizes)
        return np.array([bool(part.any()) for part in np.split(self.integrated, ends[:-1])])

    @property
    def has_angles(self) -> bool:
        """True if node types have angles with counted turns."""
        return any(t.angles for t in self.manifest.node_types)

    @property
    def has_unwrapped(self) -> bool:
        """True if a configuration contains unwrapped angles."""
        return self.storage > self.node_storage

    @cached_property
    def carried_size(self) -> int:
        """Length of the auxiliary integrator state."""
        return int(max(part.stop for part in self.carried.values()))

    @property
    def type_sizes(self) -> NDArray[np.int64]:
        """Number of components of local coordinates of all nodes of each type, shape (types,)."""
        dimensions = [t.dimension for t in self.manifest.node_types]
        return np.asarray(self.node_counts * dimensions, dtype=np.int64)

    @cached_property
    def identity(self) -> Array:
        """The identity of all nodes, shape (storage,)."""
        return np.concatenate([np.tile(node.type.identity, node.count) for node in self.nodes])

    @cached_property
    def moves(self) -> NDArray[np.bool_]:
        """Mask of components of moving types, shape (dimension,)."""
        return np.repeat(self.moving_types, self.type_sizes)

    @cached_property
    def constraints(self) -> dict[str, ConstraintSlice]:
        """Equations of each named constraint."""
        return named_constraints(self._types, self.row_places, self.name)

    @cached_property
    def holonomic(self) -> NDArray[np.bool_]:
        """Flags of holonomic constraint equations; the others restrict velocities or accelerations, shape (rows,)."""
        mask = np.ones(self.rows, dtype=bool)
        for part in self.constraints.values():
            mask[part.rows] = part.stated.level == 0
        return mask

    @cached_property
    def of_velocities(self) -> NDArray[np.bool_]:
        """Flags of constraint equations with B v + b = 0, shape (rows,); the others restrict accelerations only."""
        mask = np.ones(self.rows, dtype=bool)
        for part in self.constraints.values():
            mask[part.rows] = part.stated.level < 2
        return mask

    @cached_property
    def balances(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Equations that balance forces on massless components, and the indices of these components; both of shape
        (balances,)."""
        rows, components = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for index, element in enumerate(self.elements):
            first = 0
            for constraint in element.constraints:
                if constraint.balances:
                    rows.append(self.row_places[index][:, first : first + constraint.size].ravel())
                    components.append(self.places[index][:, list(constraint.balances)].ravel())
                first += constraint.size
        return np.concatenate(rows), np.concatenate(components)

    @cached_property
    def is_balance(self) -> NDArray[np.bool_]:
        """Flags of constraint equations that balance forces on massless components, shape (rows,)."""
        mask = np.zeros(self.rows, dtype=bool)
        mask[self.balances[0]] = True
        return mask

    @cached_property
    def has_nonlinear_rows(self) -> bool:
        """True if a constraint is nonlinear in the velocities, so that B depends on them."""
        return any(not part.stated.is_affine for part in self.constraints.values())

    @cached_property
    def outputs(self) -> dict[str, tuple[slice, str]]:
        """Position and unit of each named output: first the outputs of the model in the order of definition, then all
        others."""
        found: dict[str, tuple[slice, str]] = {}
        end = 0
        for name, (unit, parts) in self.output_parts.items():
            size = max(part.first + self.elements[part.element].outputs[part.output].size for part in parts)
            found[name] = slice(end, end + size), unit
            end += size
        return found

    @cached_property
    def output_parts(self) -> dict[str, tuple[str, list[OutputPart]]]:
        """Unit of each named output, and its summands."""
        return output_parts(self._types, self.manifest.outputs)

    @cached_property
    def output_places(self) -> list[NDArray[np.int64]]:
        """For each element type, the output components to which its elements contribute, shape (elements, size)."""
        sizes = [[o.size for o in e.outputs] for e in self.elements]
        found = [np.zeros((n, sum(s)), dtype=np.int64) for n, s in zip(self.instance_counts, sizes, strict=True)]
        for name, (_, parts) in self.output_parts.items():
            for p in parts:
                here, first = sum(sizes[p.element][: p.output]), self.outputs[name][0].start + p.first
                size = sizes[p.element][p.output]
                found[p.element][p.instances, here : here + size] = first + np.arange(size)
        return found

    @cached_property
    def local_output_places(self) -> list[NDArray[np.int64]]:
        """For each element type the positions of its local outputs, shape (elements, components)."""
        sizes = [sum(o.size for o in e.local_outputs) for e in self.elements]
        ends = np.cumsum([0, *(n * size for n, size in zip(self.instance_counts, sizes, strict=True))])
        shapes = zip(self.instance_counts, sizes, strict=True)
        return [first + np.arange(n * size).reshape(n, size) for first, (n, size) in zip(ends, shapes, strict=False)]

    @cached_property
    def has_outputs_of_instances(self) -> bool:
        """True if some element has outputs with individual names; tables then define the sums."""
        return has_outputs_of_instances(self._types)

    @property
    def outputs_size(self) -> int:
        """Number of components of all named outputs."""
        return max((part.stop for part, _ in self.outputs.values()), default=0)

    @cached_property
    def node_outputs(self) -> dict[str, tuple[NodeSlice, FieldLayout, str]]:
        """Outputs that are a field of all nodes of an array, with the array, the field and the unit."""
        return {
            o.name: (
                self.node(n.name),
                next(f for f in self.node(n.name).type.storage_fields if f.name == o.field),
                o.unit,
            )
            for n in self.manifest.nodes
            for o in n.outputs
        }

    @cached_property
    def parameters_of_elements(self) -> dict[str, list[tuple[int, slice]]]:
        """Element types with a parameter of each name, and its position."""
        named: dict[str, list[tuple[int, slice]]] = {}
        for k, stated in enumerate(self.instances):
            position = 0
            for name, size in zip(stated.parameter_names, stated.parameter_sizes, strict=True):
                named.setdefault(name, []).append((k, slice(position, position + size)))
                position += size
        return named

    @cached_property
    def parameters(self) -> dict[str, tuple[slice, tuple[int, ...], str]]:
        """Position, shape and unit of each parameter of the model."""
        named: dict[str, tuple[slice, tuple[int, ...], str]] = {}
        position = 0
        for parameter in self.manifest.parameters:
            size = math.prod(parameter.shape)
            named[parameter.name] = (slice(position, position + size), parameter.shape, parameter.unit)
            position += size
        return named

    @cached_property
    def element_parameters(self) -> tuple[Array, ...]:
        """Parameters of the elements of each type, one row for all or one for each."""
        return tuple(i.parameters.reshape(len(i.parameters), -1) for i in self.instances)

    @cached_property
    def chosen_inputs(self) -> tuple[NDArray[np.intp], ...]:
        """Component, counted over all inputs, of each input that elements choose, one row for all or one for each."""
        first = np.cumsum([0, *(i.size for i in self.manifest.inputs)])
        found = []
        for stated, rows in zip(self.instances, self.element_parameters, strict=True):
            choices = rows[:, sum(stated.parameter_sizes) :].astype(np.intp)
            numbers = (choices[:, ::2] - len(self.parameter_defaults)) // SLOTS
            found.append(first[numbers] + choices[:, 1::2])
        return tuple(found)

    @cached_property
    def parameter_sources(self) -> tuple[NDArray[np.int32] | None, ...]:
        """Indices of the model parameters that supply the entries of `element_parameters`, -1 for separate values; None
        if no parameter is shared."""
        rows = zip(self.instances, self.element_parameters, strict=True)
        found = [i.sources.reshape(own.shape) if i.sources.size else None for i, own in rows]
        if any(np.max(sources) >= len(self.parameter_defaults) for sources in found if sources is not None):
            raise ValueError("sources name parameters that the model does not have")
        return tuple(found)

    def node(self, name: str) -> NodeSlice:
        """Node or node array of a name, or `UnknownNameError`."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise UnknownNameError(
            f"Model '{self.name}' has no node '{name}'; it has: {', '.join(n.name for n in self.nodes)}."
        )

    @property
    def has_accelerated_energy(self) -> bool:
        """True if a part of the energy depends on accelerations."""
        return any(self.manifest.has(e.name, "accelerated_energy") for e in self.elements)

    @property
    def has_inverse_dynamics(self) -> bool:
        """True if M a + g is evaluated without M."""
        return any(self.manifest.has(e.name, "inverse_dynamics") for e in self.elements)

    @property
    def has_fields(self) -> bool:
        """True if some nodes are first-order states."""
        return not bool(self.has_velocity.all())

    @cached_property
    def has_coordinate_rates(self) -> bool:
        """True if some nodes are stepped in stored coordinates ρ with the velocity ω."""
        return any(self.is_stepped_in_storage(t.name) for t in self.manifest.node_types)

    def is_stepped_in_storage(self, node_type: str) -> bool:
        """Return whether nodes of a type, by name, are stepped in stored coordinates whose rates are not the
        velocities."""
        return self.manifest.has(node_type, "coordinate_rate")

    @property
    def has_rates(self) -> bool:
        """True if rates of local coordinates differ from velocities; states within a step then come from shorter
        steps."""
        return self.has_fields or self.has_coordinate_rates

    @property
    def has_dependents(self) -> bool:
        """True if some nodes depend on others."""
        return bool(self.dependents)

    @cached_property
    def constrains_dependent_nodes(self) -> bool:
        """True if constraints of configurations or velocities act on dependent nodes."""
        rows, components = self.assembled("jacobian")
        return bool((self.of_velocities[rows] & np.isin(components, self.dependent_components)).any())

    @cached_property
    def dependents(self) -> list[Batch]:
        """Elements that define dependent nodes, in the order of evaluation."""
        return batches([e.dependents for e in self.elements], [m.tolist() for m in self.members])[0]

    @property
    def is_hamiltonian(self) -> bool:
        """True if all nodes are points of cotangent bundles that the definition of the model moves."""
        return self.manifest.has(self.name, "symplectic")
