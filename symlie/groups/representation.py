"""Faithful matrix representation of a group, derived from its composition, and the logarithm of its matrices.

If the composition is affine in its second argument, s ↦ q∘s is a matrix M(q) on the stored components with an appended
one, and M(exp θ) = e^{A(θ)} with A linear in θ. Hence log is the logarithm of the matrix H = M(q), computed by

    X ← X + 3 sinh(Y) (2 + cosh(Y))⁻¹,   e^Y = e^{-X} H,   from X = 0.

sinh(Y) and cosh(Y) follow from e^Y and its inverse e^X M(q⁻¹). X is a function of H, so Y = log H - X commutes with it,
and the remainder Y - 3 sinh(Y)/(2 + cosh(Y)) is of fifth order in Y. By the maximum modulus principle and von Neumann's
inequality, Y decreases wherever the maximum of the remainder on a circle |Y| = r is below r, which holds for r ≤ 2.7.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix, Rational

from symlie.groups.general_functions import (
    DOUBLINGS,
    RADIUS,
    Rows,
    bound_rows,
    combination,
    diagonal_blocks,
    identity_rows,
    polynomial,
    solve,
    taylor_degree,
    times,
)
from symlie.groups.group import LieGroup, algebra_symbols, storage_symbols
from symlie.groups.kinematics import KinematicMatrix, kinematic_matrices
from symlie.ir.program import Program, Vector, substitute

STEPS = 5
"""Iterations of the logarithm; four reach 1e-21 from |log H| ≤ 2.7, and the fifth covers rotations closer to π."""

SMALLEST_STEP = Rational(1, 10**7)
"""Largest accepted square of the last increment; the remaining error is below its fifth power over 100."""


@dataclass(frozen=True)
class Representation:
    """Matrix representation q ↦ M(q) with its generator θ ↦ A(θ)."""

    matrix: ImmutableMatrix
    """M(q) in `storage_symbols`."""
    generator: ImmutableMatrix
    """A(θ) in `algebra_symbols`."""
    coordinates: ImmutableMatrix
    """Map from the row-major entries of A to θ, shape (dimension, entries)."""


@functools.cache
def representation(group: LieGroup) -> Representation:
    """Return the smallest block of the storage, or block diagonal of several, that is faithful near the identity."""
    theta = algebra_symbols(group)
    generator, matrix, rank = Matrix(), Matrix(), 0
    for kinematic in sorted(
        kinematic_matrices(group), key=lambda m: (_rank(m.matrix, theta) < group.dimension, m.matrix.rows)
    ):
        joined = sympy.diag(generator, kinematic.matrix)
        if _rank(joined, theta) > rank:
            generator, rank = joined, _rank(joined, theta)
            matrix = sympy.diag(matrix, _matrix(group, kinematic))
        if rank == group.dimension:
            break
    return Representation(ImmutableMatrix(matrix), ImmutableMatrix(generator), reading(generator, theta))


def reading(generator: Matrix, theta: Vector) -> ImmutableMatrix:
    """Return the least-squares left inverse that maps the row-major entries of A(θ) to θ."""
    entries = Matrix(list(generator)).jacobian(Matrix(theta))
    return ImmutableMatrix((entries.T * entries).inv() * entries.T)


def _rank(generator: Matrix, theta: Vector) -> int:
    """Return the number of components of θ that a linear matrix determines."""
    return int(Matrix(list(generator)).jacobian(Matrix(theta)).rank())


def _matrix(group: LieGroup, kinematic: KinematicMatrix) -> ImmutableMatrix:
    q, s = storage_symbols(group), storage_symbols(group, "h")
    part = [s[i] for i in kinematic.components]
    moved = Matrix([group.compose(q, s)[i] for i in kinematic.components])
    linear = moved.jacobian(Matrix(part)).expand()
    if not kinematic.is_augmented:
        return ImmutableMatrix(linear)
    offset = moved.subs(dict.fromkeys(s, 0), simultaneous=True)
    n = len(part)
    return ImmutableMatrix(sympy.BlockMatrix([[linear, offset], [sympy.zeros(1, n), sympy.eye(1)]]))


def matrix_logarithm(program: Program, group: LieGroup, storage: Vector) -> tuple[Vector, Expr]:
    """Return θ with M(exp θ) = M(q), and the squared length of the last increment."""
    found = representation(group)
    symbols = storage_symbols(group)

    def rows(element: Vector) -> Rows:
        values = dict(zip(symbols, element, strict=True))
        return bound_rows(program, found.matrix.applyfunc(lambda e: substitute(e, values)))

    direct, inverse = rows(storage), rows(program.vector(group.inverse(storage)))
    n = len(direct)
    unit, one = identity_rows(n), Integer(1)
    half = Rational(1, 2)
    total: Rows | None = None
    step: Rows = []
    for _ in range(STEPS):
        forth, back = direct, inverse
        if total is not None:
            cosh, sinh = _hyperbolic(program, total)
            forth = times(program, combination(program, [one, -one], [cosh, sinh]), direct)
            back = times(program, inverse, combination(program, [one, one], [cosh, sinh]))
        right = combination(program, [3 * half, -3 * half], [forth, back])
        step = solve(program, combination(program, [half, half, Integer(2)], [forth, back, unit]), right)
        total = step if total is None else combination(program, [one, one], [total, step])
    assert total is not None
    entries = Matrix([e for row in total for e in row])
    theta = program.vector(found.coordinates * entries)
    blocks = diagonal_blocks(found.generator)
    squares = (step[i][j] ** 2 for block in blocks for i in block for j in block)
    return theta, program.scalar(sum(squares, Integer(0)))


def _hyperbolic(program: Program, matrix: Rows) -> tuple[Rows, Rows]:
    """Return cosh A and sinh A by scaling and doubling."""
    scaled = [[program.scalar(e / 2**DOUBLINGS) for e in row] for row in matrix]
    square = times(program, scaled, scaled)
    degree = taylor_degree(Rational(RADIUS, 2**DOUBLINGS), 0, 2**DOUBLINGS) // 2 + 1
    even = [Rational(1, math.factorial(2 * k)) for k in range(degree + 1)]
    odd = [Rational(1, math.factorial(2 * k + 1)) for k in range(degree + 1)]
    cosh = polynomial(program, even, square)
    sinh = times(program, scaled, polynomial(program, odd, square))
    for _ in range(DOUBLINGS):
        doubled = times(program, cosh, cosh)
        sinh = combination(program, [Integer(2)], [times(program, sinh, cosh)])
        cosh = combination(program, [Integer(2), Integer(-1)], [doubled, identity_rows(len(matrix))])
    return cosh, sinh
