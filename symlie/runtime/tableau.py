"""Coefficients of Runge–Kutta methods, exact, and checked when they are made."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError

_TERM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*"
    r"(?:(?:(?P<factor>[0-9]+)\s*\*\s*)?sqrt\(\s*(?P<radicand>[0-9]+)\s*\)|(?P<integer>[0-9]+))"
    r"(?:\s*/\s*(?P<denominator>0*[1-9][0-9]*))?\s*"
)


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticNumber:
    """The exact real number ``rational + factor·√radicand``.

    Numbers with the same radicand, and rational numbers, can be added, subtracted, multiplied, divided and compared.

    Parameters
    ----------
    rational, factor : Fraction
        The two rational parts.
    radicand : int
        A square-free integer above 1. It is set to 1 if ``factor`` is zero, so that equal numbers have equal fields.

    Raises
    ------
    ModelError
        If the radicand is not square-free.
    """

    rational: Fraction = Fraction(0)
    factor: Fraction = Fraction(0)
    radicand: int = 1

    def __post_init__(self) -> None:
        if not self.factor:
            object.__setattr__(self, "radicand", 1)
        elif self.radicand < 2 or any(self.radicand % k**2 == 0 for k in range(2, math.isqrt(self.radicand) + 1)):
            raise ModelError(f"sqrt({self.radicand}): the number under the root must be square-free and above 1.")

    @classmethod
    def parse(cls, text: str) -> QuadraticNumber:
        """Read a sum of terms such as ``35/384``, ``1/2 - sqrt(3)/6`` or ``-7*sqrt(3)/108``.

        Raises
        ------
        ModelError
            If the text is not of this form, or contains roots of different numbers.
        """
        total = cls()
        position = 0
        while True:
            term = _TERM.match(text, position)
            if term is None or (position > 0 and not term["sign"]):
                raise ModelError(
                    f"{text!r} is not an exact number; write a sum of terms such as 35/384 or -7*sqrt(3)/108."
                )
            sign = -1 if term["sign"] == "-" else 1
            value = Fraction(sign * int(term["integer"] or term["factor"] or 1), int(term["denominator"] or 1))
            total += value if term["integer"] else cls(factor=value, radicand=int(term["radicand"]))
            position = term.end()
            if position == len(text):
                return total

    def __add__(self, other: Exact) -> QuadraticNumber:
        other = _coerce(other)
        radicand = _common_radicand(self, other)
        return QuadraticNumber(self.rational + other.rational, self.factor + other.factor, radicand)

    def __sub__(self, other: Exact) -> QuadraticNumber:
        return self + -_coerce(other)

    def __mul__(self, other: Exact) -> QuadraticNumber:
        other = _coerce(other)
        radicand = _common_radicand(self, other)
        return QuadraticNumber(
            self.rational * other.rational + radicand * self.factor * other.factor,
            self.rational * other.factor + self.factor * other.rational,
            radicand,
        )

    def __truediv__(self, other: Exact) -> QuadraticNumber:
        other = _coerce(other)
        norm = other.rational**2 - other.radicand * other.factor**2
        return self * QuadraticNumber(other.rational / norm, -other.factor / norm, other.radicand)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Exact) -> QuadraticNumber:
        return -self + other

    def __neg__(self) -> QuadraticNumber:
        return QuadraticNumber(-self.rational, -self.factor, self.radicand)

    def __bool__(self) -> bool:
        return bool(self.rational or self.factor)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuadraticNumber | Fraction | int):
            return NotImplemented
        other = _coerce(other)
        return (self.rational, self.factor, self.radicand) == (other.rational, other.factor, other.radicand)

    def __hash__(self) -> int:
        return hash((self.rational, self.factor, self.radicand)) if self.factor else hash(self.rational)

    def __float__(self) -> float:
        """The nearest double (ties, possible for rational numbers only, to even).

        Integer arithmetic encloses an irrational number strictly between m/2ᵏ and (m + 1)/2ᵏ. If m has 56 bits or more,
        no midpoint of two neighbouring doubles lies strictly between these, so every number there, the exact one and
        the centre of the interval alike, rounds to the same double.
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
"""What exact arithmetic accepts."""

ExactRow: TypeAlias = tuple[QuadraticNumber, ...]
"""A row of exact coefficients."""


def _coerce(number: Exact) -> QuadraticNumber:
    return number if isinstance(number, QuadraticNumber) else QuadraticNumber(Fraction(number))


