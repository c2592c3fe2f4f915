"""Kernels of derived terms: one set for each node type and each element type, none for individual nodes or elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr, Symbol

from symlie.contract.kernels import KERNELS
from symlie.contract.manifest import (
    CONTACT_EVENTS,
    FRICTION_EVENTS,
    ConstraintRows,
    ContactLayout,
    EventFunction,
    OutputComponents,
    ResetComponent,
)
from symlie.contract.signature import Argument, Signature
from symlie.derive.arrangement import computed_initially, initial_components
from symlie.derive.dependents import dependent_places, dependent_values
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.dynamics import conserves_energy, inverse_dynamics
from symlie.derive.fields import moved_nodes, total_field
from symlie.derive.motions import motion_kernel
from symlie.derive.node_types import node_type_kernels
from symlie.derive.symplectic import symplectic_step
from symlie.errors import ModelError
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.ir.differentiate import forward
from symlie.ir.hoisting import ParameterHoisting
from symlie.ir.jets.pieces import switches
from symlie.ir.kernels import ElementTypeKernels, Kernel, ModelKernels, NodeTypeKernels, SparsePattern
from symlie.ir.program import Program, depends_on
from symlie.ir.straightline import StraightLine, flatten
from symlie.modeling.element_type import ElementType
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement
from symlie.modeling.terms import DIRECTIONS, Contact, Friction, Parameter


def symbols_of(parameters: Sequence[Parameter]) -> list[Symbol]:
    """Return all parameter symbols in the order of the parameter vector."""
    return [s for p in parameters for s in p.symbols]


def instance_symbols(statement: Statement) -> list[Symbol]:
    """Return the symbols of the data of an instance: parameters, and choices of inputs; none for a model."""
    return statement.data_symbols if isinstance(statement, ElementType) else []


def parameter_symbols(model: Model) -> list[Symbol]:
    """Return the symbols of a model's parameters, followed by the slots of its inputs and smooth tables."""
    return symbols_of(model.parameters) + model.slots


def configuration_symbols(statement: Statement) -> list[Symbol]:
    """Return the symbols of the configuration argument: all nodes, unwrapped angles before a step, activities."""
    stored = [s for n in statement.nodes for s in n.value.components]
    return [*stored, *(a.before for a in statement.angles), *(a.symbol for a in statement.activities)]


def _node_types(model: Model, groups: Sequence[ConfigurationSpace]) -> tuple[NodeTypeKernels, ...]:
    types = tuple(dict.fromkeys(node_type_kernels(g) for g in groups))
    names = [t.name for t in types]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ModelError(f"Two different groups of model '{model.name}' are both called '{twice}'; rename one of them.")
    return types


def model_kernels(model: Model, statements: Sequence[DerivedStatement], *, fixed: bool) -> ModelKernels:
    """Return all kernels of a model's types."""
    # With ``fixed`` topology the constraint Jacobian is stored by its nonzeros; otherwise by one dense block per local
    # node, which the loops of large systems need.
    hoisting = ParameterHoisting(len(parameter_symbols(model)), "p")
    # If constraint forces of one type act along other rows than those of B, all types state their rows.
    pulls = any(d.constraints.columns for d in statements)
    elements = [_element_kernels(model, d, hoisting, fixed=fixed, pulls=pulls) for d in statements]
    arguments = (Argument("p", hoisting.count), Argument("out", hoisting.size, True))
    prepare = Kernel(
        Signature(f"{model.name}_prepare", arguments),
        hoisting.prepare(),
        "Parameters, followed by the constants that depend on them alone.",
    )
    types = ModelKernels(
        name=model.name,
        node_types=_node_types(model, model.spaces),
        element_types=tuple(_with_size(e, "p", hoisting.size) for e in elements),
        parameters=tuple(model.parameters),
        prepare=prepare,
        inputs=tuple(model.inputs),
        initial=_initial_kernel(model, fixed=fixed),
        motions=tuple(motion_kernel(model, k, parameter_symbols(model), hoisting) for k in range(len(model.motions))),
    )
    _check_names(types)
    return types


def _check_names(types: ModelKernels) -> None:
    """Check that no two generated functions have the same name."""
    names = [k.signature.name for k in types.kernels]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(
            f"Two parts of '{types.name}' would both generate the function '{twice[0]}'; rename an element type or a "
            "group."
        )


def _pattern(entries: Sequence[tuple[int, int, Expr]]) -> SparsePattern:
    return SparsePattern(
        tuple(i for i, _, _ in entries),
        tuple(j for _, j, _ in entries),
        tuple(float(e) if e.is_Number else None for _, _, e in entries),
    )


