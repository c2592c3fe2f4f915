"""Faithful matrix representation of a group, derived from its composition, and the logarithm of its matrices.

If the composition is affine in its second argument, s ↦ q∘s is a matrix M(q) on the stored components with an appended
one, and M(exp θ) = e^{A(θ)} with A linear in θ. Hence log is the logarithm of the matrix H = M(q), with C = (H - 1)
(H + 1)⁻¹:

    log H = 2 artanh C = ∫₀¹ (1 - sC)⁻¹ C + (1 + sC)⁻¹ C ds
          = ∫₀¹ ((1-s) H + 1 + s)⁻¹ (H - 1) + ((1-s) H⁻¹ + 1 + s)⁻¹ (1 - H⁻¹) ds

A rotation by π - δ has an eigenvalue 2i/δ of C, so that the integrand varies over s ~ δ. Nodes whose distances grow
geometrically integrate all rotations with |δ| > 1e-14 to `QUADRATURE`. Iterations remove the error:

    X ← X + 3 sinh(Y) (2 + cosh(Y))⁻¹,   e^Y = e^{-X} H

sinh(Y) and cosh(Y) follow from e^Y and its inverse e^X M(q⁻¹). X is a function of H, so Y = log H - X commutes with it,
and the remainder Y - 3 sinh(Y)/(2 + cosh(Y)) is of fifth order in Y. By the maximum modulus principle and von Neumann's
inequality, Y decreases wherever the maximum of the remainder on a circle |Y| = r is below r, which holds for r ≤ 2.7.
The symmetric parts of all matrices that are solved with are positive definite for rotations H.
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
    norm_squared,
    polynomial,
    solve,
    taylor_degree,
    times,
)
from symlie.groups.group import LieGroup, algebra_symbols, storage_symbols
from symlie.groups.kinematics import KinematicMatrix, kinematic_matrices
from symlie.ir.program import Program, Vector, substitute

NODES: tuple[tuple[Rational, Rational], ...] = (
    *((Rational(1, 3 * 10**k), Rational(3, 4 * 10**k)) for k in (0, 1)),
    *((Rational(1, 10**k), Rational(23, 5 * 10**k)) for k in (3, 5, 7, 9, 11, 13)),
    (Rational(1, 2 * 10**14), Rational(1, 10**14)),
)
"""Nodes s and weights of the integral: geometric mean and ln(b/a) √(a b) of the intervals [a, b] between 1, 0.1, 0.01,
1e-4, …, 1e-14, and the rest."""

QUADRATURE = 1.8
"""Largest error of the integral for rotations by up to π - 1e-14, in rad."""

STEPS = 3
"""Iterations of the logarithm; from an error of `QUADRATURE` they reach 0.16, 1e-6 and 1e-32."""

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
    before, after = (combination(program, [one, -one], pair) for pair in ([direct, unit], [unit, inverse]))
    parts: list[Rows] = []
    for s, _ in NODES:
        for matrix, right in ((direct, before), (inverse, after)):
            parts.append(solve(program, combination(program, [1 - s, 1 + s], [matrix, unit]), right))
    total = combination(program, [weight for _, weight in NODES for _ in range(2)], parts)
    step: Rows = []
    for _ in range(STEPS):
        cosh, sinh = _hyperbolic(program, total)
        forth = times(program, combination(program, [one, -one], [cosh, sinh]), direct)
        back = times(program, inverse, combination(program, [one, one], [cosh, sinh]))
        right = combination(program, [3 * half, -3 * half], [forth, back])
        step = solve(program, combination(program, [half, half, Integer(2)], [forth, back, unit]), right)
        total = combination(program, [one, one], [total, step])
    entries = Matrix([e for row in total for e in row])
    theta = program.vector(found.coordinates * entries)
    blocks = diagonal_blocks(found.generator)
    squares = (step[i][j] ** 2 for block in blocks for i in block for j in block)
    return theta, program.scalar(sum(squares, Integer(0)))


def generator_size(program: Program, group: LieGroup, theta: Vector) -> Expr:
    """Return an upper bound of ‖A(θ)‖², which limits the domain of the logarithm to `RADIUS`²."""
    found = representation(group).generator
    values = dict(zip(algebra_symbols(group), theta, strict=True))
    return norm_squared(program, bound_rows(program, found.xreplace(values)), Matrix(found))


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
