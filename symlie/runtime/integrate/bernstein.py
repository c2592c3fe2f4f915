"""Polynomials of degree five through samples, by Bernstein coefficients, whose signs bound the number of zeros."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from symlie.runtime.layout.layout import Array

_NODES = tuple(Fraction(k, 20) for k in (0, 2, 7, 13, 18, 20))


def _inverse(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """The inverse of a matrix by exact elimination."""
    n = len(rows)
    table = [[*row, *(Fraction(int(i == k)) for k in range(n))] for i, row in enumerate(rows)]
    for c in range(n):
        pivot = next(r for r in range(c, n) if table[r][c])
        table[c], table[pivot] = table[pivot], table[c]
        table[c] = [x / table[c][c] for x in table[c]]
        for r in range(n):
            if r != c:
                table[r] = [x - table[r][c] * y for x, y in zip(table[r], table[c], strict=True)]
    return [row[n:] for row in table]


def _basis(s: Fraction) -> list[Fraction]:
    """Bernstein polynomials of degree five at s."""
    return [math.comb(5, i) * s**i * (1 - s) ** (5 - i) for i in range(6)]


NODES = tuple(float(s) for s in _NODES)
"""Where functions are sampled, between 0 and 1: unequal distances, so that no short period fits them all."""

BERNSTEIN: Array = np.array(_inverse([_basis(s) for s in _NODES]), dtype=float)
"""Coefficients of the polynomial through six samples, shape (6, 6)."""


def bernstein_value(coefficients: Array, s: float) -> float:
    """The polynomial with some Bernstein coefficients at s, by de Casteljau's scheme."""
    b = coefficients
    while len(b) > 1:
        b = b[:-1] + s * (b[1:] - b[:-1])
    return float(b[0])
