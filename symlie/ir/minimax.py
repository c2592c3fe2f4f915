"""Near-minimax polynomials in z for coefficient functions, by interpolation in 60 digits.

``python -m symlie.ir.minimax`` rewrites ``standard_schemes.json``, the schemes shipped with the package.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import mpmath

from symlie.ir.primitives import evaluate

DIGITS = 60

DEGREES = {
    "c0": 10, "c1": 10, "c2": 10, "c3": 10, "c4": 9, "c5": 9, "c6": 9, "c7": 8,
    "c1_1": 10, "c2_1": 10, "c3_1": 9, "c1_2": 10, "c2_2": 10, "c3_2": 9, "c1_3": 10, "c2_3": 9, "c3_3": 9,
    "g0": 9, "g1": 10, "g2": 10, "g3": 10,
}  # fmt: skip
"""Degrees in z on [0, 10]; of the numerator for g_m. Source: table of the minimax degrees, 60-digit interpolation."""

QUARTER_DEGREES = {"c0": 8, "c1": 8, "c1_1": 7, "c2": 7, "c3": 7}
"""Degrees on [0, 5/2], the interval of half-angle arguments z/4."""


def pole_order(base_name: str) -> int:
    """Order of the pole at z = 4π² that is divided out: m + 1 for g_m, 0 for entire functions."""
    return int(base_name[1:]) + 1 if base_name.startswith("g") else 0


def fit(base_name: str, degree: int, upper: Fraction) -> tuple[float, ...]:
    """Interpolate (f(z) - f(0))/z at Chebyshev nodes of [0, upper] and round to doubles.

    Parameters
    ----------
    base_name
        Name of the coefficient function; for g_m the function fitted is (4π² - z)^{m+1} g_m.
    degree
        Degree in z of the polynomial.
    upper
        Upper end of the interval, dimensionless.

    Returns
    -------
    tuple of float
        Ascending coefficients; the constant is the correctly rounded f(0).
    """
    with mpmath.workdps(DIGITS):
        order = pole_order(base_name)
        pole = 4 * mpmath.pi**2

        def function(z: mpmath.mpf) -> mpmath.mpf:
            return evaluate(base_name, z) * (pole - z) ** order

        constant = function(mpmath.mpf(0))
        end = mpmath.mpf(upper.numerator) / upper.denominator
        nodes = [end * (1 + mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * degree))) / 2 for i in range(degree)]
        values = [(function(z) - constant) / z for z in nodes]
        vandermonde = mpmath.matrix([[z**j for j in range(degree)] for z in nodes])
        solution = mpmath.lu_solve(vandermonde, mpmath.matrix(values))
        return (float(constant), *(float(c) for c in solution))


def standard_schemes() -> list[dict[str, object]]:
    """Fit every scheme of the standard family.

    The g_m and the functions of half angles are split: their coefficients decay fast or have one sign, so this costs
    no more than 0.7 eps; c_0 … c_7 on the full interval would lose up to 5 eps.
    """
    rows: list[dict[str, object]] = []
    for upper, degrees in ((Fraction(10), DEGREES), (Fraction(5, 2), QUARTER_DEGREES)):
        for name, degree in degrees.items():
            coefficients = fit(name, degree, upper)
            rows.append(
                {
                    "function": name,
                    "upper": str(upper),
                    "pole_order": pole_order(name),
                    "is_split": name.startswith("g") or upper < 10,
                    "coefficients": [c.hex() for c in coefficients],
                }
            )
    return rows


def main() -> None:
    """Write the standard schemes beside this module."""
    path = Path(__file__).with_name("standard_schemes.json")
    path.write_text(json.dumps(standard_schemes(), indent=1) + "\n")


if __name__ == "__main__":
    main()
