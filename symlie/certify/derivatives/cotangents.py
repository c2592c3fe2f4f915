"""Derivatives of g_m by partial fractions: bounds of relative errors for all z up to the last double below the pole.

With n = m + j, the scheme computes Σ_p (4π²p² - z)^{-n-1}: some poles individually, the others by a polynomial. All
terms are positive. With x = z/4π² and i ≥ n, binomial(i, n) x^{i-n} (1 - x)^{n+1} ≤ 1. Hence a term of the polynomial,
with ζ(2i + 2, P + 1) as the sum of powers of its poles, is at most this zeta value relative to the first pole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, ctx

from symlie.certify.derivatives.backward import UNIT
from symlie.certify.derivatives.spherical import SLACK, Array

BITS = 192
TERMS = 60
"""Number of explicit terms in truncation sums; each further term is less than a sixteenth of its predecessor."""


@dataclass(frozen=True)
class Poles:
    """Constants of the scheme."""

    square: tuple[float, float]
    """4π² as a sum of two numbers."""
    explicit: int
    """Number of poles that are summed individually."""
    further: Sequence[float]
    """Coefficients of the polynomial."""


def cotangent_bounds(poles: Poles, most_m: int, most_order: int) -> Array:
    """Return bounds relative to f⁽ʲ⁾(z)/j! of g_m, shape (m, j - 1)."""
    precision, ctx.prec = ctx.prec, BITS
    try:
        found = np.empty((most_m + 1, most_order))
        parts = [_pole(poles, p) for p in range(1, poles.explicit + 1)]
        coefficients = max(_coefficient_errors(poles))
        left_out = _left_out(poles)
        counts = _roundings_of_shifts(len(poles.further))
        for m in range(most_m + 1):
            for j in range(1, most_order + 1):
                n = m + j
                worst = max((1 + part) ** (n + 1) * (1 + UNIT) ** n - 1 for part in parts)
                if n < len(poles.further):
                    worst = max(worst, (1 + coefficients) * (1 + UNIT) ** counts[n] - 1)
                total = (worst + left_out) * (1 + UNIT) ** poles.explicit + (1 + UNIT) ** poles.explicit - 1
                found[m, j - 1] = ((1 + total) * (1 + UNIT) ** (m + 2 * j + 1) - 1) * SLACK
        return found
    finally:
        ctx.prec = precision


def _pole(poles: Poles, p: int) -> float:
    """Return the relative error of 1/(4π²p² - z), with the second number as the smallest distance for p = 1."""
    first, second = poles.square
    exact = 4 * arb.pi() ** 2
    stated = float(abs(arb(first) + arb(second) - exact).upper())
    nearest = float((exact - first).lower()) if p == 1 else (p * p - 1) * float(exact.lower())
    if nearest <= 0:
        return math.inf
    is_power = p & (p - 1) == 0
    product = 0.0 if is_power else UNIT * p * p * first * SLACK
    distance = (p * p * stated + product) / nearest + 2 * UNIT * SLACK
    return ((1 + distance / (1 - distance)) * (1 + UNIT) - 1) * SLACK if distance < 0.5 else math.inf


def _zeta(i: int, poles: int) -> arb:
    """Return Σ_{p > poles} p^{-2i-2}."""
    s = 2 * i + 2
    return arb(s).zeta() - sum((arb(p) ** -s for p in range(1, poles + 1)), arb(0))


def _coefficient_errors(poles: Poles) -> list[float]:
    square = 4 * arb.pi() ** 2
    exact = [_zeta(i, poles.explicit) / square ** (i + 1) for i in range(len(poles.further))]
    return [float(abs(arb(a) / e - 1).upper()) for a, e in zip(poles.further, exact, strict=True)]


def _left_out(poles: Poles) -> float:
    """Return Σ ζ(2i + 2, P + 1) over the truncated terms of the polynomial, relative to the first pole."""
    first = len(poles.further)
    terms = [_zeta(i, poles.explicit) for i in range(first, first + TERMS)]
    return float((sum(terms, arb(0)) + terms[-1]).upper())


def _roundings_of_shifts(count: int) -> list[int]:
    """Return the number of roundings of each coefficient when a polynomial is shifted by repeated Horner schemes."""
    roundings = [0] * count
    for n in range(count):
        for i in range(count - 2, n - 1, -1):
            roundings[i] = max(roundings[i], roundings[i + 1] + 1) + 1
    return roundings
