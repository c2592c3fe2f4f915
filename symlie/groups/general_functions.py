"""Functions of matrices with arbitrary spectrum: exp and dexp by Taylor polynomials, dexp⁻¹ by partial fractions.

All hold for matrices A with ‖A‖₂ < RADIUS; `norm_squared` is an upper bound that a program also computes.

    e^A               = (p(A/4))⁴,  p the Taylor polynomial of degree 20
    (e^A - 1)/A       by its Taylor polynomial
    A/(e^A - 1)       = 1 - A/2 + 2 A² (A² + 4π²)⁻¹ + Σ_k c_k (-1)^k A^{2k+2},  c_k = 2 (ζ(2k+2) - 1)/(2π)^{2k+2}

The last formula is the partial fraction series of coth without its nearest pole, which increases the radius of
convergence from 2π to 4π. For ‖A‖ < 2π the symmetric part of A² + 4π² is positive definite, so elimination needs no
pivoting. The degrees are the smallest whose remainders, weighted by the square of the power, are below 2⁻⁵³. The
weight covers block triangular matrices with arbitrarily large blocks below the diagonal, such as ad of affine groups.
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
"""Largest norm of A for which all functions here are accurate, below the first pole of A/(e^A - 1) at 2π."""

DOUBLINGS = 2
"""Number of squarings, e^A = (e^{A/4})⁴."""

DIGITS = 40
"""Decimal digits of irrational constants."""

Rows = list[list[Expr]]
"""Matrix whose entries are symbols of statements and numbers."""


def bound_rows(program: Program, matrix: Matrix, *, transpose: bool = False) -> Rows:
    """Assign the entries of a matrix, or of its transpose, to symbols of a program."""
    matrix = matrix.T if transpose else matrix
    return [[program.scalar(e) for e in matrix.row(i)] for i in range(matrix.rows)]


def identity_rows(n: int) -> Rows:
    """Return the identity matrix of size n."""
    return [[Integer(int(i == j)) for j in range(n)] for i in range(n)]


def times(program: Program, a: Rows, b: Rows) -> Rows:
    """Return the product a b."""
    columns = list(zip(*b, strict=True))
    return [[program.scalar(_dot(row, column)) for column in columns] for row in a]


def times_vector(a: Rows, x: Sequence[Expr]) -> Vector:
    """Return a x as expressions that are not assigned to symbols."""
    return tuple(_dot(row, x) for row in a)


def combination(program: Program, weights: Sequence[Expr], matrices: Sequence[Rows]) -> Rows:
    """Return the linear combination Σ weight·matrix."""
    n = len(matrices[0])
    return [
        [program.scalar(sum((w * m[i][j] for w, m in zip(weights, matrices, strict=True)), Integer(0)))
         for j in range(n)]
        for i in range(n)
    ]  # fmt: skip


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return sum((x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0), Integer(0))


def polynomial(program: Program, coefficients: Sequence[Expr], matrix: Rows) -> Rows:
    """Evaluate Σ c_k Aᵏ by the scheme of Paterson and Stockmeyer: blocks of four powers, Horner's scheme in A⁴."""
    powers = [identity_rows(len(matrix)), matrix]
    while len(powers) < 5 and len(powers) < len(coefficients):
        powers.append(times(program, powers[-1], matrix))
    groups = [coefficients[k : k + 4] for k in range(0, len(coefficients), 4)]
    if len(groups) > 1 and len(groups[-1]) == 1:  # the last coefficient is combined with A⁴ directly
        (last,) = groups.pop()
        groups[-1] = [*groups[-1], last]
    result = combination(program, groups[-1], powers[: len(groups[-1])])
    for group in reversed(groups[:-1]):
        product = times(program, result, powers[4])
        result = combination(program, [*group, Integer(1)], [*powers[: len(group)], product])
    return result


def exponential_matrix(program: Program, matrix: Rows) -> Rows:
    """Return e^A by scaling and squaring."""
    scaled = [[program.scalar(e / 2**DOUBLINGS) for e in row] for row in matrix]
    coefficients = [Rational(1, math.factorial(k)) for k in range(exponential_degree() + 1)]
    result = polynomial(program, coefficients, scaled)
    for _ in range(DOUBLINGS):
        result = times(program, result, result)
    return result


def divided_exponential(program: Program, matrix: Rows, x: Vector) -> Vector:
    """Return (e^A - 1)/A x by Horner's scheme with matrix-vector products."""
    result = x
    for k in range(divided_exponential_degree(), 0, -1):
        product = times_vector(matrix, result)
        result = program.vector(a + b / (k + 1) for a, b in zip(x, product, strict=True))
    return result


