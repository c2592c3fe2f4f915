"""Pieces of the tails of user-defined series: shifted Taylor polynomials, all in rational arithmetic."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction

from symlie.errors import ModelError
from symlie.ir.series import Tail

FIRST_END = Fraction(10)
"""End of the first piece, unless cancellation or the domain ends it before."""

REMAINDER = Fraction(1, 2**58)
"""Largest remainder of a piece, relative to the largest value on it."""

CANCELLATION = 5
"""Largest sum of the terms' magnitudes, relative to the largest value."""

SMALLEST = Fraction(1, 64)
"""Least value, relative to a function's scale, to which errors are related."""

SAMPLES = 16
LARGEST_COUNT = 16
"""Maximum number of pieces of a function."""


@functools.cache
def pieces_of(name: str, tail: Tail) -> list[tuple[Fraction, Fraction, list[Fraction], Fraction]]:
    """Return upper end, centre, coefficients and relative remainder of each piece; raise `ModelError` if too many are
    needed."""
    rest = tail.rest(tail.growth.upper)
    assert rest is not None
    lower, end = Fraction(0), tail.growth.upper
    found: list[tuple[Fraction, Fraction, list[Fraction], Fraction]] = []
    upper = min(FIRST_END, end)
    while len(found) < LARGEST_COUNT:
        centre = Fraction(round((lower + upper) * 32), 64) if lower else Fraction(0)
        radius = max(upper - centre, centre - lower)
        terms = _shifted(tail.coefficients, centre)
        sizes = [abs(b) * radius**j for j, b in enumerate(terms)]
        points = [lower + (upper - lower) * i / SAMPLES for i in range(SAMPLES + 1)]
        largest = max(*(abs(_at(terms, x - centre)) for x in points), tail.scale * SMALLEST)
        if sum(sizes) > CANCELLATION * largest:
            upper = (lower + upper) / 2
            if end > 1:  # a double with few digits, so that the emitted end is exact
                upper = Fraction(round(upper * 2**10), 2**10)
            continue
        left_out = rest
        while len(terms) > 2 and left_out + sizes[len(terms) - 1] <= REMAINDER * largest:
            left_out += sizes[len(terms) - 1]
            terms.pop()
        found.append((upper, centre, terms if len(terms) > 1 else [*terms, Fraction(0)], left_out / largest))
        if upper == end:
            return found
        lower, upper = upper, end
    raise ModelError(
        f"The function {name} varies so fast up to z = {float(end):g} that more than {LARGEST_COUNT} polynomials are "
        "needed; scale its argument."
    )


def _shifted(coefficients: Sequence[Fraction], centre: Fraction) -> list[Fraction]:
    """Return the coefficients about another centre, by repeated division."""
    terms = list(coefficients)
    for i in range(len(terms) if centre else 0):
        for j in range(len(terms) - 2, i - 1, -1):
            terms[j] += centre * terms[j + 1]
    return terms


def _at(coefficients: Sequence[Fraction], x: Fraction) -> Fraction:
    total = Fraction(0)
    for a in reversed(coefficients):
        total = total * x + a
    return total