def _absent_nodes(statement: Statement, jacobian: Sequence[tuple[int, int, Expr]]) -> list[tuple[int, ...]]:
    """Return, for each constraint, the local nodes for which all stored entries of B are zero."""
    node_of = [k for k, n in enumerate(statement.nodes) for _ in range(n.group.velocity_dimension)]
    constraint_of = [k for k, c in enumerate(statement.constraints) for _ in c.rows]
    stored = {(constraint_of[i], node_of[j]) for i, j, _ in jacobian}
    present = {(constraint_of[i], node_of[j]) for i, j, e in jacobian if e != 0}
    return [tuple(sorted(n for c, n in stored - present if c == k)) for k in range(len(statement.constraints))]


def _with_size(element: ElementTypeKernels, name: str, size: int) -> ElementTypeKernels:
    """Return the element type with the final length of an input array in its signatures."""
    kernels = []
    for kernel in element.kernels:
        arguments = tuple(replace(a, size=size) if a.name == name else a for a in kernel.signature.arguments)
        kernels.append(replace(kernel, signature=replace(kernel.signature, arguments=arguments)))
    return replace(element, kernels=tuple(kernels))


class _ElementBuilder:
    """Builder of the kernels of one element type from expressions of its statement."""

    def __init__(self, model: Model, statement: Statement, shared: ParameterHoisting) -> None:
        self.statement = statement
        self.shared = shared
        own = instance_symbols(statement)
        self.own = ParameterHoisting(len(own), "e", ("p[", "e["))
        self.references: dict[Symbol, str] = {statement.time: "t"}
        for label, symbols in (
            ("p", parameter_symbols(model)),
            ("e", own),
            ("q", configuration_symbols(statement)),
            ("v", [s for n in statement.nodes for s in n.velocity.components]),
            ("a", [s for n in statement.nodes for s in n.acceleration.components]),
            ("multipliers", statement.multipliers),
        ):
            self.references |= {s: f"{label}[{i}]" for i, s in enumerate(symbols)}
        self.inputs = {
            "t": Argument("t", None),
            "q": Argument("q", len(configuration_symbols(statement))),
            "v": Argument("v", sum(n.group.velocity_dimension for n in statement.nodes)),
            "a": Argument("a", sum(n.group.velocity_dimension for n in statement.nodes)),
            "multipliers": Argument("multipliers", len(statement.multipliers)),
            "p": Argument("p", shared.count),
            "e": Argument("e", len(own)),
        }

    def kernel(self, name: str, *values: Sequence[Expr], row: str = "") -> Kernel:
        """Return the generated function for an entry of the table of system kernels, with the values of its results."""
        table = KERNELS[row or name]
        results = [Argument(label, len(part), True) for label, part in zip(table.result_names, values, strict=True)]
        arguments = [self.inputs[label] for label in table.element_arguments]
        body = flatten(self.statement.program, [e for part in values for e in part], self.references)
        signature = Signature(f"{self.statement.name}_{name}", (*arguments, *results))
        meaning = table.meaning.format(name=name.removeprefix(f"{row}_"))
        return Kernel(signature, self.own.apply(self.shared.apply(body)), meaning)

    def switches(self, values: Sequence[Expr]) -> Kernel:
        """Return the switching functions that the generated code of some values contains."""
        table = KERNELS["switches"]
        body = switches(flatten(self.statement.program, values, self.references))
        arguments = [self.inputs[label] for label in table.element_arguments]
        signature = Signature(f"{self.statement.name}_switches", (*arguments, Argument("out", len(body.outputs), True)))
        return Kernel(signature, self.own.apply(self.shared.apply(body)), table.meaning)

    def prepare(self) -> Kernel:
        arguments = (self.inputs["p"], self.inputs["e"], Argument("out", self.own.size, True))
        description = "An instance's parameters, followed by the constants that depend on parameters alone."
        return Kernel(Signature(f"{self.statement.name}_prepare_element", arguments), self.own.prepare(), description)


def _jacobian_entries(derived: DerivedStatement, fixed: bool) -> list[tuple[int, int, Expr]]:
    jacobian, pulls = derived.constraints.jacobian, derived.constraints.columns or derived.constraints.jacobian
    if fixed:
        return [
            (i, j, entry)
            for i, (row, pull) in enumerate(zip(jacobian, pulls, strict=True))
            for j, entry in enumerate(row)
            if entry != 0 or pull[j] != 0
        ]
    entries = []
    offset = 0
    for node in derived.statement.moving_nodes:
        columns = range(offset, offset + node.group.velocity_dimension)
        entries += [(i, j, row[j]) for i, row in enumerate(jacobian) for j in columns]
        offset += node.group.velocity_dimension
    return entries


