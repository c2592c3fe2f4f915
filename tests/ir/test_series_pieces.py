"""Pieces of tails of user-defined series: they cover the domain, and their errors are within their bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath

from symlie.ir.series import END, Growth, PowerSeries, tail_of
from symlie.ir.series_pieces import FIRST_END, pieces_of


def test_cosine_beyond_one_has_few_pieces_with_exact_ends() -> None:
    """The tail of the exponential is cos √z, whose terms cancel before the default end of the first piece."""
    series = PowerSeries("exponential", lambda k: Fraction(1, math.factorial(k)), Growth(Fraction(1), rate=Fraction(1)))
    name = series.tail(0, 0)
    tail = tail_of(name)
    found = pieces_of(name, tail)
    ends = [Fraction(0), *(upper for upper, *_ in found)]
    assert ends == [0, FIRST_END / 2, END]
    for lower, (upper, centre, terms, rest) in zip(ends, found, strict=False):
        with mpmath.workdps(40):
            for z in (lower, (lower + upper) / 2, upper):
                value = sum((a * (z - centre) ** j for j, a in enumerate(terms)), Fraction(0))
                exact = mpmath.cos(mpmath.sqrt(mpmath.mpf(z.numerator) / z.denominator))
                assert abs(mpmath.mpf(value.numerator) / value.denominator - exact) <= mpmath.mpf(float(rest))
