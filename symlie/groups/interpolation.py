"""Derivatives of interpolated configurations, as one analytic function of ad.

    q = a∘exp(ξ θ),   θ = log(a⁻¹∘b),   δq = A_ξ(θ) δa + A_{1-ξ}(-θ) δb

    A_ξ(θ) = (e^{(1-ξ) λ} - 1)/(e^λ - 1) at λ = ad θ,

since δθ = T⁻¹(θ) δb - T⁻¹(-θ) δa and δq = Ad(exp(-ξ θ)) δa + ξ T(ξ θ) δθ.
"""

from __future__ import annotations

import math

from sympy import Expr, ImmutableMatrix, Integer, Rational

from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.groups.spectrum import DEXP_INVERSE, AnalyticFunction, has_closed_form
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.program import Program, Vector


def interpolation_tangent(
    program: Program, group: LieGroup, part: Expr, theta: Vector, w: Vector, *, transpose: bool = False
) -> Vector:
    """Return A_ξ(θ) w, or A_ξ(θ)ᵀ w, with ξ = ``part`` between 0 and 1."""
    rest = program.scalar(1 - part)
    function = _interpolation(rest)
    result: list[Expr] = []
    for g, _, offset in group.simple_factors:
        own = slice(offset, offset + g.dimension)
        if has_closed_form(DEXP_INVERSE, ImmutableMatrix(operators.ad_matrix(g))):
            result += operators.function_of_ad(program, g, function, theta[own], w[own], transpose=transpose)
            continue
        scaled = program.vector([rest * c for c in theta[own]])
        moved = operators.tangent_operator(program, g, scaled, w[own], negative=True, transpose=transpose)
        moved = program.vector([rest * c for c in moved])
        result += operators.tangent_operator(
            program, g, theta[own], moved, inverse=True, negative=True, transpose=transpose
        )
    return tuple(result)


def _interpolation(rest: Expr) -> AnalyticFunction:
    """Return (e^{cλ} - 1)/(e^λ - 1), c = 1 - ξ: the product of (e^{cλ} - 1)/λ and λ/(e^λ - 1) = 1 - ζ g(ζ) - λ/2."""

    def scaled(n: int, zeta: Expr, upper: Rational) -> Expr:
        return rest ** (n + 1) * Stumpff.of(n + 1, rest**2 * zeta, upper)

    def tail(n: int, zeta: Expr, upper: Rational) -> Expr:
        g = Cotangent.of(zeta, upper)
        found = scaled(n, zeta, upper) * (1 - zeta * g)
        if n == 0:
            return found + zeta * scaled(1, zeta, upper) / 2
        found -= scaled(n - 1, zeta, upper) / 2
        return found if n == 1 else found + rest ** (n - 1) * g / math.factorial(n - 1)

    def coefficient(n: int) -> Expr:
        terms = (rest ** (i + 1) / math.factorial(i + 1) * DEXP_INVERSE.coefficient(n - i) for i in range(n + 1))
        return sum(terms, Integer(0))

    return AnalyticFunction("interpolation", tail, coefficient)
