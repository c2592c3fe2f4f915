"""Values of step programs: vectors of a system, of different kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Value:
    """Vector that an instruction computes; values of one program are numbered."""

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
class Multiplier(Value):
    """Lagrange multipliers λ."""

    size: ClassVar[str] = "ROWS"
    kind: ClassVar[str] = "multiplier vector"


@dataclass(frozen=True)
class Jacobian(Value):
    """Stored values of the constraint Jacobian B."""

    size: ClassVar[str] = "JACOBIAN_VALUES"
    kind: ClassVar[str] = "Jacobian"


START_Q, START_V, START_LAMBDA = Configuration(0), Velocity(1), Multiplier(2)
"""The state at the start of the step."""

NO_JACOBIAN = Jacobian(-1)
"""Jacobian of a system without constraints, which no instruction reads."""
