"""Instructions of variational and symplectic steps: the discrete equations of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Algebra, Configuration, Multiplier, Velocity


@dataclass(frozen=True)
class DiscreteStart(Instruction):
    """Solution of the discrete equations at the start of a step from t + c h to t + (c + 1) h.

    The results are θ, its free part, q at the end on its group, μ and the residual of the solution, divided by h.
    """

    c: float
    q: Configuration
    v: Velocity
    load: Vector
    """l at the start."""
    has_load: Scalar | float
    """If it is 0, l is evaluated."""
    theta: Vector
    """Initial guess of θ."""
    mu: Multiplier
    """Initial guess of μ."""
    is_solution: Scalar | float
    """If it is not 0, the guess is the solution."""
    rest: Vector
    """Residual of this solution, divided by h."""
    has_contacts: bool = False
    """True if contacts may close in the step."""

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Configuration, Multiplier, Algebra)


@dataclass(frozen=True)
class DiscreteEnd(Instruction):
    """Solution of the discrete equations at the end of the step: v, the loads l there, μ, and whether the matrix needs
    derivatives of loads; with contacts also q with their modes, and their forces as multipliers."""

    q_n: Configuration
    v_n: Velocity
    q: Configuration
    theta: Vector
    rest: Vector
    """Residual of the solution at the start, divided by h."""
    is_damped: Scalar
    """If it is not 0, the matrix contains derivatives of loads."""

    mu: Multiplier | None = None
    """μ of the solution at the start, if contacts may close in the step."""

    @property
    def results(self) -> tuple[type[Value], ...]:
        found = Velocity, Algebra, Multiplier, Scalar
        return found if self.mu is None else (*found, Configuration, Multiplier)


@dataclass(frozen=True)
class Impulses(Instruction):
    """Velocity after the impulses of a step at a configuration within it, this configuration with the modes of
    contacts, and the impulses divided by h as multipliers."""

    c: float
    q: Configuration
    v: Velocity

    makes: ClassVar[tuple[type[Value], ...]] = (Velocity, Configuration, Multiplier)


@dataclass(frozen=True)
class SymplecticStage(Instruction):
    """Increment u = h f at the stage t + θ h of a Hamiltonian system on cotangent bundles, and q at the end."""

    theta: float
    q: Configuration

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Configuration)