def _element_kernels(
    model: Model, derived: DerivedStatement, hoisting: ParameterHoisting, *, fixed: bool, pulls: bool
) -> ElementTypeKernels:
    statement, dynamics, constraints = derived.statement, derived.dynamics, derived.constraints
    builder = _ElementBuilder(model, statement, hoisting)
    kernel = builder.kernel
    dimension = builder.inputs["v"].size or 0
    mass = [(i, j, dynamics.mass[i][j]) for i in range(dimension) for j in range(i + 1) if dynamics.mass[i][j] != 0]
    jacobian = _jacobian_entries(derived, fixed)
    has_rate = any(b != 0 for b in constraints.rate)
    accelerations = [s for n in statement.nodes for s in n.acceleration.components]
    splits_energy = depends_on(statement.program, [statement.energies], accelerations)
    velocities = [s for n in statement.moving_nodes for s in n.velocity.components]
    energies = [statement.kinetic, statement.potential + (0 if splits_energy else statement.energies)]
    kernels = [kernel("energy", energies)]
    if mass:
        kernels.append(kernel("mass", [e for _, _, e in mass]))
    if any(c != 0 for c in dynamics.force):
        kernels.append(kernel("force", dynamics.force))
    if model.trees:
        along = [s for n in statement.moving_nodes for s in n.acceleration.components]
        kernels.append(kernel("inverse_dynamics", inverse_dynamics(statement, dynamics, along)))
    moved = moved_nodes(statement)
    if moved:
        kernels.append(kernel("field", [c for k in moved for c in total_field(statement, k)]))
        if statement is model and fixed and not model.instances:
            kernels += _symplectic_kernels(builder, [total_field(statement, k) for k in moved])
    if statement.dependents:
        kernels.append(kernel("dependent", dependent_values(statement)))
    if splits_energy:
        kernels.append(kernel("accelerated_energy", [statement.energies]))
    for output in statement.outputs:
        kernels.append(kernel(f"output_{output.name}", output.components, row="output"))
    if statement.events:
        kernels.append(kernel("events", [e.expression for e in statement.events]))
    if statement.resets:
        kernels.append(kernel("resets", [value for reset in statement.resets for value in reset.values]))
    if statement.angles or statement.activities:
        rates = forward(statement.program, [a.principal for a in statement.angles], statement.motion())
        kept = [a.symbol for a in statement.activities]
        kernels += [
            kernel("unwrapped", [*(a.value for a in statement.angles), *kept]),
            kernel("unwrapped_rate", [*rates, *(0 * s for s in kept)]),
            kernel("unwrapped_start", [*(a.start for a in statement.angles), *kept]),
        ]
    if any(c != 0 for c in constraints.position):
        kernels.append(kernel("constraint", constraints.position))
    if jacobian:
        kernels += [kernel("jacobian", [e for _, _, e in jacobian]), kernel("curvature", constraints.curvature)]
        if has_rate:
            kernels.append(kernel("constraint_rate", constraints.rate))
    if jacobian and pulls:
        force_rows = constraints.columns or constraints.jacobian
        kernels.append(kernel("columns", [force_rows[i][j] for i, j, _ in jacobian]))
    if statement.contacts:
        laws = [(c.friction, c.restitution if isinstance(c, Contact) else c.limit) for c in statement.contacts]
        kernels.append(kernel("contacts", [value for law in laws for value in law]))
    if reactions := [e for c in statement.contacts if isinstance(c, Friction) for e in c.reaction]:
        kernels.append(kernel("reactions", reactions))
    entries = [e for _, _, e in (*mass, *jacobian)]
    rows = [*constraints.position, *constraints.curvature, *constraints.rate] if jacobian else constraints.position
    of_fields = [c for k in moved for c in total_field(statement, k)]
    switching = builder.switches([*dynamics.force, *rows, *entries, *of_fields])
    if switching.body.outputs:
        kernels.append(switching)
    element = ElementTypeKernels(
        name=statement.name,
        node_types=tuple(n.group.name for n in statement.nodes),
        parameters=() if statement is model else tuple(statement.parameters),
        prepared_parameters=builder.own.size,
        mass=_pattern(mass),
        mass_is_constant=dynamics.mass_is_constant,
        conserves_energy=not _has_impacts(statement) and conserves_energy(statement, dynamics, constraints.rate),
        jacobian=_pattern(jacobian),
        constraints=tuple(
            ConstraintRows(
                c.name,
                len(c.rows),
                c.level,
                c.is_affine,
                tuple(map(velocities.index, c.balances)),
                activity=next((k for k, a in enumerate(statement.activities) if a.constraint == c.name), -1),
                absent=nodes,
            )
            for c, nodes in zip(statement.constraints, _absent_nodes(statement, jacobian), strict=True)
        ),
        has_constraint_rate=has_rate,
        outputs=tuple(OutputComponents(o.name, len(o.components), o.unit) for o in statement.outputs),
        local_outputs=tuple(OutputComponents(o.name, len(o.components), o.unit) for o in statement.local_outputs),
        fields=moved,
        dependents=dependent_places(statement),
        unwrapped=len(statement.angles) + len(statement.activities),
        activities=len(statement.activities),
        contacts=_contacts(statement),
        events=_events(statement),
        resets=_resets(statement, velocities),
        switches=len(switching.body.outputs),
        kernels=tuple(kernels),
    )
    element = _with_size(element, "e", builder.own.size)
    return replace(element, kernels=(*element.kernels, builder.prepare()))


