"""Functions of matrices with spectrum {0, ±iω}, from the minimal polynomial by Hermite interpolation.

Matrices with other spectra are evaluated by `general_functions`.

A matrix A(θ) with minimal polynomial λ^a (λ² + ζ)^b, ζ(θ) a quadratic form, satisfies

    φ(A) = Σ_{n<a} φ_n Aⁿ + Σ_{k<b} (-1)^k/k! [E^(k)(ζ) + O^(k)(ζ) A] A^a (A² + ζ)^k

for φ(λ) = Σ φ_n λⁿ, where E(ζ) = Σ_j φ_{a+2j} (-ζ)^j and O(ζ) = Σ_j φ_{a+1+2j} (-ζ)^j are entire.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, Integer, Matrix, Rational, Symbol
from sympy.polys.domains.domain import Domain
from sympy.polys.matrices import DomainMatrix

from symlie.errors import ModelError
from symlie.groups import general_functions
from symlie.ir.primitives import WORKING_INTERVAL, CoefficientFunction, Cotangent, Stumpff
from symlie.ir.program import Program, Vector, substitute
from symlie.utilities.showing import Brief

NEAR_INTERVAL = WORKING_INTERVAL / 4
"""Working interval of functions of rotations up to π/2, and of functions of half angles."""

FEW = 2
"""Largest number of coefficient functions in one expression; in longer ones they are assigned to symbols."""


@dataclass(frozen=True, repr=False)
class AnalyticFunction(Brief):
    """Analytic function φ(λ) = Σ φ_n λⁿ, given by its tails Σ_j φ_{n+2j} (-ζ)^j as entire functions of ζ."""

    name: str
    tail: Callable[[int, Expr, Rational], Expr]
    """(n, ζ, working interval of ζ) → tail."""
    coefficient: Callable[[int], Expr]
    """n → φ_n."""
    rational: tuple[Rational, Rational] | None = None
    """(a, b) of a rational φ(λ) = (1 + a λ)/(1 + b λ), which is evaluated for any matrix by elimination."""


def _dexp_inverse_tail(sign: int) -> Callable[[int, Expr, Rational], Expr]:
    def tail(n: int, zeta: Expr, upper: Rational) -> Expr:
        if n == 0:
            return 1 - zeta * Cotangent.of(zeta, upper)
        if n == 1:
            return Rational(sign, 2)
        if n == 2:
            return Cotangent.of(zeta, upper)
        if n % 2:
            return Integer(0)
        raise ModelError("T⁻¹ of an algebra with a nilpotent part of index above 2 is not in the standard family.")

    return tail


def _near_exponential_tail(n: int, zeta: Expr, upper: Rational) -> Expr:
    if n == 1:
        return 1 - zeta * _near_exponential_tail(3, zeta, upper)
    return Stumpff.of(n, zeta, min(upper, NEAR_INTERVAL))


def _bernoulli(sign: int) -> Callable[[int], Expr]:
    """Return the coefficients of λ/(e^λ - 1) with B₁ = sign/2."""
    return lambda n: Rational(sign, 2) if n == 1 else sympy.bernoulli(n) / math.factorial(n)


EXP = AnalyticFunction("exp", Stumpff.of, lambda n: Rational(1, math.factorial(n)))
"""e^λ."""
NEAR_EXP = replace(EXP, tail=_near_exponential_tail)
"""e^λ with polynomials for small ζ only, which have shorter dependency chains."""
DEXP = AnalyticFunction(
    "dexp", lambda n, zeta, upper: Stumpff.of(n + 1, zeta, upper), lambda n: Rational(1, math.factorial(n + 1))
)
"""(e^λ - 1)/λ."""
DEXP_NEGATIVE = AnalyticFunction(
    "dexp_negative",
    lambda n, zeta, upper: (-1) ** n * Stumpff.of(n + 1, zeta, upper),
    lambda n: Rational((-1) ** n, math.factorial(n + 1)),
)
"""(1 - e^-λ)/λ; T(θ) = dexp_{-θ} is this function of ad θ."""
DEXP_INVERSE = AnalyticFunction("dexp_inverse", _dexp_inverse_tail(-1), _bernoulli(-1))
"""λ/(e^λ - 1)."""
DEXP_NEGATIVE_INVERSE = AnalyticFunction("dexp_negative_inverse", _dexp_inverse_tail(1), _bernoulli(1))
"""λ/(1 - e^-λ); T⁻¹(θ) is this function of ad θ."""


def scaled_dexp_inverse(scale: Expr, cotangent: Expr) -> AnalyticFunction:
    """Return κλ/(e^{κλ} - 1) from κ and κ² g₀(κ² ζ), for matrices with minimal polynomial λ(λ² + ζ)."""
    tails = {1: -scale / 2, 2: cotangent}
    return replace(DEXP_INVERSE, tail=lambda n, zeta, upper: tails[n], coefficient=lambda n: 1 if n == 0 else tails[n])


@dataclass(frozen=True)
class Spectrum:
    """Minimal polynomial λ^a (λ² + ζ)^b of a matrix A(θ)."""

    zero_multiplicity: int
    pair_multiplicity: int
    zeta: Expr
    """ζ ≥ 0 as a polynomial in θ; zero if b = 0."""


def spectrum(matrix: sympy.ImmutableMatrix) -> Spectrum:
    """Return the minimal polynomial of a polynomial matrix, or raise `ModelError` if its spectrum is not {0, ±iω}."""
    form = _spectrum(matrix)
    if form is None:
        raise ModelError("The algebra's ad has eigenvalues other than 0 and ±iω; closed forms need one rotation angle.")
    return form


def has_closed_form(function: AnalyticFunction, matrix: sympy.ImmutableMatrix) -> bool:
    """Return whether φ(A) is a combination of known coefficient functions: spectrum {0, ±iω}, and a known tail."""
    form = _spectrum(matrix)
    if form is None:
        return False
    is_inverse = function in (DEXP_INVERSE, DEXP_NEGATIVE_INVERSE)
    return not (is_inverse and form.pair_multiplicity and form.zero_multiplicity > 2)


@functools.cache
def _spectrum(matrix: sympy.ImmutableMatrix) -> Spectrum | None:
    n = matrix.shape[0]
    symbols = sorted(matrix.free_symbols, key=lambda s: s.name)
    point = {s: Rational(2 * i + 3, i + 2) for i, s in enumerate(symbols)}
    variable = Symbol("lambda")
    characteristic = matrix.subs(point).charpoly(variable)
    zeros = 0
    while characteristic.coeff_monomial(variable**zeros) == 0 and zeros < n:
        zeros += 1
    pairs = (n - zeros) // 2
    zeta: Expr = Integer(0)
    if pairs:
        zeta = sympy.expand(-(matrix * matrix).trace() / (2 * pairs))
        if not sympy.hessian(zeta, symbols).is_positive_semidefinite:
            return None
    at_point = matrix.subs(point)
    for b in range(1 if pairs else 0, pairs + 1):
        for a in range(1 if zeros else 0, zeros + 1):
            if _annihilates(at_point, a, b, zeta.subs(point)) and _annihilates(matrix, a, b, zeta):
                return Spectrum(a, b, zeta)
    return None


def _in_ring(matrix: Matrix) -> tuple[DomainMatrix, Domain]:
    """Return a matrix over the polynomial ring in its symbols, in which SymPy is fast, and the ring."""
    symbols = sorted(matrix.free_symbols, key=lambda s: s.name)
    ring = sympy.QQ[tuple(symbols)] if symbols else sympy.QQ
    return DomainMatrix.from_Matrix(matrix).convert_to(ring), ring


def _with_pairs(matrix: Matrix, a: int, b: int, zeta: Expr) -> tuple[DomainMatrix, Domain]:
    """Return A^a (A² + ζ)^b, and the ring of its entries."""
    power, ring = _in_ring(matrix)
    unit = DomainMatrix.eye(matrix.shape[0], ring)
    pair = power * power + unit.scalarmul(ring.from_sympy(sympy.expand(zeta))) if b else unit
    product = unit
    for factor in [power] * a + [pair] * b:
        product = product * factor
    return product, ring


def _annihilates(matrix: Matrix, a: int, b: int, zeta: Expr) -> bool:
    return all(e == 0 for e in _with_pairs(matrix, a, b, zeta)[0].to_list_flat())


@functools.cache
def _repeated_pair(matrix: sympy.ImmutableMatrix, k: int) -> tuple[Expr, Expr, Matrix]:
    """Factor A^a (A² + ζ)^k into a number, a polynomial and a primitive matrix with the leading sign of A."""
    form = spectrum(matrix)
    product, ring = _with_pairs(matrix, form.zero_multiplicity, k, form.zeta)
    entries = [e for e in product.to_list_flat() if e != 0]
    common = functools.reduce(ring.gcd, entries, ring.zero)
    if not matrix.free_symbols or not entries or common.is_ground:
        return Integer(1), Integer(1), sympy.ImmutableMatrix(product.to_Matrix())
    rest = [ring.exquo(e, common) for e in entries]
    number = functools.reduce(sympy.QQ.gcd, (c for e in rest for c in e.coeffs()), sympy.QQ.zero)
    model = next(e for e in matrix if e != 0)
    if _leading_sign(ring.to_sympy(rest[0])) != _leading_sign(model):
        number = -number
    content = common * number
    reduced = [ring.to_sympy(ring.exquo(e, content)) if e != 0 else Integer(0) for e in product.to_list_flat()]
    return (*ring.to_sympy(content).primitive(), sympy.ImmutableMatrix(*matrix.shape, reduced))


def _leading_sign(expression: Expr) -> bool:
    return bool(sympy.Poly(expression).LC() > 0) if expression.free_symbols else bool(expression > 0)


def apply_function(
    program: Program,
    function: AnalyticFunction,
    matrix: Matrix,
    replacements: Sequence[tuple[Symbol, Expr]],
    vector: Vector,
    *,
    reference: Expr | None = None,
    transpose: bool = False,
) -> Vector:
    """Return φ(A(θ)) x, or φ(A(θ))ᵀ x, by matrix-vector products; ``reference`` is z in the symbols of A."""
    matrix = sympy.ImmutableMatrix(matrix)
    values = dict(replacements)
    if not has_closed_form(function, matrix):
        return _apply_general(program, function, matrix.xreplace(values), vector, transpose=transpose)
    form = spectrum(matrix)

    def evaluated(expression: Expr) -> Expr:
        return substitute(expression, values)

    def times(m: Matrix, x: Vector) -> Vector:
        m = m.T if transpose else m
        return program.vector(
            sum((evaluated(m[i, j]) * x[j] for j in range(len(x)) if m[i, j] != 0), Integer(0))
            for i in range(m.shape[0])
        )

    # If ζ = κ z, the statement of z is shared, and the working interval of ζ is κ times the standard one.
    zeta, upper = form.zeta, WORKING_INTERVAL
    if reference and form.pair_multiplicity:
        ratio = sympy.cancel(form.zeta / reference)
        if ratio.is_Rational:
            zeta = ratio * program.scalar(evaluated(reference), "z")
            upper = ratio * WORKING_INTERVAL
    if zeta is form.zeta:
        zeta = program.scalar(evaluated(form.zeta), "z")

    a, b = form.zero_multiplicity, form.pair_multiplicity
    total: list[Expr] = [Integer(0)] * len(vector)

    def add(coefficient: Expr, x: Vector) -> None:
        for i, component in enumerate(x):
            total[i] += coefficient * component

    power = vector
    for n in range(a):
        add(function.coefficient(n), power)
        power = times(matrix, power)
    if not b:
        return tuple(total)
    variable = Symbol("zeta")
    even, odd = function.tail(a, variable, upper), function.tail(a + 1, variable, upper)
    for k in range(b):
        factor_k = Rational((-1) ** k, sympy.factorial(k))
        content: Expr = Integer(1)
        if k == 0:
            x = power
        else:
            number, content, reduced = _repeated_pair(matrix, k)
            x = times(reduced, vector)
            factor_k *= number
            content = program.scalar(evaluated(content))
        add(_coefficient(program, factor_k * sympy.diff(even, variable, k), variable, zeta) * content, x)
        odd_part = _coefficient(program, factor_k * sympy.diff(odd, variable, k), variable, zeta)
        if odd_part != 0:
            add(odd_part * content, times(matrix, x))
    return tuple(total)


def _apply_general(
    program: Program, function: AnalyticFunction, matrix: Matrix, vector: Vector, *, transpose: bool
) -> Vector:
    """Return φ(A) x for an arbitrary spectrum, on the domain of `general_functions`."""
    if function.rational is not None:
        numerator, denominator = function.rational
        rows = general_functions.bound_rows(program, matrix, transpose=transpose)
        return general_functions.linear_fraction(program, rows, vector, numerator, denominator)
    sign = -1 if function in (DEXP_NEGATIVE, DEXP_NEGATIVE_INVERSE) else 1
    rows = general_functions.bound_rows(program, sign * matrix, transpose=transpose)
    if function in (EXP, NEAR_EXP):
        return general_functions.times_vector(general_functions.exponential_matrix(program, rows), vector)
    if function in (DEXP, DEXP_NEGATIVE):
        return general_functions.divided_exponential(program, rows, vector)
    return general_functions.divided_exponential_inverse(program, rows, vector)


def _coefficient(program: Program, expression: Expr, variable: Symbol, zeta: Expr) -> Expr:
    value = substitute(expression, {variable: zeta})
    functions = sorted(value.atoms(CoefficientFunction), key=lambda f: f.primitive_name)
    if len(functions) > FEW:
        bound = {f: f.func(*f.args[:-2], program.scalar(f.argument, "z"), f.upper) for f in functions}
        value = value.xreplace({f: program.scalar(of, "c") for f, of in bound.items()})
    return program.scalar(value, "c")
