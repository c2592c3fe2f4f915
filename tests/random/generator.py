"""Random models: every kind of term on every kind of group, with small random rational coefficients.

A model is drawn from a `random.Random`, which hypothesis can drive as well (``st.randoms``), so that failures shrink.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from mpmath import mpf
from sympy import Expr, Rational, Symbol

import symlie as sl
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement as Stated
from tests.derive.definition import Statement
from tests.derive.matrices import MatrixGroup, Numbers
from tests.random import groups
from tests.random.draw import Draw

LARGEST = 12
"""Largest number of velocities of a model defined by nodes."""

Place = tuple[str, int]
"""A node by name, and its index if it is one of an array."""


@dataclass
class Part(Statement):
    """A statement of a random model, with the nodes and the parameter values of each of its instances."""

    places: list[tuple[Place, ...]] = field(default_factory=list)
    given: list[dict[Symbol, float]] = field(default_factory=list)
    rates: dict[str, Any] = field(default_factory=dict)
    """Outputs that are time derivatives, with the expression they are derivatives of."""
    reactions: dict[str, int] = field(default_factory=dict)
    """Outputs that are constraint forces, with the place of their node."""
    instance: int = 0
    """The instance that values are taken of."""

    @property
    def groups(self) -> list[MatrixGroup]:
        return [groups.matrices(n.group.name) for n in self.model.nodes]

    def values(self, t: mpf, q: Any, v: Any) -> dict[Symbol, mpf]:
        own = super().values(t, q, v)
        return own | {s: mpf(c) for s, c in self.given[self.instance].items()}


@dataclass
class RandomModel:
    """A model together with what its statements mean."""

    model: sl.Model
    parts: list[Part]
    nodes: dict[str, tuple[MatrixGroup, int]]
    """Group and number of each node or array."""
    notes: list[str]
    """Kinds of terms."""


def variables_of(node: Node) -> list[Expr]:
    """Stored quantities that a user would write: all storage fields, and the rotation matrix."""
    found = [c for f in node.group.storage_fields for c in getattr(node, f.name)]
    if node.group.rotation is not None:
        found += list(node.R)
    return found


def turns(node: Node) -> bool:
    """Return True for nodes with one rotation matrix and the velocity that a torque needs."""
    return node.group.rotation is not None


def points(node: Node, draw: Draw) -> list[Any]:
    """Positions of the node, with its number of axes."""
    n = 3 if not turns(node) else node.R.shape[0]
    has_position = any(f.name == "x" and f.size == n for f in node.group.storage_fields)
    if turns(node):
        arm = node.R * draw.vector(n)
        return [node.x + arm if has_position else arm]
    return [node.x] if has_position else []


class Writer:
    """States random terms in a part."""

    def __init__(self, part: Part, draw: Draw, notes: list[str], *, coupled: bool) -> None:
        self.part, self.draw, self.notes, self.coupled = part, draw, notes, coupled
        self.statement: Stated = part.model
        self.nodes = part.model.nodes
        self.variables = [c for node in self.nodes for c in variables_of(node)]
        self.parameter = self.statement.parameter("stiffness", round(draw.source.uniform(0.5, 2), 3))
        self.velocity = sympy.ImmutableDenseMatrix(sympy.Matrix.vstack(*[n.v for n in self.nodes]))

    def name(self, stem: str) -> str:
        """A unique name in a model with several definitions."""
        return f"{self.statement.name}_{stem}"

    def note(self, text: str) -> None:
        self.notes.append(text)

    def maybe(self, probability: float, text: str) -> bool:
        if self.draw.chance(probability):
            self.note(text)
            return True
        return False

    def kinetic(self) -> None:
        draw, statement = self.draw, self.statement
        blocks = [self.velocity] if self.coupled and draw.chance(0.4) else [n.v for n in self.nodes]
        for v in blocks:
            statement.kinetic_energy((v.T * draw.positive(v.rows) * v / 2)[0])
            if self.maybe(0.25, "varying mass"):
                factor = 2 + sl.sin(draw.polynomial(self.variables)) + sl.cos(statement.t) / 3
                statement.kinetic_energy(factor * draw.vector(v.rows).dot(v) ** 2)
        if self.maybe(0.1, "mass of time"):
            statement.kinetic_energy((2 + sl.sin(statement.t)) * self.parameter * self.velocity[0] ** 2)
        if self.maybe(0.2, "gyrostat"):
            linear = draw.vector(self.velocity.rows).dot(self.velocity)
            statement.kinetic_energy(linear * (draw.polynomial(self.variables) + sl.sin(statement.t)))
        if self.maybe(0.1, "kinetic energy at rest"):
            statement.kinetic_energy(draw.polynomial(self.variables) * sl.cos(statement.t) + 1)

    def potential(self) -> None:
        draw, statement = self.draw, self.statement
        if self.maybe(0.7, "potential"):
            statement.potential_energy(self.parameter * draw.scalar(self.variables))
        if self.maybe(0.15, "potential of time"):
            statement.potential_energy(sl.cos(2 * statement.t) * draw.scalar(self.variables))
        if isinstance(statement, sl.Model) and self.maybe(0.15, "piecewise linear"):
            load = statement.piecewise_linear("load", [0, 0.25, 0.5], [0.5, 2, -1])
            statement.potential_energy(load * draw.polynomial(self.variables))
        for strain in self._strains():
            if self.maybe(0.4, "strain"):
                strain -= draw.vector(strain.rows) / 7
                statement.potential_energy(self.parameter * (strain.T * draw.positive(strain.rows) * strain)[0] / 2)

    def _strains(self) -> list[Any]:
        strains = [n.log() for n in self.nodes]
        if len(self.nodes) > 1 and self.nodes[0].group is self.nodes[1].group:
            strains.append((self.nodes[0].inverse() * self.nodes[1]).log())
        return strains

    def forces(self) -> None:
        draw, statement, part = self.draw, self.statement, self.part
        if self.maybe(0.3, "dissipation"):
            v = self.velocity
            statement.dissipation((v.T * draw.positive(v.rows) * v)[0] * (1 + draw.one(self.variables) ** 2) / 4)
        if self.maybe(0.1, "friction"):
            statement.dissipation(self.parameter * sl.sqrt(draw.polynomial(list(self.velocity)) ** 2 + Rational(1, 9)))
        pool = [*self.variables, *self.velocity, sl.sin(statement.t)]
        for node in self.nodes:
            if self.maybe(0.3, "generalized force"):
                part.generalized_force(node, [draw.scalar(pool) for _ in range(node.group.dimension)])
            for point in points(node, draw):
                if self.maybe(0.3, "force"):
                    vector = sl.vector(*(draw.polynomial(pool) for _ in range(len(point))))
                    part.force(node.R * vector if turns(node) and draw.chance(0.5) else vector, point)
            if turns(node) and len([f for f in node.group.velocity_fields if f.name.startswith("Omega")]) == 1 \
                    and self.maybe(0.2, "torque"):  # fmt: skip
                size = 1 if node.R.shape[0] == 2 else 3
                part.torque(sl.vector(*(draw.polynomial(pool) for _ in range(size))), node)

    def constraints(self, free: int, offset: Callable[[str, Expr], Expr]) -> int:
        """Define up to ``free`` constraint equations; ``offset`` makes the holonomic ones hold initially."""
        draw, statement, rows = self.draw, self.statement, 0
        if free > 0 and self.maybe(0.3, "holonomic"):
            size = min(draw.source.randint(1, 2), free)
            stated = [draw.scalar(self.variables) + draw.polynomial(self.variables) / 3 for _ in range(size)]
            if self.maybe(0.4, "rheonomic"):
                stated = [row + sl.sin(draw.rational() * statement.t) / 4 for row in stated]
            statement.constraint(self.name("holonomic"), [offset(f"start{k}", row) for k, row in enumerate(stated)])
            rows += size
        if free > rows and self.maybe(0.2, "relative"):
            strain = draw.one(self._strains())
            statement.constraint(self.name("relative"), offset("angle", draw.one(list(strain))))
            rows += 1
        if free > rows and self.maybe(0.25, "nonholonomic"):
            row = draw.vector(self.velocity.rows).dot(self.velocity) * (2 + sl.sin(draw.polynomial(self.variables)))
            row += draw.polynomial(self.variables) * self.velocity[-1] / 5
            if self.maybe(0.5, "driven"):
                row += draw.scalar([*self.variables, sl.sin(statement.t)]) / 4
            statement.nonholonomic_constraint(self.name("rolling"), row)
            rows += 1
        return rows

    def observations(self) -> None:
        draw, statement = self.draw, self.statement
        pool = [*self.variables, *self.velocity, statement.t, self.parameter, *statement.multipliers]
        if self.maybe(0.5, "output"):
            statement.output(self.name("seen"), [draw.scalar(pool) for _ in range(2)])
        if self.maybe(0.3, "rate"):
            expression = draw.scalar([*self.variables, sl.cos(statement.t)])
            self.part.rates[self.name("speed")] = expression
            statement.output(self.name("speed"), statement.rate(expression))
        if statement.constraints and self.maybe(0.4, "reaction"):
            place = draw.source.randrange(len(self.nodes))
            self.part.reactions[self.name("reaction")] = place
            statement.output(self.name("reaction"), statement.constraint_force(self.nodes[place]))
        if self.maybe(0.3, "event"):
            statement.event(self.name("crossing"), draw.scalar(pool), direction=draw.one(["any", "rising", "falling"]),
                            terminal=draw.chance(0.5))  # fmt: skip


def _start(model: sl.Model, node: Node, q: Numbers, draw: Draw) -> None:
    """Give a node its initial configuration; two fields may stay at the identity."""
    fields = {f.name: [float(c) for c in q[f.offset : f.offset + f.size]] for f in node.group.storage_fields}
    model.initial(node, **fields)


def random_model(source: random.Random) -> RandomModel:
    """A model whose initial values are consistent."""
    return _of_arrays(source) if source.random() < 0.3 else _of_nodes(source)


def _group(draw: Draw) -> str:
    return str(draw.one(groups.FREQUENT if draw.chance(0.67) else groups.RARE))


def _offsets(part: Part, start: list[Numbers]) -> Callable[[str, Expr], Expr]:
    """Parameters for which constraint equations hold initially."""

    def offset(name: str, row: Expr) -> Expr:
        (value,) = part.function([row])(mpf(0), start, [mpf(0)] * part.dimension)
        return row - part.model.parameter(name, float(value))

    return offset


def _of_nodes(source: random.Random) -> RandomModel:
    """A model defined by its nodes, occasionally with a spring between two of them."""
    draw, notes = Draw(source), ["nodes"]
    model = sl.Model("drawn")
    names: list[str] = []
    for _ in range(draw.one([1, 1, 1, 2, 2, 3])):
        name = names[0] if names and draw.chance(0.5) else _group(draw)
        if sum(groups.matrices(n).dimension for n in [*names, name]) <= LARGEST:
            names.append(name)
    nodes = [model.node(f"q{k}", groups.group(name)) for k, name in enumerate(names)]
    notes.append("+".join(names))
    start = [groups.element(groups.matrices(name), draw.source, draw.one([0.5, 1.0, 2.0])) for name in names]
    for node, q in zip(nodes, start, strict=True):
        _start(model, node, q, draw)
    own = Part(model, places=[tuple((n.name, 0) for n in nodes)], given=[{}])
    writer = Writer(own, draw, notes, coupled=True)
    writer.kinetic()
    writer.potential()
    writer.forces()
    writer.constraints(own.dimension - 1, _offsets(own, start))
    writer.observations()
    parts = [own]
    if len(nodes) > 1 and draw.chance(0.3):
        parts.append(_link(model, draw, notes, [(n.name, 0) for n in nodes[:2]], nodes[:2], names[:2]))
    return RandomModel(
        model, parts, {n.name: (groups.matrices(g), 1) for n, g in zip(nodes, names, strict=True)}, notes
    )


def _link(
    model: sl.Model, draw: Draw, notes: list[str], places: list[Place], members: list[Any], names: list[str]
) -> Part:
    """An element type that joins two nodes by forces."""
    notes.append("element of two")
    element = sl.ElementType("link", left=groups.group(names[0]), right=groups.group(names[1]))
    part = Part(element, places=[tuple(places)])
    writer = Writer(part, draw, notes, coupled=False)
    writer.potential()
    writer.forces()
    if element.potential == 0 and not element.generalized_forces:
        element.potential_energy(writer.parameter * draw.polynomial(writer.variables))
    value = round(draw.source.uniform(0.5, 2), 3)
    part.given = [{element.parameters[0].symbols[0]: value}]
    model.add(element, [tuple(members)], stiffness=value)
    return part


def _of_arrays(source: random.Random) -> RandomModel:
    """An array of equal bodies with an element type on each and one between neighbours, and now and then a node."""
    draw, notes = Draw(source), ["arrays"]
    model = sl.Model("drawn")
    name, count = _group(draw), draw.source.randint(2, 4)
    of = groups.matrices(name)
    notes.append(f"{name}[{count}]")
    array = model.node_array("bodies", groups.group(name), count)
    start = [groups.element(of, draw.source, draw.one([0.5, 1.0, 2.0])) for _ in range(count)]
    first = array.group.storage_fields
    array.initial(**{f.name: [[float(c) for c in q[f.offset : f.offset + f.size]] for q in start] for f in first})
    known = {"bodies": (of, count)}
    parts = []
    if draw.chance(0.3):
        notes.append("node beside")
        beside = _group(draw)
        node = model.node("beside", groups.group(beside))
        known["beside"] = (groups.matrices(beside), 1)
        own = Part(model, places=[(("beside", 0),)], given=[{}])
        writer = Writer(own, draw, notes, coupled=True)
        writer.kinetic()
        writer.potential()
        own_start = [[mpf(int(c)) for c in node.group.identity]]
        writer.constraints(own.dimension - 1, _offsets(own, own_start))
        writer.observations()
        parts.append(own)
    body = sl.ElementType("body", node=groups.group(name))
    part = Part(body, places=[(("bodies", k),) for k in range(count)])
    writer = Writer(part, draw, notes, coupled=True)
    writer.kinetic()
    writer.potential()
    writer.forces()
    part.given = [{} for _ in range(count)]
    offsets: list[tuple[Symbol, Expr]] = []

    def later(name: str, row: Expr) -> Expr:
        symbol = body.parameter(f"body_{name}", 0.0)
        offsets.append((symbol, row))
        return row - symbol

    writer.constraints(of.dimension - 1, later)
    writer.observations()
    shared = draw.chance(0.4)
    common = round(draw.source.uniform(0.5, 2), 3)
    values: dict[str, list[float]] = {p.name: [] for p in body.parameters}
    for k in range(count):
        stiffness = common if shared else round(draw.source.uniform(0.5, 2), 3)
        given = {body.parameters[0].symbols[0]: stiffness}
        part.instance, part.given[k] = k, given
        values["stiffness"].append(stiffness)
        for symbol, row in offsets:
            (value,) = part.function([row])(mpf(0), [start[k]], [mpf(0)] * of.dimension)
            given[symbol] = float(value)
            label = next(p.name for p in body.parameters if p.symbols[0] == symbol)
            values[label].append(float(value))
    model.add(body, list(array), **{label: np.array(v)[:, None] for label, v in values.items()})
    parts.append(part)
    if draw.chance(0.6):
        pair = [("bodies", 0), ("bodies", 1)]
        link = _link(model, draw, notes, pair, [array[0], array[1]], [name, name])
        parts.append(link)
    if draw.chance(0.3) and not body.constraints:
        notes.append("fixed")
        array.fix(0)
    return RandomModel(model, parts, known, notes)