def _events(statement: Statement) -> tuple[EventFunction, ...]:
    """Return the events; by default they end a run unless they change the state or constraints."""
    changing = {*(r.event for r in statement.resets), *(e.event for e in statement.engagements)}
    stated = [(e, e.name not in changing if e.is_terminal is None else e.is_terminal) for e in statement.events]
    return tuple(EventFunction(e.name, DIRECTIONS[e.direction], is_terminal) for e, is_terminal in stated)


def _kinds_of_events(contact: Contact | Friction) -> tuple[str, ...]:
    """Return the kinds of events that a contact or friction has."""
    if isinstance(contact, Contact):
        return CONTACT_EVENTS if contact.slip else CONTACT_EVENTS[:2]
    return FRICTION_EVENTS[1:] if len(contact.reaction) == 1 else FRICTION_EVENTS[2:]


def _contacts(statement: Statement) -> tuple[ContactLayout, ...]:
    """Return the places of the parts of each contact."""
    names = [c.name for c in statement.constraints for _ in c.rows]
    symbols, events = [a.symbol for a in statement.activities], [e.name for e in statement.events]
    outputs = [o.name for o in statement.outputs]
    return tuple(
        ContactLayout(
            c.name,
            names.index(c.normal_name) if isinstance(c, Contact) else -1,
            names.index(c.slip_name) if c.slip else -1,
            len(c.slip),
            symbols.index(c.closed),
            symbols.index(c.sticks) if c.slip else -1,
            symbols.index(c.direction[0]) if c.slip else -1,
            symbols.index(c.largest_speed),
            tuple(events.index(c.named(kind)) if kind in _kinds_of_events(c) else -1
                  for kind in (CONTACT_EVENTS if isinstance(c, Contact) else FRICTION_EVENTS)),
            len(c.reaction) if isinstance(c, Friction) else 0,
            outputs.index(c.named("dissipation")) if c.slip else -1,
        )
        for c in statement.contacts
    )  # fmt: skip


def _has_impacts(statement: Statement) -> bool:
    """Return whether events of the model, apart from contacts, change velocities."""
    return bool(statement.resets) or any(e.is_engaged and e.event for e in statement.engagements)


def _resets(statement: Statement, velocities: list[Expr]) -> tuple[ResetComponent, ...]:
    """Return the components that events of a statement change, whose velocities are given in order."""
    events, stored = [e.name for e in statement.events], configuration_symbols(statement)
    return tuple(
        ResetComponent(events.index(r.event), (is_velocity := c in velocities),
                       (velocities if is_velocity else stored).index(c))
        for r in statement.resets for c in r.components
    )  # fmt: skip


def _symplectic_kernels(builder: _ElementBuilder, fields: Sequence[Sequence[Expr]]) -> list[Kernel]:
    step = symplectic_step(builder.statement, fields)
    if step is None:
        return []
    n = len(step.increments)
    builder.references |= {s: f"u[{i}]" for i, s in enumerate(step.increments)}
    builder.references |= {step.step_size: "h", step.theta: "theta"}
    builder.inputs |= {"u": Argument("u", n), "h": Argument("h", None), "θ": Argument("theta", None)}
    newton = builder.kernel("symplectic", step.residual, step.newton_matrix)
    return [newton, builder.kernel("symplectic_end", step.end)]


def _initial_kernel(model: Model, *, fixed: bool) -> Kernel:
    configuration: list[Expr] = []
    velocity: list[Expr] = []
    order = list(dict.fromkeys(n.group.name for n in model.nodes))
    for node in sorted(
        computed_initially(model, fixed=fixed), key=lambda n: order.index(n.group.name)
    ):  # in the order of the state vectors
        storage, rate = initial_components(node, model.initial_values.get(node.name, ()))
        configuration += storage
        velocity += rate
    parameters = parameter_symbols(model)
    signature = Signature(
        f"{model.name}_initial",
        (
            Argument("p", len(parameters)),
            Argument("q", len(configuration), True),
            Argument("v", len(velocity), True),
        ),
    )
    body: StraightLine = flatten(
        Program(), [*configuration, *velocity], {s: f"p[{i}]" for i, s in enumerate(parameters)}
    )
    return Kernel(signature, body, "Initial values as stated; components that were not given are completed at load.")
