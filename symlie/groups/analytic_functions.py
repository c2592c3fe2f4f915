"""Analytic functions that users define by their power series, and their values at ad."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, ImmutableMatrix, Rational

from symlie.errors import GroupError, ModelError
from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.groups.spectrum import EXP, AnalyticFunction, has_closed_form
from symlie.ir.program import Program, Vector
from symlie.ir.series import Growth, PowerSeries, Series, exact

LARGEST_RATE = 8
"""Largest ρ; faster functions would need very long polynomials up to ω = 2π."""


def analytic_function(
    name: str,
    coefficient: Callable[[int], object],
    *,
    growth: tuple[object, object] | None = None,
    radius: tuple[object, object] | None = None,
) -> AnalyticFunction:
    """Return the analytic function φ(λ) = Σ φ_n λⁿ with given coefficients, for `function_of_ad` in models.

    Its coefficient functions of z = ω² are polynomials with proved remainders for ω ≤ 2π, or for ω ≤ 3/4 R if that is
    less. Outside this interval they are NaN.

    Parameters
    ----------
    name
        Identifier.
    coefficient
        n → φ_n, an exact rational number: an integer, a ``Fraction`` or an ``sl.Rational``.
    growth
        (C, ρ) with |φ_n| ≤ C ρⁿ/n! for all n. Specify either this bound or ``radius``.
    radius
        (C, R) with |φ_n| ≤ C/Rⁿ for all n, for series that converge only for |λ| < R.

    Returns
    -------
    AnalyticFunction
        φ. The bound is checked for every coefficient that is used; the remaining coefficients are assumed to satisfy
        it.

    Raises
    ------
    ModelError
        If a coefficient exceeds the bound or is not an exact rational number, if the bound is not positive, or if ρ >
        8.

    Examples
    --------
    >>> import math
    >>> import symlie as sl
    >>> phi = sl.analytic_function("phi2", lambda n: sl.Rational(1, math.factorial(n + 2)), growth=(1, 1))
    """
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        raise ModelError(f"The name of a function must be an identifier, such as phi2, not {name!r}.")
    if (growth is None) == (radius is None):
        raise ModelError(
            f"The function '{name}' needs one bound of its coefficients: growth=(C, rho) or radius=(C, R)."
        )
    constant, number = (exact(c, f"The bound of the function '{name}'") for c in growth or radius or ())
    if constant <= 0 or number <= 0:
        raise ModelError(f"The bound of the function '{name}' must be positive, not {constant}, {number}.")
    if growth is not None and number > LARGEST_RATE:
        raise ModelError(
            f"The function '{name}' varies too fast (rho = {number} > {LARGEST_RATE}); scale its argument."
        )
    bound = Growth(constant, rate=number) if growth is not None else Growth(constant, radius=number)
    series = PowerSeries(name, lambda n: exact(coefficient(n), f"Coefficient {n} of the function '{name}'"), bound)
    _ = series.key

    def tail(n: int, zeta: Expr, upper: Rational) -> Expr:
        return Series.of(series, n, zeta)

    def value(n: int) -> Expr:
        found = series.value(n)
        return Rational(found.numerator, found.denominator)

    return AnalyticFunction(name, tail, value)


def function_of_ad(program: Program, group: LieGroup, function: AnalyticFunction, theta: Vector, w: Vector) -> Vector:
    """Return φ(ad θ) w for a group whose ad has the eigenvalues 0 and ±iω only (class A), else raise `GroupError`."""
    result: list[Expr] = []
    for g, _, offset in group.simple_factors:
        matrix = ImmutableMatrix(operators.ad_matrix(g))
        if not has_closed_form(EXP, matrix):
            raise GroupError(
                f"The function '{function.name}' of ad needs eigenvalues 0 and ±iω of ad; {g} has others (class B), "
                "for which only exp, T and T⁻¹ are known."
            )
        part = slice(offset, offset + g.dimension)
        result += operators.function_of_ad(program, g, function, theta[part], w[part])
    return tuple(result)
