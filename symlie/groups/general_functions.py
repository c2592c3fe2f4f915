"""Functions of matrices with any spectrum, as statements: exp and dexp by Taylor polynomials, dexp⁻¹ with its pole.

All hold for matrices A with ‖A‖₂ < RADIUS; `norm_squared` is a bound that a program computes beside them.

    e^A               = (p(A/4))⁴,  p the Taylor polynomial of degree 20
    (e^A - 1)/A       its Taylor polynomial
    A/(e^A - 1)       = 1 - A/2 + 2 A² (A² + 4π²)⁻¹ + Σ_k c_k (-1)^k A^{2k+2},  c_k = 2 (ζ(2k+2) - 1)/(2π)^{2k+2}

The last is the partial fraction series of coth with its nearest pole set apart, which moves the radius of convergence
from 2π to 4π. A² + 4π² has a positive definite symmetric part for ‖A‖ < 2π, so elimination needs no pivoting. Degrees
are the smallest whose remainders, weighted by the square of the power, are below 2⁻⁵³: the weight serves matrices that
are block triangular with blocks below the diagonal of any size, such as ad of affine groups.
Source: [Higham2008], chapter 10; bounds by the triangle inequality.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import sympy
from sympy import Expr, Float, Integer, Matrix, Rational

from symlie.ir.program import Program, Vector

RADIUS = 5
"""Norm of A up to which everything here is accurate; below 2π, where A/(e^A - 1) has its first pole."""

DOUBLINGS = 2
"""e^A is (e^{A/4})⁴."""

DIGITS = 40
"""Digits of constants that are not rational."""

Rows = list[list[Expr]]
"""A matrix as bound statements: symbols and numbers."""


def bound_rows(program: Program, matrix: Matrix, *, transpose: bool = False) -> Rows:
    """Entries of a matrix bound to symbols."""
    matrix = matrix.T if transpose else matrix
    return [[program.scalar(e) for e in matrix.row(i)] for i in range(matrix.rows)]


def identity_rows(n: int) -> Rows:
    """The identity."""
    return [[Integer(int(i == j)) for j in range(n)] for i in range(n)]


def times(program: Program, a: Rows, b: Rows) -> Rows:
    """a b."""
    columns = list(zip(*b, strict=True))
    return [[program.scalar(_dot(row, column)) for column in columns] for row in a]


def times_vector(a: Rows, x: Sequence[Expr]) -> Vector:
    """a x, not bound."""
    return tuple(_dot(row, x) for row in a)


def combination(program: Program, weights: Sequence[Expr], matrices: Sequence[Rows]) -> Rows:
    """Σ weight·matrix."""
    n = len(matrices[0])
    return [
        [program.scalar(sum((w * m[i][j] for w, m in zip(weights, matrices, strict=True)), Integer(0)))
         for j in range(n)]
        for i in range(n)
    ]  # fmt: skip


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return sum((x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0), Integer(0))


def polynomial(program: Program, coefficients: Sequence[Expr], matrix: Rows) -> Rows:
    """Σ c_k Aᵏ by Paterson and Stockmeyer's scheme: blocks of four powers, Horner in A⁴."""
    powers = [identity_rows(len(matrix)), matrix]
    while len(powers) < 5 and len(powers) < len(coefficients):
        powers.append(times(program, powers[-1], matrix))
    groups = [coefficients[k : k + 4] for k in range(0, len(coefficients), 4)]
    if len(groups) > 1 and len(groups[-1]) == 1:  # the last coefficient goes with A⁴ itself
        (last,) = groups.pop()
        groups[-1] = [*groups[-1], last]
    result = combination(program, groups[-1], powers[: len(groups[-1])])
    for group in reversed(groups[:-1]):
        product = times(program, result, powers[4])
        result = combination(program, [*group, Integer(1)], [*powers[: len(group)], product])
    return result


def exponential_matrix(program: Program, matrix: Rows) -> Rows:
    """e^A by scaling and squaring."""
    scaled = [[program.scalar(e / 2**DOUBLINGS) for e in row] for row in matrix]
    coefficients = [Rational(1, math.factorial(k)) for k in range(exponential_degree() + 1)]
    result = polynomial(program, coefficients, scaled)
    for _ in range(DOUBLINGS):
        result = times(program, result, result)
    return result


def divided_exponential(program: Program, matrix: Rows, x: Vector) -> Vector:
    """(e^A - 1)/A x: powers act on the vector, by Horner's scheme."""
    result = x
    for k in range(divided_exponential_degree(), 0, -1):
        product = times_vector(matrix, result)
        result = program.vector(a + b / (k + 1) for a, b in zip(x, product, strict=True))
    return result


def divided_exponential_inverse(program: Program, matrix: Rows, x: Vector) -> Vector:
    """A/(e^A - 1) x."""
    square = times(program, matrix, matrix)
    once = program.vector(times_vector(matrix, x))
    twice = program.vector(times_vector(matrix, once))
    pole = sympy.N(4 * sympy.pi**2, DIGITS)
    shifted = combination(program, [Integer(1), pole], [square, identity_rows(len(matrix))])
    (solved,) = zip(*solve(program, shifted, [[e] for e in twice]), strict=True)
    coefficients = pole_free_coefficients()
    series = program.vector(coefficients[-1] * c for c in twice)
    for c in reversed(coefficients[:-1]):
        product = times_vector(square, series)
        series = program.vector(c * a - b for a, b in zip(twice, product, strict=True))
    return tuple(a - b / 2 + 2 * s + r for a, b, s, r in zip(x, once, solved, series, strict=True))


