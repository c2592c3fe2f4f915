"""Schemes of functions outside of the shipped family: Taylor polynomials with remainders bounded in rational
arithmetic.

No prover is needed. The bound covers the approximation by the exact polynomial, not rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from sympy import Rational

from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.series import is_series, tail_of
from symlie.ir.series_pieces import pieces_of

STANDARD_END = Fraction(10)
"""End of the working interval in z."""

REMAINDER = Fraction(1, 2**58)
"""Largest remainder on the working interval, relative to f(0)."""

REMAINDER_BEYOND = Fraction(1, 2**64)
"""The same beyond it, where c_{k,m} are smaller than at 0; for g_m relative to the least value of their numerator."""

CENTRE = 24
"""Centre of the expansion beyond the working interval; z - 24 is exact."""

DIGITS = 60
"""Digits of coefficients that are not rational."""

POLE_ABOVE, POLE_BELOW = Fraction(39479, 1000), Fraction(39478, 1000)
"""Rational numbers above and below 4π²."""


@dataclass(frozen=True)
class Expansion:
    """f(z) (4π² - z)^pole_order = Σ_j a_j (z - centre)^j, up to ``remainder`` on an interval that ends at ``upper``."""

    upper: Fraction
    centre: float
    """Exact value of the centre."""
    pole_order: int
    coefficients: tuple[mpmath.mpf, ...]
    remainder: Fraction
    """Bound relative to |f(0)|; to the least value of the left-hand side if a pole is removed; to the largest value on
    the interval for user-defined series."""


def expansions(base_name: str) -> tuple[Expansion, ...]:
    """Return consecutive Taylor polynomials of a coefficient function from 0 to 4π², or to the end of its domain."""
    if is_series(base_name):
        found = pieces_of(base_name, tail_of(base_name))
        return tuple(Expansion(end, float(centre), 0, _float(terms), rest) for end, centre, terms, rest in found)
    k, _, m = base_name[1:].partition("_")
    if base_name.startswith("c"):
        return _stumpff(int(k), int(m or 0)), _stumpff_beyond(int(k), int(m or 0))
    return _cotangent(int(k)), _cotangent_beyond(int(k))


def _rational(value: Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _float(values: Sequence[Fraction]) -> tuple[mpmath.mpf, ...]:
    with mpmath.workdps(DIGITS):
        return tuple(mpmath.mpf(v.numerator) / v.denominator for v in values)


def _shortest(
    coefficient: Callable[[int], Fraction], ratio: Callable[[int], Fraction], upper: Fraction
) -> tuple[list[Fraction], Fraction]:
    """Return the terms up to the first degree with a sufficiently small remainder, and that remainder relative to the
    first term."""
    # ``ratio(j)`` bounds |a_{i+1}/a_i| for i ≥ j, so that a geometric series bounds the truncation error.
    terms: list[Fraction] = []
    while True:
        j = len(terms)
        a, q = coefficient(j), ratio(j) * upper
        if terms and q < 1:
            remainder = abs(a) * upper**j / (1 - q) / abs(terms[0])
            if remainder <= REMAINDER:
                return terms, remainder
        terms.append(a)


def _stumpff(k: int, m: int) -> Expansion:
    """Return the expansion of c_{k,m} about 0; the ratios of consecutive coefficients decrease."""

    def coefficient(j: int) -> Fraction:
        return _rational(Stumpff.series_coefficient(k, m, j))

    def ratio(j: int) -> Fraction:
        return abs(coefficient(j + 1) / coefficient(j))

    terms, remainder = _shortest(coefficient, ratio, STANDARD_END)
    return Expansion(STANDARD_END, 0, 0, _float(terms), remainder)


def _stumpff_beyond(k: int, m: int) -> Expansion:
    """Return the expansion of c_{k,m} about `CENTRE`, with Lagrange's remainder."""
    # The j-th derivative is c_{k,m+j}/2^j, and |c_{k,m+j}(z)| ≤ |c_{k,m+j}(0)| for z ≥ 0: c_{k,m} is a mean of t^{2m}
    # ((1/u) d/du)^m cos u at u = ω t, which is largest at u = 0, like every Bessel function J_ν(u)/u^ν.
    reach = max(POLE_ABOVE - CENTRE, CENTRE - STANDARD_END)

    def at_zero(n: int) -> Fraction:
        return abs(_rational(Stumpff.series_coefficient(k, n, 0)))

    degree = 1
    while True:
        degree += 1
        order = degree + 1
        remainder = at_zero(m + order) * reach**order / (2**order * math.factorial(order)) / at_zero(m)
        if remainder <= REMAINDER_BEYOND / 2:
            break
    terms = []
    for j in range(degree + 1):
        value, rest = _sum(k, m + j, Fraction(CENTRE), at_zero(m) * REMAINDER_BEYOND / 10**6 * (2 / reach) ** j)
        scale = 2**j * math.factorial(j)
        terms.append(value / scale)
        remainder += rest * reach**j / scale / at_zero(m)
    return Expansion(POLE_ABOVE, CENTRE, 0, _float(terms), remainder)


