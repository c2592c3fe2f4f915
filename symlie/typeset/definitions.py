"""Statement list for display: short and single-use scalar statements are substituted where they are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer, Symbol

from symlie.groups.rotation import Factor, Rotate, rotation_size
from symlie.ir.program import Application, Assignment, Program, Statement, Vector, needed_statements, substitute
from symlie.typeset.notation import rotation_entries
from symlie.typeset.vector_forms import size

SMALL = 2
"""Operation count up to which a statement is substituted wherever it is used."""

LONGEST = 24
"""Operation count above which a statement keeps its name even if it is used once."""

EXPANDED = 60
"""Operation count up to which an expression is expanded and collected."""


@dataclass(frozen=True)
class Definition:
    """Symbols and their meaning: expressions, or a group operation with its arguments."""

    symbols: tuple[Symbol, ...]
    expressions: Vector = ()
    application: Application | None = None
    arguments: tuple[Vector, ...] = ()


@dataclass(frozen=True)
class StatementList:
    """Definitions in program order, and the replacements that express all other symbols by them."""

    definitions: tuple[Definition, ...]
    replacements: Mapping[Symbol, Expr]
    parameters: frozenset[Symbol]

    def written(self, expressions: Iterable[Expr], *, collect: bool = True) -> Vector:
        """Return expressions in the symbols of the definitions, with collected parameters unless the form is to be
        preserved."""
        replaced = tuple(substitute(sympy.sympify(e), self.replacements) for e in expressions)
        return tuple(collected(e, self.parameters) for e in replaced) if collect else replaced


def collected(expression: Expr, parameters: frozenset[Symbol]) -> Expr:
    """Expand, and collect the parameters in front of equal monomials of the state: (J₃ - J₂) Ω₂ Ω₃."""
    if size(expression) > EXPANDED:
        return expression
    factors: dict[Expr, Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        monomial, factor = Integer(1), Integer(1)
        for part in sympy.Mul.make_args(term):
            if parameters.issuperset(part.free_symbols):
                factor *= part
            else:
                monomial *= part
        factors[monomial] = factors.get(monomial, Integer(0)) + factor
    return sympy.Add(*[factor * monomial for monomial, factor in factors.items()])


def statement_list(
    program: Program,
    outputs: Sequence[Expr],
    vectors: Iterable[Vector],
    parameters: frozenset[Symbol],
) -> StatementList:
    """Select the statements that keep a name; scalar statements that form a vector keep or lose their names
    together.
    """
    statements = needed_statements(program, outputs)
    assigned = {s.symbol for s in statements if isinstance(s, Assignment)}
    uses = _uses(statements, outputs)
    groups: dict[Symbol, tuple[Symbol, ...]] = {}
    operands = [a.components for s in statements if isinstance(s, Application) for a in s.arguments]
    for vector in [*vectors, *operands]:
        members = tuple(c for c in vector if isinstance(c, Symbol))
        if len(members) == len(vector) > 1 and assigned.issuperset(members) and not any(m in groups for m in members):
            groups |= dict.fromkeys(members, members)
    named: set[Symbol] = set()
    while True:
        before = len(named)
        replacements, definitions = _fold(statements, uses, groups, named, parameters)
        if len(named) == before:
            return StatementList(tuple(definitions), replacements, parameters)


def _uses(statements: Sequence[Statement], outputs: Sequence[Expr]) -> Counter[Symbol]:
    uses: Counter[Symbol] = Counter()
    for statement in statements:
        parts = [statement.expression] if isinstance(statement, Assignment) else _components(statement)
        for part in parts:
            uses.update(part.free_symbols)
    for output in outputs:
        uses.update(sympy.sympify(output).free_symbols)
    return uses


def _components(statement: Application) -> list[Expr]:
    return [c for argument in statement.arguments for c in argument.components]


def _fold(
    statements: Sequence[Statement],
    uses: Mapping[Symbol, int],
    groups: Mapping[Symbol, tuple[Symbol, ...]],
    named: set[Symbol],
    parameters: frozenset[Symbol],
) -> tuple[dict[Symbol, Expr], list[Definition]]:
    """Make one pass; a symbol that needs a name adds its vector to ``named`` for the next pass."""
    replacements: dict[Symbol, Expr] = {}
    values: dict[Symbol, Expr] = {}
    definitions: list[Definition] = []
    for statement in statements:
        if isinstance(statement, Assignment):
            symbol = statement.symbol
            value = collected(substitute(statement.expression, replacements), parameters)
            length = size(value)
            if symbol not in named and (length <= SMALL or (uses[symbol] <= 1 and length <= LONGEST)):
                replacements[symbol] = value
                continue
            vector = groups.get(symbol, (symbol,))
            named.update(vector)
            values[symbol] = value
            if all(s in values for s in vector):
                definitions.append(Definition(vector, tuple(values[s] for s in vector)))
            continue
        arguments = tuple(tuple(substitute(c, replacements) for c in a.components) for a in statement.arguments)
        result = tuple(s for s in statement.result.components if isinstance(s, Symbol))
        direct = _written_out(statement, arguments)
        if direct is not None:
            replacements |= dict(zip(result, direct, strict=True))
        else:
            definitions.append(Definition(result, application=statement, arguments=arguments))
    return replacements, definitions


def _written_out(statement: Application, arguments: Sequence[Vector]) -> Vector | None:
    """Return results that need no name: factors of a direct product, and rotated unit vectors."""
    operation = statement.operation
    if isinstance(operation, Factor):
        return operation.lower(Program(), arguments)
    if isinstance(operation, Rotate) and all(c.is_Number for c in arguments[1]):
        n = rotation_size(operation.group)
        rows = sympy.Matrix(n, n, rotation_entries(operation.group, arguments[0]))
        return tuple((rows.T if operation.transpose else rows) * sympy.Matrix(arguments[1]))
    return None
