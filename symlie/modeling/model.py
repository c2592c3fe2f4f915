"""User model: nodes, instances of element types, prescribed motions, inputs and initial values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr, Integer

from symlie.contract.manifest import COST, RUNNING_COST, Compliance, InitialCondition, JointRate
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.rotation_parameters import parametrised_rotation
from symlie.groups.spaces import translation_space
from symlie.groups.standard import real_space
from symlie.ir.program import Vector
from symlie.modeling.drawing import Drawn
from symlie.modeling.element_type import ElementInstances, ElementType, add_instances
from symlie.modeling.ground import Ground, Placed, PlacedByCoordinates, set_gravity
from symlie.modeling.instances import (
    Place,
    chosen_inputs,
    given_names,
    instance_places,
    labels_of,
    parameter_block,
    stated_compliance,
    stated_engagement,
)
from symlie.modeling.names import new_name
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeArray, NodeReference, StatedCurve, stated_curve
from symlie.modeling.summaries import statement_html, statement_parts
from symlie.modeling.tables import TableStatement, input_components
from symlie.modeling.terms import Motion
from symlie.modeling.values import InitialValue, flat, given_space, shared_name, with_initial_values
from symlie.rotations import UNIT_LENGTH, with_rotations
from symlie.utilities.number_checks import is_whole_number
from symlie.utilities.showing import line
from symlie.utilities.unit_names import UNITS, parse_units, times

if TYPE_CHECKING:
    from symlie.derive.equations import Equations


def _unit_length(name: str, group: ConfigurationSpace, relation: Callable[[Vector], Expr], part: slice) -> ElementType:
    """Return the element type with the normalisation constraint of redundant rotation parameters."""
    body = ElementType(name, node=group)
    body.constraint("length", relation(body.node.storage[part]))
    return body


class Model(Drawn, TableStatement):
    """A mechanical system on a Lie group.

    Parameters
    ----------
    name
        Name of the model, an identifier.

    Examples
    --------
    >>> import symlie as sl
    >>> model = sl.Model("free_body")
    >>> J = model.parameter("inertia", [1, 2, 3], unit="kg m^2")
    >>> q = model.node("body", sl.SO3)
    >>> model.kinetic_energy(q.Omega.dot(sl.diag(J) * q.Omega) / 2)
    >>> model.initial(q, Omega=[0, 1, 0.1])
    """

    INTERNAL = TableStatement.INTERNAL | frozenset({
        "arrays", "bases", "breakpoints", "compliances", "conditions", "curves", "given_coordinates",
        "initial_values", "instances", "is_empty", "joint_coordinates", "joint_rates", "motions",
        "run_time_tables", "shapes", "tables", "with_program", "without_own_statement",
    })  # fmt: skip

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.initial_values: dict[str, list[InitialValue]] = {}
        self._instance_names: set[str] = set()
        self.arrays: list[NodeArray] = []
        self.instances: list[ElementInstances] = []
        self.motions: list[Motion] = []
        self.ground = Ground()
        """Fixed body with the inertial axes."""
        self.joints: list[PlacedByCoordinates] = []
        """Joints in the order of their definition."""
        self.joint_coordinates: dict[str, tuple[str, str]] = {}
        self.joint_rates: list[JointRate] = []
        self.conditions: dict[str, InitialCondition] = {}
        self.bases: tuple[tuple[str, int], ...] = ()
        self.given_coordinates: dict[tuple[str, str], None] = {}
        self.compliances: dict[str, Compliance] = {}
        self.curves: list[StatedCurve] = []
        self.shapes = []

    def __repr__(self) -> str:
        return line("Model", [self.name, *statement_parts(self, self.arrays, self.instances)])

    def _repr_html_(self) -> str:
        return statement_html(self, self.arrays, self.instances)

    def _check_new_node(self, name: str) -> None:
        new_name("Node", name, self._own_nodes, self.name)
        new_name("Node", name, [a.name for a in self.arrays], self.name)

    @property
    def spaces(self) -> list[ConfigurationSpace]:
        """Groups and spaces of all nodes and arrays, without repetition."""
        return list(dict.fromkeys([*self._spaces_of_nodes, *(a.group for a in self.arrays)]))

    def _known_group(
        self,
        group: ConfigurationSpace | str,
        coordinates: str | None = None,
        form: str | None = None,
        step: str | None = None,
    ) -> ConfigurationSpace:
        """Return a group; raise `ModelError` if another group has its name, because generated functions are named after
        groups."""
        found = given_space(group, coordinates, form, step)
        for other in self.spaces:
            if other is not found and (twice := shared_name(found, other)) is not None:
                raise ModelError(f"Two different groups of '{self.name}' are called '{twice}'; rename one.")
        return found

    def node(
        self,
        name: str,
        group: ConfigurationSpace | str,
        unit: str = "",
        *,
        coordinates: str | None = None,
        form: str | None = None,
        step: str | None = None,
    ) -> Node:
        """Add a node.

        Parameters
        ----------
        name
            Identifier of the node in results.
        group
            Configuration group, such as ``sl.SE3`` or ``"SO3xR3"``, or a homogeneous space, such as ``sl.TS2``.
        unit
            SI unit of the coordinates of a node on Rⁿ, such as ``"m"``, for the check of units and for results; bodies
            use metres.
        coordinates
            Storage of the rotation of a body. ``lie`` (rotation matrices), ``quaternion`` and ``rotation_vector`` step
            on the group; ``euler_angles`` (R = Rx Ry Rz; other axes as in ``euler_angles_zxz``) and
            ``euler_parameters`` are rotation parameters ρ. Default: the storage of the group.
        form
            Unknown velocities of the equations in rotation parameters. ``angular_velocity``: ω, for explicit methods;
            ``parameter_rates``: ρ', for all methods. Euler angles and ``rotation_vector`` have both, Euler parameters
            ``parameter_rates``. Default: ``parameter_rates`` for coordinates that do not step on the group.
        step
            ``lie``: store Euler angles, but step on the group, without singularities.

        Returns
        -------
        Node
            Symbols of its configuration and velocity: ``q.R``, ``q.x``, ``q.Omega``, …

        Raises
        ------
        GroupError
            If the coordinates are unknown, if they do not have this form or step, or if the group does not store a
            spatial rotation separately.
        """
        self._check_new_node(name)
        node = Node(self.program, name, self._known_group(group, coordinates, form, step), unit)
        self._add_node(node)
        self._add_unit_lengths(node.group, [node], f"{name}_unit")
        return node

    def state(self, name: str, dimension: int, unit: str = "") -> Node:
        """Add a first-order state z with z' = f(t, q, v, z), such as the integral of a controller or a motor current.

        Define f with `vector_field`. The state is ``z.x`` of the returned node.

        Parameters
        ----------
        name
            Identifier of the state in results.
        dimension
            Number of components.
        unit
            SI unit of the components, for the check of units and for results.

        Returns
        -------
        Node
            Node on Rⁿ without velocity.

        Raises
        ------
        ModelError
            If the dimension is not a positive integer, or the name is taken.
        """
        if not is_whole_number(dimension) or dimension < 1:
            raise ModelError(f"State '{name}' has a positive number of components, not {dimension!r}.")
        return self.node(name, translation_space(real_space(int(dimension))), unit)

    def cost(self, *, running: object | None = None, terminal: object | None = None, unit: str = "") -> None:
        """State the cost of a run, ∫ running dt + terminal at the end, as the output ``cost``.

        The integral is a first-order state, ``running_cost``, so that it has the order of the method. The output at a
        time is the cost of a run that ends there.

        Parameters
        ----------
        running
            Scalar expression of the time, inputs, configurations and velocities, in the unit of the cost per second.
        terminal
            Scalar expression of the same, in the unit of the cost.
        unit
            Unit of the cost, such as ``"J"``.

        Raises
        ------
        ModelError
            If a cost is not a scalar, depends on multipliers or has another unit; if no cost is given, or the model has
            one.

        Examples
        --------
        >>> import symlie as sl
        >>> model = sl.Model("cart")
        >>> force, cart = model.input("force", 1, unit="N"), model.node("cart", "R1", unit="m")
        >>> model.kinetic_energy(cart.x_dot[0] ** 2)
        >>> model.generalized_force(cart, [force])
        >>> model.cost(running=force**2 / 2, terminal=10 * (cart.x[0] - 1) ** 2)
        """
        if any(o.name == COST for o in self.outputs) or RUNNING_COST in self._own_nodes:
            raise ModelError(f"Model '{self.name}' has a cost already; state all of its terms at once.")
        if running is None and terminal is None:
            raise ModelError(f"The cost of '{self.name}' has no terms; give a running or a terminal cost.")
        rate = None if running is None else self._scalar("running cost", running)
        total = Integer(0) if terminal is None else self._scalar("terminal cost", terminal)
        known = parse_units(unit, 1)[0]
        if rate is not None:
            if known is not None:
                self.units.check("The running cost", rate, times(known.dimension, UNITS["Hz"]))
            integral = self.state(RUNNING_COST, 1)
            self.vector_field(integral, [rate])
            total += integral.x[0]
        self.output(COST, total, unit)

    def _add_unit_lengths(
        self, group: ConfigurationSpace, nodes: Sequence[Node | NodeReference], names: str | None = None
    ) -> None:
        """Add the constraint p·p = 1 for each node with Euler parameters."""
        turned = parametrised_rotation(group)
        if turned is None or turned.parameters.relation is None:
            return
        label = f"{UNIT_LENGTH}_{group.name}"
        known = next((i.element for i in self.instances if i.element.name == label), None)
        element = known or _unit_length(label, group, turned.parameters.relation, turned.part)
        self.add(element, nodes, names=names)

    def node_array(
        self,
        name: str,
        group: ConfigurationSpace | str,
        count: int,
        *,
        coordinates: str | None = None,
        form: str | None = None,
        step: str | None = None,
    ) -> NodeArray:
        """Add an array of nodes; its size is run-time data.

        Parameters
        ----------
        name
            Identifier of the array in results, which have an axis over the nodes.
        group
            Configuration group, or homogeneous space, of every node.
        count
            Number of nodes.
        coordinates, form, step
            Storage and steps of the rotation of each node, as in `node`.
        """
        self._check_new_node(name)
        if not is_whole_number(count) or count < 1:
            raise ModelError(f"Node array '{name}' needs at least one node, not {count!r}.")
        array = NodeArray(name, self._known_group(group, coordinates, form, step), int(count))
        self.arrays.append(array)
        self._add_unit_lengths(array.group, list(array))
        return array

    def add(
        self,
        element: ElementType,
        nodes: Iterable[object],
        *,
        names: Sequence[str] | str | None = None,
        **parameters: object,
    ) -> None:
        """Add instances of an element type.

        Parameters
        ----------
        element
            The element type.
        nodes
            One tuple of nodes per instance (or a single node for element types with one local node): nodes of
            `node` or members of a `node_array`.
        names
            One identifier per instance, or a string for a single instance. Results report its constraints, outputs and
            events as NAME_QUANTITY, or as NAME if the quantity has the name of the element type.
        **parameters
            Values of the element's parameters: one value for all instances, or an array with one entry per instance.
            Parameters of this model are also accepted: the instances then use their values, including later changes.
            Inputs of the element type require components of inputs of this model, one for all instances or one each.
        """
        if not isinstance(element, ElementType):
            raise ModelError(f"Instances belong to an ElementType, not to {element!r}.")
        if not isinstance(nodes, Iterable):
            raise ModelError(f"The nodes of '{element.name}' must be a list of nodes or of tuples of nodes.")
        rows = [
            instance_places(element, number, row if isinstance(row, Sequence) else (row,), self._place_of)
            for number, row in enumerate(nodes)
        ]
        if not rows:
            return
        called = given_names(element.name, names, len(rows), self._instance_names, self.name)
        given = {i.name: parameters.pop(i.name) for i in element.inputs if i.name in parameters}
        values, sources = parameter_block(element.name, element.parameters, len(rows), parameters, self.parameters)
        known = input_components(self.inputs, self.t) if element.inputs else {}
        choices = chosen_inputs(element.name, element.inputs, len(rows), given, known)
        values = np.hstack([values, choices])
        sources = np.pad(sources, ((0, 0), (0, choices.shape[1])), constant_values=-1)
        labels = [labels_of(element, name) if name else () for name in called]
        add_instances(self, element, rows, values, sources, labels, called)
        self._instance_names.update(filter(None, called))

    def _place_of(self, member: object, what: str) -> tuple[Place, ConfigurationSpace]:
        """Return name, index and space of a node of this model."""
        found = member.array if isinstance(member, NodeReference) else member
        is_known = any(a is found for a in self.arrays) and isinstance(member, NodeReference)
        if not isinstance(found, Node | NodeArray) or not (is_known or self._is_own(found)):
            raise ModelError(f"{what}: {member!r} is not a node of '{self.name}'.")
        return (found.name, member.index if isinstance(member, NodeReference) else 0), found.group

    def curve(
        self,
        name: str,
        nodes: Iterable[object],
        arc: Iterable[float],
        *,
        start_rotation: Sequence[float] = (),
        end_rotation: Sequence[float] = (),
    ) -> None:
        """Define a curve through nodes for interpolation by `Solution.at`.

        A `CosseratRod` defines its curve automatically.

        Parameters
        ----------
        name
            Identifier; may equal the name of a node array.
        nodes
            Nodes on one Lie group, in order; a closed curve repeats the first node at the end.
        arc
            Their arc lengths, increasing, in m.
        start_rotation, end_rotation
            Rotation vector (or angle in the plane), in rad, from the first or last node to the end of a curve that is
            joined to it at an angle. Default: the curve has the rotations of its nodes.

        Raises
        ------
        ModelError
            If the curve has too few nodes, nodes on several groups, arc lengths that do not increase, a rotation that
            does not fit the group, or a name that is in use.
        """
        found = [self._place_of(node, f"Curve '{name}'") for node in nodes]
        rotations = (tuple(map(float, start_rotation)), tuple(map(float, end_rotation)))
        stated = stated_curve(name, [place for place, _ in found], [space for _, space in found], arc, rotations)
        new_name("Curve", name, {c.name for c in self.curves}, self.name)
        self.curves.append(stated)

    def initial(self, node: Node | Placed, **fields: object) -> None:
        """Set initial values of fields of a node.

        Unspecified configuration fields are the identity; unspecified velocities are completed from the hidden
        constraints. Values are numbers or expressions of parameters.

        Parameters
        ----------
        node
            The node or rigid body; or a joint, whose coordinates and rates then determine the poses of all outboard
            bodies.
        **fields
            Values by name of a storage field (``R``, ``p``, ``x``) or velocity field (``Omega``, ``U``, ``x_dot``). A
            field that stores a rotation accepts a `rotation`; ``rotation`` is an alias of this field on every group.
        """
        if isinstance(node, Placed):
            return node.place(**fields)
        before = self.initial_values.get(self._own(node).name, ())
        if fields:
            self.initial_values[node.name] = with_initial_values(node, before, fields, self.parameters)
        return None

    def _guess_velocity(self, node: Node, **fields: object) -> None:
        """Guess dependent initial velocities, which do not override specified values and are corrected by the
        completion."""
        before = self.initial_values.get(node.name, ())
        self.initial_values[node.name] = with_initial_values(node, before, fields, self.parameters, is_given=False)

    def gravity(self, acceleration: ArrayLike) -> None:
        """Set the acceleration of gravity of all rigid bodies, the default of the parameter ``gravity``.

        Parameters
        ----------
        acceleration
            Components in inertial axes, in m/s², shape (3,), or (2,) for planar bodies.
        """
        set_gravity(self, acceleration)

    def compliance(self, constraint: Placed | str, values: object) -> None:
        """Set compliances of a joint or constraint, which distribute forces among redundant constraints.

        The constraints remain rigid in the motion. With ``redundant="minimal_norm"`` the multipliers minimise the
        elastic energy λᵀ W λ / 2, where W is the diagonal matrix of all compliances: the limit of stiff springs instead
        of the constraints. Equations without compliance are rigid. A later call replaces the earlier one.

        Parameters
        ----------
        constraint
            A joint, or the name of a joint or constraint.
        values
            Compliance of each equation, in the order of the multipliers: unit of the equation per unit of its
            multiplier, such as m/N for forces and rad/(N m) for moments.

        Raises
        ------
        UnknownNameError
            If the joint or constraint does not exist.
        ModelError
            If the number of values is not the number of equations, or if a value is negative or not finite.
        """
        found = stated_compliance(self, constraint, values)
        self.compliances[found.constraint] = found

    def release(self, constraint: Placed | str, at: str | None = None) -> None:
        """Release a constraint or joint at an event: its equations are not enforced and its multipliers are zero.

        Velocities are continuous, and the run continues after the event, unless the event is stated as terminal. An
        event that only releases and engages constraints does not occur while all of them are released and engaged
        already.

        Parameters
        ----------
        constraint
            A joint, or the name of a joint or constraint.
        at
            Name of an event of the model. Default: the constraint is released from the start.

        Raises
        ------
        UnknownNameError
            If the joint, constraint or event does not exist.
        ModelError
            If the constraint is released or engaged twice at the event.
        """
        self.engagements.append(stated_engagement(self, constraint, at, is_engaged=False))

    def engage(self, constraint: Placed | str, at: str) -> None:
        """Engage a constraint or joint at an event, with a plastic impact.

        The impulses Λ of all constraints in force change the velocities at the event: M (v⁺ - v⁻) + BᵀΛ = 0 and
        B v⁺ + b = 0. `Solution.impulses` returns Λ. The configuration must satisfy holonomic constraints at the event.
        Resets at the same event are applied before. A constraint that is engaged but never released is released from
        the start.

        Parameters
        ----------
        constraint
            A joint, or the name of a joint or constraint.
        at
            Name of an event of the model.

        Raises
        ------
        UnknownNameError
            If the joint, constraint or event does not exist.
        ModelError
            If the constraint is released or engaged twice at the event.
        """
        self.engagements.append(stated_engagement(self, constraint, at, is_engaged=True))

    def friction(
        self,
        constraint: PlacedByCoordinates | str,
        coefficient: object = 0,
        *,
        slip: object | None = None,
        limit: object = 0,
        radius: object | None = None,
        coordinate: str | None = None,
    ) -> None:
        """Add Coulomb friction in a constraint or joint, or up to a given force or torque, with exact sticking.

        The friction force is at most L + μ |F| with the limit L and the size |F| of the reaction. While friction
        slides, the force has this size and acts against the slip velocity; while it sticks, the slip velocity is zero.
        Of a constraint, F consists of its one to three multipliers, so that its equations must be lengths: of a
        distance √(x·x) - r, not of x·x - r². Of a revolute, prismatic or cylindrical joint, F is its force, and the
        slip velocity follows from its coordinates: with a pin of the radius r, the torque is at most μ r |F|. The
        outputs NAME_friction (the force along the slip velocities), NAME_dissipation (the power that it dissipates)
        and NAME_state (1 sliding, 2 sticking) and the events NAME_stick, NAME_slip and, for one multiplier, NAME_turn
        (its sign changes) describe the friction; NAME is the name of the constraint or joint.

        Parameters
        ----------
        constraint
            A joint, or the name of a constraint of this model; without coefficient, any identifier.
        coefficient
            Friction coefficient μ ≥ 0, a number or an expression of parameters; of a joint, a number or a parameter.
        slip
            One or two components of the relative velocity of the material points in contact, in m/s; expressions of t,
            q and v that are linear in v. With a limit, one rate, such as an angular velocity in rad/s. Not for joints.
        limit
            Limit L ≥ 0 of the friction that does not depend on a reaction, conjugate to the slip velocity, in N or N m:
            a number or an expression of the time, configurations and parameters.
        radius
            Radius of the pin of a joint that turns, in m; only with a coefficient.
        coordinate
            Name of the coordinate of a joint on which the friction of a limit acts; the first by default.

        Raises
        ------
        UnknownNameError
            If a coefficient is given and the constraint does not exist.
        ModelError
            If the constraint has more than three equations, if the slip has more than two components or does not
            depend on velocities, if a number is negative, or if arguments do not fit the joint.

        Notes
        -----
        Source: [Moreau1988].
        """
        if not isinstance(constraint, PlacedByCoordinates):
            if radius is not None or coordinate is not None:
                raise ModelError(f"Friction '{constraint}' of '{self.name}' has no radius or coordinate; give slip=….")
            super().friction(constraint, coefficient, slip=slip, limit=limit)
            return
        if slip is not None:
            raise ModelError(
                f"The slip velocity of joint '{constraint.name}' follows from its coordinates; omit slip, and give "
                "radius=… if it turns."
            )
        constraint._add_friction(coefficient, limit, radius, coordinate)

    def prescribe(self, node: Node | NodeReference, **fields: object) -> None:
        """Prescribe the motion of a node, which is then no longer an unknown.

        Parameters
        ----------
        node
            A node, or a member of a node array.
        **fields
            Every storage field of the group (``R`` or ``p``, ``x``) as expressions of ``model.t`` and of parameters; or
            ``rotation``, as in `initial`.
        """
        found = node.array if isinstance(node, NodeReference) else node
        if found not in self.arrays:
            self._own(found)
        index = node.index if isinstance(node, NodeReference) else 0
        if not isinstance(found.group, LieGroup):
            raise ModelError(
                f"Node '{found.name}' on {found.group} moves by its field; its motion cannot be prescribed."
            )
        storage: list[Expr] = list(found.group.identity)
        known = {f.name: f for f in found.group.storage_fields}
        shapes = {name: f.shape for name, f in known.items()}
        fields = with_rotations(f"Node '{found.name}' on {found.group}", shapes, fields)
        if set(fields) != set(known):
            raise ModelError(
                f"The prescribed motion of node '{found.name}' on {found.group} needs the fields {', '.join(known)}, "
                f"not {', '.join(fields) or 'none'}."
            )
        allowed = {self.time, *self.slots, *(s for p in self.parameters for s in p.symbols)}
        for name, value in fields.items():
            parts = flat(value)
            if len(parts) != known[name].size:
                raise ModelError(f"{found.name}.{name} needs {known[name].size} components, not {len(parts)}.")
            unknown = sorted(s.name for s in {s for e in parts for s in e.free_symbols} - allowed)
            self._check_smooth(f"The motion of node '{found.name}'", parts, 2)
            if unknown:
                raise ModelError(f"The motion of {found.name}.{name} may use t and parameters only, not {unknown[0]}.")
            storage[known[name].offset : known[name].offset + known[name].size] = parts
        if any(m.node == found.name and m.index == index for m in self.motions):
            raise ModelError(f"The motion of node '{found.name}' is prescribed twice.")
        self.motions.append(Motion(found.name, index, found.group, tuple(storage)))

    def without_own_statement(self) -> Model:
        """Return a model with the same nodes, instances, parameters and initial values, without terms on the nodes.

        Inputs and prescribed motions are also the same.
        """
        other = Model(self.name)
        other.nodes, other._own_nodes, other.arrays = self.nodes, self._own_nodes, self.arrays
        other._spaces_of_nodes = self._spaces_of_nodes
        other.motions, other.curves = self.motions, self.curves
        other.parameters, other.inputs, other.breakpoints = self.parameters, self.inputs, self.breakpoints
        other.tables = self.tables
        other.initial_values, other.instances = self.initial_values, list(self.instances)
        other.joint_rates, other.conditions, other.bases = self.joint_rates, self.conditions, self.bases
        other.compliances, other.given_coordinates = self.compliances, self.given_coordinates
        other.engagements = self.engagements
        return other

    def derive(self, *, progress: bool | None = None) -> Equations:
        """Derive the equations of motion, or load them if an equal model was derived and generated before.

        Parameters
        ----------
        progress
            As in `Equations.compile`.

        Raises
        ------
        ModelError
            If the model has no nodes, a velocity without mass or constraint, an energy of the wrong kind, or a
            constraint that does not depend on the configuration.
        """
        from symlie.api import derive

        return derive(self, progress=progress)
