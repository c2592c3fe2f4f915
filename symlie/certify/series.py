"""Truncation error bounds of the Taylor series of matrix functions, for groups with spectra other than {0, ±iω}.

All bounds are rational numbers and hold in every norm with ‖A‖ ≤ `RADIUS`. With the norm ρ of the truncated terms,

    (p(A/4))⁴ = e^A (1 + F)⁴,  ‖F‖ ≤ e^{‖A‖/4} ρ,
    ‖p(A) x - φ₁(A) x‖ ≤ ‖φ₁(A)⁻¹‖ ρ ‖φ₁(A) x‖,    ‖φ₁(A)⁻¹‖ ≤ 1 + r/2 + Σ |B_2k|/(2k)! r^{2k},

and similarly for φ₁⁻¹ with ‖φ₁(A)‖ ≤ (e^r - 1)/r, because functions of A commute. Rounding errors are not bounded.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, Float, ImmutableMatrix

from symlie.certify.certificate import ALLOWANCE
from symlie.certify.checker.series import STATUS
from symlie.groups import general_functions
from symlie.groups.general_functions import DOUBLINGS, RADIUS, Rows
from symlie.groups.group import LieGroup
from symlie.groups.operators import general_matrices
from symlie.ir.program import Program

if TYPE_CHECKING:
    from symlie.certify.verification import Row

TERMS = 60
"""Number of terms of series that are summed exactly; geometric series bound the remainder."""
DIGITS = 50
EPSILON = Fraction(1, 2**52)
POINTS = 3

ENOUGH_BELOW_FOUR_PI = Fraction(12566, 1000)
ENOUGH_BELOW_TWO_PI = Fraction(6283, 1000)


@dataclass(frozen=True)
class MatrixFunction:
    """Function of matrices with ‖A‖ ≤ `RADIUS`, and the truncation error of its series."""

    name: str
    statement: str
    scheme: str
    degree: int
    relative: Fraction
    """Bound of the truncation error relative to the norm of the value."""
    evaluate: Callable[[Rows], Rows]
    """Generated evaluation of the matrix."""
    exact: Callable[[mpmath.matrix], mpmath.matrix]


def _exponential_bound(x: Fraction) -> Fraction:
    """Return an upper bound of e^x."""
    return sum((x**k / math.factorial(k) for k in range(TERMS)), Fraction(0)) + _left_out(x, TERMS - 1, 0)


def _left_out(x: Fraction, degree: int, shift: int) -> Fraction:
    """Return an upper bound of Σ_{k > degree} x^k/(k + shift)!, whose terms have decreasing ratios."""
    first = x ** (degree + 1) / math.factorial(degree + 1 + shift)
    return first / (1 - x / (degree + 2 + shift))


def _inverse_bound(r: Fraction) -> Fraction:
    """Return an upper bound of ‖φ₁(A)⁻¹‖ for ‖A‖ = r; |B_2k|/(2k)! = 2 ζ(2k)/(2π)^{2k} decays at least by (2π)²."""
    terms = [
        abs(Fraction(int(b.p), int(b.q))) / math.factorial(2 * k) * r ** (2 * k)
        for k in range(1, TERMS // 2)
        for b in [sympy.bernoulli(2 * k)]
    ]
    ratio = (r / ENOUGH_BELOW_TWO_PI) ** 2
    return 1 + r / 2 + sum(terms, Fraction(0)) + terms[-1] * ratio / (1 - ratio)


def matrix_functions() -> tuple[MatrixFunction, ...]:
    """Return exp, φ₁ and its inverse as generated, with their bounds."""
    r = Fraction(RADIUS)
    scaled = r / 2**DOUBLINGS
    degree = general_functions.exponential_degree()
    factor = _exponential_bound(scaled) * _left_out(scaled, degree, 0)
    divided = general_functions.divided_exponential_degree()
    pole_free = len(general_functions.pole_free_coefficients()) - 1
    square = (r / ENOUGH_BELOW_FOUR_PI) ** 2
    left_out = 4 * square ** (pole_free + 2) / (1 - square)
    return (
        MatrixFunction(
            "exp",
            "e^A = (sum_{k <= degree} (A/4)^k/k!)^4",
            f"Taylor, squared {DOUBLINGS} times",
            degree,
            (1 + factor) ** (2**DOUBLINGS) - 1,
            lambda rows: general_functions.exponential_matrix(Program(), rows),
            mpmath.expm,
        ),
        MatrixFunction(
            "phi1",
            "(e^A - 1)/A = sum_{k <= degree} A^k/(k+1)!",
            "Taylor",
            divided,
            _inverse_bound(r) * _left_out(r, divided, 1),
            lambda rows: _by_columns(general_functions.divided_exponential, rows),
            _divided_exponential,
        ),
        MatrixFunction(
            "phi1_inverse",
            "A/(e^A - 1) = 1 - A/2 + 2 A^2/(A^2 + 4 pi^2)"
            " + sum_{k <= degree} 2 (zeta(2k+2) - 1) (-1)^k (A/2 pi)^(2k+2)",
            "pole removed, Taylor",
            pole_free,
            (_exponential_bound(r) - 1) / r * left_out,
            lambda rows: _by_columns(general_functions.divided_exponential_inverse, rows),
            lambda a: mpmath.inverse(_divided_exponential(a)),
        ),
    )


def _by_columns(function: Callable[..., Sequence[object]], rows: Rows) -> Rows:
    n = len(rows)
    columns = [function(Program(), rows, tuple(Float(int(i == k), DIGITS) for i in range(n))) for k in range(n)]
    return [[columns[k][i] for k in range(n)] for i in range(n)]


def _divided_exponential(a: mpmath.matrix) -> mpmath.matrix:
    """Return φ₁(A) from e^{[[A, 1], [0, 0]]}."""
    n = a.rows
    extended = mpmath.zeros(2 * n)
    for i in range(n):
        extended[i, n + i] = mpmath.mpf(1)
        for j in range(n):
            extended[i, j] = a[i, j]
    return mpmath.expm(extended)[:n, n:]


def series_matrices(group: LieGroup) -> tuple[ImmutableMatrix, ...]:
    """Return the matrices, over all factors of a group, whose functions are evaluated by series."""
    return tuple(dict.fromkeys(m for g, _, _ in group.simple_factors for m in general_matrices(g)))


@functools.cache
def series_rows(group: LieGroup) -> tuple[Row, ...]:
    """Return truncation errors of the matrix functions of a group, proved and measured; none for closed forms."""
    from symlie.certify.verification import TARGET, Row

    matrices = series_matrices(group)
    if not matrices:
        return ()
    generator = random.Random(20244)
    points = [_at_radius(m, generator) for m in matrices for _ in range(POINTS)]
    rows: list[Row] = []
    for f in matrix_functions():
        worst = max(_truncation(f, a) for a in points)
        rows.append(
            Row(
                name=f.name,
                precision="double",
                scheme=f"{f.scheme}, truncation",
                degree=f.degree,
                interval=(0.0, float(RADIUS)),
                switch=None,
                relative_to="f",
                contraction="any",
                proved_eps=float(f.relative / EPSILON) * (1 + 2.0**-40),
                measured_eps=worst / float(EPSILON),
                measured_at=float(RADIUS),
                target=TARGET,
            )
        )
    return tuple(rows)


def _at_radius(matrix: ImmutableMatrix, generator: random.Random) -> mpmath.matrix:
    """Return a random matrix of this form whose 2-norm is `RADIUS`."""
    values = {s: generator.uniform(-1, 1) for s in sorted(matrix.free_symbols, key=lambda s: s.name)}
    with mpmath.workdps(DIGITS):
        a = mpmath.matrix(matrix.subs(values).tolist())
        norm = mpmath.sqrt(max(mpmath.eigsy(a.T * a, eigvals_only=True)))
        return a * (RADIUS / norm)


def _truncation(f: MatrixFunction, a: mpmath.matrix) -> float:
    """Return the truncation error of the generated evaluation, in high precision."""
    with mpmath.workdps(DIGITS):
        rows: list[list[Expr]] = [[Float(str(a[i, j]), DIGITS) for j in range(a.cols)] for i in range(a.rows)]
        found = mpmath.matrix([[mpmath.mpf(str(e)) for e in row] for row in f.evaluate(rows)])
        exact = f.exact(a)
        return float(mpmath.norm(found - exact) / mpmath.norm(exact))


def series_entries() -> list[dict[str, object]]:
    """Return the certificate entries of the matrix functions."""
    return [
        {
            "name": f.name,
            "status": STATUS,
            "definition": {"family": "matrix function", "statement": f.statement},
            "degree": f.degree,
            "norm": RADIUS,
            "relative_to": "the norm of f(A)",
            "truncation_eps": float(f"{float(f.relative / EPSILON) * ALLOWANCE:.4g}"),
        }
        for f in matrix_functions()
    ]
