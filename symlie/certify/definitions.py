"""Definitions of the coefficient functions: exact Taylor series in z, remainder bounds, and poles.

c_{k,m}(z) = (2 d/dz)^m Σ_j (-z)^j/(2j+k)!; g_m(z) = N_m(z)/(4π² - z)^{m+1} with
N_m = 2^{m+1} m! Σ_n ((4π² - z)/(4π²n² - z))^{m+1}, whose series converges for |z| < 16π². Tails of user-defined series
are defined by their coefficients and the specified bound of the remaining ones.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb, arb_poly, fmpq

from symlie.certify.removable import rational_series, terms
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.schemes import indices
from symlie.ir.series import is_series, tail_of

JUDGED_AT_ZERO = ("c0", "c1")
"""Functions with a zero at ω ≤ π, whose errors are relative to f(0)."""


@dataclass(frozen=True)
class Definition:
    """Definition f = F(z)/(4π² - z)^pole_order with |F - series| ≤ remainder for 0 ≤ z ≤ upper."""

    name: str
    pole_order: int
    series: arb_poly
    remainder: arb
    at_zero: arb
    """f(0), or the scale of the tail of a user-defined series."""

    def numerator(self, z: arb) -> arb:
        """Return F(z)."""
        value = self.series(z)
        return value + arb(0, 1) * self.remainder

    def value(self, z: arb) -> arb:
        """Return f(z)."""
        value = self.numerator(z)
        return value / pole_distance(z) ** self.pole_order if self.pole_order else value


def pole_distance(z: arb) -> arb:
    """Return 4π² - z."""
    return 4 * arb.pi() ** 2 - z


def is_closed_form(name: str) -> bool:
    """Return whether a function is given by a closed form such as ``sin(w) / w``, not by a name such as ``c2``."""
    return re.fullmatch(r"-?\w+", name) is None


def value_at_zero(name: str) -> float:
    """Return f(0), or the scale of the tail of a user-defined series."""
    if is_closed_form(name):
        return float(rational_series(name, 1)[0])
    return float(definition(name, 10.0).at_zero)


@functools.cache
def has_zero(name: str, omega: float) -> bool:
    """Return whether a function given by a closed form may have a zero for 0 ≤ ω ≤ omega."""
    function, count = definition(name, omega * omega), 512
    for k in range(count):
        a, b = (arb(omega) ** 2 * i / count for i in (k, k + 1))
        if function.value((a + b) / 2 + arb(0, 1) * ((b - a) / 2).upper()).contains(0):
            return True
    return False


@functools.cache
def definition(name: str, upper: float, digits: int = 30) -> Definition:
    """Return the definition of ``c2_1``, ``g0``, ``-c2`` or a closed form on 0 ≤ z ≤ upper, below 4π² for g_m."""
    if is_closed_form(name):
        coefficients, rest = terms(name, upper, digits)
        return Definition(name, 0, arb_poly([_arb(c) for c in coefficients]), rest, _arb(coefficients[0]))
    if name.startswith("-"):
        f = definition(name[1:], upper, digits)
        return replace(f, name=name, series=-f.series, at_zero=-f.at_zero)
    if is_series(name):
        return _tail(name, upper)
    k, m = indices(name)
    return _stumpff(name, k, m, upper, digits) if name.startswith("c") else _cotangent(name, k, upper, digits)


def _arb(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def _stumpff(name: str, k: int, m: int, upper: float, digits: int) -> Definition:
    end = Fraction(upper)
    coefficients: list[Fraction] = []
    power = Fraction(1)
    while True:
        j = len(coefficients)
        value = Stumpff.series_coefficient(k, m, j)
        coefficients.append(Fraction(int(value.p), int(value.q)))
        power *= end
        following = Stumpff.series_coefficient(k, m, j + 1)
        last = abs(Fraction(int(following.p), int(following.q)))
        # |a_{i+1}/a_i| decreases with i, so a geometric series bounds the remainder.
        after = Stumpff.series_coefficient(k, m, j + 2)
        ratio = abs(Fraction(int(after.p), int(after.q))) / last * end
        if ratio <= Fraction(1, 2) and last * power * 2 <= abs(coefficients[0]) / 10**digits:
            remainder = last * power * 2
            break
    return Definition(name, 0, arb_poly([_arb(c) for c in coefficients]), _arb(remainder), _arb(coefficients[0]))


def _tail(name: str, upper: float) -> Definition:
    tail = tail_of(name)
    rest = tail.rest(min(Fraction(upper), tail.growth.upper))
    assert rest is not None
    return Definition(name, 0, arb_poly([_arb(c) for c in tail.coefficients]), _arb(rest), _arb(tail.scale))


def _cotangent(name: str, m: int, upper: float, digits: int) -> Definition:
    order = m + 1
    square = 4 * arb.pi() ** 2
    end = arb(upper) / square
    # In x = z/4π²: N_m = 2^{m+1} m! [1 + (1 - x)^{m+1} Σ_{n≥2} (n² - x)^{-m-1}], and for n ≥ 2
    # (n² - x)^{-m-1} = Σ_j binomial(m+j, j) x^j n^{-2(m+1+j)}, whose sum over n is a zeta value minus one.
    count = 4 + math.ceil(digits * math.log(10) / -math.log(float((end / 4).upper())) * 1.2)
    tail = [arb.bin_uiui(m + j, j) * (arb(2 * (m + 1 + j)).zeta() - 1) for j in range(count)]
    factor = (1 - arb_poly([0, 1])) ** order
    scale = 2 ** (m + 1) * math.factorial(m)
    in_x = (arb_poly([1]) + factor * arb_poly(tail)) * scale
    # Remainder: ζ(s) - 1 ≤ 2·2^{-s}; consecutive terms of the bound have a ratio below (m+j+1)/(j+1)·x/4.
    first = 2 * arb.bin_uiui(m + count, count) * arb(2) ** (-2 * (m + 1 + count)) * end**count
    ratio = arb(m + count + 1) / (count + 1) * end / 4
    remainder = (scale * first / (1 - ratio)).upper()
    # |1 - x|^{m+1} ≤ 1 on 0 ≤ x ≤ 1.
    series = arb_poly([c / square**j for j, c in enumerate(in_x.coeffs())])
    at_zero = Cotangent.series_coefficient(m, 0)
    return Definition(name, order, series, remainder, _arb(Fraction(int(at_zero.p), int(at_zero.q))))
