"""Rotations and factors: group operations on which the derived operators depend.

y = R w        δy = R (S(δq) w) + R δw,    y = Rᵀ w:  δy = -S(δq) y + Rᵀ δw
b = a_i        δb = δa_i

S(v) is the derivative of R in the direction v at the identity, a skew-symmetric matrix: Ω̃ in space, Ω times the
rotation by π/2 in the plane.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy
from sympy import Add, Expr, ImmutableMatrix, Integer, Matrix

from symlie.ir.program import Euclidean, Program, Space, Value, Vector

if TYPE_CHECKING:
    from symlie.groups.group import LieGroup


def zero(n: int) -> Vector:
    """Return the zero vector of n components."""
    return (Integer(0),) * n


def add(x: Vector, y: Vector) -> Vector:
    """Return x + y."""
    return tuple(a + b for a, b in zip(x, y, strict=True))


def dot(x: Sequence[Expr], y: Sequence[Expr]) -> Expr:
    """Return x·y."""
    return Add(*[a * b for a, b in zip(x, y, strict=True)])


@dataclass(frozen=True)
class Rotate:
    """Rotation of a vector, y = R(q) w or, with ``transpose``, y = R(q)ᵀ w."""

    group: LieGroup
    transpose: bool

    @property
    def name(self) -> str:
        """Name of the operation, ``rotated`` or ``pulled`` (back)."""
        return "pulled" if self.transpose else "rotated"

    @property
    def result(self) -> Space:
        """Space on which the rotation matrix acts."""
        return Euclidean(rotation_size(self.group))

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Rewrite Rᵀ(R w) = w, R(Rᵀ w) = w and R 0 = 0."""
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
        """Return R (S(δq) w) + R δw, or -S(δq) y + Rᵀ δw."""
        q, w = arguments
        motion, rate = tangents
        total = zero(rotation_size(self.group))
        if motion is not None:
            turned = self._turned(motion, result.components if self.transpose else w.components)
            if self.transpose:
                total = tuple(-c for c in turned)
            else:
                total = self._apply(program, q, program.vector(turned), transpose=False)
        if rate is not None:
            total = add(total, self._apply(program, q, program.vector(rate), transpose=self.transpose))
        return total

    def _turned(self, motion: Vector, w: Vector) -> Vector:
        """Return S(δq) w."""
        total: list[Expr] = list(zero(len(w)))
        for c, generator in zip(motion, rotation_generators(self.group), strict=True):
            for (i, j), entry in generator.todok().items():
                total[i] += c * entry * w[j]
        return tuple(total)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return the adjoints of q and w."""
        q, w = arguments
        back = self._apply(program, q, cotangent, transpose=not self.transpose)
        left, right = (tuple(-c for c in cotangent), result.components) if self.transpose else (back, w.components)
        motion = tuple((Matrix([left]) * g * Matrix(right))[0].expand() for g in rotation_generators(self.group))
        return motion, back

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of the matrix-vector product."""
        q, w = arguments
        assert self.group.rotation is not None
        n = rotation_size(self.group)
        r = program.vector(self.group.rotation(q), "R")
        if self.transpose:
            return tuple(sum((r[n * k + i] * w[k] for k in range(n)), Integer(0)) for i in range(n))
        return tuple(sum((r[n * i + k] * w[k] for k in range(n)), Integer(0)) for i in range(n))


@dataclass(frozen=True)
class Factor:
    """Projection b = a_i on one factor of a direct product."""

    group: LieGroup
    index: int
    """Index in ``group.simple_factors``."""

    @property
    def name(self) -> str:
        """Name of the operation, ``factor``."""
        return "factor"

    @property
    def result(self) -> Space:
        """Space of the factor."""
        return self.group.simple_factors[self.index][0]

    def _slice(self, components: Vector, *, storage: bool) -> Vector:
        factor, storage_offset, offset = self.group.simple_factors[self.index]
        if storage:
            return tuple(components[storage_offset : storage_offset + factor.storage_dimension])
        return tuple(components[offset : offset + factor.dimension])

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Replace the factor of a group that is not a product, or of a constant."""
        (a,) = arguments
        if not self.group.factors:
            return a
        part = self._slice(a.components, storage=True)
        return Value(part, self.result) if all(c.is_Number for c in part) else None

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return the part of δa."""
        (tangent,) = tangents
        assert tangent is not None
        return self._slice(tangent, storage=False)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return b̄ in the part of the factor, zero elsewhere."""
        factor, _, offset = self.group.simple_factors[self.index]
        rest = self.group.dimension - offset - factor.dimension
        return ((*zero(offset), *cotangent, *zero(rest)),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the stored components of the factor."""
        return self._slice(arguments[0], storage=True)


@functools.cache
def rotation_size(group: LieGroup) -> int:
    """Return the size of the rotation matrix of a group: 2 in the plane, 3 in space."""
    if group.rotation is None:
        raise TypeError(f"{group.name} has no rotation matrix")
    return math.isqrt(len(group.rotation(group.identity)))


@functools.cache
def rotation_generators(group: LieGroup) -> tuple[ImmutableMatrix, ...]:
    """Return ∂R/∂v_k of exp(v) at the identity, one square matrix for each velocity component."""
    size = rotation_size(group)
    generators: list[ImmutableMatrix] = []
    for simple, _, _ in group.simple_factors:
        definition = simple.coordinates_of or simple
        if definition.rotation is None:
            generators += [ImmutableMatrix.zeros(size, size)] * simple.dimension
            continue
        q = sympy.symbols(f"q0:{definition.storage_dimension}", real=True)
        rates = Matrix(definition.rotation(q)).jacobian(Matrix(q)) * definition.basis
        identity = dict(zip(q, definition.identity, strict=True))
        rates = rates.applyfunc(lambda rate, identity=identity: rate.xreplace(identity))
        generators += [ImmutableMatrix(size, size, list(rates[:, k])) for k in range(simple.dimension)]
    return tuple(generators)


def rotate(program: Program, group: LieGroup, storage: Vector, w: Vector, *, transpose: bool = False) -> Vector:
    """Return R(q) w or R(q)ᵀ w as the symbols of one statement."""
    operand = Value(program.vector(w), Euclidean(len(w)))
    return program.apply(Rotate(group, transpose), Value(storage, group), operand).components


def factor(program: Program, group: LieGroup, storage: Vector, index: int) -> Vector:
    """Return the storage of one simple factor as a statement, so that derivatives refer to the whole element."""
    return program.apply(Factor(group, index), Value(storage, group)).components