def divided_exponential_inverse(program: Program, matrix: Rows, x: Vector) -> Vector:
    """Return A/(e^A - 1) x."""
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
    """Return (1 + b A)⁻¹ (1 + a A) x for |b| ‖A‖ < 1 or skew-symmetric A, so that elimination needs no pivoting."""
    n, one = len(matrix), Integer(1)
    shifted = combination(program, [one, denominator], [identity_rows(n), matrix])
    right = program.vector(a + numerator * b for a, b in zip(x, times_vector(matrix, x), strict=True))
    (solved,) = zip(*solve(program, shifted, [[e] for e in right]), strict=True)
    return tuple(solved)


def solve(program: Program, matrix: Rows, right: Rows) -> Rows:
    """Return A⁻¹ B by elimination without pivoting, for A with positive definite symmetric part."""
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
    """Return the smallest degree N with factor·Σ_{k>N} k² radiusᵏ/(k + shift)! < 2⁻⁵³, in rational arithmetic."""
    return _degree(lambda k: factor * radius**k / math.factorial(k + shift), 1)


def exponential_degree() -> int:
    """Return the degree of p in `exponential_matrix`, a multiple of four."""
    degree = taylor_degree(Rational(RADIUS, 2**DOUBLINGS), 0, 2**DOUBLINGS)
    return degree + -degree % 4


def divided_exponential_degree() -> int:
    """Return the degree of the polynomial in `divided_exponential`."""
    return taylor_degree(Rational(RADIUS), 1)


@functools.cache
def pole_free_coefficients() -> tuple[Float, ...]:
    """Return c_k = 2 (ζ(2k+2) - 1)/(2π)^{2k+2} up to the degree required for `RADIUS`."""

    def coefficient(k: int) -> Expr:
        return 2 * (sympy.zeta(2 * k + 2) - 1) / (2 * sympy.pi) ** (2 * k + 2)

    # ζ(s) - 1 < 2^{1-s} bounds the terms by 4 (RADIUS/4π)^{2k+2}; 4π > 12.
    degree = _degree(lambda k: 4 * Rational(RADIUS, 12) ** (2 * k + 2), 4)
    return tuple(sympy.N(coefficient(k), DIGITS) for k in range(degree + 1))


def _degree(term: Callable[[int], Rational], weight: int) -> int:
    """Return the smallest N with Σ_{k>N} weight k² term(k) < 2⁻⁵³, for terms that at least halve beyond it."""
    n = 1
    while True:
        remainder = sum((weight * k * k * term(k) for k in range(n + 1, n + 60)), Integer(0))
        if 2 * remainder < Rational(1, 2**53):
            return n
        n += 1


def norm_squared(program: Program, matrix: Rows, pattern: Matrix) -> Expr:
    """Return an upper bound of ‖A‖₂² over the diagonal blocks of A: the maximum of (Σ σ⁴)^{1/2}."""
    # The blocks are the strongly connected components of the pattern of nonzero entries. A scaling of the basis makes
    # the entries outside of the blocks arbitrarily small, so they do not affect convergence.
    largest: list[Expr] = []
    for block in diagonal_blocks(sympy.ImmutableMatrix(pattern)):
        part = [[matrix[i][j] for j in block] for i in block]
        gram = times(program, [list(column) for column in zip(*part, strict=True)], part)
        total = sum((e * e for row in gram for e in row), Integer(0))
        if total != 0:
            largest.append(program.scalar(sympy.sqrt(program.scalar(total))))
    return sympy.Max(*largest) if len(largest) > 1 else (largest[0] if largest else Integer(0))


def closure(relation: Sequence[Sequence[bool]]) -> list[list[bool]]:
    """Return the transitive closure of a relation."""
    reach = [list(row) for row in relation]
    for k in range(len(reach)):
        for i in range(len(reach)):
            if reach[i][k]:
                reach[i] = [a or b for a, b in zip(reach[i], reach[k], strict=True)]
    return reach


@functools.cache
def diagonal_blocks(pattern: sympy.ImmutableMatrix) -> tuple[tuple[int, ...], ...]:
    """Return the strongly connected components of the pattern of nonzero entries."""
    n = pattern.rows
    reach = closure([[i == j or pattern[i, j] != 0 for j in range(n)] for i in range(n)])
    together = [tuple(j for j in range(n) if reach[i][j] and reach[j][i]) for i in range(n)]
    return tuple(dict.fromkeys(together))
