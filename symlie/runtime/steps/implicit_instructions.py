"""Instructions of implicit steps, and of arrays that a method carries from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Multiplier, Velocity


class Formula(NamedTuple):
    """slope·w + Σ weight·x, a function of the unknown increment w."""

    slope: float | Scalar
    weights: tuple[float | Scalar, ...]
    terms: tuple[Vector, ...]

    @property
    def depends_on_increment(self) -> bool:
        """True if the slope is not the constant zero."""
        return isinstance(self.slope, Scalar) or self.slope != 0

    @property
    def inputs(self) -> Iterator[Value]:
        """Values other than the increment."""
        yield from (x for x in (self.slope, *self.weights) if isinstance(x, Scalar))
        yield from self.terms


@dataclass(frozen=True)
class ImplicitEnd(Instruction):
    """End of the step by Newton's method: q, v, v' and λ there, and the increments θ and w.

        q = q_n∘exp(θ),  w = θ + B_nᵀ η
        M v' + g + Bᵀλ = 0,  Φ = 0,  B v + b = 0,  rate of first-order states = v'

    η and the hidden constraints exist in stabilised index-2 form. Formulas determine v and v' as functions of w.
    """

    guess: Algebra
    multiplier: Multiplier | None
    """Initial guess of λ; None for zero."""
    velocity: Formula
    acceleration: Formula
    rate: Formula
    """v' of first-order states: the rate of their increment."""

    makes: ClassVar[tuple[type[Value], ...]] = (Configuration, Velocity, Acceleration, Multiplier, Algebra, Algebra)

    @property
    def inputs(self) -> tuple[Value, ...]:
        formulas = (self.velocity, self.acceleration, self.rate)
        return (*super().inputs, *(x for formula in formulas for x in formula.inputs))


@dataclass(frozen=True)
class HiddenViolation(Instruction):
    """d = M⁻¹ Bᵀ μ with B d = B v + b at the start of the step, for holonomic constraints.

    If ``needed`` is zero and the step has no error estimate, d is zero.
    """

    q: Configuration
    v: Velocity
    needed: Scalar | None

    makes: ClassVar[tuple[type[Value], ...]] = (Velocity,)


@dataclass(frozen=True)
class Carried(Instruction):
    """Vector or number from the previous step."""

    name: str
    kind: type[Value]

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (self.kind,)


@dataclass(frozen=True)
class Carry(Instruction):
    """Vector for the next step, without values that numerical damping has made negligible."""

    name: str
    x: Vector | Multiplier


@dataclass(frozen=True)
class CarryNumber(Instruction):
    """Number for the next step."""

    name: str
    x: Scalar | float


@dataclass(frozen=True)
class FirstAcceleration(Instruction):
    """v' at the start of the step, if no stage computes it."""

    acceleration: Acceleration
