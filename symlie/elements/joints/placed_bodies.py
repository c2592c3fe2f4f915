"""Poses and velocities of the bodies of a tree of joints as functions of the joint coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Symbol, cos, sin

from symlie.elements.joints.coordinates import Coordinate, Turn
from symlie.elements.joints.initial_rates import initial_rates
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.kinematics import Turned, constant, displacement, relative_rotation
from symlie.elements.joints.poses import Pose, RotationPart
from symlie.elements.joints.tree import Tree, body_key
from symlie.elements.marker import Marker
from symlie.elements.placement import body_dimension
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.rotation import add, dot
from symlie.groups.standard import SO2, SO3, real_space
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.modeling.model import Model
from symlie.modeling.node import Node, column


class PlacedBody:
    """Pose and velocity of a body: its rotation is ``frame`` times ``onto``, and its point ``held``, in body axes
    relative to the node, is at ``origin``.
    """

    def __init__(self, program: Program, frame: Turned, onto: Turned, held: Vector, origin: Vector) -> None:
        self._program, self.frame, self.onto, self._held, self._origin = program, frame, onto, held, origin

    def turned(self, rotation: Turned) -> Turned:
        """Return body-fixed axes in inertial axes, with a single product for constant rotations."""
        return self.frame.then(self._program, self.onto.then(self._program, rotation))

    def point(self, r: Vector) -> Vector:
        """Return the position of a point given in body axes relative to the node."""
        from_held = self._program.vector(a - b for a, b in zip(r, self._held, strict=True))
        arm = self.frame.applied(self._program, self.onto.applied(self._program, from_held))
        return self._program.vector(add(self._origin, arm), "x")

    @cached_property
    def x(self) -> Vector:
        """Position of the node."""
        return self.point((Integer(0),) * len(self._origin))

    @cached_property
    def rotation(self) -> Turned:
        """Rotation R, with the angular velocity in body axes."""
        return self.frame.then(self._program, self.onto)

    @property
    def spin(self) -> Vector:
        """Angular velocity Ω in body axes."""
        spin = self.rotation.spin
        return (Integer(0),) * self.rotation.group.dimension if spin is None else spin

    @property
    def matrix(self) -> Vector:
        """Entries of R in row-major order."""
        return self.rotation.matrix

    def turned_matrix(self, matrix: Sequence[Vector]) -> tuple[Vector, ...]:
        """Return R J Rᵀ for a symmetric matrix J in body axes, with the constant rotation applied first."""
        for rotation in (self.onto, self.frame):
            R, size = rotation.matrix, len(matrix)
            rows = [R[size * i : size * (i + 1)] for i in range(size)]
            half = [self._program.vector(dot(left, row) for left in matrix) for row in rows]
            lower = {(i, k): self._program.scalar(dot(rows[i], half[k])) for i in range(size) for k in range(i + 1)}
            matrix = tuple(tuple(lower[max(i, k), min(i, k)] for k in range(size)) for i in range(size))
        return tuple(matrix)


@dataclass(frozen=True)
class Joined:
    """Marker of a joint: a rotation to its axes, and its point in body axes."""

    axes: Turned
    point: Vector


def stored_body(program: Program, node: Node | None, size: int) -> PlacedBody:
    """Return the ground (``node`` is None), or a body whose node stores its pose."""
    group = SO3 if size == 3 else SO2
    identity = Turned(Value(group.identity, group), None)
    if node is None:
        return PlacedBody(program, identity, identity, (Integer(0),) * size, (Integer(0),) * size)
    part = program.apply(RotationPart(node.lie_group), node.value)
    return PlacedBody(program, Turned(part, tuple(node.Omega)), identity, (Integer(0),) * size, tuple(node.x))


@dataclass(frozen=True)
class Crossing:
    """Joint between an inboard body and the outboard one."""

    placed: PlacedBody
    """Outboard body."""
    is_second: bool
    """True if the outboard body is the second one of the joint."""
    axes: tuple[Turned, Turned]
    """Axes of the first and of the second marker."""
    point: Vector
    """Centre of rotation."""


def crossed(
    program: Program,
    before: PlacedBody,
    markers: tuple[Joined, Joined],
    across: tuple[Turned, Vector],
    is_second: bool,
) -> Crossing:
    """Return the outboard body of a joint; ``across`` is its rotation, and its translation along the axes of the first
    marker."""
    relative, shift = across
    near, far = markers if is_second else markers[::-1]
    axes, start = before.turned(near.axes), before.point(near.point)
    frame = axes.then(program, relative if is_second else relative.inverse(program))
    first, second = (axes, frame) if is_second else (frame, axes)
    along = first.applied(program, shift)
    end = program.vector(a + b if is_second else a - b for a, b in zip(start, along, strict=True))
    placed = PlacedBody(program, frame, far.axes.inverse(program), far.point, end)
    return Crossing(placed, is_second, (first, second), end if is_second else start)


def storage_and_velocity(program: Program, group: LieGroup, placed: PlacedBody, x_dot: Vector) -> tuple[Vector, Vector]:
    """Return stored components and velocity of a node on a group for the pose of a body and the node's velocity in
    inertial axes.
    """
    pose = program.apply(Pose(group), placed.rotation.value, Value(placed.x, Euclidean(len(placed.x))))
    if any(f.name == "U" for f in group.velocity_fields):
        x_dot = placed.rotation.inverse(program).applied(program, x_dot)
    return pose.components, (*placed.spin, *x_dot)


class PlacedBodies:
    """Nodes for the coordinates of joints, added to the model in minimal coordinates, and all outboard bodies."""

    def __init__(self, model: Model, other: Model, tree: Tree) -> None:
        self._model, self._other = model, other
        self.joints: dict[str, Joint] = {}
        self._coordinates: dict[str, list[tuple[Coordinate, Vector]]] = {}
        self._bodies: dict[object, PlacedBody] = {}
        self.crossings: list[tuple[object, Joint, Node, Crossing]] = []
        self._poses: dict[str, tuple[Vector, Vector]] = {}
        for body, (before, joint) in tree.items():
            if joint is None:
                continue
            assert isinstance(body, Node)
            if before not in self._bodies:
                self._bodies[before] = self._root(before, joint._size)
            self.joints[joint.name] = joint
            crossing = self._crossing(joint, self._bodies[before], body)
            self._bodies[body] = crossing.placed
            self.crossings.append((before, joint, body, crossing))
            self._poses[body.name] = self._storage_and_velocity(body, self._bodies[body])

    @property
    def names(self) -> set[str]:
        """Names of the outboard bodies."""
        return set(self._poses)

    def root(self, body: object) -> PlacedBody:
        """Return the root of the tree: the ground, or a floating body."""
        return self._bodies[body]

    @property
    def placed(self) -> dict[str, PlacedBody]:
        """Outboard bodies by name."""
        return {b.name: placed for b, placed in self._bodies.items() if isinstance(b, Node) and b.name in self._poses}

    def coordinates_of(self, joint: Joint) -> list[tuple[Coordinate, Vector]]:
        """Return the coordinates of a joint, each with its value and its rate."""
        return self._coordinates[joint.name]

    def values(self, node: Node, place: tuple[str, int], what: str) -> dict[Symbol, Expr]:
        """Return the substitutions for the components of a statement's node; raise `ModelError` for a node of an
        array."""
        name, _ = place
        if name in self._poses:
            storage, velocity = self._poses[name]
        else:
            found = self._other._own_nodes.get(name)
            if found is None:
                raise ModelError(
                    f"{what} joins '{name}', a node of an array, with a body that has minimal coordinates; use other "
                    "coordinates."
                )
            storage, velocity = found.value.components, found.velocity.components
        pairs = zip((*node.value.components, *node.velocity.components), (*storage, *velocity), strict=True)
        return {symbol: value for symbol, value in pairs if isinstance(symbol, Symbol) and symbol != value}

    def known_of(self, joint: Joint) -> dict[Symbol, Expr]:
        """Return the substitutions for expressions of a joint's coordinates in the terms of the model."""
        if joint._stated is None:
            return {}
        known: dict[Expr, Expr] = {}
        for coordinate, (value, rate) in self._coordinates[joint.name]:
            if isinstance(coordinate, Turn):
                s, c = coordinate.parts(*joint._stated)
                known |= dict(zip((s, c), self._other.program.vector([sin(value), cos(value)]), strict=True))
                known |= {a.value: value for a in self._model.angles if a.stated == (s, c, Integer(0))}
            else:
                known[coordinate.value(self._model, *joint._stated)] = value
            known[coordinate.rate_of(self._model, *joint._stated)] = rate
        return {symbol: value for symbol, value in known.items() if isinstance(symbol, Symbol)}

    def _root(self, body: object, size: int) -> PlacedBody:
        """Return the ground, or a floating body with its node."""
        if body is None:
            return stored_body(self._other.program, None, size)
        found = self._other._own_nodes.get(body.name) if isinstance(body, Node) else None
        if found is None or body_dimension(found.group) is None:
            raise ModelError(f"Minimal coordinates start from the ground, or from a body that is a node, not {body!r}.")
        return stored_body(self._other.program, found, size)

    def _joined(self, joint: Joint, marker: Marker, side: str) -> Joined:
        """Return a marker with its point and axes as parameters of the model."""
        symbols = []
        for label, value, unit in ((f"point_{side}", marker.point, "m"), (f"axes_{side}", marker.axes, "")):
            name = f"{joint.name}_{label}"
            known = next((p for p in self._other.parameters if p.name == name), None)
            if known is None:
                self._other.parameter(name, value, unit=unit)
                known = self._other.parameters[-1]
            symbols.append(known.symbols)
        return Joined(constant(len(marker.point), symbols[1]), symbols[0])

    def _crossing(self, joint: Joint, before: PlacedBody, body: Node) -> Crossing:
        first, second = (self._joined(joint, m, s) for m, s in zip(joint.markers, "ab", strict=True))
        is_second = body_key(joint.markers[1].body) is body
        return crossed(self._other.program, before, (first, second), self._across(joint), is_second)

    def _across(self, joint: Joint) -> tuple[Turned, Vector]:
        """Add the node of a joint's coordinates; return the rotation, and the translation along the axes of the first
        marker."""
        other, size = self._other, joint._size
        coordinates = joint._rows.coordinates
        if joint._rows.is_ball:
            group: LieGroup = SO3
        else:
            group = real_space(len(coordinates))
        if not coordinates and not joint._rows.is_ball:
            self._coordinates[joint.name] = []
            identity = SO3 if size == 3 else SO2
            return Turned(Value(identity.identity, identity), None), (Integer(0),) * size
        units = {c.unit for c in coordinates}
        node = other.node(joint.name, group, units.pop() if len(units) == 1 else "")
        start, rates = initial_rates(joint, is_guess=True)
        if joint._rows.is_ball:
            self._coordinates[joint.name] = []
            other.initial(node, R=start.tolist())
            other._guess_velocity(node, Omega=rates.tolist())
            return Turned(node.value, node.velocity.components), (Integer(0),) * size
        other.initial(node, x=start.tolist())
        other._guess_velocity(node, x_dot=rates.tolist())
        pairs = zip(coordinates, node.value.components, node.velocity.components, strict=True)
        known: list[tuple[Coordinate, Vector]] = [(c, (value, rate)) for c, value, rate in pairs]
        self._coordinates[joint.name] = known
        return relative_rotation(other.program, size, known), displacement(size, known)

    def _storage_and_velocity(self, body: Node, placed: PlacedBody) -> tuple[Vector, Vector]:
        x_dot = self._other.rate(column(placed.x))
        return storage_and_velocity(self._other.program, body.lie_group, placed, tuple(x_dot))
