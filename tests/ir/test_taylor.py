"""Taylor polynomials of functions outside of the shipped family: their remainders are bounds, and close to sharp."""

from __future__ import annotations

import mpmath
import pytest

from symlie.ir.primitives import evaluate
from symlie.ir.taylor import CENTRE, REMAINDER, REMAINDER_BEYOND, Expansion, expansions

DIGITS = 45
SHARP = 1e-4
"""Largest ratio of a bound to its remainder; uninformative bounds would exceed it."""
TOO_FEW = 8
"""So many terms less are never enough."""
NAMES = ["c4_1", "c4_3", "c2_5", "c0_2", "c9", "g4", "g6"]


def error(name: str, expansion: Expansion, lower: float, terms: int) -> mpmath.mpf:
    """Largest error of so many terms between ``lower`` and the end, relative to what the remainder is relative to."""
    with mpmath.workdps(DIGITS):
        pole, order = 4 * mpmath.pi**2, expansion.pole_order
        upper = min(mpmath.mpf(float(expansion.upper)), pole)
        points = [lower + (upper - lower) * mpmath.mpf(i) / 8 for i in range(9)]
        least = mpmath.mpf(2) ** order * mpmath.factorial(max(order - 1, 0))
        exact = [least if order and z == pole else evaluate(name, z) * (pole - z) ** order for z in points]
        polynomial = list(reversed(expansion.coefficients[:terms]))
        values = [mpmath.polyval(polynomial, z - expansion.centre) for z in points]
        return max(abs(a - b) for a, b in zip(values, exact, strict=True)) / (
            least if order else abs(evaluate(name, 0))
        )


@pytest.mark.parametrize("name", NAMES)
def test_remainder_bounds_hold(name: str) -> None:
    first, second = expansions(name)
    for expansion, lower, allowed in (first, 0.0, REMAINDER), (second, 10.0, REMAINDER_BEYOND):
        count = len(expansion.coefficients)
        bound = mpmath.mpf(expansion.remainder.numerator) / expansion.remainder.denominator
        assert expansion.remainder <= allowed
        assert SHARP * bound <= error(name, expansion, lower, count) <= bound
        assert error(name, expansion, lower, count - TOO_FEW) > bound


def test_successive_expansions_are_consistent() -> None:
    for name in NAMES:
        first, second = expansions(name)
        assert (first.centre, first.upper) == (0, 10)
        assert second.upper > 39.478 and (second.centre, second.pole_order) in ((CENTRE, 0), (0, int(name[1:2]) + 1))
