"""Expansions of user-defined series about points of their domain, up to the derivatives that methods need."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from fractions import Fraction

import mpmath

from symlie.contract.constants import MOST_ORDER
from symlie.contract.set_table import CentredSeries
from symlie.ir.series import Growth, PowerSeries, stated_series

DIGITS = 100
"""Digits of shifted series, of which sixty remain at the largest z."""

REMAINDER = mpmath.mpf(2) ** -60
"""Relative truncation error of the last derivative."""


@functools.cache
def centred_series(name: str) -> tuple[CentredSeries, ...]:
    """Return consecutive expansions of a tail that cover its domain; raise `ModelError` if a coefficient exceeds its
    bound."""
    series, n, m = stated_series(name)
    with mpmath.workdps(DIGITS):
        terms = _terms(series, n, m)
        return tuple(_about(terms, centre, upper) for centre, upper in _parts(series.growth))


def _parts(growth: Growth) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield centres and the ends of their intervals."""
    # Shifts lose few digits of the coefficients if they are short compared with the distance of a singularity, or with
    # the scale on which an entire function of this rate changes.
    lower, end = Fraction(0), growth.upper
    while lower < end:
        if growth.radius is not None:
            radius = (growth.radius**2 - lower) / 5
        else:
            assert growth.rate is not None
            reach = Fraction(2.5) * growth.rate * Fraction(float(lower) ** 0.5)
            radius = max(Fraction(6), reach) / max(growth.rate**2, Fraction(1))
        centre = Fraction(float(lower + radius)) if lower else Fraction(0)
        lower = min(Fraction(float(centre + radius)), end)
        yield centre, lower


def _terms(series: PowerSeries, n: int, m: int) -> list[mpmath.mpf]:
    """Return the coefficients about zero that the last derivative needs at the end of the domain."""
    upper, scale = mpmath.mpf(float(series.growth.upper)), mpmath.mpf(0)
    terms: list[mpmath.mpf] = []
    while True:
        j = len(terms)
        factor = mpmath.factorial(j + m) / mpmath.factorial(j) * (-1) ** (j + m) * 2**m
        bound = series.growth.bound(n + 2 * m + 2 * j)
        size = abs(factor) * mpmath.mpf(bound.numerator) / bound.denominator * mpmath.binomial(j, MOST_ORDER)
        size *= upper ** (j - MOST_ORDER) if j > MOST_ORDER else 1
        scale = scale or size
        if j > 2 * MOST_ORDER and size < REMAINDER**2 * scale:
            return terms
        value = series.value(n + 2 * m + 2 * j)
        terms.append(factor * mpmath.mpf(value.numerator) / value.denominator)


def _about(terms: list[mpmath.mpf], centre: Fraction, upper: Fraction) -> CentredSeries:
    shifted, point = list(terms), mpmath.mpf(float(centre))
    for i in range(len(shifted) if centre else 0):
        for j in range(len(shifted) - 2, i - 1, -1):
            shifted[j] += point * shifted[j + 1]
    reach = mpmath.mpf(float(upper - centre))
    sizes = [abs(b) * mpmath.binomial(j, MOST_ORDER) * reach ** (j - MOST_ORDER) for j, b in enumerate(shifted)]
    largest = max(sizes)
    count = max([MOST_ORDER + 1, *(j + 1 for j, size in enumerate(sizes) if size > REMAINDER * largest)])
    return CentredSeries(float(upper), float(centre), tuple(map(float, shifted[:count])))
