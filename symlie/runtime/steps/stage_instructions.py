"""Instruction of stages: accelerations and multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Acceleration, Configuration, Jacobian, Multiplier, Velocity


class NextPoint(NamedTuple):
    """Point at t + c h whose velocity known + h weight·v' satisfies the hidden constraints.

    Constraints that are nonlinear in the velocities are linearised about a guess; B is overwritten.
    """

    c: float
    q: Configuration
    jacobian: Jacobian
    known: Velocity
    weight: float
    guess: Velocity | None
    keeps_mass: bool
    """True if M is that of the previous stage."""


@dataclass(frozen=True)
class Stage(Instruction):
    """v' and λ at t + c h with M v' = -g - Bᵀλ, and with constraints at the stage or at the next point, or for known λ.

    Those of the first stage may be known from the previous step.
    """

    c: float
    q: Configuration
    v: Velocity
    is_first: bool = False
    jacobian: Jacobian | None = None
    """B of the stage if its constraints do not determine λ."""
    condition: NextPoint | Multiplier | None = None
    """Next point, or known λ; None for constraints at the stage."""

    makes: ClassVar[tuple[type[Value], ...]] = (Acceleration, Multiplier)
    has_effects: ClassVar[bool] = True
