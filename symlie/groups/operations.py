"""Group operations as statements, with their trivialised tangent rules (left trivialisation).

b = a⁻¹        δb = -Ad(a) δa
c = a∘b        δc = Ad(b⁻¹) δa + δb
h = exp θ      δh = T(θ) δθ
θ = log h      δθ = T⁻¹(θ) δh
θ = log(a⁻¹∘b) δθ = T⁻¹(θ) δb - T⁻¹(-θ) δa,   because T⁻¹(θ) Ad(exp(-θ)) = T⁻¹(-θ)
y = R w        δy = R (δΩ × w) + R δw,    y = Rᵀ w:  δy = y × δΩ + Rᵀ δw
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Integer

from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.ir.program import Application, Euclidean, Program, Space, Value, Vector

_SPACE = Euclidean(3)


def _zero(n: int) -> Vector:
    return (Integer(0),) * n


def _negative(x: Vector) -> Vector:
    return tuple(-c for c in x)


def _sum(x: Vector, y: Vector) -> Vector:
    return tuple(a + b for a, b in zip(x, y, strict=True))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@dataclass(frozen=True)
class Inverse:
    """b = a⁻¹."""

    group: LieGroup

    @property
    def name(self) -> str:
        """``inverse``."""
        return "inverse"

    @property
    def result(self) -> Space:
        """The group."""
        return self.group

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """(a⁻¹)⁻¹ = a."""
        definition = program.definition(arguments[0].components)
        if definition is not None and definition.operation == self:
            return definition.arguments[0]
        return None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """-Ad(a) δa."""
        (tangent,) = tangents
        assert tangent is not None
        return _negative(operators.adjoint(program, self.group, arguments[0].components, tangent))

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """-Ad(a)ᵀ b̄."""
        return (_negative(operators.adjoint(program, self.group, arguments[0].components, cotangent, transpose=True)),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Components of the inverse."""
        return self.group.inverse(arguments[0])


@dataclass(frozen=True)
class Compose:
    """c = a∘b."""

    group: LieGroup

    @property
    def name(self) -> str:
        """``compose``."""
        return "compose"

    @property
    def result(self) -> Space:
        """The group."""
        return self.group

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Composition with the identity."""
        a, b = arguments
        if a.components == self.group.identity:
            return b
        return a if b.components == self.group.identity else None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Ad(b⁻¹) δa + δb."""
        first, second = tangents
        total = second if second is not None else _zero(self.group.dimension)
        if first is not None:
            inverse = program.apply(Inverse(self.group), arguments[1])
            total = _sum(operators.adjoint(program, self.group, inverse.components, first), total)
        return total

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """(Ad(b⁻¹)ᵀ c̄, c̄)."""
        inverse = program.apply(Inverse(self.group), arguments[1])
        first = operators.adjoint(program, self.group, inverse.components, cotangent, transpose=True)
        return first, cotangent

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Components of the product."""
        return self.group.compose(*arguments)


@dataclass(frozen=True)
class Factor:
    """b = a_i, one factor of an element of a direct product."""

    group: LieGroup
    index: int
    """Position in ``group.simple_factors``."""

    @property
    def name(self) -> str:
        """``factor``."""
        return "factor"

    @property
    def result(self) -> Space:
        """The factor."""
        return self.group.simple_factors[self.index][0]

    def _slice(self, components: Vector, *, storage: bool) -> Vector:
        factor, storage_offset, offset = self.group.simple_factors[self.index]
        if storage:
            return tuple(components[storage_offset : storage_offset + factor.storage_dimension])
        return tuple(components[offset : offset + factor.dimension])

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """A group that is no product is its own factor; a factor of a constant is a constant."""
        (a,) = arguments
        if not self.group.factors:
            return a
        part = self._slice(a.components, storage=True)
        return Value(part, self.result) if all(c.is_Number for c in part) else None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """The part of δa."""
        (tangent,) = tangents
        assert tangent is not None
        return self._slice(tangent, storage=False)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """b̄ in the part of the factor, zero elsewhere."""
        factor, _, offset = self.group.simple_factors[self.index]
        rest = self.group.dimension - offset - factor.dimension
        return ((*_zero(offset), *cotangent, *_zero(rest)),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """The stored components of the factor."""
        return self._slice(arguments[0], storage=True)


@dataclass(frozen=True)
class Exponential:
    """h = exp θ."""

    group: LieGroup

    @property
    def name(self) -> str:
        """``exp``."""
        return "exp"

    @property
    def result(self) -> Space:
        """The group."""
        return self.group

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """exp(log h) = h."""
        definition = program.definition(arguments[0].components)
        if definition is not None and definition.operation == Logarithm(self.group):
            return definition.arguments[0]
        return None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """T(θ) δθ."""
        (tangent,) = tangents
        assert tangent is not None
        return operators.tangent_operator(program, self.group, arguments[0].components, tangent)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """T(θ)ᵀ h̄."""
        theta = arguments[0].components
        return (operators.tangent_operator(program, self.group, theta, cotangent, transpose=True),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Components of the exponential."""
        return operators.exponential(program, self.group, arguments[0])


