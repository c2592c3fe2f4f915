"""Instruction of implicit steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Multiplier, Velocity


class Formula(NamedTuple):
    """Σ weight·x, a function of the unknowns of an implicit step."""

    weights: tuple[float | Scalar, ...]
    terms: tuple[Vector, ...]


class RelativePoint(NamedTuple):
    """Earlier configuration as a group element relative to that at the start of the step."""

    element: Configuration
    needed: Scalar | None
    """If this number is 0, formulas do not depend on the point."""


@dataclass(frozen=True)
class ImplicitEnd(Instruction):
    """End of the step by Newton's method: q, v, v' and λ there, and the increments θ and w.

        q = q_n∘exp(θ),  w = θ + B_nᵀ η  (or Bᵀ η)
        M v' + g + Bᵀλ = 0,  Φ = 0,  B v + b = 0,  rate of first-order states = v'

    η and the hidden constraints exist in stabilised index-2 form. Formulas determine v and v' as functions of unknowns:
    of w, or, in local coordinates at the end of the step, of θ, of w - θ = Bᵀ η, of v, and of the increments from q to
    earlier configurations. Further results are exp(θ) and these increments.
    """

    guess: Algebra
    multiplier: Multiplier | None
    """Initial guess of λ; None for zero."""
    velocity: Formula
    acceleration: Formula
    rate: Formula
    """v' of first-order states: the rate of their increment; empty without such states."""
    slopes: tuple[float | Scalar, float | Scalar, float | Scalar]
    """Derivatives γ', β' and δ' of v, v' and the rate with respect to w."""
    unknowns: tuple[Vector, ...]
    """w alone; or θ, w - θ, v, and the increments to earlier configurations."""
    points: tuple[RelativePoint, ...] = ()
    offset: Algebra | None = None
    """m - θ in local coordinates at the end of the step: up to products of increments, the derivative of v with respect
    to the configuration is γ' T⁻¹(m)."""

    @property
    def sees_end(self) -> bool:
        """True in local coordinates at the end of the step."""
        return self.offset is not None

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """Formulas of v, v' and the rate of first-order states."""
        return self.velocity, self.acceleration, self.rate

    @property
    def results(self) -> tuple[type[Value], ...]:
        kinds = (Configuration, Velocity, Acceleration, Multiplier, Algebra, Algebra)
        return (*kinds, Configuration, *(Algebra for _ in self.points)) if self.sees_end else kinds

    @property
    def inputs(self) -> tuple[Value, ...]:
        stated = (self.guess, self.multiplier, self.offset, *self.slopes)
        of_formulas = (x for f in self.formulas for x in (*f.weights, *f.terms) if x not in self.unknowns)
        of_points = (x for point in self.points for x in point)
        return tuple(x for x in (*stated, *of_formulas, *of_points) if isinstance(x, Value))
