"""Dependent nodes: their configurations and velocities as kernels compute them, and the check of their dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sympy import Add, Expr, Integer, Symbol

from symlie.contract.dependents import WHOLE, DependentPlaces, batches
from symlie.derive.fields import moved_nodes, total_field
from symlie.errors import ModelError
from symlie.ir.differentiate import forward
from symlie.ir.program import Vector, at_values, depends_on
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.terms import DependentNode


@dataclass(frozen=True)
class DependentPart:
    """Dependent node as its kernel computes it.

    If configuration and velocity are sums of those of another node, the ``reference``, and of a rest that does not
    depend on this node, such as positions along a chain, the kernel computes the rest: then only the sums follow the
    chain.
    """

    place: int
    reference: int
    configuration: Vector
    velocity: Vector

    @property
    def values(self) -> Vector:
        """Results of the kernel."""
        return (*self.configuration, *self.velocity)


def dependent_parts(statement: Statement) -> tuple[DependentPart, ...]:
    """Return the dependent nodes of a statement, each after those that it depends on, which its values contain."""
    program, waiting = statement.program, list(statement.dependents)
    found: list[DependentPart] = []
    known: dict[Symbol, Expr] = {}
    while waiting:
        late = [s for d in waiting for s in _symbols(statement, d.place)]
        node = next((d for d in waiting if not depends_on(program, _stated(d), late)), None)
        if node is None:
            raise _circular(statement.nodes[waiting[0].place].name)
        waiting.remove(node)
        part, own = _part(statement, node, known), _symbols(statement, node.place)
        found.append(part)
        if any(depends_on(program, _stated(d), own) for d in waiting):
            starts = _symbols(statement, part.reference) if part.reference != WHOLE else (Integer(0),) * len(own)
            sums = [a + b for a, b in zip(starts, part.values, strict=True)]
            known |= dict(zip(own, at_values(program, sums, known), strict=True))
    return tuple(found)


def dependent_values(statement: Statement) -> list[Expr]:
    """Return the results of the kernel of dependent nodes."""
    return [value for part in dependent_parts(statement) for value in part.values]


def dependent_places(statement: Statement) -> DependentPlaces:
    """Return the dependent nodes of a statement, and the nodes that their kernel reads."""
    parts = dependent_parts(statement)
    values = [value for part in parts for value in part.values]
    nodes = range(len(statement.nodes))
    read = (k for k in nodes if depends_on(statement.program, values, _symbols(statement, k)))
    return DependentPlaces(tuple((part.place, part.reference) for part in parts), tuple(read))


def _symbols(statement: Statement, place: int) -> Vector:
    node = statement.nodes[place]
    return (*node.value.components, *node.velocity.components)


def _stated(node: DependentNode) -> Vector:
    return (*node.configuration, *(node.velocity or ()))


def _part(statement: Statement, node: DependentNode, known: dict[Symbol, Expr]) -> DependentPart:
    """Return a dependent node; ``known`` are the values of other dependent nodes of the statement."""
    program, nodes = statement.program, statement.nodes
    group = nodes[node.place].group
    is_real = group.name == f"R{group.dimension}"
    others = [k for k, n in enumerate(nodes) if is_real and n.group is group and k != node.place]
    for reference in others:
        rest = _rest(node, nodes[reference])
        values = () if rest is None else _values(statement, rest, known)
        if values and not depends_on(program, values, _symbols(statement, reference)):
            break
    else:
        reference, values = WHOLE, _values(statement, node, known)
    stored = group.storage_dimension
    return DependentPart(node.place, reference, values[:stored], values[stored:])


def _rest(node: DependentNode, reference: Node) -> DependentNode | None:
    """Return the difference from a reference, or None if it is not a term of each sum."""
    terms = [Add.make_args(e) for e in _stated(node)]
    starts = (*reference.value.components, *reference.velocity.components)[: len(terms)]
    if any(start not in part for start, part in zip(starts, terms, strict=True)):
        return None
    rest = tuple(Add(*(t for t in part if t != start)) for start, part in zip(starts, terms, strict=True))
    stored = len(node.configuration)
    return replace(node, configuration=rest[:stored], velocity=None if node.velocity is None else rest[stored:])


def _values(statement: Statement, node: DependentNode, known: dict[Symbol, Expr]) -> Vector:
    """Return configuration and velocity, where q' = v and y' = ψ_*(f)|_y."""
    program, of = statement.program, statement.nodes[node.place]
    velocity = node.velocity
    if velocity is None:
        seeds = statement.motion()
        seeds += [(statement.nodes[k].value, program.vector(total_field(statement, k))) for k in moved_nodes(statement)]
        rates = forward(program, node.configuration, seeds)
        accelerations = [s for n in statement.nodes for s in n.acceleration.components]
        if depends_on(program, rates, accelerations):
            raise ModelError(
                f"The rate of dependent node '{of.name}' depends on accelerations; it must be a function of the state."
            )
        velocity = of.group.algebra_tangent(program, node.configuration, rates)
    values = (*node.configuration, *velocity)
    return at_values(program, values, known) if known and depends_on(program, values, known) else values


Member = tuple[str, int]
"""Node by the name of its array and its number; 0 for single nodes."""


def check_dependents(model: Model) -> None:
    """Raise `ModelError` if a node is dependent twice, if dependencies are circular, or if a velocity follows from
    first-order states that others move."""
    places: dict[Statement, DependentPlaces] = {}
    members: dict[Statement, list[tuple[Member, ...]]] = {}
    taken: dict[Member, str] = {}
    moved_by: dict[Member, set[str]] = {}
    for statement, row in _rows(model):
        if statement not in places:
            places[statement], members[statement] = dependent_places(statement), []
        members[statement].append(row)
        for k, _ in places[statement].nodes:
            if row[k] in taken:
                raise ModelError(
                    f"Node '{_shown(row[k])}' is defined as dependent twice, by '{taken[row[k]]}' and by "
                    f"'{statement.name}'."
                )
            taken[row[k]] = statement.name
        for node, _ in statement.fields:
            moved_by.setdefault(row[statement.nodes.index(node)], set()).add(statement.name)
    _, circle = batches(list(places.values()), list(members.values()))
    if circle:
        raise _circular(_shown(min(circle)))
    for statement, rows in members.items():
        derived = [c for d in statement.dependents if d.velocity is None for c in d.configuration]
        for k, node in enumerate(statement.nodes):
            if node.group.velocity_dimension or not depends_on(statement.program, derived, node.value.components):
                continue
            if other := next((row[k] for row in rows if moved_by.get(row[k]) != {statement.name}), None):
                raise ModelError(
                    f"Dependent nodes of '{statement.name}' use node '{_shown(other)}'; '{statement.name}' must define "
                    "the whole field of that node."
                )


def _rows(model: Model) -> Iterator[tuple[Statement, tuple[Member, ...]]]:
    """Yield each definition with the nodes of each of its elements."""
    yield model, tuple((node.name, 0) for node in model.nodes)
    for instances in model.instances:
        for row in instances.nodes:
            yield instances.element, row


def _circular(node: str) -> ModelError:
    return ModelError(f"Node '{node}' depends on nodes that depend on it.")


def _shown(member: Member) -> str:
    return f"{member[0]}[{member[1]}]"
