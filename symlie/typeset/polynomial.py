"""Small sparse polynomials over arbitrary subexpressions, for the exact matching of terms (`vector_forms`)."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy import Expr, Integer, Symbol

Monomial = tuple[tuple[str, int], ...]
"""Powers of generators, sorted by name."""

Polynomial = dict[Monomial, Expr]
"""Coefficients by monomial."""

LARGEST = 400
"""Number of terms above which an expression is not expanded."""


class TooLargeError(ValueError):
    """An expression has too many terms to be examined."""


def product(p: Polynomial, q: Polynomial) -> Polynomial:
    """Return p q; raise `TooLargeError` if it may have more than `LARGEST` terms."""
    if len(p) * len(q) > LARGEST:
        raise TooLargeError
    return total({_times(m, n): a * b} for m, a in p.items() for n, b in q.items())


def total(parts: Iterable[Polynomial]) -> Polynomial:
    """Return the sum of polynomials."""
    result: Polynomial = {}
    for part in parts:
        for monomial, number in part.items():
            result[monomial] = result.get(monomial, Integer(0)) + number
    return {monomial: number for monomial, number in result.items() if number != 0}


def negative(p: Polynomial) -> Polynomial:
    """Return -p."""
    return {monomial: -number for monomial, number in p.items()}


def scaled(p: Polynomial, monomial: Monomial, number: Expr) -> Polynomial:
    """Return p times a monomial and a number."""
    return {_times(m, monomial): number * a for m, a in p.items()}


def quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """Return monomial / divisor, or None if it is not divisible."""
    powers = dict(monomial)
    for name, power in divisor:
        rest = powers.get(name, 0) - power
        if rest < 0:
            return None
        powers[name] = rest
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _times(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for name, power in n:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


class Generators:
    """Subexpressions other than sums, products or powers, by name."""

    def __init__(self) -> None:
        self._expressions: dict[str, Expr] = {}
        self._names: dict[Expr, str] = {}

    def polynomial(self, expression: Expr) -> Polynomial:
        """Expand an expression; raise `TooLargeError` if it has more than `LARGEST` terms."""
        if expression.is_Number:
            return {(): expression} if expression != 0 else {}
        if expression.is_Add:
            return total(self.polynomial(term) for term in expression.args)
        if expression.is_Mul:
            result: Polynomial = {(): Integer(1)}
            for factor in expression.args:
                result = product(result, self.polynomial(factor))
            return result
        if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
            base = self.polynomial(expression.base)
            result = base
            for _ in range(int(expression.exp) - 1):
                result = product(result, base)
            return result
        return {((self._name(expression), 1),): Integer(1)}

    def expression(self, p: Polynomial) -> Expr:
        """Return the polynomial as an expression."""
        return sympy.Add(*[
            number * sympy.Mul(*[self._expressions[name] ** power for name, power in monomial])
            for monomial, number in sorted(p.items())
        ])  # fmt: skip

    def _name(self, expression: Expr) -> str:
        name = self._names.get(expression)
        if name is None:
            name = expression.name if isinstance(expression, Symbol) else f"({expression})"
            self._names[expression] = name
            self._expressions[name] = expression
        return name
