"""Vector fields of nodes without velocity."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Integer, Symbol

from symlie.ir.program import Assignment, Program, Vector, depends_on, free_symbols, substitute
from symlie.modeling.statement import Statement

MOST_OPERATIONS = 500
"""Largest operation count of an expression that is expanded to find cancelling terms."""


def moved_nodes(statement: Statement) -> tuple[int, ...]:
    """Return the indices of the nodes for which a statement defines fields."""
    return tuple(k for k, node in enumerate(statement.nodes) if any(n is node for n, _ in statement.fields))


def total_field(statement: Statement, place: int) -> tuple[Expr, ...]:
    """Return the sum of the vector fields defined for a local node."""
    node = statement.nodes[place]
    parts = [f for n, f in statement.fields if n is node]
    return tuple(sum(column, Integer(0)) for column in zip(*parts, strict=True))


def collected_rates(statement: Statement, place: int, field: Vector) -> list[Expr]:
    """Return S(q) f of a local node with the vector field f, without terms that cancel."""
    # A vector field on a manifold may have components that move no point, such as the component along q of q (q·d) - d,
    # which cancels in q' = f × q.
    node, program = statement.nodes[place], statement.program
    q, tangent = node.value.components, node.group.storage_tangent
    stated = tangent(program, q, field)
    inlined = tangent(program, q, tuple(_inlined(program, f, q) for f in field))
    return [_collected(program, rate, by_parts, q) for rate, by_parts in zip(stated, inlined, strict=True)]


def _inlined(program: Program, expression: Expr, symbols: Sequence[Symbol]) -> Expr:
    """Substitute the statements that depend on some symbols into an expression."""
    while True:
        found: dict[Symbol, Expr] = {}
        for symbol in free_symbols(expression):
            line = program.line_of(symbol)
            statement = None if line is None else program.statements[line]
            if isinstance(statement, Assignment) and depends_on(program, [symbol], symbols):
                found[symbol] = statement.expression
        if not found or sympy.count_ops(expression) > MOST_OPERATIONS:
            return expression
        expression = substitute(expression, found)


def _collected(program: Program, stated: Expr, inlined: Expr, symbols: Sequence[Symbol]) -> Expr:
    """Return an expression after cancellation, as a sum of powers of symbols times factors, if that is shorter."""
    known = sympy.count_ops(inlined)
    if known > MOST_OPERATIONS:
        return stated
    factors: dict[Expr, Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(inlined)):
        factor, power = term.as_independent(*symbols, as_Add=False)
        factors[power] = factors.get(power, Integer(0)) + factor
    left: Expr = Integer(0)
    for power, factor in factors.items():
        # The sign is fixed, so that components that differ only in sign share the factor.
        signed = {sign: sympy.factor_terms(sympy.expand(sign * factor)) for sign in (1, -1)}
        sign = min(signed, key=lambda sign: str(signed[sign]))
        left += sign * power * program.scalar(signed[sign])
    return left if sympy.count_ops(left) < known else stated
