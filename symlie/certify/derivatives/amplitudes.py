"""c_{k,n} for ω large relative to n and k: the part without oscillation, and the amplitude of the oscillating part.

    (-1)^n c_{k,n}(z) ω^n = A_{k,n}(t) + Re(e^{iω} W_{k,n}(t)),   t = 1/ω,

with polynomials A and W from the recurrence of c_{k,n} in k, starting with W_{1,n}, which has the coefficients of
spherical Hankel functions. A and |W|² are enclosed on cells of t, the first of which starts at zero.
Source: [Olver2010], 10.49.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, arb_poly, ctx, fmpq, fmpq_poly
from numpy.typing import NDArray

from symlie.certify.derivatives.spherical import Array

BITS = 192
RATIO = 1.08
"""Ratio of the ends of a cell."""
LEAST, MOST = 2.0, 2.0**14
"""Range of the ends of cells of ω; one further cell is unbounded."""

SHARE = 0.9
"""Largest n with bounds, relative to ω."""

T = fmpq_poly([0, 1])
Complex = tuple[fmpq_poly, fmpq_poly]


@dataclass(frozen=True)
class Amplitudes:
    """Bounds by k, n and cell in units of ω^power, so that they have limits; NaN if n exceeds `SHARE` times ω."""

    lower: Array
    """Left ends of cells of ω; each cell ends at the start of the next."""
    steady: tuple[Array, Array]
    """Least and largest |A|."""
    waves: tuple[Array, Array]
    """Least and largest |W|."""

    @property
    def upper(self) -> Array:
        """Right ends."""
        return np.append(self.lower[1:], math.inf)


@functools.cache
def polynomials(k: int, n: int) -> tuple[fmpq_poly, Complex]:
    """Return A and W."""
    if k == 0:
        return fmpq_poly(), _over_t(polynomials(1, n - 1)[1]) if n else (fmpq_poly([1]), fmpq_poly())
    if k == 1:
        return fmpq_poly(), _hankel(n)
    steady, waves = polynomials(k - 2, n)
    if n == 0:
        first = fmpq_poly([fmpq(1, math.factorial(k - 2))])
        return (first - steady) * T * T, (-waves[0] * T * T, -waves[1] * T * T)
    before, wave_before = polynomials(k, n - 1)
    a, b = (2 * n * x * T - y * T * T for x, y in zip(wave_before, waves, strict=True))
    return 2 * n * before * T - steady * T * T, (a, b)


def _over_t(waves: Complex) -> Complex:
    return _quotient(waves[0], T), _quotient(waves[1], T)


def _hankel(n: int) -> Complex:
    """Return (-i)^{n+1} Σ_s i^s (n + s)!/(s! (n - s)!) t^{s+1}/2^s."""
    parts: tuple[list[fmpq], list[fmpq]] = ([fmpq(0)] * (n + 2), [fmpq(0)] * (n + 2))
    for s in range(n + 1):
        value = fmpq(math.factorial(n + s), math.factorial(s) * math.factorial(n - s) * 2**s)
        turns = (s - n - 1) % 4
        parts[turns % 2][s + 1] = value if turns < 2 else -value
    return fmpq_poly(parts[0]), fmpq_poly(parts[1])


def power_of(k: int, n: int) -> int:
    """Return the leading power of t of the larger of A and W for t → 0."""
    return min(k, n + 2) if k > 1 else k


def amplitudes(ks: Sequence[int], most_n: int, further: tuple[int, float] = (0, 0.0)) -> Amplitudes:
    """Return bounds for the given k: for all ω up to n = ``most_n``, and for ω below ``further[1]`` up to n =
    ``further[0]``.
    """
    precision, ctx.prec = ctx.prec, BITS
    try:
        count = math.ceil(math.log(MOST / LEAST) / math.log(RATIO))
        lower: Array = LEAST * RATIO ** np.arange(count + 1.0)
        last, end = further
        tables = [np.full((max(ks) + 1, max(most_n, last) + 1, len(lower)), np.nan) for _ in range(4)]
        upper = np.append(lower[1:], math.inf)
        for n in range(max(most_n, last) + 1):
            needed = (upper > n / SHARE) & ((n <= most_n) | (lower < end))
            for k in ks:
                _fill([t[k, n] for t in tables], lower, upper, np.flatnonzero(needed), k, n)
        return Amplitudes(lower, (tables[0], tables[1]), (tables[2], tables[3]))
    finally:
        ctx.prec = precision


def _fill(rows: list[Array], lower: Array, upper: Array, needed: NDArray[np.intp], k: int, n: int) -> None:
    steady, (a, b) = polynomials(k, n)
    power = T ** power_of(k, n)
    first, square = arb_poly(_quotient(steady, power)), arb_poly(_quotient(a * a + b * b, power * power))
    for i in needed:
        left, right = arb(0) if math.isinf(upper[i]) else 1 / arb(float(upper[i])), 1 / arb(float(lower[i]))
        rows[0][i], rows[1][i] = _range(first, left, right)
        rows[2][i], rows[3][i] = (math.sqrt(x) for x in _range(square, left, right))


def _quotient(a: fmpq_poly, b: fmpq_poly) -> fmpq_poly:
    quotient, rest = divmod(a, b)
    assert not rest, "the power of t is that of the lowest term"
    return quotient


def _range(p: arb_poly, left: arb, right: arb) -> tuple[float, float]:
    """Return least and largest |p| by the Taylor polynomial about the centre."""
    centre, radius = (left + right) / 2, ((right - left) / 2).upper()
    shifted = p(arb_poly([centre, 1])).coeffs() or [arb(0)]
    variation, power = arb(0), arb(1)
    for c in shifted[1:]:
        power *= radius
        variation += abs(c) * power
    value = abs(shifted[0])
    least, largest = (value - variation).lower(), (value + variation).upper()
    return max(0.0, float(least) * (1 - 1e-14)), float(largest) * (1 + 1e-14)
