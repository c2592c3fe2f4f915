"""Numbers and vectors of step programs, and the linear combinations that their operators form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, overload

Terms: TypeAlias = "tuple[tuple[float | Scalar, Vector], ...]"
"""Weights and vectors of a sum."""
Number: TypeAlias = Any
"""``float``, ``Fraction`` or ``Scalar``, in formulas for coefficients that apply to all of them."""


@dataclass(frozen=True)
class Value:
    """Vector or number that an instruction computes; values of one program are numbered."""

    number: int

    size: ClassVar[str]
    """Length of the vector, as the C macro."""
    kind: ClassVar[str]
    """Name of the kind, for messages."""


@dataclass(frozen=True)
class Scalar(Value):
    """Number, such as the length of the step; operators record arithmetic."""

    operate: Callable[[str, Scalar | float, Scalar | float], Scalar] = field(compare=False, repr=False)
    """Recorder of an operation on two numbers."""

    size: ClassVar[str] = "1"
    kind: ClassVar[str] = "number"

    def __add__(self, other: Scalar | float) -> Scalar:
        return self.operate("+", self, other)

    def __radd__(self, other: float) -> Scalar:
        return self.operate("+", other, self)

    def __sub__(self, other: Scalar | float) -> Scalar:
        return self.operate("-", self, other)

    def __rsub__(self, other: float) -> Scalar:
        return self.operate("-", other, self)

    @overload
    def __mul__(self, other: Scalar | float) -> Scalar: ...

    @overload
    def __mul__(self, other: Vector | Expression) -> Expression: ...

    def __mul__(self, other: Scalar | float | Vector | Expression) -> Scalar | Expression:
        if isinstance(other, Vector | Expression):
            return expression(other) * self
        return self.operate("*", self, other)

    def __rmul__(self, other: float) -> Scalar:
        return self.operate("*", other, self)

    def __truediv__(self, other: Scalar | float) -> Scalar:
        return self.operate("/", self, other)

    def __rtruediv__(self, other: float) -> Scalar:
        return self.operate("/", other, self)

    def __pow__(self, exponent: int) -> Scalar:
        if not isinstance(exponent, int) or exponent < 1:
            return NotImplemented
        return self if exponent == 1 else self * self ** (exponent - 1)

    def __neg__(self) -> Scalar:
        return self.operate("-", 0.0, self)


@dataclass(frozen=True)
class Vector(Value):
    """Vector with one component for each velocity; operators form linear combinations."""

    size: ClassVar[str] = "DIMENSION"
    kind: ClassVar[str] = "vector"

    def __add__(self, other: Vector | Expression) -> Expression:
        return expression(self) + other

    def __sub__(self, other: Vector | Expression) -> Expression:
        return expression(self) - other

    def __mul__(self, factor: Scalar | float) -> Expression:
        return expression(self) * factor

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar | float) -> Expression:
        return expression(self) / divisor

    def __neg__(self) -> Expression:
        return expression(self) * -1.0


@dataclass(frozen=True)
class Expression:
    """Linear combination of vectors.

    Attributes
    ----------
    terms
        Weights and vectors.
    of_states
        Weights and vectors for the components of first-order states, if they differ.
    """

    terms: Terms = ()
    of_states: Terms | None = None

    def __add__(self, other: Vector | Expression) -> Expression:
        mine, others = self._both(), expression(other)._both()
        first, second = (_collected((*x, *y)) for x, y in zip(mine, others, strict=True))
        return Expression(first, None if first == second else second)

    def __sub__(self, other: Vector | Expression) -> Expression:
        return self + -1.0 * expression(other)

    def __mul__(self, factor: Scalar | float) -> Expression:
        found = (tuple((_product(factor, w), x) for w, x in terms) for terms in self._both())
        first, second = map(_collected, found)
        return Expression(first, None if first == second else second)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar | float) -> Expression:
        return self * (1.0 / divisor)

    def __neg__(self) -> Expression:
        return self * -1.0

    def _both(self) -> tuple[Terms, Terms]:
        return self.terms, self.terms if self.of_states is None else self.of_states


def expression(x: Vector | Expression) -> Expression:
    """Return a vector as a linear combination."""
    return x if isinstance(x, Expression) else Expression(((1.0, x),))


def _collected(terms: Iterable[tuple[float | Scalar, Vector]]) -> Terms:
    """Return terms with the weights of each vector added, without weights of zero."""
    found: dict[int, tuple[float | Scalar, Vector]] = {}
    for weight, x in terms:
        known = found.get(x.number)
        found[x.number] = (weight, x) if known is None else (known[0] + weight, known[1])
    return tuple((w, x) for w, x in found.values() if isinstance(w, Scalar) or w != 0)


def _product(x: float | Scalar, y: float | Scalar) -> float | Scalar:
    """Return a product, without an operation for factors of one."""
    return x if y == 1.0 else y if x == 1.0 else x * y