def _sum(k: int, m: int, z: Fraction, enough: Fraction) -> tuple[Fraction, Fraction]:
    """Return c_{k,m}(z) and a bound on its truncation error, the first omitted term of the decreasing ones."""
    total, power, j = Fraction(0), Fraction(1), 0
    while True:
        term = _rational(Stumpff.series_coefficient(k, m, j)) * power
        following = _rational(Stumpff.series_coefficient(k, m, j + 1)) * power * z
        if abs(following) < abs(term) <= enough:
            return total, abs(term)
        total, power, j = total + term, power * z, j + 1


def _cotangent(m: int) -> Expansion:
    """Return the expansion of g_m about 0, with positive coefficients: a_{j+1}/a_j < (j+m+1)/(j+1)/(4π²), because ζ
    decreases."""

    def coefficient(j: int) -> Fraction:
        return _rational(Cotangent.series_coefficient(m, j))

    terms, remainder = _shortest(coefficient, lambda j: Fraction(j + m + 1, j + 1) / POLE_BELOW, STANDARD_END)
    return Expansion(STANDARD_END, 0, 0, _float(terms), remainder)


def _cotangent_beyond(m: int) -> Expansion:
    """Return the expansion of the numerator (4π² - z)^{m+1} g_m about 0."""
    # In x = z/4π² it is 2^{m+1} m! (1 + (1 - x)^{m+1} Σ_j b_j x^j), b_j = binomial(m+j, j) (ζ(2(m+1+j)) - 1), at least
    # 2^{m+1} m!; ζ(s) - 1 < 2·2^{-s} bounds b_j by a series whose ratios (j+m+1)/(j+1)/4 decrease.
    order = m + 1

    def bound(j: int) -> Fraction:
        return Fraction(2 * math.comb(m + j, j), 4 ** (order + j))

    degree = order
    while True:
        degree += 1
        first = degree - order + 1
        ratio = Fraction(first + m + 1, 4 * (first + 1))
        if ratio < 1:
            remainder = 2**order * bound(first) / (1 - ratio)
            if remainder <= REMAINDER_BEYOND:
                break
    with mpmath.workdps(DIGITS):
        scale, square = 2**order * mpmath.factorial(m), 4 * mpmath.pi**2
        b = [mpmath.binomial(m + j, j) * (mpmath.zeta(2 * (order + j)) - 1) for j in range(degree + 1)]
        terms = [
            sum((-1) ** i * math.comb(order, i) * b[j - i] for i in range(min(j, order) + 1)) for j in range(degree + 1)
        ]
        terms[0] += 1
        coefficients = tuple(scale * t / square**j for j, t in enumerate(terms))
    return Expansion(POLE_ABOVE, 0, order, coefficients, remainder)
