"""Values of step programs: vectors of a system, of different kinds, and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple


@dataclass(frozen=True)
class Value:
    """Vector or number that an instruction computes; values of one program are numbered."""

    number: int

    size: ClassVar[str]
    """Length of the vector, as the C macro."""
    kind: ClassVar[str]
    """Name of the kind, for messages."""


@dataclass(frozen=True)
class Configuration(Value):
    """Configuration q in its stored components."""

    size: ClassVar[str] = "STORAGE"
    kind: ClassVar[str] = "configuration"


@dataclass(frozen=True)
class Velocity(Value):
    """Velocity v; zero for first-order states."""

    size: ClassVar[str] = "DIMENSION"
    kind: ClassVar[str] = "velocity"


@dataclass(frozen=True)
class Acceleration(Value):
    """Acceleration v'."""

    size: ClassVar[str] = "DIMENSION"
    kind: ClassVar[str] = "acceleration"


@dataclass(frozen=True)
class Algebra(Value):
    """Vector of local coordinates: an increment, or a rate of all nodes."""

    size: ClassVar[str] = "DIMENSION"
    kind: ClassVar[str] = "algebra vector"


@dataclass(frozen=True)
class StoredRate(Value):
    """Rate of the stored components of q."""

    size: ClassVar[str] = "STORAGE"
    kind: ClassVar[str] = "rate of stored components"


@dataclass(frozen=True)
class Multiplier(Value):
    """Lagrange multipliers λ."""

    size: ClassVar[str] = "ROWS"
    kind: ClassVar[str] = "multiplier vector"


@dataclass(frozen=True)
class Jacobian(Value):
    """Stored values of the constraint Jacobian B."""

    size: ClassVar[str] = "JACOBIAN_VALUES"
    kind: ClassVar[str] = "Jacobian"


class StageValues(NamedTuple):
    """State of a stage, with its v' and λ."""

    c: float
    q: Configuration
    v: Velocity
    acceleration: Acceleration
    multiplier: Multiplier


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

    def __mul__(self, other: Scalar | float) -> Scalar:
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


START_Q, START_V, START_LAMBDA = Configuration(0), Velocity(1), Multiplier(2)
"""The state at the start of the step."""

STEP_LENGTH = 3
"""Number of the value h."""

NO_JACOBIAN = Jacobian(-1)
"""Jacobian of a system without constraints, which no instruction reads."""