@dataclass(frozen=True)
class Logarithm:
    """θ = log h."""

    group: LieGroup

    @property
    def name(self) -> str:
        """``log``."""
        return "log"

    @property
    def result(self) -> Space:
        """The algebra as a plain vector space."""
        return Euclidean(self.group.dimension)

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """log(a⁻¹∘b) is one operation; log(exp θ) = θ holds only near the identity."""
        product = program.definition(arguments[0].components)
        if product is not None and product.operation == Compose(self.group):
            inverse = program.definition(product.arguments[0].components)
            if inverse is not None and inverse.operation == Inverse(self.group):
                return program.apply(Difference(self.group), inverse.arguments[0], product.arguments[1])
        return None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """T⁻¹(θ) δh."""
        (tangent,) = tangents
        assert tangent is not None
        return operators.tangent_operator(program, self.group, result.components, tangent, inverse=True)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """T⁻ᵀ(θ) θ̄."""
        theta = result.components
        return (operators.tangent_operator(program, self.group, theta, cotangent, inverse=True, transpose=True),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Components of the logarithm."""
        return operators.logarithm(program, self.group, arguments[0])


@dataclass(frozen=True)
class Difference:
    """θ = log(a⁻¹∘b)."""

    group: LieGroup

    @property
    def name(self) -> str:
        """``difference``."""
        return "difference"

    @property
    def result(self) -> Space:
        """The algebra as a plain vector space."""
        return Euclidean(self.group.dimension)

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """No rewriting."""
        return None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """T⁻¹(θ) δb - T⁻¹(-θ) δa."""
        first, second = tangents
        total = _zero(self.group.dimension)
        if second is not None:
            total = operators.tangent_operator(program, self.group, result.components, second, inverse=True)
        if first is not None:
            moved = operators.tangent_operator(
                program, self.group, result.components, first, inverse=True, negative=True
            )
            total = _sum(total, _negative(moved))
        return total

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """(-T⁻ᵀ(-θ) θ̄, T⁻ᵀ(θ) θ̄)."""

        def pulled(negative: bool) -> Vector:
            return operators.tangent_operator(
                program, self.group, result.components, cotangent, inverse=True, negative=negative, transpose=True
            )

        return _negative(pulled(True)), pulled(False)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Components of the logarithm of a⁻¹∘b."""
        between = program.vector(self.group.between(*arguments), "h")
        return operators.logarithm(program, self.group, between)


@dataclass(frozen=True)
class Rotate:
    """y = R(q) w or, with ``transpose``, y = R(q)ᵀ w, for a group that acts by rotations."""

    group: LieGroup
    transpose: bool

    @property
    def name(self) -> str:
        """``rotated`` or ``pulled`` back."""
        return "pulled" if self.transpose else "rotated"

    @property
    def result(self) -> Space:
        """R³."""
        return _SPACE

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Rᵀ(R w) = w, R(Rᵀ w) = w, R 0 = 0."""
        q, w = arguments
        if all(c == 0 for c in w.components):
            return w
        definition = program.definition(w.components)
        if (
            definition is not None
            and definition.operation == Rotate(self.group, not self.transpose)
            and definition.arguments[0].components == q.components
        ):
            return definition.arguments[1]
        return None

    def _apply(self, program: Program, q: Value, w: Vector, *, transpose: bool) -> Vector:
        return rotate(program, self.group, q.components, w, transpose=transpose)

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """R (δΩ × w) + R δw, or y × δΩ + Rᵀ δw."""
        q, w = arguments
        motion, rate = tangents
        total = _zero(3)
        if motion is not None:
            spin = rotation_rate(self.group, motion)
            if self.transpose:
                total = cross(result.components, spin)
            else:
                total = self._apply(program, q, program.vector(cross(spin, w.components)), transpose=False)
        if rate is not None:
            total = _sum(total, self._apply(program, q, program.vector(rate), transpose=self.transpose))
        return total

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Adjoints of q and w."""
        q, w = arguments
        back = self._apply(program, q, cotangent, transpose=not self.transpose)
        spin = cross(cotangent, result.components) if self.transpose else cross(w.components, back)
        motion = list(_zero(self.group.dimension))
        for component, index in zip(spin, rotation_indices(self.group), strict=True):
            motion[index] += component
        return tuple(motion), back

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Components of the matrix-vector product."""
        q, w = arguments
        assert self.group.rotation is not None
        r = program.vector(self.group.rotation(q), "R")
        if self.transpose:
            return tuple(sum((r[3 * k + i] * w[k] for k in range(3)), Integer(0)) for i in range(3))
        return tuple(sum((r[3 * i + k] * w[k] for k in range(3)), Integer(0)) for i in range(3))


def rotation_indices(group: LieGroup) -> tuple[int, int, int]:
    """Indices of the components of v that are the body-fixed angular velocity of the rotation matrix."""
    for factor, _, offset in group.simple_factors:
        if factor.rotation is not None:
            return offset, offset + 1, offset + 2
    raise TypeError(f"{group.name} has no rotation matrix")


def rotation_rate(group: LieGroup, tangent: Vector) -> Vector:
    """The angular part of a tangent."""
    i, j, k = rotation_indices(group)
    return tangent[i], tangent[j], tangent[k]


def factor(program: Program, group: LieGroup, storage: Vector, index: int) -> Vector:
    """Storage of one simple factor as a statement, so that its derivative is that of the whole element."""
    return program.apply(Factor(group, index), Value(storage, group)).components


def rotate(program: Program, group: LieGroup, storage: Vector, w: Vector, *, transpose: bool = False) -> Vector:
    """R(q) w or R(q)ᵀ w as one statement; a vector of R³ in symbols."""
    operand = Value(program.vector(w), _SPACE)
    return program.apply(Rotate(group, transpose), Value(storage, group), operand).components


__all__ = [
    "Application",
    "Compose",
    "Exponential",
    "Factor",
    "Inverse",
    "Logarithm",
    "Rotate",
    "cross",
    "factor",
    "rotate",
]
