"""Rotations and factors: the group operations that the derived operators themselves use.

y = R w        δy = R (δΩ × w) + R δw,    y = Rᵀ w:  δy = y × δΩ + Rᵀ δw
b = a_i        δb = δa_i
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Expr, Integer

from symlie.ir.program import Euclidean, Program, Space, Value, Vector

if TYPE_CHECKING:
    from symlie.groups.group import LieGroup

_SPACE = Euclidean(3)


def zero(n: int) -> Vector:
    """The zero vector of n components."""
    return (Integer(0),) * n


def add(x: Vector, y: Vector) -> Vector:
    """x + y."""
    return tuple(a + b for a, b in zip(x, y, strict=True))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


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
        total = zero(3)
        if motion is not None:
            spin = rotation_rate(self.group, motion)
            if self.transpose:
                total = cross(result.components, spin)
            else:
                total = self._apply(program, q, program.vector(cross(spin, w.components)), transpose=False)
        if rate is not None:
            total = add(total, self._apply(program, q, program.vector(rate), transpose=self.transpose))
        return total

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Adjoints of q and w."""
        q, w = arguments
        back = self._apply(program, q, cotangent, transpose=not self.transpose)
        spin = cross(cotangent, result.components) if self.transpose else cross(w.components, back)
        motion = list(zero(self.group.dimension))
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
        return ((*zero(offset), *cotangent, *zero(rest)),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """The stored components of the factor."""
        return self._slice(arguments[0], storage=True)


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


def rotate(program: Program, group: LieGroup, storage: Vector, w: Vector, *, transpose: bool = False) -> Vector:
    """R(q) w or R(q)ᵀ w as one statement; a vector of R³ in symbols."""
    operand = Value(program.vector(w), _SPACE)
    return program.apply(Rotate(group, transpose), Value(storage, group), operand).components


def factor(program: Program, group: LieGroup, storage: Vector, index: int) -> Vector:
    """Storage of one simple factor as a statement, so that its derivative is that of the whole element."""
    return program.apply(Factor(group, index), Value(storage, group)).components
