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

from symlie.runtime.steps.adjoint.instructions import Transpose
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.instructions import Instruction, Kernel, Operation, Sum, Where
from symlie.runtime.steps.program import Line
from symlie.runtime.steps.values import Algebra, Multiplier

KERNELS = (
    "advance", "bracket", "chart", "compose", "exponential", "field", "increment", "inverse",
    "inverse_tangent_operator", "jacobian",
)  # fmt: skip
"""System kernels with transposed rules; Jacobians have no cotangents, since stages contain their derivatives."""

Contribution = tuple[Value | None, Value, float | Scalar]
"""Value, and x and weight of the contribution weight·x to its cotangent."""


def kind_of(value: Value) -> type[Value]:
    """Return the kind of the cotangent of a vector."""
    return Multiplier if isinstance(value, Multiplier) else Algebra


class VectorRules:
    """Lines of an adjoint step, with the rules of vectors.

    Attributes
    ----------
    lines
        The lines in order.
    products
        Lines before them: products of constants with the length of the step.
    """

    def __init__(self, first: int) -> None:
        self._numbers = itertools.count(first)
        self._scaled: dict[float | Scalar, Scalar] = {}
        self.lines: list[Line] = []
        self.products: list[Line] = []

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
        moved = self.one(Kernel("inverse_tangent_transpose", (theta, of_theta)))
        yield y, moved, 1.0
        yield x, moved, -1.0
        yield x, self.one(Kernel("bracket_transpose", (theta, of_theta))), 1.0

    def contributions(self, instruction: Instruction, result: Value, x: Value) -> Iterator[Contribution]:
        """Yield inputs of an instruction with the contributions to their cotangents, weight·y, for the cotangent x of
        its result."""
        match instruction:
            case Sum(_, base, scale, weights, terms):
                yield base, x, 1.0
                yield from ((y, x, self._product(w, scale)) for w, y in zip(weights, terms, strict=True))
            case Where(_, condition, y, z):
                if isinstance(y, Value):
                    yield y, self.one(Where(kind_of(x), condition, x, 0.0)), 1.0
                if isinstance(z, Value):
                    yield z, self.one(Where(kind_of(x), condition, 0.0, x)), 1.0
            case Kernel(_, values):
                yield from self._of_kernel(instruction, values, result, x)
            case _:
                raise AssertionError(instruction)

    def _of_kernel(self, kernel: Kernel, values: tuple[Value, ...], result: Value, x: Value) -> Iterator[Contribution]:
        """Yield the contributions of a system kernel."""
        match kernel.name, values:
            case "exponential", (theta,):
                yield theta, self.one(Kernel("tangent_transpose", (theta, x))), 1.0
            case "inverse", (y,):
                yield y, self.one(Transpose(kernel, (y,), (x,), (Algebra,))), -1.0
            case "compose", (y, z):
                yield y, self.one(Transpose(kernel, (z,), (x,), (Algebra,))), 1.0
                yield z, x, 1.0
            case "increment", (y, z):
                yield from self.between(result, y, z, x)
            case "bracket", (y, z):
                yield z, self.one(Kernel("bracket_transpose", (y, x))), 1.0
                yield y, self.one(Kernel("bracket_transpose", (z, x))), -1.0
            case "inverse_tangent_operator", (theta, y):
                yield y, self.one(Kernel("inverse_tangent_transpose", (theta, x))), 1.0
                yield theta, self.one(Kernel("inverse_tangent_gradient", (theta, y, x))), 1.0
            case "field", _:
                found = self.append(Transpose(kernel, values, (x,), tuple(map(kind_of, values))))
                yield from ((y, z, 1.0) for y, z in zip(values, found, strict=True))
            case "advance", (q, theta):
                moved = self.one(Kernel("tangent_transpose", (theta, x)))
                yield theta, moved, 1.0
                yield q, x, 1.0
                yield q, self.one(Kernel("bracket_transpose", (theta, moved))), -1.0
            case _:
                raise AssertionError(kernel)

    def _product(self, weight: float | Scalar, scale: float | Scalar) -> float | Scalar:
        """Return the product of a weight and a scale, which is 1 or h; products with constants begin the program."""
        if not isinstance(scale, Scalar):
            return weight
        if weight not in self._scaled:
            self._scaled[weight] = Scalar(next(self._numbers), scale.operate)
            line = Line(Operation("*", weight, scale), (self._scaled[weight],), for_estimate=False)
            (self.lines if isinstance(weight, Scalar) else self.products).append(line)
        return self._scaled[weight]
