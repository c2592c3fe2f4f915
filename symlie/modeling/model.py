"""The model a user states: nodes, instances of element types, motions, inputs and initial values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from sympy import Expr

from symlie.contract.manifest import Compliance, InitialCondition, JointRate
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.rotation_parameters import parametrised_rotation
from symlie.ir.program import Vector
from symlie.modeling.drawing import Drawn
from symlie.modeling.element_type import ElementInstances, ElementType, add_instances
from symlie.modeling.ground import Ground, Placed, PlacedByCoordinates, set_gravity
from symlie.modeling.initial_values import InitialValue, with_initial_values
from symlie.modeling.instances import (
    Place,
    given_names,
    instance_places,
    labels_of,
    parameter_block,
    stated_compliance,
)
from symlie.modeling.names import new_name
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeArray, NodeReference, StatedCurve, stated_curve
from symlie.modeling.summaries import statement_html, statement_parts
from symlie.modeling.tables import TableStatement
from symlie.modeling.terms import Motion
from symlie.modeling.values import flat, given_space, shared_name
from symlie.rotations import UNIT_LENGTH, with_rotations
from symlie.showing import line
from symlie.stated_numbers import is_whole_number

if TYPE_CHECKING:
    from symlie.derive.equations import Equations


def _unit_length(name: str, group: ConfigurationSpace, relation: Callable[[Vector], Expr], part: slice) -> ElementType:
    """Element type of what more than three parameters of a rotation satisfy."""
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

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.initial_values: dict[str, list[InitialValue]] = {}
        self._instance_names: set[str] = set()
        self.arrays: list[NodeArray] = []
        self.instances: list[ElementInstances] = []
        self.motions: list[Motion] = []
        self.ground = Ground()
        self.joints: list[PlacedByCoordinates] = []
        self.joint_coordinates: dict[str, tuple[str, str]] = {}
        self.joint_rates: list[JointRate] = []
        self.conditions: dict[str, InitialCondition] = {}
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
        """Groups and spaces of all nodes and arrays."""
        return list(dict.fromkeys([n.group for n in self.nodes] + [a.group for a in self.arrays]))

    def _known_group(
        self,
        group: ConfigurationSpace | str,
        coordinates: str | None = None,
        form: int | None = None,
        step: str | None = None,
    ) -> ConfigurationSpace:
        """A group, unless another one of the same name is in use: generated functions are called after groups."""
        found = given_space(group, coordinates, form, step)
        for other in self.spaces:
            if (twice := shared_name(found, other)) is not None:
                raise ModelError(f"Two different groups of '{self.name}' are called '{twice}'; rename one.")
        return found

    def node(
        self,
        name: str,
        group: ConfigurationSpace | str,
        unit: str = "",
        *,
        coordinates: str | None = None,
        form: int | None = None,
        step: str | None = None,
    ) -> Node:
        """Add a node.

        Parameters
        ----------
        name
            Identifier; results are reported under it.
        group
            Configuration group, such as ``sl.SE3`` or ``"SO3xR3"``, or a homogeneous space, such as ``sl.TS2``.
        unit
            Unit of the coordinates of a node on Rⁿ, such as ``"m"``, for the check of units; bodies have metres.
        coordinates
            How the rotation of a body is stored: ``lie`` (rotation matrices), ``quaternion`` and ``rotation_vector``
            step on the group; ``euler_angles`` (R = Rx Ry Rz; other axes as ``euler_angles_zxz``) and
            ``euler_parameters`` are classical coordinates ρ. Default: those of the group.
        form
            Of the equations in classical coordinates. 1: the unknowns are ρ and ω, for explicit methods; 2: ρ and ρ',
            for all methods. Euler angles and ``rotation_vector`` have both, Euler parameters form 2. Default: 2,
            where coordinates do not step on the group.
        step
            ``lie``: Euler angles are stored, and steps are those on the group, which know no singularity.

        Returns
        -------
        Node
            Symbols of its configuration and velocity: ``q.R``, ``q.x``, ``q.Omega``, …

        Raises
        ------
        GroupError
            The coordinates are unknown, have no such form or step, or the group holds no rotation in space by itself.
        """
        self._check_new_node(name)
        node = Node(self.program, name, self._known_group(group, coordinates, form, step))
        self._add_node(node, unit)
        self._add_unit_lengths(node.group, [node], f"{name}_unit")
        return node

    def _add_unit_lengths(
        self, group: ConfigurationSpace, nodes: Sequence[Node | NodeReference], names: str | None = None
    ) -> None:
        """Add the constraint p·p = 1 of each node with Euler parameters."""
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
        form: int | None = None,
        step: str | None = None,
    ) -> NodeArray:
        """Add an array of nodes; its size is run-time data.

        Parameters
        ----------
        name
            Identifier; results are reported under it as lists over the nodes.
        group
            Configuration group, or homogeneous space, of every node.
        count
            Number of nodes.
        coordinates, form, step
            How the rotation of each node is stored and stepped, as in `node`.
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
            An identifier for each instance; of a single instance the text itself. Results report its constraints,
            outputs and events as NAME_QUANTITY, or as NAME where the quantity has the name of the element type.
        **parameters
            Values of the element's parameters: one value for all instances, or an array with one row per instance.
            Parameters of this model may stand in their place: instances then follow them, also when they are changed
            later.
        """
        if not isinstance(element, ElementType):
            raise ModelError(f"Instances are of an ElementType, not of {element!r}.")
        if not isinstance(nodes, Iterable):
            raise ModelError(f"The nodes of '{element.name}' must be a list, with a node or a tuple of nodes each.")
        rows = [
            instance_places(element, number, row if isinstance(row, Sequence) else (row,), self._place_of)
            for number, row in enumerate(nodes)
        ]
        if not rows:
            return
        called = given_names(element.name, names, len(rows), self._instance_names, self.name)
        values, sources = parameter_block(element.name, element.parameters, len(rows), parameters, self.parameters)
        labels = [labels_of(element, name) if name else () for name in called]
        add_instances(self, element, rows, values, sources, labels, called)
        self._instance_names.update(filter(None, called))

    def _place_of(self, member: object, what: str) -> tuple[Place, ConfigurationSpace]:
        """Name, index and space of a node of this model."""
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
        """Name a curve through nodes, along which `Solution.at` interpolates; a `CosseratRod` names its own.

        Parameters
        ----------
        name
            Identifier; it may be that of a node array.
        nodes
            The nodes on one Lie group, one after the other; on a closed curve the first comes again at the end.
        arc
            Their arc lengths, increasing, in m.
        start_rotation, end_rotation
            Rotation vector, or angle in the plane, in rad, from the first or the last node to the curve there, of a
            curve that is joined to it at an angle. Default: the curve has the rotations of its nodes.

        Raises
        ------
        ModelError
            Too few nodes, nodes on several groups, arc lengths that do not increase, a rotation that does not belong
            to the group, or a curve of this name.
        """
        found = [self._place_of(node, f"Curve '{name}'") for node in nodes]
        rotations = (tuple(map(float, start_rotation)), tuple(map(float, end_rotation)))
        stated = stated_curve(name, [place for place, _ in found], [space for _, space in found], arc, rotations)
        new_name("Curve", name, {c.name for c in self.curves}, self.name)
        self.curves.append(stated)

    def initial(self, node: Node | Placed, **fields: object) -> None:
        """Give initial values of fields of a node.

        Fields that are not given start at the identity; velocities that are not given are completed from the hidden
        constraints. Values may be numbers or expressions of parameters.

        Parameters
        ----------
        node
            The node or rigid body; or a joint, whose coordinates and rates then place all bodies behind it.
        **fields
            Values by name of a storage field (``R``, ``p``, ``x``) or velocity field (``Omega``, ``U``, ``x_dot``). A
            field that stores a rotation may be given by `rotation`; ``rotation`` is its name on every group.
        """
        if isinstance(node, Placed):
            return node.place(**fields)
        before = self.initial_values.get(self._own(node).name, ())
        if fields:
            self.initial_values[node.name] = with_initial_values(node, before, fields, self.parameters)
        return None

    def _guess_velocity(self, node: Node, **fields: object) -> None:
        """Guess velocities that follow from others; they replace no given ones and are completed where wrong."""
        before = self.initial_values.get(node.name, ())
        self.initial_values[node.name] = with_initial_values(node, before, fields, self.parameters, is_given=False)

    def gravity(self, acceleration: Sequence[float]) -> None:
        """Set the acceleration of gravity of all rigid bodies: the default of the parameter ``gravity``.

        Parameters
        ----------
        acceleration
            In inertial axes, in m/s², (3,), or (2,) where bodies move in the plane.
        """
        set_gravity(self, acceleration)

    def compliance(self, constraint: Placed | str, values: object) -> None:
        """State how much the equations of a joint or constraint give way, which shares forces among redundant ones.

        The motion stays that of rigid constraints. With ``redundant="minimal_norm"`` multipliers are those of the
        smallest elastic energy λᵀ W λ / 2, where W has all compliances on its diagonal: the limit of stiff springs in
        place of the constraints. Equations without compliance are rigid. A later statement replaces the former one.

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
            There is no such joint or constraint.
        ModelError
            Another number of values than equations, or negative or infinite ones.
        """
        found = stated_compliance(self, constraint, values)
        self.compliances[found.constraint] = found

    def prescribe(self, node: Node | NodeReference, **fields: object) -> None:
        """Prescribe the motion of a node; it is no longer an unknown.

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
                f"Node '{found.name}' on {found.group} moves by its field; its motion can not be prescribed."
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
        """The same nodes, instances, parameters, inputs, motions and initial values, with nothing stated on them."""
        other = Model(self.name)
        other.nodes, other._own_nodes, other.arrays = self.nodes, self._own_nodes, self.arrays
        other.motions, other.curves = self.motions, self.curves
        other.parameters, other.inputs, other.breakpoints = self.parameters, self.inputs, self.breakpoints
        other.tables = self.tables
        other.initial_values, other.instances = self.initial_values, list(self.instances)
        other.joint_rates, other.conditions = self.joint_rates, self.conditions
        other.compliances, other.given_coordinates = self.compliances, self.given_coordinates
        return other

    def derive(self, *, progress: bool | None = None) -> Equations:
        """Derive the equations of motion, unless an equal statement was derived and generated before.

        Parameters
        ----------
        progress
            As in `Equations.compile`.

        Raises
        ------
        ModelError
            No nodes; a velocity without mass or constraint; an energy of the wrong kind; a constraint without
            configuration.
        """
        from symlie.api import derive

        return derive(self, progress=progress)
