"""Polynomials in Bernstein form, Σ b_i (n over i) s^i (1 - s)^(n-i) with s from 0 to 1.

Such a polynomial has at most as many zeros in the interval as b has sign changes, and bisection never adds sign
changes. Polynomials of degree five interpolate samples, others come from series; the decisions equal those of
``bernstein_form.h``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from symlie.contract.constants import (
    EVENT_EXACT,
    EVENT_ITERATIONS,
    EVENT_MARGIN,
    EVENT_PARTS,
    ROUNDING,
    SMALLEST_FORM,
)
from symlie.runtime.layout.layout import Array

_NODES = tuple(Fraction(k, 1009) for k in (0, 97, 359, 641, 911, 1009))


def _inverse(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """Invert a matrix by exact elimination."""
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
"""Sample points between 0 and 1: near the extrema of a Chebyshev polynomial, but neither symmetric nor multiples of a
short distance, so that hardly any oscillation looks smooth there.
"""

CHECKS = (0.2, 0.53, 0.81)
"""Points at which the interpolating polynomial is compared with its function."""

BERNSTEIN: Array = np.array(_inverse([_basis(s) for s in _NODES]), dtype=float)
"""Coefficients of the polynomial through six samples, shape (6, 6)."""

OUTLINE = (0, 2, 3, 5)
"""Indices of the nodes whose values decide whether a function needs more samples."""

CUBIC: Array = np.array(
    [1 / (32 * math.prod(_NODES[i] - _NODES[j] for j in OUTLINE if j != i)) for i in OUTLINE], dtype=float
)
"""Weights of the last Chebyshev coefficient of the cubic interpolant through the outline samples, shape (4,)."""


def bernstein_value(coefficients: Array, s: float) -> float:
    """Evaluate a polynomial in Bernstein form at s by de Casteljau's algorithm."""
    b = coefficients
    while len(b) > 1:
        b = b[:-1] + s * (b[1:] - b[:-1])
    return float(b[0])


def bernstein_form(coefficients: Array, h: float) -> Array:
    """Bernstein coefficients of Σ x_k s^k on the interval from 0 to h."""
    n = len(coefficients) - 1
    binomials = np.array([math.comb(n, k) for k in range(n + 1)], dtype=float)
    b = np.asarray(coefficients * h ** np.arange(n + 1) / binomials)
    for r in range(1, n + 1):
        for i in range(n, r - 1, -1):
            b[i] += b[i - 1]
    return b


def resolved_form(coefficients: Array, length: float, last_terms: int) -> tuple[float, Array]:
    """Interval, of at most a given length, on which a truncated series is accurate, and its Bernstein form there.

    The series of an event function may converge more slowly than the series of the motion. If the function is clearly
    nonzero, the interval has the given length.
    """
    n = len(coefficients) - 1
    terms = np.abs(coefficients) * length ** np.arange(n + 1.0)
    bound = EVENT_EXACT * float(terms.sum())
    last = [(k, float(terms[k])) for k in range(n, n - last_terms, -1)]
    part = min([1.0, *((bound / term) ** (1 / k) for k, term in last if term > bound)])
    b = bernstein_form(coefficients, length)
    near = EVENT_MARGIN * float(np.ptp(b)) + sum(term for _, term in last) / EVENT_MARGIN
    if not part < 1 or b.min() > near or b.max() < -near:
        return length, b
    part = max(part, 1 / EVENT_PARTS)
    return part * length, bernstein_form(coefficients, part * length)


def halves(b: Array) -> tuple[Array, Array]:
    """Bernstein forms on both halves of the interval, by de Casteljau's algorithm."""
    first, second, row = np.empty_like(b), np.empty_like(b), b
    for r in range(len(b)):
        first[r], second[len(b) - 1 - r] = row[0], row[-1]
        row = 0.5 * (row[1:] + row[:-1])
    return first, second


def sign_changes(b: Array) -> int:
    """Number of changes between positive and nonpositive numbers."""
    return int(np.count_nonzero((b[1:] > 0) != (b[:-1] > 0)))


def form_zero(b: Array) -> float:
    """Only zero of a polynomial with a sign change, rounded to the side after it, by regula falsi and bisection."""
    low, high, at_low, at_high, side = 0.0, 1.0, float(b[0]), float(b[-1]), 0
    for k in range(EVENT_ITERATIONS):
        if at_high == 0 or not high - low > ROUNDING * high:
            break
        s = high - at_high * (high - low) / (at_high - at_low)
        if not low < s < high or k % 4 == 3:
            s = low + 0.5 * (high - low)
        value = bernstein_value(b, s)
        if (value > 0) == bool(b[0] > 0):
            low, at_low = s, value
            at_high *= 0.5 if side == -1 else 1.0
            side = -1
        else:
            high, at_high = s, value
            at_low *= 0.5 if side == 1 else 1.0
            side = 1
    return high


def first_fall(b: Array) -> float:
    """First point in [0, 1] where an initially positive polynomial becomes nonpositive; 2 if there is none."""
    parts = [(0.0, 1.0, b)]
    while parts:
        start, width, part = parts.pop()
        changes = sign_changes(part)
        if not part[0] > 0:
            return start
        if changes == 1:
            return start + width * form_zero(part)
        if changes and width > SMALLEST_FORM:
            first, second = halves(part)
            parts += [(start + width / 2, width / 2, second), (start, width / 2, first)]
        elif not part[-1] > 0:
            return start + width
    return 2.0


def turning_points(b: Array, near: float, flat: float) -> Iterator[tuple[float, float, bool]]:
    """Yield (point, value, whether it is an extremum) in order, with at most one zero between neighbours.

    Values beyond `near` are certainly nonzero; parts with a variation below `flat` are not subdivided.
    """
    parts = [(0.0, 1.0, b)]
    while parts:
        start, width, part = parts.pop()
        low, high = float(part.min()), float(part.max())
        is_clear, slope = low > near or high < -near, np.diff(part)
        turns = 0 if is_clear or not high - low > flat else sign_changes(slope)
        if turns > 1 and width > SMALLEST_FORM:
            first, second = halves(part)
            parts += [(start + width / 2, width / 2, second), (start, width / 2, first)]
            continue
        if turns == 1:
            s = form_zero(slope)
            yield start + s * width, bernstein_value(part, s), True
        if not is_clear or not start + width < 1:
            yield start + width, float(part[-1]), False
