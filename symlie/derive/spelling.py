"""Canonical texts of parts of a statement, independent of names: parts with equal texts become elements of one type.

Nodes are named by their position in a piece, intermediate results by their first appearance; addends and factors are
sorted by content. Numbers with a decimal point and parameters leave holes, which hold the values of an instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Float, Mul, Symbol

from symlie.derive.pieces import Piece, Term
from symlie.ir.primitives import PiecewiseLinear, RunTimeInput
from symlie.ir.program import Application, Assignment, Operation, Program, Value
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.terms import UnwrappedAngle

_ADDRESSED = (PiecewiseLinear, RunTimeInput)
"""Functions that read tables at addresses stored in parameters: only their first argument is a value."""


@dataclass(frozen=True)
class Spelled:
    """Canonical text of a part for one order of its nodes, and the numbers and parameter symbols that may differ."""

    piece: Piece
    order: tuple[int, ...]
    text: str
    holes: tuple[Expr, ...]


class Speller:
    """Writer of canonical texts for parts of a model."""

    def __init__(self, model: Model) -> None:
        self.program = model.program
        self._places: dict[Symbol, tuple[int, str]] = {}
        for number, node in enumerate(model.nodes):
            for letter, value in (("q", node.value), ("v", node.velocity), ("a", node.acceleration)):
                names = enumerate(value.components)
                self._places |= {s: (number, f"{letter}{k}") for k, s in names if isinstance(s, Symbol)}
        self._angles = {a.before: a for a in model.angles}
        self._parameters = {s for p in model.parameters for s in p.symbols}
        self._groups = [str(n.group.name) for n in model.nodes]
        self._operations: dict[Operation, int] = {}
        self._texts: dict[str, str] = {}

    def spelled(self, piece: Piece, order: Sequence[int]) -> Spelled:
        """Return the canonical text of a part for an order of its nodes."""
        walk = _Walk(self, piece, order)
        lines = [self._term(walk, term) for term in piece.terms]
        nodes = " ".join(self._groups[k] for k in order)
        return Spelled(piece, tuple(order), "\n".join([nodes, *lines]), tuple(walk.holes))

    def _term(self, walk: _Walk, term: Term) -> str:
        node = "" if term.node is None else f"n{walk.order[term.node]}"
        texts = ", ".join(walk.text(e) for e in term.expressions)
        return f"{term.role} {node} {term.details}: {texts}"

    def operation(self, operation: Operation) -> str:
        """Return the name of a group operation."""
        return f"{operation.name}{self._operations.setdefault(operation, len(self._operations))}"

    def short(self, text: str) -> str:
        """Return a short name for a text; equal texts have equal names."""
        return self._texts.setdefault(text, f"~{len(self._texts)}")

    def is_parameter(self, symbol: Symbol) -> bool:
        """Return whether a symbol is a value of a parameter of the model."""
        return symbol in self._parameters

    def angle(self, symbol: Symbol) -> UnwrappedAngle | None:
        """Return the unwrapped angle whose value before a step is represented by the symbol."""
        return self._angles.get(symbol)

    def place(self, symbol: Symbol) -> tuple[int, str] | None:
        """Return the number of the node to which a symbol belongs, and the name of the component."""
        return self._places.get(symbol)


class _Walk:
    """Traversal of the expressions of a part in an order that is independent of names."""

    def __init__(self, speller: Speller, piece: Piece, order: Sequence[int]) -> None:
        self._speller = speller
        self.order = {number: place for place, number in enumerate(order)}
        rows = [s for t in piece.terms for s in t.multipliers]
        self._multipliers = {s: f"l{k}" for k, s in enumerate(rows)}
        self._keys: dict[Expr, str] = {}
        self._met: dict[Symbol, str] = {}
        self.holes: list[Expr] = []

    def text(self, expression: Expr) -> str:
        """Return the text of an expression, with intermediate results written at their first appearance."""
        if isinstance(expression, Symbol):
            return self._symbol(expression)
        if isinstance(expression, Float):
            self.holes.append(expression)
            return "#"
        if not expression.args:
            return str(expression)
        if isinstance(expression, _ADDRESSED):
            return _addressed(expression, self.text(expression.args[0]))
        return f"{type(expression).__name__}({','.join(self.text(a) for a in self.arguments(expression))})"

    def _symbol(self, symbol: Symbol) -> str:
        known = self._leaf(symbol)
        if known is not None:
            if known == "#":
                self.holes.append(symbol)
            return known
        if symbol in self._met:
            return self._met[symbol]
        angle = self._speller.angle(symbol)
        if angle is not None:
            self._met[symbol] = f"s{len(self._met)}"
            return f"{self._met[symbol]}=unwrapped({','.join(map(self.text, angle.stated))})"
        statement = self.statement(symbol)
        if isinstance(statement, Assignment):
            self._met[symbol] = f"s{len(self._met)}"
            return f"{self._met[symbol]}=({self.text(statement.expression)})"
        first, name = len(self._met), f"s{len(self._met)}"
        self._met |= {s: f"{name}.{k}" for k, s in enumerate(statement.result.components) if isinstance(s, Symbol)}
        assert len(self._met) > first
        arguments = ";".join(",".join(self.text(c) for c in a.components) for a in statement.arguments)
        return f"{self._met[symbol]}={self._speller.operation(statement.operation)}({arguments})"

    def _leaf(self, symbol: Symbol) -> str | None:
        """Return the name of a symbol that no statement of the program defines."""
        place = self._speller.place(symbol)
        if place is not None:
            return f"n{self.order[place[0]]}.{place[1]}"
        if self._speller.is_parameter(symbol):
            return "#"
        if symbol in self._multipliers:
            return self._multipliers[symbol]
        is_defined = self._speller.program.line_of(symbol) is not None or self._speller.angle(symbol) is not None
        return None if is_defined else symbol.name

    def statement(self, symbol: Symbol) -> Assignment | Application:
        """Return the statement that defines a symbol."""
        line = self._speller.program.line_of(symbol)
        assert line is not None
        return self._speller.program.statements[line]

    def arguments(self, expression: Expr) -> Sequence[Expr]:
        """Return the arguments of an expression in the order of the traversal."""
        return sorted(expression.args, key=self._key) if isinstance(expression, Add | Mul) else expression.args

    def _key(self, expression: Expr) -> str:
        """Return the sort key of an expression, which does not depend on its variable values."""
        known = self._keys.get(expression)
        if known is None:
            known = self._keys[expression] = self._computed_key(expression)
        return known

    def _computed_key(self, expression: Expr) -> str:
        if isinstance(expression, Symbol):
            leaf = self._leaf(expression)
            return leaf if leaf is not None else self._key_of_result(expression)
        if isinstance(expression, Float):
            return "#"
        if not expression.args:
            return str(expression)
        if isinstance(expression, _ADDRESSED):
            return self._speller.short(_addressed(expression, self._key(expression.args[0])))
        keys = [self._key(a) for a in expression.args]
        if isinstance(expression, Add | Mul):
            keys.sort()
        return self._speller.short(f"{type(expression).__name__}({','.join(keys)})")

    def _key_of_result(self, symbol: Symbol) -> str:
        angle = self._speller.angle(symbol)
        if angle is not None:
            return self._speller.short(f"unwrapped({','.join(map(self._key, angle.stated))})")
        statement = self.statement(symbol)
        if isinstance(statement, Assignment):
            return self._key(statement.expression)
        components = statement.result.components
        arguments = ";".join(",".join(map(self._key, a.components)) for a in statement.arguments)
        key = self._speller.short(f"{self._speller.operation(statement.operation)}({arguments})")
        self._keys |= {s: f"{key}.{k}" for k, s in enumerate(components)}
        return self._keys[symbol]


def _addressed(expression: Expr, argument: str) -> str:
    """Return the text of a function that reads a table, with the text of its argument."""
    return f"{type(expression).__name__}({', '.join([argument, *map(str, expression.args[1:])])})"


class Restated:
    """Copies of the expressions of a part in another definition, with variable values supplied by ``fill``."""

    # The traversal follows the text, so each hole is identified by its number.

    def __init__(
        self, speller: Speller, spelled: Spelled, target: Statement, nodes: Sequence[Node], fill: Callable[[int], Expr]
    ) -> None:
        self._walk = _Walk(speller, spelled.piece, spelled.order)
        self._speller = speller
        self._target = target
        self.program: Program = target.program
        self._fill = fill
        self._holes = 0
        self._known: dict[Symbol, Expr] = {}
        for number, node in zip(spelled.order, target.nodes, strict=True):
            for mine, new in _components(nodes[number], node):
                self._known[mine] = new

    def place(self, number: int) -> int:
        """Return the position of a node of the model within the part."""
        return self._walk.order[number]

    def define(self, symbol: Symbol, expression: Expr) -> None:
        """Define a symbol in the target program."""
        self._known[symbol] = expression

    def expression(self, expression: Expr) -> Expr:
        """Return an expression in the target program."""
        if isinstance(expression, Float) or (isinstance(expression, Symbol) and self._speller.is_parameter(expression)):
            self._holes += 1
            return self._fill(self._holes - 1)
        if isinstance(expression, Symbol):
            return self._symbol(expression)
        if not expression.args:
            return expression
        if isinstance(expression, _ADDRESSED):
            return expression.func(self.expression(expression.args[0]), *expression.args[1:])
        return expression.func(*map(self.expression, self._walk.arguments(expression)))

    def _symbol(self, symbol: Symbol) -> Expr:
        angle = self._speller.angle(symbol)
        if symbol not in self._known and angle is not None:
            value = self._target.unwrapped_angle(*map(self.expression, angle.stated))
            self._known[symbol] = next(a.before for a in self._target.angles if a.value == value)
        if symbol not in self._known and self._speller.program.line_of(symbol) is not None:
            statement = self._walk.statement(symbol)
            if isinstance(statement, Assignment):
                self._known[symbol] = self.program.scalar(self.expression(statement.expression))
            else:
                arguments = [Value(tuple(map(self.expression, a.components)), a.space) for a in statement.arguments]
                result = self.program.apply(statement.operation, *arguments)
                pairs = zip(statement.result.components, result.components, strict=True)
                self._known |= {s: c for s, c in pairs if isinstance(s, Symbol)}
        return self._known.get(symbol, symbol)


def _components(mine: Node, other: Node) -> Iterator[tuple[Symbol, Expr]]:
    for a, b in ((mine.value, other.value), (mine.velocity, other.velocity), (mine.acceleration, other.acceleration)):
        yield from ((s, t) for s, t in zip(a.components, b.components, strict=True) if isinstance(s, Symbol))
