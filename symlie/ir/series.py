"""Coefficient functions of user-defined power series: tails of φ(λ) = Σ φ_n λⁿ as functions of z = ω².

Coefficients are exact, and a specified bound of all of them bounds the truncation error of polynomials.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import sympy
from sympy import Expr, Integer, Rational, Symbol

from symlie.errors import ModelError
from symlie.ir.primitives import WORKING_INTERVAL, CoefficientFunction

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter

END = Fraction(39479, 1000)
"""Above 4π²: series without a singularity are defined for ω ≤ 2π."""

SHARE = Fraction(3, 4)
"""Part of the radius of convergence that is used; at its end the ratio of consecutive terms is 9/16."""

REST = Fraction(1, 2**90)
"""Truncation error of the stored coefficients, relative to the scale of a function."""

KEY_LENGTH = 8


@dataclass(frozen=True)
class Growth:
    """|φ_k| ≤ constant·rate^k/k!, or |φ_k| ≤ constant/radius^k: exactly one of the two is given."""

    constant: Fraction
    rate: Fraction | None = None
    radius: Fraction | None = None

    def bound(self, k: int) -> Fraction:
        """Return the bound of |φ_k|."""
        if self.rate is not None:
            return self.constant * self.rate**k / math.factorial(k)
        assert self.radius is not None
        return self.constant / self.radius**k

    def ratio(self, k: int) -> Fraction:
        """Return bound(k + 2)/bound(k), which does not increase with k."""
        if self.rate is not None:
            return self.rate**2 / ((k + 1) * (k + 2))
        assert self.radius is not None
        return 1 / self.radius**2

    @property
    def upper(self) -> Fraction:
        """End of the domain in z, a double: slightly above 4π², or (3/4 radius)² if that is less."""
        if self.radius is None:
            return END
        end = min(END, (SHARE * self.radius) ** 2)
        below = float(end)
        return Fraction(below if Fraction(below) <= end else math.nextafter(below, 0.0))

    def __str__(self) -> str:
        return f"{self.constant} {self.rate}^k/k!" if self.rate is not None else f"{self.constant}/{self.radius}^k"


@dataclass(frozen=True)
class Tail:
    """F_{n,m}(z) = (2 d/dz)^m Σ_j φ_{n+2j} (-z)^j, from the coefficients that its domain requires and a bound on the
    others.
    """

    n: int
    m: int
    growth: Growth
    values: tuple[Fraction, ...]
    """φ_{n+2m}, φ_{n+2m+2}, …"""

    def factor(self, j: int) -> int:
        """Return 2^m (j+m)!/j!, the ratio of the coefficient of z^j to φ_{n+2m+2j}."""
        return math.perm(j + self.m, self.m) << self.m

    @functools.cached_property
    def coefficients(self) -> tuple[Fraction, ...]:
        """Coefficients of z^j."""
        return tuple((-1) ** (j + self.m) * self.factor(j) * v for j, v in enumerate(self.values))

    @functools.cached_property
    def scale(self) -> Fraction:
        """Scale of errors: largest |coefficient of z^j| x^j with x = min(1, 1/rate², end of the domain)."""
        rate = self.growth.rate
        x = min(Fraction(1), self.growth.upper if rate is None else 1 / rate**2)
        largest = max((abs(a) * x**j for j, a in enumerate(self.coefficients)), default=Fraction(0))
        return largest or self.factor(0) * self.growth.bound(self.n + 2 * self.m)

    def growth_to(self, upper: float) -> float:
        """Return the largest |F| at sample points of 0 ≤ z ≤ upper, relative to the scale; at least one."""
        end = min(Fraction(upper), self.growth.upper)
        points = [end * i / 32 for i in range(33)]
        found = [abs(sum((a * x**j for j, a in enumerate(self.coefficients)), Fraction(0))) for x in points]
        return max(1.0, float(max(found) / self.scale))

    def rest(self, upper: Fraction) -> Fraction | None:
        """Return a bound of the truncation error on 0 ≤ z ≤ upper; None if too few coefficients are known."""
        j = len(self.values)
        k = self.n + 2 * self.m + 2 * j
        ratio = self.growth.ratio(k) * Fraction(j + self.m + 1, j + 1) * upper
        return self.factor(j) * self.growth.bound(k) * upper**j / (1 - ratio) if ratio < 1 else None

    def to_json(self) -> dict[str, object]:
        """Return the tail as JSON data."""
        bound = "rate" if self.growth.rate is not None else "radius"
        growth = {"constant": str(self.growth.constant), bound: str(getattr(self.growth, bound))}
        return {
            "family": "s",
            "n": self.n,
            "m": self.m,
            "growth": growth,
            "coefficients": [str(v) for v in self.values],
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Tail:
        """Return the tail from the result of `to_json`."""
        growth = Growth(**{name: Fraction(value) for name, value in content["growth"].items()})
        return cls(content["n"], content["m"], growth, tuple(Fraction(v) for v in content["coefficients"]))


@dataclass(frozen=True)
class PowerSeries:
    """φ(λ) = Σ φ_n λⁿ by exact coefficients and a bound of them."""

    name: str
    coefficient: Callable[[int], Fraction]
    growth: Growth

    def value(self, k: int) -> Fraction:
        """Return φ_k; raise `ModelError` if it exceeds the specified bound."""
        value = self.coefficient(k)
        if abs(value) > self.growth.bound(k):
            raise ModelError(
                f"Coefficient {k} of the function '{self.name}' is {value}, which is above the specified bound "
                f"{self.growth} = {self.growth.bound(k)}; specify a larger one."
            )
        return value

    @functools.cached_property
    def key(self) -> int:
        """Hash of name and definition, which distinguishes functions with equal names."""
        parts = [self._tail(n, 0) for n in (0, 1)]
        text = json.dumps([self.name, *(p.to_json() for p in parts)])
        return int(hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH], 16)

    def tail(self, n: int, m: int) -> str:
        """Return the name of F_{n,m} for `tail_of`."""
        name = f"s_{self.name}_{self.key:0{KEY_LENGTH}x}_{n}_{m}"
        if name not in _STATED:
            register(name, self._tail(n, m))
            _STATED[name] = self, n, m
        return name

    def evaluate(self, n: int, m: int, z: mpmath.mpf) -> mpmath.mpf:
        """Evaluate F_{n,m}(z) on the domain, in the current mpmath precision."""
        tail = self._tail(n, m, Fraction(1, 10 ** (mpmath.mp.dps + 5)))
        with mpmath.extradps(20):
            terms = [mpmath.mpf(a.numerator) / a.denominator for a in reversed(tail.coefficients)]
            return mpmath.polyval(terms, z)

    def _tail(self, n: int, m: int, enough: Fraction = REST) -> Tail:
        values: list[Fraction] = []
        while True:
            values.append(self.value(n + 2 * m + 2 * len(values)))
            found = Tail(n, m, self.growth, tuple(values))
            rest = found.rest(self.growth.upper)
            if rest is not None and rest <= enough * found.scale:
                return found


_TAILS: dict[str, Tail] = {}
_STATED: dict[str, tuple[PowerSeries, int, int]] = {}
_SERIES: dict[int, PowerSeries] = {}


def register(name: str, tail: Tail) -> None:
    """Register a tail under its name, which ends in a hash of its definition; raise `ModelError` for another tail of
    this name."""
    if _TAILS.setdefault(name, tail) != tail:
        raise ModelError(f"Two functions {name} have different coefficients; rename one.")


def tail_of(base_name: str) -> Tail:
    """Return the tail with a name; raise `ModelError` if it was neither defined nor read from a source."""
    if base_name not in _TAILS:
        raise ModelError(f"The function {base_name} is unknown; its model or its generated source defines it.")
    return _TAILS[base_name]


def stated_series(base_name: str) -> tuple[PowerSeries, int, int]:
    """Return the series of a tail that was defined in this process, with n and m; raise `ModelError` otherwise."""
    if base_name not in _STATED:
        raise ModelError(f"Only values of the function {base_name} are known; its model must be defined.")
    return _STATED[base_name]


def evaluate_tail(base_name: str, z: mpmath.mpf) -> mpmath.mpf:
    """Evaluate a tail of a series that was defined in this process, in the current mpmath precision."""
    series, n, m = _STATED[base_name]
    return series.evaluate(n, m, z)


def is_series(base_name: str) -> bool:
    """Return whether a name belongs to a tail of a user-defined series."""
    return base_name.startswith("s_")


class Series(CoefficientFunction):
    """F_{n,m}(z) = (2 d/dz)^m Σ_j φ_{n+2j} (-z)^j of a user-defined series φ; NaN beyond its domain."""

    # ``Series(key, n, m, z, upper)`` with the key of the series; a number, so that SymPy substitutes nothing for it.

    nargs = (5,)

    @classmethod
    def of(cls, series: PowerSeries, n: int, z: Expr) -> Series:
        """Return F_{n,0}(z) of a series."""
        _SERIES[series.key] = series
        return cls(Integer(series.key), Integer(n), Integer(0), z, WORKING_INTERVAL)

    @property
    def base_name(self) -> str:
        key, n, m = self.args[:3]
        return _SERIES[int(key)].tail(int(n), int(m))

    def fdiff(self, argindex: int = 4) -> Expr:
        key, n, m, z, upper = self.args
        return Series(key, n, m + 1, z, upper) / 2

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        key, n, m, z, _ = self.args
        name = sympy.latex(Symbol(_SERIES[int(key)].name))
        text = rf"{{{name}}}_{{{n},{m}}}\left({printer._print(z)}\right)"
        return text if exp is None else rf"{{{text}}}^{{{exp}}}"


def exact(value: object, what: str) -> Fraction:
    """Return a rational number; raise `ModelError` for others, including floating-point numbers."""
    if not isinstance(value, bool):
        if isinstance(value, int | Fraction):
            return Fraction(value)
        number = sympy.sympify(value) if isinstance(value, Expr) else None
        if isinstance(number, Rational):
            return Fraction(int(number.p), int(number.q))
    raise ModelError(f"{what} must be an exact rational number, such as 3, Fraction(1, 6) or sl.Rational(1, 6), "
                     f"not {value!r}.")  # fmt: skip
