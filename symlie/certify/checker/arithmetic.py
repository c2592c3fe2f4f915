"""Arithmetic of the checker: integer intervals in units of 2^-BITS, their Taylor series, and the definitions."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

BITS = 384
ONE = 1 << BITS
ORDER = 14

LARGEST = 1 << BITS + 2048
"""Magnitude that no value of a valid proof reaches; it limits the growth of integers."""

LARGEST_ARGUMENT = 10**4
"""Largest argument of certified functions, and of sine and cosine, whose series length is proportional to it."""

LARGEST_INDEX = 200
"""Largest index of functions and of coefficients, whose factorials are computed."""

Number = tuple[int, int]
Series = list[Number]


class CertificateError(Exception):
    """The certificate does not prove its bounds."""


def rational(value: Any) -> Fraction:
    """Return a number of a certificate as a fraction; exponents are rejected, since they permit huge numbers."""
    if isinstance(value, str) and "e" in value.lower():
        raise CertificateError(f"A number of the certificate is written as {value[:20]}.")
    return Fraction(value)


def index(value: object) -> int:
    """Return a nonnegative integer up to `LARGEST_INDEX`, or raise `CertificateError`."""
    if not isinstance(value, int) or not 0 <= value <= LARGEST_INDEX:
        raise CertificateError(f"A number of a definition is not a whole number from 0 to {LARGEST_INDEX}.")
    return value


def exact(value: float | Fraction | int) -> Number:
    """Return the interval of a number."""
    f = Fraction(value) * ONE
    return math.floor(f), math.ceil(f)


def add(a: Number, b: Number) -> Number:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1]


def sub(a: Number, b: Number) -> Number:
    """Return a - b."""
    return a[0] - b[1], a[1] - b[0]


def mul(a: Number, b: Number) -> Number:
    """Return a b."""
    p = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(p) >> BITS, -(-max(p) >> BITS)


def div(a: Number, b: Number) -> Number:
    """Return a/b."""
    if b[0] <= 0 <= b[1]:
        raise ZeroDivisionError
    p = [Fraction(x * ONE, y) for x in a for y in b]
    return math.floor(min(p)), math.ceil(max(p))


def root(a: Number) -> Number:
    """Return the square root."""
    if a[0] <= 0:
        raise ZeroDivisionError
    return math.isqrt(a[0] << BITS), math.isqrt(a[1] << BITS) + 1


def largest(a: Number) -> int:
    """Return the largest magnitude."""
    return max(abs(a[0]), abs(a[1]))


def least(a: Number) -> int:
    """Return the smallest magnitude."""
    return 0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))


def meet(a: Number, b: Number) -> Number:
    """Return the intersection of two enclosures of one number."""
    return max(a[0], b[0]), min(a[1], b[1])


def _machin() -> Number:
    def arctangent(n: int) -> int:
        total, term, k = 0, (ONE << 32) // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    scaled = 16 * arctangent(5) - 4 * arctangent(239)
    return (scaled >> 32) - 1, (scaled >> 32) + 2


PI = _machin()
DIRECT_ZETA = 20
"""Largest n for which ζ(2n) is computed from Bernoulli numbers."""
POLE = mul(exact(4), mul(PI, PI))


def sine_cosine(a: Number) -> tuple[Number, Number]:
    """Return sine and cosine by their series at the midpoint, with slopes bounded by one."""
    if largest(a) > LARGEST_ARGUMENT * ONE:
        raise ZeroDivisionError
    x = (a[0] + a[1]) // 2
    radius = a[1] - x + 1
    sums, term, k = [0, 0], ONE, 0
    while abs(term) > 1 or k * ONE < 2 * abs(x):
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = term * x // (k * ONE)
    error = radius + 4 * k
    return (sums[1] - error, sums[1] + error), (sums[0] - error, sums[0] + error)


def trimmed(a: Series) -> Series:
    """Remove trailing zeros of a series."""
    while len(a) > 1 and a[-1] == (0, 0):
        a.pop()
    return a


def series_mul(a: Series, b: Series) -> Series:
    """Return the product of two series."""
    out = [(0, 0)] * min(ORDER, len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b[: ORDER - i]):
            out[i + j] = add(out[i + j], mul(x, y))
    return out


def series_sum(a: Series, b: Series, sign: int) -> Series:
    """Return the sum or the difference of two series."""
    n = max(len(a), len(b))
    a, b = a + [(0, 0)] * (n - len(a)), b + [(0, 0)] * (n - len(b))
    return trimmed([add(x, y) if sign > 0 else sub(x, y) for x, y in zip(a, b, strict=True)])


def at(a: Series, k: int) -> Number:
    """Return a coefficient of a series, zero beyond its end."""
    return a[k] if k < len(a) else (0, 0)


def series_div(a: Series, b: Series) -> Series:
    """Return the quotient of two series."""
    out: Series = []
    for k in range(ORDER):
        total = at(a, k)
        for i in range(1, min(k, len(b) - 1) + 1):
            total = sub(total, mul(b[i], out[k - i]))
        out.append(div(total, b[0]))
    return out


def series_root(a: Series) -> Series:
    """Return the square root of a series."""
    out = [root(a[0])]
    twice = add(out[0], out[0])
    for k in range(1, ORDER):
        total = at(a, k)
        for i in range(1, k):
            total = sub(total, mul(out[i], out[k - i]))
        out.append(div(total, twice))
    return out


def series_sine_cosine(a: Series) -> tuple[Series, Series]:
    """Return sine and cosine of a series, from their derivatives."""
    s0, c0 = sine_cosine(a[0])
    s, c = [s0], [c0]
    for k in range(1, ORDER):
        ds, dc = (0, 0), (0, 0)
        for i in range(1, min(k, len(a) - 1) + 1):
            slope = (a[i][0] * i, a[i][1] * i)
            ds, dc = add(ds, mul(slope, c[k - i])), sub(dc, mul(slope, s[k - i]))
        s.append((ds[0] // k, -(-ds[1] // k)))
        c.append((dc[0] // k, -(-dc[1] // k)))
    return s, c


def expand(operator: str, x: list[Series]) -> Series:
    """Return the Taylor series of an operation."""
    out = _expand(operator, x)
    if any(largest(c) > LARGEST for c in out):
        raise ZeroDivisionError
    return out


def _expand(operator: str, x: list[Series]) -> Series:
    match operator:
        case "add" | "sub":
            return series_sum(x[0], x[1], 1 if operator == "add" else -1)
        case "neg":
            return series_sum([(0, 0)], x[0], -1)
        case "mul":
            return series_mul(x[0], x[1])
        case "div":
            return [div(c, x[1][0]) for c in x[0]] if len(x[1]) == 1 else series_div(x[0], x[1])
        case "sqrt":
            return series_root(x[0])
        case "sin" | "cos":
            return series_sine_cosine(x[0])[operator == "cos"]
    raise CertificateError(f"Unknown operation {operator}.")


def evaluate(operator: str, x: list[Number]) -> Number:
    """Return the value of an operation."""
    if operator in ("sin", "cos"):
        return sine_cosine(x[0])[operator == "cos"]
    if operator == "sqrt":
        return root(x[0])
    if operator == "neg":
        return sub((0, 0), x[0])
    return {"add": add, "sub": sub, "mul": mul, "div": div}[operator](x[0], x[1])


class Definition:
    """Definition f = F(z)/(4π² - z)^order on 0 ≤ z ≤ upper, F by a series and a bound of its remainder."""

    def __init__(self, statement: dict[str, Any], upper: Fraction) -> None:
        family, m = statement["family"], index(statement["m"])
        if upper > LARGEST_ARGUMENT:
            raise CertificateError(f"The domain ends beyond {LARGEST_ARGUMENT}.")
        self.unit = POLE if family == "g" else exact(upper) if family == "s" else (ONE, ONE)
        if family == "s":
            self.order = 0
            self.series, self.rest, zero = _stated(statement, upper)
        elif family == "c":
            self.order, k = 0, index(statement["k"])
            self.series, self.rest, zero = _stumpff(k, m, upper)
        elif family == "g" and upper <= Fraction(39.47841760435743):
            self.order = m + 1
            self.series, self.rest, zero = _cotangent(m, upper)
        else:
            raise CertificateError("The definition is unknown, or invalid on this interval.")
        self.at_zero = abs(zero)

    def taylor(self, x: Number) -> Series:
        """Return the Taylor coefficients at x of the series of F."""
        out: Series = [(0, 0)]
        line = [div(x, self.unit), div((ONE, ONE), self.unit)]
        for a in reversed(self.series):
            out = series_mul(out, line)
            out[0] = add(out[0], a)
        return out


@functools.cache
def _stumpff(k: int, m: int, upper: Fraction) -> tuple[Series, int, Fraction]:
    def coefficient(j: int) -> Fraction:
        top = (-1) ** (j + m) * 2**m * math.factorial(j + m)
        return Fraction(top, math.factorial(j) * math.factorial(2 * j + 2 * m + k))

    series: Series = []
    j, power = 0, Fraction(1)
    while True:
        a, b = coefficient(j), coefficient(j + 1)
        size, ratio = abs(a) * power, abs(b / a) * upper
        if j and ratio * 2 <= 1 and size * ONE <= ONE >> 140:
            return series, exact(2 * size)[1] + 1, coefficient(0)
        series.append(exact(a))
        j, power = j + 1, power * upper


def _bernoulli(count: int) -> list[Fraction]:
    out = [Fraction(1)]
    for n in range(1, count + 1):
        out.append(-sum((math.comb(n + 1, k) * out[k] for k in range(n)), Fraction(0)) / (n + 1))
    return out


def _zeta_less_one(n: int, numbers: list[Fraction]) -> Number:
    """Return ζ(2n) - 1, for small n from ζ(2n) = |B_2n| (2π)^2n/(2 (2n)!), for large n by summation."""
    if n <= DIRECT_ZETA:
        zeta = exact(abs(numbers[2 * n]) / (2 * math.factorial(2 * n)))
        for _ in range(n):
            zeta = mul(zeta, POLE)
        return sub(zeta, exact(1))
    last = 1200  # the remainder is below last^(1-2n) < 2^-BITS
    total = sum(ONE // k ** (2 * n) for k in range(2, last + 1))
    return total, total + last + 1


@functools.cache
def _cotangent(m: int, upper: Fraction) -> tuple[Series, int, Fraction]:
    terms = 75
    numbers = _bernoulli(2 * max(DIRECT_ZETA, m + 1))
    # (4π²)^(m+1) Σ_{n≥2} (4π²n² - z)^-(m+1) = Σ_j comb(m+j, j) (ζ(2m+2+2j) - 1) (z/4π²)^j
    tail = [mul(exact(math.comb(m + j, j)), _zeta_less_one(m + 1 + j, numbers)) for j in range(terms)]
    factor = [exact((-1) ** i * math.comb(m + 1, i)) for i in range(m + 2)]
    product: Series = [(0, 0)] * (terms + m + 1)
    for i, x in enumerate(factor):
        for j, y in enumerate(tail):
            product[i + j] = add(product[i + j], mul(x, y))
    product[0] = add(product[0], exact(1))
    scale = exact(2 ** (m + 1) * math.factorial(m))
    series = [mul(scale, c) for c in product]  # in powers of z/4π²
    # ζ(s) - 1 ≤ 2^(1-s) for s ≥ 4; |1 - x| ≤ 1; x < 1, and the ratio of terms is below 1/3.
    rest = 2 * math.comb(m + terms, terms) * Fraction(2) ** (1 - 2 * (m + 1 + terms)) * (upper / Fraction(39)) ** terms
    zero = 2**m * math.factorial(m) * abs(numbers[2 * m + 2]) / math.factorial(2 * m + 2)
    return series, exact(rest * 2 ** (m + 1) * math.factorial(m))[1], zero


def _stated(statement: dict[str, Any], upper: Fraction) -> tuple[Series, int, Fraction]:
    """Return (2 d/dz)^m Σ_j φ_{n+2j} (-z)^j in powers of z/upper, its remainder and its scale."""
    # The certificate contains the first coefficients and a bound of all φ. Ratios of consecutive terms of the bound do
    # not increase, so a geometric series bounds the remainder.
    n, m = index(statement["n"]), index(statement["m"])
    constant, rate, radius = (rational(statement["growth"].get(k, 0)) for k in ("constant", "rate", "radius"))
    values = [rational(v) for v in statement["coefficients"]]
    if not values or constant <= 0 or (rate > 0) == (radius > 0):
        raise CertificateError("The series of a definition is incomplete.")

    def bound(k: int) -> Fraction:
        return constant * rate**k / math.factorial(k) if rate else constant / radius**k

    def factor(j: int) -> int:
        return math.perm(j + m, m) << m

    first = n + 2 * m
    if any(abs(v) > bound(first + 2 * j) for j, v in enumerate(values)):
        raise CertificateError("A coefficient of a series exceeds the specified bound.")
    domain = (3 * radius / 4) ** 2 if radius else upper
    if upper > domain:
        raise CertificateError("A series is used beyond three quarters of its radius of convergence.")
    count = len(values)
    term = factor(count) * bound(first + 2 * count) * upper**count
    ratio = factor(count + 1) * bound(first + 2 * count + 2) * upper ** (count + 1) / term
    if ratio >= 1:
        raise CertificateError("The coefficients of a series are too few.")
    series = [(-1) ** (j + m) * factor(j) * v for j, v in enumerate(values)]
    x = min(Fraction(1), domain if radius else 1 / rate**2)
    scale = max(abs(a) * x**j for j, a in enumerate(series)) or factor(0) * bound(first)
    return [exact(a * upper**j) for j, a in enumerate(series)], exact(term / (1 - ratio))[1] + 1, scale
