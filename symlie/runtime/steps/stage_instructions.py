"""Instructions of stages: accelerations and multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Acceleration, Configuration, Jacobian, Multiplier, Velocity


@dataclass(frozen=True)
class Stage(Instruction):
    """v' and λ at t + c h; those of the first stage may be known from the previous step.

    If λ is given, v' satisfies M v' = -g - Bᵀλ.
    """

    c: float
    q: Configuration
    v: Velocity
    is_first: bool
    jacobian: Jacobian | None = None
    multiplier: Multiplier | None = None

    makes: ClassVar[tuple[type[Value], ...]] = (Acceleration, Multiplier)
    has_effects: ClassVar[bool] = True


@dataclass(frozen=True)
class DependentRows(Instruction):
    """The constraint equations that B shows to be redundant are omitted from here on."""

    jacobian: Jacobian


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


STAGES = (Stage, StageBetween)
"""Instructions that compute v'."""
