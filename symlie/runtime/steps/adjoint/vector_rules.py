"""Transposed rules of vectors and group elements.

For configurations, x̄ is paired with the tangent in the Lie algebra. The transposed rules of an increment Q = q∘exp(θ)
and of a rate K = T⁻¹(θ) x are

    θ̄ += T(θ)ᵀ Q̄,  q̄ += Q̄ - ad(θ)ᵀ T(θ)ᵀ Q̄  (1)
    x̄ += T⁻¹(θ)ᵀ K̄,  θ̄ += ∂(K̄ᵀ T⁻¹(θ) x)/∂θ  (2)

and those of group elements x, such as earlier configurations relative to the current one,

    x̄ += -Ad(x)ᵀ z̄  for z = x⁻¹;   x̄ += Ad(y⁻¹)ᵀ z̄,  ȳ += z̄  for z = x∘y  (3)
    ȳ += T⁻¹(θ)ᵀ θ̄,  x̄ += ad(θ)ᵀ θ̄ - T⁻¹(θ)ᵀ θ̄  for θ = log(x⁻¹∘y)  (4)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from symlie.runtime.steps.adjoint.instructions import (
    AdjointTranspose,
    BracketTranspose,
    Chosen,
    FieldCotangents,
    InverseTangentGradient,
    InverseTangentTranspose,
    Part,
    TangentTranspose,
)
from symlie.runtime.steps.adjoint.solution_instructions import HiddenViolationCotangents
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import HiddenViolation
from symlie.runtime.steps.instructions import (
    Add,
    Advance,
    Bracket,
    Combination,
    Instruction,
    InverseTangent,
    Moving,
    Sum,
    Where,
    WithStates,
)
from symlie.runtime.steps.multistep_instructions import Compose, Exponential, Inverse, Relative
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.stage_instructions import Field, MultiplierSum
from symlie.runtime.steps.values import Algebra

Contribution = tuple[Value | None, Value, float | Scalar, int]
"""Value, and x, weight and n of the contribution hⁿ weight·x to its cotangent."""


class VectorRules:
    """Lines of an adjoint step, with the rules of vectors.

    Attributes
    ----------
    lines
        The lines in order.
    """

    def __init__(self, first: int) -> None:
        self._numbers = itertools.count(first)
        self.lines: list[Line] = []

    def append(self, instruction: Instruction) -> tuple[Value, ...]:
        """Append an instruction, and return its results."""
        results = tuple(kind(next(self._numbers)) for kind in instruction.results)
        self.lines.append(Line(instruction, results, for_estimate=False))
        return results

    def one(self, instruction: Instruction) -> Value:
        """Append an instruction with one result, and return it."""
        (found,) = self.append(instruction)
        return found

    def between(self, theta: Value, x: Value, y: Value, of_theta: Value) -> Iterator[Contribution]:
        """Yield the contributions (4) of θ = log(x⁻¹∘y)."""
        moved = self.one(InverseTangentTranspose(theta, of_theta))
        yield y, moved, 1.0, 0
        yield x, moved, -1.0, 0
        yield x, self.one(BracketTranspose(theta, of_theta)), 1.0, 0

    def contributions(self, instruction: Instruction, result: Value, x: Value) -> Iterator[Contribution]:
        """Yield inputs of an instruction with the contributions to their cotangents, hⁿ weight·y, for the cotangent x
        of its result."""
        match instruction:
            case Exponential(theta):
                yield theta, self.one(TangentTranspose(theta, x)), 1.0, 0
            case Inverse(y):
                yield y, self.one(AdjointTranspose(y, x, is_inverse=False)), -1.0, 0
            case Compose(y, z):
                yield y, self.one(AdjointTranspose(z, x, is_inverse=True)), 1.0, 0
                yield z, x, 1.0, 0
            case Relative(y, z):
                yield from self.between(result, y, z, x)
            case Where(_, condition, y, z):
                for value, if_zero in ((y, False), (z, True)):
                    assert isinstance(value, Value)
                    yield value, self.one(Chosen(condition, x, if_zero)), 1.0, 0
            case Sum(base, weights, terms):
                yield base, x, 1.0, 0
                yield from ((y, x, w, 1) for w, y in zip(weights, terms, strict=True))
            case MultiplierSum(weights, terms):
                yield from ((y, x, w, 0) for w, y in zip(weights, terms, strict=True))
            case Add(base, power, weight, y):
                yield base, x, 1.0, 0
                yield y, x, weight, power
            case Combination(_, weights, terms):
                yield from ((y, x, w, 0) for w, y in zip(weights, terms, strict=True))
            case WithStates(_, y, of_states):
                yield y, self.one(Part(x, of_states=False)), 1.0, 0
                yield of_states, self.one(Part(x, of_states=True)), 1.0, 0
            case HiddenViolation(q, v):
                found = self.append(HiddenViolationCotangents(instruction, x))
                yield from ((y, z, 1.0, 0) for y, z in zip((q, v), found, strict=True))
            case Moving(y):
                assert isinstance(x, Algebra)
                yield y, self.one(Moving(x)), 1.0, 0
            case Bracket(y, z):
                yield z, self.one(BracketTranspose(y, x)), 1.0, 0
                yield y, self.one(BracketTranspose(z, x)), -1.0, 0
            case InverseTangent(theta, y):
                yield y, self.one(InverseTangentTranspose(theta, x)), 1.0, 0
                yield theta, self.one(InverseTangentGradient(theta, y, x)), 1.0, 0
            case Field(_, q, a, multiplier, v):
                found = self.append(FieldCotangents(instruction, x))
                yield from ((y, z, 1.0, 0) for y, z in zip((q, v, a, multiplier), found, strict=True))
            case Advance(q, theta):
                moved = self.one(TangentTranspose(theta, x))
                yield theta, moved, 1.0, 0
                yield q, x, 1.0, 0
                yield q, self.one(BracketTranspose(theta, moved)), -1.0, 0
            case _:
                raise AssertionError(instruction)
