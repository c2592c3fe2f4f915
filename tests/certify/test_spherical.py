"""Coefficient functions at points, by recurrences of balls, against their series."""

from __future__ import annotations

import mpmath
import pytest

pytest.importorskip("flint")

import flint

from symlie.certify.derivatives.spherical import columns

ROWS, DIGITS, BITS = 14, 120, 400


def by_series(k: int, n: int, z: mpmath.mpf) -> mpmath.mpf:
    """(-1)^n c_{k,n}(z) = Σ_j (-z)^j 2^n (j + n)!/(j! (2j + 2n + k)!)."""
    terms = ((-z) ** j * 2**n * mpmath.fac(j + n) / (mpmath.fac(j) * mpmath.fac(2 * j + 2 * n + k)) for j in range(90))
    return mpmath.fsum(terms)


@pytest.mark.parametrize("omega", [0.25, 5.0, 19.5])
def test_columns_enclose_all_coefficients(omega: float) -> None:
    """Below and beyond the index at which the direction of the recurrences changes."""
    scale = max(1.0, omega)
    with flint.ctx.workprec(BITS), mpmath.workdps(DIGITS):
        found = columns((2, 3, 4, 5), flint.arb(omega), flint.arb(scale), ROWS)
        for k, column in found.items():
            for n, ball in enumerate(column):
                expected = by_series(k, n, mpmath.mpf(omega) ** 2) * mpmath.mpf(scale) ** n
                distance = ball - flint.arb(mpmath.nstr(expected, 80))
                assert abs(distance) < abs(ball) * flint.arb(2) ** -60
