"""Instructions of adjoint steps for solutions of nonlinear equations, and for steps in substeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.steps.discrete_instructions import DiscreteEnd, DiscreteStart
from symlie.runtime.steps.expressions import Value
from symlie.runtime.steps.implicit_instructions import HiddenViolation, ImplicitEnd
from symlie.runtime.steps.instructions import Instruction
from symlie.runtime.steps.values import Algebra, Multiplier


@dataclass(frozen=True)
class ImplicitEndCotangents(Instruction):
    """Cotangents of q at the start of the step, and of v, v' and the rate of first-order states at its end as functions
    of known vectors, from the cotangents of the results of Newton's method; further results are cotangents of the
    increments to earlier configurations."""

    end: ImplicitEnd
    ends: tuple[Value, ...]
    """Results of Newton's method."""
    of_results: tuple[Value | None, ...]

    has_effects: ClassVar[bool] = True

    @property
    def results(self) -> tuple[type[Value], ...]:
        return (Algebra,) * (4 + len(self.end.points))

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.end.inputs, *super().inputs)


@dataclass(frozen=True)
class HiddenViolationCotangents(Instruction):
    """Cotangents of q and v from the cotangent of d = M⁻¹ Bᵀ μ with B d = B v + b."""

    violation: HiddenViolation
    x: Value

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.violation.inputs, self.x)


@dataclass(frozen=True)
class DiscreteStartCotangents(Instruction):
    """Cotangents of q, v and known loads at the start of a variational step from the cotangents of θ, its free part, q
    at the end and μ, or of the guesses of θ and μ if these are the solution."""

    start: DiscreteStart
    ends: tuple[Value, ...]
    """Results of the solution."""
    of_results: tuple[Value | None, ...]

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Algebra, Algebra, Multiplier)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.start.inputs, *super().inputs)


@dataclass(frozen=True)
class DiscreteEndCotangents(Instruction):
    """Cotangents of q at both ends of a variational step and of θ, from the cotangents of v, the loads and μ at its
    end."""

    end: DiscreteEnd
    v: Value
    multiplier: Value
    of_results: tuple[Value | None, ...]

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Algebra)
    has_effects: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (*self.end.inputs, *super().inputs)


@dataclass(frozen=True)
class StartingStepCotangents(Instruction):
    """Cotangents of q, v and λ at the start of a step by the starting method, from those at its end."""

    of_q: Value | None
    of_v: Value | None
    of_multiplier: Value | None

    makes: ClassVar[tuple[type[Value], ...]] = (Algebra, Algebra, Multiplier)
    has_effects: ClassVar[bool] = True
