"""Group operations as statements, with their left-trivialised tangents.

b = a⁻¹        δb = -Ad(a) δa
c = a∘b        δc = Ad(b⁻¹) δa + δb
h = exp θ      δh = T(θ) δθ
θ = log h      δθ = T⁻¹(θ) δh
θ = log(a⁻¹∘b) δθ = T⁻¹(θ) δb - T⁻¹(-θ) δa,   because T⁻¹(θ) Ad(exp(-θ)) = T⁻¹(-θ)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.groups.rotation import add, zero
from symlie.ir.program import Euclidean, Program, Space, Value, Vector


def _negative(x: Vector) -> Vector:
    return tuple(-c for c in x)


@dataclass(frozen=True)
class GroupOperation:
    """Operation of a group; its result is an element of the group by default."""

    name: ClassVar[str]

    group: LieGroup

    @property
    def result(self) -> Space:
        """Space of the result."""
        return self.group

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Return None: no rewriting."""
        return None


class UnaryOperation(GroupOperation, ABC):
    """Operation with one argument, defined by the linear map from δa to δb."""

    @abstractmethod
    def differential(self, program: Program, argument: Vector, result: Vector, w: Vector, *, transpose: bool) -> Vector:
        """Return the linear map, or its transpose, applied to w."""

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return δb."""
        (tangent,) = tangents
        assert tangent is not None
        return self.differential(program, arguments[0].components, result.components, tangent, transpose=False)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return ā."""
        return (self.differential(program, arguments[0].components, result.components, cotangent, transpose=True),)


class Inverse(UnaryOperation):
    """Inverse, b = a⁻¹."""

    name = "inverse"

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Rewrite (a⁻¹)⁻¹ = a."""
        definition = program.definition(arguments[0].components)
        if definition is not None and definition.operation == self:
            return definition.arguments[0]
        return None

    def differential(self, program: Program, argument: Vector, result: Vector, w: Vector, *, transpose: bool) -> Vector:
        """Return -Ad(a) w."""
        return _negative(operators.adjoint(program, self.group, argument, w, transpose=transpose))

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of the inverse."""
        return self.group.inverse(arguments[0])


class Compose(GroupOperation):
    """Composition, c = a∘b."""

    name = "compose"

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Remove compositions with the identity."""
        a, b = arguments
        if a.components == self.group.identity:
            return b
        return a if b.components == self.group.identity else None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return Ad(b⁻¹) δa + δb."""
        first, second = tangents
        total = second if second is not None else zero(self.group.dimension)
        if first is not None:
            inverse = program.apply(Inverse(self.group), arguments[1])
            total = add(operators.adjoint(program, self.group, inverse.components, first), total)
        return total

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return (Ad(b⁻¹)ᵀ c̄, c̄)."""
        inverse = program.apply(Inverse(self.group), arguments[1])
        first = operators.adjoint(program, self.group, inverse.components, cotangent, transpose=True)
        return first, cotangent

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of the product."""
        return self.group.compose(*arguments)


class Exponential(UnaryOperation):
    """Exponential map, h = exp θ."""

    name = "exp"

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Rewrite exp(log h) = h."""
        definition = program.definition(arguments[0].components)
        if definition is not None and definition.operation == Logarithm(self.group):
            return definition.arguments[0]
        if definition is not None and definition.operation == Difference(self.group):
            a, b = definition.arguments
            return program.apply(Compose(self.group), program.apply(Inverse(self.group), a), b)
        return None

    def differential(self, program: Program, argument: Vector, result: Vector, w: Vector, *, transpose: bool) -> Vector:
        """Return T(θ) w."""
        return operators.tangent_operator(program, self.group, argument, w, transpose=transpose)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of the exponential."""
        return operators.exponential(program, self.group, arguments[0])


class Logarithm(UnaryOperation):
    """Logarithm, θ = log h."""

    name = "log"

    @property
    def result(self) -> Space:
        """Lie algebra as a vector space."""
        return Euclidean(self.group.dimension)

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Merge log(a⁻¹∘b) into one operation; log(exp θ) is not rewritten, since it equals θ only near the
        identity.
        """
        product = program.definition(arguments[0].components)
        if product is not None and product.operation == Compose(self.group):
            inverse = program.definition(product.arguments[0].components)
            if inverse is not None and inverse.operation == Inverse(self.group):
                return program.apply(Difference(self.group), inverse.arguments[0], product.arguments[1])
        return None

    def differential(self, program: Program, argument: Vector, result: Vector, w: Vector, *, transpose: bool) -> Vector:
        """Return T⁻¹(θ) w."""
        return operators.tangent_operator(program, self.group, result, w, inverse=True, transpose=transpose)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of the logarithm."""
        return operators.logarithm(program, self.group, arguments[0])


class Difference(GroupOperation):
    """Logarithm of the relative configuration, θ = log(a⁻¹∘b)."""

    name = "difference"

    @property
    def result(self) -> Space:
        """Lie algebra as a vector space."""
        return Euclidean(self.group.dimension)

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return T⁻¹(θ) δb - T⁻¹(-θ) δa."""
        first, second = tangents
        total = zero(self.group.dimension)
        if second is not None:
            total = operators.tangent_operator(program, self.group, result.components, second, inverse=True)
        if first is not None:
            moved = operators.tangent_operator(
                program, self.group, result.components, first, inverse=True, negative=True
            )
            total = add(total, _negative(moved))
        return total

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return (-T⁻ᵀ(-θ) θ̄, T⁻ᵀ(θ) θ̄)."""

        def pulled(negative: bool) -> Vector:
            return operators.tangent_operator(
                program, self.group, result.components, cotangent, inverse=True, negative=negative, transpose=True
            )

        return _negative(pulled(True)), pulled(False)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of log(a⁻¹∘b)."""
        between = program.vector(self.group.between(*arguments), "h")
        return operators.logarithm(program, self.group, between)
