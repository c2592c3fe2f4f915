"""Terms of a statement, grouped by their nodes.

Energies, dissipation functions, forces on a node and outputs are sums: their addends become separate terms if that
separates nodes. Constraints are cut between equations, and expressions of multipliers stay with the equations of these.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Mul, Symbol

from symlie.contract.manifest import Label
from symlie.ir.program import Assignment, Program
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Constraint, Event, Output

Nodes = frozenset[int]
"""Numbers of nodes of a statement."""


@dataclass(frozen=True)
class Term:
    """Term of a statement, or a part of it."""

    # ``role`` is the kind of definition; ``node`` the node number of forces and fields; ``label`` the name in results
    # of constraints, outputs and events; ``multipliers`` one symbol of λ per constraint equation; ``stated`` the
    # original constraint, output or event.

    role: str
    expressions: tuple[Expr, ...]
    node: int | None = None
    label: Label | None = None
    multipliers: tuple[Symbol, ...] = ()
    stated: Constraint | Output | Event | None = None

    @property
    def details(self) -> tuple[object, ...]:
        """Properties of the definition other than expressions and names."""
        match self.stated:
            case Constraint():
                return (self.stated.level, len(self.multipliers))
            case Output():
                return (self.stated.unit,)
            case Event():
                return (self.stated.direction, self.stated.is_terminal)
        return ()


@dataclass(frozen=True)
class Piece:
    """Terms on the same nodes."""

    nodes: tuple[int, ...]
    terms: tuple[Term, ...]


def pieces_of(statement: Statement) -> list[Piece]:
    """Return all terms of a statement by their nodes, in order of first appearance."""
    if statement.is_empty:
        return []
    touched = _TouchedNodes(statement)
    groups: dict[Nodes, list[Term]] = {}
    moving: dict[int | None, Nodes] = {}  # the field of a node is the sum of all its terms
    terms = list(_terms(statement, touched))
    for term in terms:
        if term.role == "fields":
            moving[term.node] = moving.get(term.node, frozenset()) | touched.by(term.expressions)
    for term in terms:
        nodes = moving[term.node] if term.role == "fields" else touched.by(term.expressions)
        nodes |= {term.node} if term.node is not None else set()
        groups.setdefault(nodes or frozenset({0}), []).append(term)
    joined = _joined_by_multipliers(groups, touched)
    return [Piece(tuple(sorted(nodes)), tuple(terms)) for nodes, terms in joined.items()]


class Touched:
    """Index sets on which expressions of a program depend, derived from the sets of their symbols."""

    def __init__(self, program: Program, own: Mapping[Symbol, Nodes]) -> None:
        self.program, self._of = program, dict(own)
        for line in program.statements:
            found = self._union(line.read)
            defined = (line.symbol,) if isinstance(line, Assignment) else line.result.components
            self._of |= {s: found for s in defined if isinstance(s, Symbol)}

    def _union(self, symbols: Iterable[Symbol]) -> frozenset[int]:
        parts = {found for s in symbols if (found := self._of.get(s))}
        return parts.pop() if len(parts) == 1 else frozenset().union(*parts)

    def by(self, expressions: Iterable[Expr]) -> Nodes:
        """Return the indices on which expressions depend, except the constraint equations of multipliers."""
        return frozenset(k for k in self._union(s for e in expressions for s in e.free_symbols) if k >= 0)

    def addends(self, expression: Expr) -> Iterator[Expr]:
        """Yield the addends of an expression, expanded as far as this separates nodes."""
        if len(self._union(expression.free_symbols)) < 2:
            yield expression
            return
        inner = self._definition(expression)
        if isinstance(inner, Add):
            yield from (part for a in inner.args for part in self.addends(a))
            return
        if isinstance(inner, Mul):
            sums = [f for f in inner.args if isinstance(self._definition(f), Add)]
            others = [f for f in inner.args if f not in sums]
            if len(sums) == 1 and not self._union(s for f in others for s in f.free_symbols):
                factor = Mul(*others)
                yield from (factor * part for part in self.addends(sums[0]))
                return
        yield expression

    def _definition(self, expression: Expr) -> Expr:
        """Return the definition of a symbol if it is a sum, else the expression itself."""
        line = self.program.line_of(expression) if isinstance(expression, Symbol) else None
        found = self.program.statements[line] if line is not None else None
        return found.expression if isinstance(found, Assignment) else expression


class _TouchedNodes(Touched):
    """Nodes and multipliers on which expressions of a statement depend."""

    def __init__(self, statement: Statement) -> None:
        self.rows = {s: k for k, s in enumerate(statement.multipliers)}
        """Number of the constraint equation of each multiplier."""
        own = {s: frozenset({-1 - k}) for s, k in self.rows.items()}
        for k, node in enumerate(statement.nodes):
            for value in (node.value, node.velocity, node.acceleration):
                own |= {s: frozenset({k}) for s in value.components if isinstance(s, Symbol)}
        super().__init__(statement.program, own)

    def rows_in(self, expressions: Iterable[Expr]) -> Nodes:
        """Return the indices of the constraint equations whose multipliers occur in expressions."""
        return frozenset(-1 - k for k in self._union(s for e in expressions for s in e.free_symbols) if k < 0)


def _terms(statement: Statement, touched: _TouchedNodes) -> Iterator[Term]:
    number = {id(node): k for k, node in enumerate(statement.nodes)}
    sums = {
        "kinetic_terms": statement.kinetic_terms,
        "potential_terms": statement.potential_terms,
        "dissipated_terms": statement.dissipated_terms,
        "energy_terms": statement.energy_terms,
    }
    for role, stated in sums.items():
        for expression in stated:
            yield from _separated(touched, Term(role, (expression,)))
    for node, vector in statement.generalized_forces:
        yield from _separated(touched, Term("generalized_forces", vector, number[id(node)]))
    for along, force in statement.applied_forces:
        yield Term("applied_forces", (along, force))
    for node, vector in statement.fields:
        yield Term("fields", vector, number[id(node)])
    for constraint in statement.constraints:
        rows = list(zip(constraint.rows, constraint.multipliers, range(len(constraint.rows)), strict=True))
        for _, part in itertools.groupby(rows, key=lambda row: touched.by([row[0]])):
            expressions, multipliers, places = zip(*part, strict=True)
            label = Label(constraint.name, places[0])
            yield Term("constraints", expressions, None, label, multipliers, constraint)
    for output in statement.outputs:
        yield from _separated(touched, Term("outputs", output.components, None, Label(output.name), (), output))
    for event in statement.events:
        yield Term("events", (event.expression,), None, Label(event.name), (), event)


def _separated(touched: _TouchedNodes, term: Term) -> Iterator[Term]:
    """Yield the parts of a sum: addends with the same nodes and constraint equations form one part."""
    parts: dict[tuple[Nodes, Nodes], list[list[Expr]]] = {}
    for k, component in enumerate(term.expressions):
        for addend in touched.addends(component):
            where = touched.by([addend]), touched.rows_in([addend])
            parts.setdefault(where, [[] for _ in term.expressions])[k].append(addend)
    if len(parts) < 2:
        yield term
        return
    for part in parts.values():
        yield dataclasses.replace(term, expressions=tuple(Add(*addends) if addends else Integer(0) for addends in part))


def _joined_by_multipliers(groups: Mapping[Nodes, list[Term]], touched: _TouchedNodes) -> dict[Nodes, list[Term]]:
    """Join groups that share multipliers, that is, constraint equations and expressions of their λ."""
    owner = {touched.rows[s]: nodes for nodes, terms in groups.items() for t in terms for s in t.multipliers}
    parent = {nodes: nodes for nodes in groups}

    def root(nodes: Nodes) -> Nodes:
        while parent[nodes] != nodes:
            nodes = parent[nodes]
        return nodes

    for nodes, terms in groups.items():
        for row in touched.rows_in(e for t in terms for e in t.expressions):
            parent[root(owner[row])] = root(nodes)
    together: dict[Nodes, list[Nodes]] = {}
    for nodes in groups:
        together.setdefault(root(nodes), []).append(nodes)
    joined: dict[Nodes, list[Term]] = {}
    for parts in together.values():
        joined.setdefault(frozenset().union(*parts), []).extend(t for part in parts for t in groups[part])
    return joined
