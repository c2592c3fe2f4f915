"""Values of step programs: vectors of a system, of different kinds, and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from symlie.runtime.steps.expressions import Scalar, Value, Vector


@dataclass(frozen=True)
class Configuration(Value):
    """Configuration q in its stored components."""

    size: ClassVar[str] = "STORAGE"
    kind: ClassVar[str] = "configuration"


@dataclass(frozen=True)
class Velocity(Vector):
    """Velocity v; zero for first-order states."""

    kind: ClassVar[str] = "velocity"


@dataclass(frozen=True)
class Acceleration(Vector):
    """Acceleration v'."""

    kind: ClassVar[str] = "acceleration"


@dataclass(frozen=True)
class Algebra(Vector):
    """Vector of local coordinates: an increment, or a rate of all nodes."""

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


class ImplicitValues(NamedTuple):
    """State at the end of an implicit step."""

    q: Configuration
    v: Velocity
    acceleration: Acceleration
    multiplier: Multiplier
    theta: Algebra
    """Increment of the configuration."""


class UnknownEnd(NamedTuple):
    """Unknowns of an implicit step in local coordinates at its end."""

    theta: Algebra
    """Increment of the configuration."""
    correction: Algebra
    """Bᵀ η of the stabilised index-2 form; zero without η."""
    velocity: Velocity
    """Velocity at the end."""
    element: Configuration
    """Group element exp(θ), known after the step is solved."""
    relative: tuple[Algebra, ...]
    """Increments from the end to earlier configurations."""


START_Q, START_V, START_LAMBDA = Configuration(0), Velocity(1), Multiplier(2)
"""The state at the start of the step."""

STEP_LENGTH = 3
"""Number of the value h."""

PROJECTS = -2
"""Number of the value that is 1 if the run projects the ends of steps onto the constraints, otherwise 0."""

NO_JACOBIAN = Jacobian(-1)
"""Jacobian of a system without constraints, which no instruction reads."""

KINDS: dict[str, type[Value]] = {
    kind.__name__: kind
    for kind in (Configuration, Velocity, Acceleration, Algebra, StoredRate, Multiplier, Jacobian, Scalar)
}
"""Kinds by name."""