def _common_radicand(first: QuadraticNumber, second: QuadraticNumber) -> int:
    radicands = {first.radicand, second.radicand} - {1}
    if len(radicands) > 1:
        raise ModelError(f"{first} and {second} contain roots of different numbers and can not be combined.")
    return max(first.radicand, second.radicand)


def exact_row(coefficients: Iterable[str | Exact]) -> ExactRow:
    """Coefficients, given as text or as exact numbers, as a row of a tableau."""
    return tuple(QuadraticNumber.parse(x) if isinstance(x, str) else _coerce(x) for x in coefficients)


def _sum(row: Iterable[QuadraticNumber]) -> QuadraticNumber:
    return sum(row, QuadraticNumber())


def _inner_product(first: Iterable[QuadraticNumber], second: Iterable[QuadraticNumber]) -> QuadraticNumber:
    return _sum(x * y for x, y in zip(first, second, strict=True))


def _rounded(row: ExactRow) -> NDArray[np.float64]:
    return np.array([float(coefficient) for coefficient in row], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class _Tableau(ABC):
    """What the tableaux have in common; rows and stages are counted from 1 in messages, as in the literature."""

    name: str
    order: int
    c: ExactRow
    a: tuple[ExactRow, ...]
    b_hat: ExactRow | None = None
    order_hat: int | None = None
    source: str

    family: ClassVar[str]

    @property
    @abstractmethod
    def stages(self) -> int:
        """Number of stages of one step."""

    def a_float(self) -> NDArray[np.float64]:
        """The rows of ``a``, each entry the nearest double, filled with zeros to the right (rows × stages)."""
        result = np.zeros((len(self.a), self.stages))
        for number, row in enumerate(self.a):
            result[number, :number] = _rounded(row)
        return result

    def c_float(self) -> NDArray[np.float64]:
        """The nodes, each the nearest double."""
        return _rounded(self.c)

    def b_hat_float(self) -> NDArray[np.float64] | None:
        """The embedded weights, each the nearest double; ``None`` without embedded weights."""
        return None if self.b_hat is None else _rounded(self.b_hat)

    def _error(self, sentence: str) -> ModelError:
        return ModelError(f"Tableau {self.name}: {sentence}.")

    def _check_length(self, what: str, found: int, wanted: int) -> None:
        if found != wanted:
            raise self._error(f"{what} has length {found}, but it must have length {wanted}")

    def _check_rows(self, count: int) -> None:
        self._check_length("a", len(self.a), count)
        self._check_length("c", len(self.c), count)
        for number, (row, node) in enumerate(zip(self.a, self.c, strict=True), start=1):
            self._check_length(f"row {number} of a", len(row), number - 1)
            if _sum(row) != node:
                raise self._error(f"row {number} of a sums to {_sum(row)}, but entry {number} of c is {node}")

    def _check_weights(self, what: str, weights: ExactRow) -> None:
        self._check_length(what, len(weights), self.stages)
        if _sum(weights) != 1:
            raise self._error(f"{what} sums to {_sum(weights)}, but weights must sum to 1")

    def _check_orders(self) -> None:
        for what, order in (("order", self.order), ("order_hat", self.order_hat)):
            if order is not None and order < 1:
                raise self._error(f"{what} is {order}, but it must be at least 1")
        if (self.b_hat is None) != (self.order_hat is None):
            raise self._error("b_hat and order_hat must be given together")


@dataclass(frozen=True, kw_only=True)
class ExplicitTableau(_Tableau):
    """An explicit Runge–Kutta tableau, for methods on Lie groups of the Runge–Kutta–Munthe-Kaas family.

    Parameters
    ----------
    name : str
        Name of the method.
    order : int
        Classical order of ``b``.
    c : tuple of QuadraticNumber
        Nodes of the s stages.
    a : tuple of tuple of QuadraticNumber
        s rows; row i, counted from 0, has i entries.
    b : tuple of QuadraticNumber
        The s weights that a step advances with.
    b_hat : tuple of QuadraticNumber, optional
        s embedded weights for the estimate of the error.
    order_hat : int, optional
        Classical order of ``b_hat``.
    source : str
        Where the coefficients were published.

    Raises
    ------
    ModelError
        If a shape is wrong, a row does not sum to its node, or weights do not sum to 1.
    """

    b: ExactRow

    family: ClassVar[str] = "rkmk"

    def __post_init__(self) -> None:
        self._check_orders()
        self._check_rows(self.stages)
        self._check_weights("b", self.b)
        if self.b_hat is not None:
            self._check_weights("b_hat", self.b_hat)

    @property
    def stages(self) -> int:
        """Number of stages s."""
        return len(self.b)

    @property
    def fsal(self) -> bool:
        """Whether the last stage sits at the end of the step: its velocity field is that of the next first stage."""
        return self.c[-1] == 1 and self.b == (*self.a[-1], 0)

    def b_float(self) -> NDArray[np.float64]:
        """The weights, each the nearest double."""
        return _rounded(self.b)


@dataclass(frozen=True, kw_only=True)
class HalfExplicitTableau(_Tableau):
    """Coefficients of a half-explicit Runge–Kutta method with explicit first stage, for systems of index 2.

    Stage i = 2 … s̄ solves for V̇_i and Λ_i such that the constraint holds at argument i + 1. Argument s + 1 is the end
    of the step, so row s + 1 of ``a`` holds the weights of q and v; what follows only serves λ.

    Parameters
    ----------
    name : str
        Name of the method.
    order : int
        Order of q and v; λ has one order less in general.
    s : int
        Number of stages that contribute to q and v; at most s̄.
    c : tuple of QuadraticNumber
        s̄ + 1 nodes.
    a : tuple of tuple of QuadraticNumber
        s̄ + 1 rows; row i, counted from 0, has i entries.
    d : tuple of QuadraticNumber
        s̄ weights of λ, which is Σ d_i Λ_i at the end of the step.
    b_hat : tuple of QuadraticNumber, optional
        s̄ embedded weights for the estimate of the error. They replace the last row of ``a`` when stage s̄ is solved
        again, so that the embedded velocity satisfies the constraint.
    order_hat : int, optional
        Order of ``b_hat`` used this way.
    source : str
        Where the coefficients were published.

    Raises
    ------
    ModelError
        If a shape is wrong, a row does not sum to its node, weights do not sum to 1, a stage can not be solved because
        its subdiagonal entry is zero, or an error in λ is not forgotten.
    """

    s: int
    d: ExactRow

    family: ClassVar[str] = "half_explicit"

    def __post_init__(self) -> None:
        self._check_orders()
        if not 2 <= self.s <= self.s_bar:
            raise self._error(f"s is {self.s}, but it must be at least 2 and at most s_bar = {self.s_bar}")
        self._check_rows(self.s_bar + 1)
        for stage in range(2, self.s_bar + 1):
            if not self.a[stage][-1]:
                raise self._error(f"the last entry of row {stage + 1} of a is zero, so stage {stage} can not be solved")
        self._check_weights(f"b (row {self.s + 1} of a)", self.b)
        self._check_weights("d", self.d)
        if self.kappa:
            raise self._error(f"kappa is {self.kappa}, but it must be 0, or an error in λ is not forgotten")
        if self.b_hat is not None:
            self._check_weights("b_hat", self.b_hat)
            if not self.b_hat[-1]:
                raise self._error(f"the last entry of b_hat is zero, so stage {self.s_bar} can not be solved again")

    @property
    def s_bar(self) -> int:
        """Number of stages s̄, with those that only serve λ."""
        return len(self.d)

    @property
    def stages(self) -> int:
        """Number of stages s̄, with those that only serve λ."""
        return self.s_bar

    @property
    def b(self) -> ExactRow:
        """The s̄ weights of q and v: row s + 1 of ``a``, filled with zeros."""
        return self.a[self.s] + exact_row([0] * (self.s_bar - self.s))

    @property
    def fsal(self) -> bool:
        """Whether stage s + 1 is the end of the step together with its λ: its V̇ is that of the next first stage."""
        return self.c[self.s] == 1 and self.d == tuple(int(i == self.s) for i in range(self.s_bar))

    @property
    def kappa(self) -> QuadraticNumber:
        """Factor of an error in λ over one step: κ = Σ d_i δ_i with δ_1 = 1 and Σ_{j ≤ i} a_{i+1,j} δ_j = 0."""
        errors = exact_row([1])
        for *known, unknown in self.a[2:]:
            errors += (-_inner_product(known, errors) / unknown,)
        return _inner_product(self.d, errors)

    def b_float(self) -> NDArray[np.float64]:
        """The weights of q and v, each the nearest double."""
        return _rounded(self.b)

    def d_float(self) -> NDArray[np.float64]:
        """The weights of λ, each the nearest double."""
        return _rounded(self.d)
