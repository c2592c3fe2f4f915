"""Exact coefficients of tableaux: rational numbers, and numbers with one square root."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError

_TERM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*"
    r"(?:(?:(?P<factor>[0-9]+)\s*\*\s*)?sqrt\(\s*(?P<radicand>[0-9]+)\s*\)"
    r"|(?P<decimal>[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]{1,3})?)|(?P<integer>[0-9]+))"
    r"(?:\s*/\s*(?P<denominator>0*[1-9][0-9]*))?\s*"
)


LONGEST = 1_000
"""Maximum number of characters of an exact number as text."""

LARGEST_RADICAND = 10**9
"""Largest radicand."""


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticNumber:
    """Exact real number ``rational + factor·√radicand`` with a square-free radicand, set to 1 if ``factor`` is zero."""

    rational: Fraction = Fraction(0)
    factor: Fraction = Fraction(0)
    radicand: int = 1

    def __post_init__(self) -> None:
        if not self.factor:
            object.__setattr__(self, "radicand", 1)
        elif self.radicand > LARGEST_RADICAND:
            raise ModelError(f"sqrt({self.radicand}): the number under the root must be at most {LARGEST_RADICAND}.")
        elif self.radicand < 2 or any(self.radicand % k**2 == 0 for k in range(2, math.isqrt(self.radicand) + 1)):
            raise ModelError(f"sqrt({self.radicand}): the number under the root must be square-free and above 1.")

    @classmethod
    def parse(cls, text: str) -> QuadraticNumber:
        """Parse a sum of terms such as ``35/384``, ``1/2 - sqrt(3)/6``, ``-7*sqrt(3)/108`` or ``0.0625``."""
        if len(text) > LONGEST:
            raise ModelError(f"{text!r} has {len(text)} characters; an exact number has at most {LONGEST}.")
        total = cls()
        position = 0
        while True:
            term = _TERM.match(text, position)
            if term is None or (position > 0 and not term["sign"]):
                raise ModelError(
                    f"{text!r} is not an exact number; write a sum of terms such as 35/384 or -7*sqrt(3)/108."
                )
            sign = -1 if term["sign"] == "-" else 1
            size = Fraction(term["decimal"] or term["integer"] or term["factor"] or 1)
            value = sign * size / int(term["denominator"] or 1)
            total += cls(factor=value, radicand=int(term["radicand"])) if term["radicand"] else value
            position = term.end()
            if position < len(text):
                continue
            try:
                float(total)
            except OverflowError as error:
                raise ModelError(f"{text!r} is too large for a coefficient.") from error
            return total

    def __add__(self, other: Exact) -> QuadraticNumber:
        other = coerce(other)
        radicand = _common_radicand(self, other)
        return QuadraticNumber(self.rational + other.rational, self.factor + other.factor, radicand)

    def __sub__(self, other: Exact) -> QuadraticNumber:
        return self + -coerce(other)

    def __mul__(self, other: Exact) -> QuadraticNumber:
        other = coerce(other)
        radicand = _common_radicand(self, other)
        return QuadraticNumber(
            self.rational * other.rational + radicand * self.factor * other.factor,
            self.rational * other.factor + self.factor * other.rational,
            radicand,
        )

    def __truediv__(self, other: Exact) -> QuadraticNumber:
        other = coerce(other)
        norm = other.rational**2 - other.radicand * other.factor**2
        return self * QuadraticNumber(other.rational / norm, -other.factor / norm, other.radicand)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rtruediv__(self, other: Exact) -> QuadraticNumber:
        return coerce(other) / self

    def __rsub__(self, other: Exact) -> QuadraticNumber:
        return -self + other

    def __neg__(self) -> QuadraticNumber:
        return QuadraticNumber(-self.rational, -self.factor, self.radicand)

    def __bool__(self) -> bool:
        return bool(self.rational or self.factor)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuadraticNumber | Fraction | int):
            return NotImplemented
        other = coerce(other)
        return (self.rational, self.factor, self.radicand) == (other.rational, other.factor, other.radicand)

    def __hash__(self) -> int:
        return hash((self.rational, self.factor, self.radicand)) if self.factor else hash(self.rational)

    @property
    def is_negative(self) -> bool:
        """Return whether the number is negative, by exact arithmetic."""
        rational, root = self.rational, self.factor**2 * self.radicand
        if rational < 0:
            return self.factor <= 0 or root < rational**2
        return self.factor < 0 and root > rational**2

    def __float__(self) -> float:
        """Return the nearest double (ties, possible for rational numbers only, to even).

        Integer arithmetic encloses an irrational number strictly between m/2ᵏ and (m + 1)/2ᵏ. If m has 56 bits or more,
        no midpoint of two neighbouring doubles lies strictly between these bounds, so the exact number and the centre
        of the interval round to the same double.
        """
        if not self.factor:
            return float(self.rational)
        denominator = math.lcm(self.rational.denominator, self.factor.denominator)
        integer = int(self.rational * denominator)
        squared = self.radicand * int(self.factor * denominator) ** 2
        bits = 64
        while True:
            root = math.isqrt(squared << 2 * bits)
            lower = ((integer << bits) + (root if self.factor > 0 else -root - 1)) // denominator
            if lower.bit_length() >= 56:
                return float(Fraction(2 * lower + 1, 1 << bits + 1))
            bits *= 2

    def __str__(self) -> str:
        if not self.factor:
            return str(self.rational)
        size = abs(self.factor)
        root = f"{size.numerator}*sqrt({self.radicand})" if size.numerator != 1 else f"sqrt({self.radicand})"
        root += f"/{size.denominator}" if size.denominator != 1 else ""
        if not self.rational:
            return f"-{root}" if self.factor < 0 else root
        return f"{self.rational} {'-' if self.factor < 0 else '+'} {root}"


Exact: TypeAlias = QuadraticNumber | Fraction | int
"""Operands of exact arithmetic."""

ExactRow: TypeAlias = tuple[QuadraticNumber, ...]
"""Row of exact coefficients."""


def coerce(number: Exact) -> QuadraticNumber:
    """Return a number as a `QuadraticNumber`."""
    return number if isinstance(number, QuadraticNumber) else QuadraticNumber(Fraction(number))


def _common_radicand(first: QuadraticNumber, second: QuadraticNumber) -> int:
    radicands = {first.radicand, second.radicand} - {1}
    if len(radicands) > 1:
        raise ModelError(f"{first} and {second} contain roots of different numbers and cannot be combined.")
    return max(first.radicand, second.radicand)


def exact_row(coefficients: Iterable[str | Exact]) -> ExactRow:
    """Return coefficients, given as text or exact numbers, as a row of a tableau."""
    return tuple(QuadraticNumber.parse(x) if isinstance(x, str) else coerce(x) for x in coefficients)


def exact_sum(row: Iterable[QuadraticNumber]) -> QuadraticNumber:
    """Return the exact sum of numbers."""
    return sum(row, QuadraticNumber())


def inner_product(first: Iterable[QuadraticNumber], second: Iterable[QuadraticNumber]) -> QuadraticNumber:
    """Return the exact sum Σ x_i y_i."""
    return exact_sum(x * y for x, y in zip(first, second, strict=True))


def rounded(row: ExactRow) -> NDArray[np.float64]:
    """Return coefficients, each rounded to the nearest double."""
    return np.array([float(coefficient) for coefficient in row], dtype=np.float64)
