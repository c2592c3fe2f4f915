"""Polynomials of degree five through samples, by Bernstein coefficients, whose signs bound the number of zeros."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from symlie.runtime.layout.layout import Array

_NODES = tuple(Fraction(k, 1009) for k in (0, 97, 359, 641, 911, 1009))


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
"""Where functions are sampled, between 0 and 1: near the extrema of a Chebyshev polynomial, but neither symmetric nor
multiples of a short distance, so that hardly any oscillation looks smooth there."""

CHECKS = (0.2, 0.53, 0.81)
"""Where a polynomial through samples is compared with its function."""

BERNSTEIN: Array = np.array(_inverse([_basis(s) for s in _NODES]), dtype=float)
"""Coefficients of the polynomial through six samples, shape (6, 6)."""

OUTLINE = (0, 2, 3, 5)
"""Numbers of the nodes that tell whether a function is worth more samples."""

CUBIC: Array = np.array(
    [1 / (32 * math.prod(_NODES[i] - _NODES[j] for j in OUTLINE if j != i)) for i in OUTLINE], dtype=float
)
"""Last Chebyshev coefficient of the cubic polynomial through samples at the nodes of the outline, shape (4,)."""


def bernstein_value(coefficients: Array, s: float) -> float:
    """The polynomial with some Bernstein coefficients at s, by de Casteljau's scheme."""
    b = coefficients
    while len(b) > 1:
        b = b[:-1] + s * (b[1:] - b[:-1])
    return float(b[0])
