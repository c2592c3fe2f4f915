"""Twists of joint coordinates, and inertia of outboard bodies, along a tree of bodies in minimal coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sympy import Add, Expr, Integer

from symlie.elements.joints.coordinates import Coordinate, Shift, Turn
from symlie.elements.joints.kinematics import Turned
from symlie.elements.joints.placed_bodies import Crossing, PlacedBodies, PlacedBody
from symlie.groups.operators import ad
from symlie.groups.rotation import dot, zero
from symlie.groups.standard import SE2, SE3
from symlie.ir.program import Program, Vector
from symlie.modeling.node import Node
from symlie.modeling.terms import BodyTree, Link, RigidInertia, Rows

Coordinates = Sequence[tuple[Coordinate, Vector]]
"""Coordinates of a joint, each with its value and its rate."""


@dataclass
class _Body:
    """Body with the index of the link that it is fixed in; None for the ground."""

    placed: PlacedBody
    link: int | None


class BodyLinks:
    """Links of a tree of bodies in minimal coordinates, all in space or all in the plane."""

    def __init__(self, program: Program, bodies: PlacedBodies, nodes: Mapping[str, Node]) -> None:
        self._program = program
        self._size = bodies.crossings[0][1]._size
        self._group = SE3 if self._size == 3 else SE2
        self._bodies: dict[object, _Body] = {}
        self._links: list[Link] = []
        self._parts: dict[int, list[Rows]] = {}
        self._gravity: Vector = zero(self._size)
        self._kinetic: list[Expr] = []
        self._potential: list[Expr] = []
        behind = {body for _, _, body, _ in bodies.crossings}
        for before, joint, body, crossing in bodies.crossings:
            if before not in behind and before not in self._bodies:
                self._begin(nodes[before.name] if isinstance(before, Node) else None, before, bodies.root(before))
            spin = nodes[joint.name].velocity.components if joint._rows.is_ball else ()
            self._cross(self._bodies[before].link, body, crossing, bodies.coordinates_of(joint), spin)
        self._names = {body.name: body for body in behind}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def _begin(self, node: Node | None, body: object, placed: PlacedBody) -> None:
        """Start at the ground, or at a floating body."""
        if node is None:
            self._bodies[body] = _Body(placed, None)
            return
        fields = [f.name for f in node.group.velocity_fields]
        v, axes = node.velocity.components, _columns(placed.rotation)
        spins = [self._turn(axis, placed.x) for axis in self._axes_of_turns(axes)]
        turning = len(spins)
        if fields == ["Omega", "U"]:
            link = self._link(None, v, [*spins, *map(self._shift, axes)], rides=True)
        else:
            units = [tuple(Integer(int(i == k)) for i in range(self._size)) for k in range(self._size)]
            link = self._link(None, v[turning:], list(map(self._shift, units)), rides=True)
            link = self._link(link, v[:turning], spins, rides=True)
        self._bodies[body] = _Body(placed, link)

    def _cross(self, link: int | None, body: Node, crossing: Crossing, coordinates: Coordinates, spin: Vector) -> None:
        """Add the outboard body of a joint; a ball joint has an angular velocity."""
        sign = 1 if crossing.is_second else -1
        first, second = (_columns(frame) for frame in crossing.axes)
        shifts = [(self._shift(first[c.along]), rate) for c, (_, rate) in coordinates if isinstance(c, Shift)]
        turns = [
            (self._turn(self._axes_of_turns(second if c.about[1] else first)[-1], crossing.point), rate)
            for c, (_, rate) in coordinates
            if isinstance(c, Turn)
        ]
        for column, rate in [*shifts, *turns][::sign]:
            link = self._link(link, (rate,), [tuple(sign * c for c in column)], rides=True)
        if spin:
            columns = [self._turn(axis, crossing.point) for axis in second]
            signed = [tuple(sign * c for c in column) for column in columns]
            link = self._link(link, spin, signed, rides=crossing.is_second)
        self._bodies[body] = _Body(crossing.placed, link)

    def add(self, name: str, inertia: RigidInertia, kinetic: Sequence[Expr], potential: Sequence[Expr]) -> None:
        """Add the inertia of a moving body to its link, with the equivalent terms of the energies."""
        known = self._bodies[self._names[name]]
        if known.link is None:
            return
        self._parts.setdefault(known.link, []).append(self._spatial(known.placed, inertia))
        self._gravity = inertia.gravity
        self._kinetic += kinetic
        self._potential += potential

    def tree(self) -> BodyTree | None:
        """Return the tree, or None if no body with inertia was added."""
        if not self._parts:
            return None
        links = [replace(link, inertia=self._sum(self._parts.get(n, []))) for n, link in enumerate(self._links)]
        return BodyTree(tuple(links), self._gravity, tuple(self._kinetic), tuple(self._potential))

    def _link(self, before: int | None, velocities: Vector, columns: Sequence[Vector], *, rides: bool) -> int:
        bound = tuple(self._program.vector(c) for c in columns)
        self._links.append(Link(before, tuple(velocities), bound, rides, ()))
        return len(self._links) - 1

    def _axes_of_turns(self, axes: Sequence[Vector]) -> list[Vector]:
        """Return the axes of angular velocities; in the plane a single number represents the axis."""
        return list(axes) if self._size == 3 else [(Integer(1),)]

    def _turn(self, axis: Vector, point: Vector) -> Vector:
        """Return the twist (a, p × a) of a rotation."""
        own = (*axis, *zero(self._size))
        return (*axis, *self._moved(own, point, -1))

    def _shift(self, axis: Vector) -> Vector:
        """Return the twist (0, a) of a translation."""
        return (*zero(self._group.dimension - self._size), *axis)

    def _moved(self, twist: Vector, point: Vector, sign: int) -> Vector:
        """Return ±ω × p of a point p."""
        moved = ad(self._program, self._group, twist, self._shift(point))
        return self._program.vector(sign * c for c in moved[-self._size :])

    def _spatial(self, placed: PlacedBody, body: RigidInertia) -> Rows:
        """Return the inertia about the origin in inertial axes: m |v_O + ω × y|² + (Rᵀω)ᵀ J Rᵀω with the centre of mass
        y."""
        program, size, turning = self._program, self._size, self._group.dimension - self._size
        y = placed.point(body.center)
        units = [tuple(Integer(int(i == k)) for i in range(self._group.dimension)) for k in range(turning)]
        arms, moments = (
            [self._moved(unit, p, 1) for unit in units] for p in (y, program.vector(body.mass * c for c in y))
        )
        own = placed.turned_matrix(body.inertia) if size == 3 else body.inertia
        rows = [
            [
                program.scalar(own[max(i, k)][min(i, k)] + dot(arms[max(i, k)], moments[min(i, k)]))
                for k in range(turning)
            ]
            + list(moments[i])
            for i in range(turning)
        ]
        rows += [
            [moments[k][i] for k in range(turning)] + [body.mass if i == k else Integer(0) for k in range(size)]
            for i in range(size)
        ]
        return tuple(map(tuple, rows))

    def _sum(self, parts: Sequence[Rows]) -> Rows:
        return tuple(
            self._program.vector(Add(*entries) for entries in zip(*rows, strict=True))
            for rows in zip(*parts, strict=True)
        )


def _columns(frame: Turned) -> list[Vector]:
    """Return the axes of a frame in inertial axes."""
    matrix, size = frame.matrix, 3 if len(frame.matrix) == 9 else 2
    return [matrix[k::size] for k in range(size)]
