"""Instructions of stages: accelerations, multipliers, and rates of local coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Jacobian, Multiplier, StoredRate, Velocity


@dataclass(frozen=True)
class Stage(Instruction):
    """v' and λ at t + c h; those of the first stage may be known from the previous step."""

    c: float
    q: Configuration
    v: Velocity
    is_first: bool

    makes: ClassVar[tuple[type[Value], ...]] = (Acceleration, Multiplier)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class JacobianAt(Instruction):
    """B at t + c h."""

    c: float
    q: Configuration
    v: Velocity

    makes: ClassVar[tuple[type[Value], ...]] = (Jacobian,)


@dataclass(frozen=True)
class DependentRows(Instruction):
    """The constraint equations that B shows to be redundant are omitted from here on."""

    jacobian: Jacobian


@dataclass(frozen=True)
class StageWithMultipliers(Instruction):
    """v' of M v' = -g - Bᵀλ at the start of the step, with λ; both may be known from the previous step."""

    c: float
    q: Configuration
    v: Velocity
    jacobian: Jacobian
    multiplier: Multiplier

    makes: ClassVar[tuple[type[Value], ...]] = (Acceleration, Multiplier)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class StageBetween(Instruction):
    """v' and λ of a stage whose v' satisfies the hidden constraints at the next point, with the velocity
    known + h weight·v' there.

    Constraints that are nonlinear in the velocities are linearised about a guess; the next B is overwritten.
    """

    c: float
    q: Configuration
    v: Velocity
    jacobian: Jacobian
    next_c: float
    next_q: Configuration
    next_jacobian: Jacobian
    known: Velocity
    weight: float
    guess: Velocity | None
    keeps_mass: bool
    """True if M is that of the previous stage."""

    makes: ClassVar[tuple[type[Value], ...]] = (Acceleration, Multiplier)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class MinimalMultipliers(Instruction):
    """λ of minimal norm for the redundancy of B; the omitted equations remain those of the first B."""

    multiplier: Multiplier
    jacobian: Jacobian
    first: Jacobian

    makes: ClassVar[tuple[type[Value], ...]] = (Multiplier,)


@dataclass(frozen=True)
class MultiplierSum(Instruction):
    """Σ weight·λ."""

    weights: tuple[float | Scalar, ...]
    terms: tuple[Multiplier, ...]

    makes: ClassVar[tuple[type[Value], ...]] = (Multiplier,)
    is_elementwise: ClassVar[bool] = True


@dataclass(frozen=True)
class Field(Instruction):
    """v, with the rates of first-order states in their components."""

    c: float
    q: Configuration
    acceleration: Acceleration
    multiplier: Multiplier
    v: Velocity

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)
    overwritten: ClassVar[tuple[str, ...]] = ("v",)


@dataclass(frozen=True)
class CoordinateRate(Instruction):
    """Rates of local coordinates at q for the velocities in a vector."""

    q: Configuration
    x: Algebra

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra,)
    overwritten: ClassVar[tuple[str, ...]] = ("x",)


@dataclass(frozen=True)
class StorageRate(Instruction):
    """Rate of the stored components at q along x."""

    q: Configuration
    x: Algebra

    makes: ClassVar[tuple[type[Value], ...]] = (StoredRate,)


STAGES = (Stage, StageWithMultipliers, StageBetween)
"""Instructions that compute v'."""
