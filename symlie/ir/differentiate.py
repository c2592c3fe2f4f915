"""Forward and reverse differentiation of a program as a statement list, by trivialised tangent rules.

Both modes append statements to the program that they differentiate, so they compose to higher order. Tangents of group
values are in the algebra (left trivialisation); scalar rules act only inside one statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from sympy import Expr, Integer, Symbol

from symlie.ir.program import (
    Application,
    Assignment,
    Euclidean,
    Program,
    Statement,
    Value,
    Vector,
    needed_statements,
)

Matrix = tuple[tuple[Expr, ...], ...]
"""Matrix of expressions, row by row."""


def forward(program: Program, outputs: Sequence[Expr], seeds: Sequence[tuple[Value, Vector]]) -> tuple[Expr, ...]:
    """Append and return the directional derivatives of the outputs along the seeds, pairs (input value, tangent)."""
    return _forward(program, outputs, seeds, needed_statements(program, outputs))


def _forward(
    program: Program,
    outputs: Sequence[Expr],
    seeds: Sequence[tuple[Value, Vector]],
    statements: Sequence[Statement],
) -> tuple[Expr, ...]:
    algebra: dict[Vector, Vector] = {}
    rates: dict[Symbol, Expr] = {}

    def record(value: Value, tangent: Vector) -> None:
        if all(c == 0 for c in tangent):
            return
        algebra[value.components] = tangent
        for symbol, rate in zip(
            value.components, value.space.storage_tangent(program, value.components, tangent), strict=True
        ):
            if isinstance(symbol, Symbol) and rate != 0:
                rates[symbol] = rate

    for value, tangent in seeds:
        record(value, tangent)

    def rate_of(expression: Expr) -> Expr:
        return sympy.Add(*[partial * rates[s] for s, partial in program.partials(expression) if s in rates])

    for statement in statements:
        if isinstance(statement, Assignment):
            rate = rate_of(statement.expression)
            if rate != 0:
                rates[statement.symbol] = program.scalar(rate, "d")
            continue
        tangents: list[Vector | None] = []
        for argument in statement.arguments:
            known = algebra.get(argument.components)
            if known is None:
                plain = tuple(rate_of(c) for c in argument.components)
                if any(c != 0 for c in plain):
                    known = argument.space.algebra_tangent(program, argument.components, plain)
            tangents.append(known)
        if any(t is not None for t in tangents):
            moved = statement.operation.tangent(program, statement.arguments, statement.result, tangents)
            record(statement.result, program.vector(moved, "d"))
    return tuple(rate_of(sympy.sympify(e)) for e in outputs)


def reverse(
    program: Program,
    outputs: Sequence[tuple[Expr, Expr]],
    wanted: Sequence[Value],
    cotangents: Sequence[tuple[Value, Vector]] = (),
) -> tuple[Vector, ...]:
    """Return the gradient of Σ weight·output by each wanted value, a cotangent of its algebra for group values."""
    # ``cotangents`` are pairs (group value, cotangent) that are also pulled back, such as a force at its point of
    # application.
    adjoints: dict[Symbol, Expr] = {}
    algebra: dict[Vector, list[Vector]] = {}

    def scatter(expression: Expr, weight: Expr) -> None:
        for symbol, partial in program.partials(expression):
            if partial != 0:
                adjoints[symbol] = adjoints.get(symbol, Integer(0)) + partial * weight

    def collect(value: Value) -> Vector:
        stored = tuple(
            program.scalar(adjoints.get(c, Integer(0)), "b") if isinstance(c, Symbol) else Integer(0)
            for c in value.components
        )
        total: Vector = (Integer(0),) * value.space.dimension
        if any(c != 0 for c in stored):
            total = value.space.storage_cotangent(program, value.components, stored)
        for contribution in algebra.get(value.components, []):
            total = tuple(a + b for a, b in zip(total, contribution, strict=True))
        return program.vector(total, "b")

    acting = [c for value, _ in cotangents for c in value.components]
    statements = needed_statements(program, [*(e for e, _ in outputs), *acting])
    collected = {value.components for value in wanted}
    collected |= {x.result.components for x in statements if not isinstance(x, Assignment)}
    moved = _moved(statements, wanted)

    def pull(argument: Value, contribution: Vector) -> None:
        stored, weights = argument.components, program.vector(contribution, "b")
        if stored in collected or moved.isdisjoint(stored):
            algebra.setdefault(stored, []).append(weights)
            return
        # A part of a wanted value, or a value that consists of results.
        weights = stored_weights(program, argument.space.algebra_tangent, stored, weights)
        for component, weight in zip(stored, weights, strict=True):
            scatter(component, program.scalar(weight, "b"))

    for value, cotangent in cotangents:
        algebra.setdefault(value.components, []).append(cotangent)
    for expression, weight in outputs:
        scatter(sympy.sympify(expression), sympy.sympify(weight))
    for statement in reversed(statements):
        if isinstance(statement, Assignment):
            if statement.symbol in adjoints:
                scatter(statement.expression, program.scalar(adjoints[statement.symbol], "b"))
        else:
            _reverse_application(program, statement, collect, scatter, pull)
    return tuple(collect(value) for value in wanted)


def _moved(statements: Sequence[Statement], wanted: Sequence[Value]) -> set[Expr]:
    """Return the components of wanted values, and all symbols that depend on them."""
    found: set[Expr] = {c for value in wanted for c in value.components}
    for statement in statements:
        if found.isdisjoint(statement.read):
            continue
        found.update([statement.symbol] if isinstance(statement, Assignment) else statement.result.components)
    return found


def _reverse_application(
    program: Program,
    statement: Application,
    collect: Callable[[Value], Vector],
    scatter: Callable[[Expr, Expr], None],
    pull: Callable[[Value, Vector], None],
) -> None:
    cotangent = collect(statement.result)
    if all(c == 0 for c in cotangent):
        return
    contributions = statement.operation.cotangent(program, statement.arguments, statement.result, cotangent)
    for argument, contribution in zip(statement.arguments, contributions, strict=True):
        if isinstance(argument.space, Euclidean):
            for component, weight in zip(argument.components, contribution, strict=True):
                scatter(component, program.scalar(weight, "b"))
        else:
            pull(argument, contribution)


def stored_weights(
    program: Program, tangent_of: Callable[[Program, Vector, Vector], Vector], stored: Vector, weights: Vector
) -> Vector:
    """Return weights of the stored components of a point, for weights of the tangents of their rates."""
    rate = program.fresh("w", len(stored))
    tangent = tangent_of(program, stored, rate)
    (found,) = reverse(program, list(zip(tangent, weights, strict=True)), [Value(rate, Euclidean(len(rate)))])
    return found


def gradient(program: Program, output: Expr, wanted: Value) -> Vector:
    """Return the gradient of one scalar output by one value."""
    return reverse(program, [(output, Integer(1))], [wanted])[0]


def columns(program: Program, outputs: Sequence[Expr], values: Sequence[Value]) -> Matrix:
    """Return directional derivatives along every unit tangent, as a matrix with one column for each."""
    statements = needed_statements(program, outputs)
    seeds = [(v, unit) for v in values for unit in unit_vectors(v.space.dimension)]
    found = [_forward(program, outputs, [seed], statements) for seed in seeds]
    return tuple(zip(*found, strict=True))


def unit_vectors(dimension: int) -> list[Vector]:
    """Return the unit vectors of a space."""
    return [tuple(Integer(int(i == k)) for i in range(dimension)) for k in range(dimension)]