def linear_fraction(program: Program, matrix: Rows, x: Vector, numerator: Expr, denominator: Expr) -> Vector:
    """(1 + b A)⁻¹ (1 + a A) x, for |b| ‖A‖ < 1 or a skew A, with which elimination needs no pivoting."""
    n, one = len(matrix), Integer(1)
    shifted = combination(program, [one, denominator], [identity_rows(n), matrix])
    right = program.vector(a + numerator * b for a, b in zip(x, times_vector(matrix, x), strict=True))
    (solved,) = zip(*solve(program, shifted, [[e] for e in right]), strict=True)
    return tuple(solved)


def solve(program: Program, matrix: Rows, right: Rows) -> Rows:
    """A⁻¹ B by elimination without pivoting, for A whose symmetric part is positive definite."""
    n = len(matrix)
    a, b = [list(row) for row in matrix], [list(row) for row in right]
    for k in range(n):
        for i in range(k + 1, n):
            if a[i][k] == 0:
                continue
            factor = program.scalar(a[i][k] / a[k][k])
            a[i] = [*a[i][: k + 1], *(program.scalar(x - factor * y) for x, y in zip(a[i][k + 1 :], a[k][k + 1 :],
                                                                                     strict=True))]  # fmt: skip
            b[i] = [program.scalar(x - factor * y) for x, y in zip(b[i], b[k], strict=True)]
    for k in reversed(range(n)):
        for j in range(len(b[k])):
            known = _dot(a[k][k + 1 :], [b[i][j] for i in range(k + 1, n)])
            b[k][j] = program.scalar((b[k][j] - known) / a[k][k])
    return b


@functools.cache
def taylor_degree(radius: Rational, shift: int, factor: int = 1) -> int:
    """Degree N with factor·Σ_{k>N} k² radiusᵏ/(k + shift)! < 2⁻⁵³, in rational arithmetic."""
    return _degree(lambda k: factor * radius**k / math.factorial(k + shift), 1)


def exponential_degree() -> int:
    """Degree of p in `exponential_matrix`, a multiple of four."""
    degree = taylor_degree(Rational(RADIUS, 2**DOUBLINGS), 0, 2**DOUBLINGS)
    return degree + -degree % 4


def divided_exponential_degree() -> int:
    """Degree of the polynomial in `divided_exponential`."""
    return taylor_degree(Rational(RADIUS), 1)


@functools.cache
def pole_free_coefficients() -> tuple[Float, ...]:
    """c_k = 2 (ζ(2k+2) - 1)/(2π)^{2k+2} up to the degree that RADIUS needs."""

    def coefficient(k: int) -> Expr:
        return 2 * (sympy.zeta(2 * k + 2) - 1) / (2 * sympy.pi) ** (2 * k + 2)

    # ζ(s) - 1 < 2^{1-s} bounds the terms by 4 (RADIUS/4π)^{2k+2}; 4π > 12.
    degree = _degree(lambda k: 4 * Rational(RADIUS, 12) ** (2 * k + 2), 4)
    return tuple(sympy.N(coefficient(k), DIGITS) for k in range(degree + 1))


def _degree(term: Callable[[int], Rational], weight: int) -> int:
    """Smallest N whose remainder Σ_{k>N} weight k² term(k) is below 2⁻⁵³; terms fall by a half at least beyond it."""
    n = 1
    while True:
        remainder = sum((weight * k * k * term(k) for k in range(n + 1, n + 60)), Integer(0))
        if 2 * remainder < Rational(1, 2**53):
            return n
        n += 1


def norm_squared(program: Program, matrix: Rows, pattern: Matrix) -> Expr:
    """A bound of ‖A‖₂² on the diagonal blocks of A: the fourth root of Σ σ⁴, squared; the largest over the blocks.

    Blocks are the strongly connected components of the pattern of entries that are not zero. The parts outside of them
    can be made as small as one likes by scaling the basis, so they do not decide on convergence.
    """
    largest: list[Expr] = []
    for block in diagonal_blocks(sympy.ImmutableMatrix(pattern)):
        part = [[matrix[i][j] for j in block] for i in block]
        gram = times(program, [list(column) for column in zip(*part, strict=True)], part)
        total = sum((e * e for row in gram for e in row), Integer(0))
        if total != 0:
            largest.append(program.scalar(sympy.sqrt(program.scalar(total))))
    return sympy.Max(*largest) if len(largest) > 1 else (largest[0] if largest else Integer(0))


def closure(relation: Sequence[Sequence[bool]]) -> list[list[bool]]:
    """What is reached by one or more steps of a relation, the smallest transitive one that holds it."""
    reach = [list(row) for row in relation]
    for k in range(len(reach)):
        for i in range(len(reach)):
            if reach[i][k]:
                reach[i] = [a or b for a, b in zip(reach[i], reach[k], strict=True)]
    return reach


@functools.cache
def diagonal_blocks(pattern: sympy.ImmutableMatrix) -> tuple[tuple[int, ...], ...]:
    """Strongly connected components of the entries that are not zero, by reachability."""
    n = pattern.rows
    reach = closure([[i == j or pattern[i, j] != 0 for j in range(n)] for i in range(n)])
    together = [tuple(j for j in range(n) if reach[i][j] and reach[j][i]) for i in range(n)]
    return tuple(dict.fromkeys(together))
