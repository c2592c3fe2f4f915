"""Coordinates of the second kind: products of exponentials of the basis vectors, exp(u₁e₁)∘…∘exp(u_n e_n).

    q' = D L_q M(u) u',    M_i = Ad(exp(-u_n e_n)) … Ad(exp(-u_{i+1} e_{i+1})) e_i     for right multiplication
    q' = D R_q N(u) u',    N_i = Ad(exp(u₁ e₁)) … Ad(exp(u_{i-1} e_{i-1})) e_i          for a left action

For one basis vector, exp and Ad = exp(ad) are elementary functions if A³ = c A: sines and cosines for rotations,
polynomials for translations. M is the identity at u = 0 and regular near it; on SO(3) it is singular at u₂ = π/2. It is
inverted by normal equations, whose elimination needs no pivoting.
Source: [Owren2001].
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix, Symbol

from symlie.errors import GroupError
from symlie.groups.group import LieGroup, algebra_symbols
from symlie.groups.kinematics import moved_identity
from symlie.groups.operators import CHART_LIMIT, ad_matrix, chart
from symlie.ir.program import Program, Vector

_T = Symbol("t", real=True)


def second_kind(program: Program, group: LieGroup, u: Vector) -> Vector:
    """Return the storage of exp(u₁e₁)∘…∘exp(u_n e_n), or raise `GroupError` if an exponential is not elementary."""
    result: list[Expr] = []
    for g, _, offset in group.simple_factors:
        if g.coordinates_of is not None:
            raise _refusal(g)
        result += moved_identity(g, functools.partial(_product, program, g, u[offset : offset + g.dimension]))
    return tuple(result)


def second_kind_inverse(program: Program, group: LieGroup, u: Vector, w: Vector, *, is_left: bool = False) -> Vector:
    """Return M⁻¹(u) w, or N⁻¹(u) w for a left action."""
    result: list[Expr] = []
    for g, _, offset in group.simple_factors:
        part, operand = u[offset : offset + g.dimension], w[offset : offset + g.dimension]
        columns = _columns(program, g, part, is_left)
        result += operand if columns is None else _solved(program, columns, operand)[0]
    return tuple(result)


def second_kind_chart(program: Program, group: LieGroup, u: Vector) -> Expr:
    """Return the maximum of `operators.chart` and of `CHART_LIMIT` times 1.01 - det(M)² over the simple factors."""
    sizes = [chart(program, group, u)]
    for g, _, offset in group.simple_factors:
        part = u[offset : offset + g.dimension]
        columns = _columns(program, g, part, False)
        if columns is not None:
            squared = _solved(program, columns, (Integer(0),) * g.dimension)[1]
            sizes.append(program.scalar(CHART_LIMIT * (sympy.Rational(101, 100) - squared)))
    return sympy.Max(*sizes) if len(sizes) > 1 else sizes[0]


def _product(program: Program, group: LieGroup, u: Vector, matrix: ImmutableMatrix, x: Vector) -> Vector:
    """Return exp(u₁A₁) … exp(u_n A_n) x with the values A_k of a matrix at the basis vectors."""
    for k in reversed(range(group.dimension)):
        x = _applied(program, group, matrix, k, u[k], x)
    return x


def _columns(program: Program, group: LieGroup, u: Vector, is_left: bool) -> list[Vector] | None:
    """Return the columns of M or N; None for a commutative group."""
    n = group.dimension
    matrix = ImmutableMatrix(ad_matrix(group))
    if matrix.is_zero_matrix:
        return None
    columns = []
    for i in range(n):
        column: Vector = tuple(Integer(int(k == i)) for k in range(n))
        for k in reversed(range(i)) if is_left else range(i + 1, n):
            column = _applied(program, group, matrix, k, u[k] if is_left else -u[k], column)
        columns.append(column)
    return columns


def _solved(program: Program, columns: Sequence[Vector], right: Vector) -> tuple[Vector, Expr]:
    """Return the solution of MᵀM x = Mᵀ b, and det(M)²."""
    n = len(columns)

    def dot(x: Sequence[Expr], y: Sequence[Expr]) -> Expr:
        return program.scalar(sum((a * b for a, b in zip(x, y, strict=True)), Integer(0)))

    gram = [[dot(columns[i], columns[j]) for j in range(n)] for i in range(n)]
    x = [dot(column, right) for column in columns]
    determinant: Expr = Integer(1)
    for k in range(n):
        determinant = determinant * gram[k][k]
        for i in range(k + 1, n):
            factor = program.scalar(gram[i][k] / gram[k][k])
            x[i] = program.scalar(x[i] - factor * x[k])
            for j in range(k + 1, n):
                gram[i][j] = program.scalar(gram[i][j] - factor * gram[k][j])
    for k in reversed(range(n)):
        known = sum((gram[k][j] * x[j] for j in range(k + 1, n)), Integer(0))
        x[k] = program.scalar((x[k] - known) / gram[k][k])
    return tuple(x), program.scalar(determinant)


def _applied(program: Program, group: LieGroup, matrix: ImmutableMatrix, axis: int, t: Expr, x: Vector) -> Vector:
    """Return exp(t A) x with A at one basis vector."""
    exponential = _elementary(group, matrix, axis)
    return program.vector(exponential.xreplace({_T: t}) * Matrix(x))


@functools.cache
def _elementary(group: LieGroup, matrix: ImmutableMatrix, axis: int) -> ImmutableMatrix:
    """Return exp(t A) with A at the basis vector of an axis, or raise `GroupError` unless A³ = c A."""
    unit = {s: Integer(int(k == axis)) for k, s in enumerate(algebra_symbols(group))}
    a = matrix.subs(unit, simultaneous=True)
    square, one = a * a, sympy.eye(a.rows)
    cube = (square * a).expand()
    if cube.is_zero_matrix:
        return ImmutableMatrix(one + _T * a + _T**2 / 2 * square)
    first = next(i for i, entry in enumerate(a) if entry != 0)
    ratio = list(cube)[first] / list(a)[first]
    if not ratio.is_number or ratio == 0 or not (cube - ratio * a).expand().is_zero_matrix:
        raise _refusal(group)
    root = sympy.sqrt(abs(ratio))
    sine, cosine = (sympy.sin, sympy.cos) if ratio < 0 else (sympy.sinh, sympy.cosh)
    return ImmutableMatrix((one + sine(root * _T) / root * a + (cosine(root * _T) - 1) / ratio * square).expand())


def _refusal(group: LieGroup) -> GroupError:
    return GroupError(
        f"Coordinates of the second kind of {group} are not elementary: along a basis vector its matrices do not "
        "satisfy A³ = c A; use exp."
    )
