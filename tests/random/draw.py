"""Random numbers and expressions, of a size and shape that people would write."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import sympy
from sympy import Expr, Rational

import symlie as sl


class Draw:
    """Random choices, and expressions made of them."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def chance(self, probability: float) -> bool:
        return self.source.random() < probability

    def one(self, options: Any) -> Any:
        return options[self.source.randrange(len(options))]

    def rational(self) -> Rational:
        """A non-zero rational of size about one."""
        return Rational(self.one([-1, 1]) * self.source.randint(1, 9), self.source.randint(3, 7))

    def vector(self, n: int) -> sympy.ImmutableDenseMatrix:
        return sl.vector(*(self.rational() for _ in range(n)))

    def positive(self, n: int) -> sympy.Matrix:
        """A symmetric positive definite matrix, diagonal every other time."""
        if self.chance(0.5):
            return sympy.diag(*[Rational(self.source.randint(2, 9), 4) for _ in range(n)])
        a = sympy.Matrix(n, n, lambda i, j: self.rational() / 2)
        return sympy.eye(n) + a * a.T

    def polynomial(self, variables: list[Expr]) -> Expr:
        """One or two products of up to two variables."""
        return sum(
            (self.rational() * sympy.prod(self.one(variables) for _ in range(self.source.randint(1, 2)))
             for _ in range(self.source.randint(1, 2))),
            sympy.Integer(0),
        )  # fmt: skip

    def scalar(self, variables: list[Expr]) -> Expr:
        """A smooth or piecewise function of some variables, finite everywhere, without a kink at the identity."""
        p = self.polynomial(variables) + self.rational() / 11
        kinds: list[Callable[[], Expr]] = [
            lambda: p,
            lambda: sl.sin(p),
            lambda: sl.exp(p / 4),
            lambda: sl.sqrt(1 + p**2),
            lambda: sl.tanh(p),
            lambda: sl.atan(p) * self.polynomial(variables),
            lambda: 1 / (2 + sl.cos(p)),
            lambda: sl.atan2(p, 3 + self.one(variables) ** 2),
            lambda: sympy.log(2 + p**2),
            lambda: abs(p) ** 3,
            lambda: sl.select(p - Rational(1, 7), p**2, self.polynomial(variables)),
            lambda: sl.Max(p, self.polynomial(variables), Rational(1, 3)),
            lambda: sl.Piecewise((p, self.one(variables) > Rational(1, 13)), (p**3, True)),
            lambda: sl.Min(p, 2) ** 2 + sl.sign(p) * p,
        ]
        return self.one(kinds)()
