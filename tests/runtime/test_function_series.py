"""Taylor coefficients of functions of one argument, against definitions in many digits, and C against NumPy."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import cffi
import mpmath
import numpy as np
import pytest
from mpmath import mpf

from symlie.compile.cache import compiled_library
from symlie.compile.headers import with_headers
from symlie.contract.constants import MOST_ORDER, constants_header
from symlie.contract.set_table import ScalarFunction
from symlie.ir.series import Growth, PowerSeries
from symlie.ir.series_centres import centred_series
from symlie.runtime.kernels.function_series import FOUR_PI_SQUARED, FURTHER_POLES, function_series
from tests import tolerances

ORDERS = (1, 2, 3, 5, 8, 13, 17, 24, 35, 48, MOST_ORDER)
"""At which coefficients are looked at, of all."""

POLE = FOUR_PI_SQUARED[0]


def drawn(count: int, largest: float, seed: int) -> list[float]:
    """Random arguments of all sizes up to the largest."""
    exponents = np.random.default_rng(seed).uniform(-12, math.log10(largest), count)
    return [0.0, *map(float, 10.0**exponents)]


def of_stumpff(k: int, n: int, z: mpf) -> mpf:
    """c_{k,n}(z) by its power series, in the current precision."""
    term = mpf(-2) ** n * mpmath.factorial(n) / mpmath.factorial(2 * n + k)
    total, j = mpf(0), 0
    while j * j < z or abs(term) > abs(total) * mpf(10) ** -40:
        total += term
        term *= -z * (j + n + 1) / ((j + 1) * (2 * (j + n) + k + 1) * (2 * (j + n) + k + 2))
        j += 1
        if not term:
            break
    return total


INDICES = [(0, 0), (1, 0), (2, 0), (3, 0), (2, 1), (3, 2), (4, 0), (5, 1), (9, 0), (16, 0), (12, 3)]
"""k and m of c_{k,m}."""


@pytest.mark.slow
@pytest.mark.parametrize(("k", "m"), INDICES)
@pytest.mark.parametrize("order", [4, 24, MOST_ORDER])
def test_coefficient_function_series_are_accurate(k: int, m: int, order: int) -> None:
    arguments = [*drawn(5, 2e4, 10 * k + m), 0.25, 3.6, 16.0]
    found = function_series(ScalarFunction("c", k, m), np.array(arguments), order)
    for z, column in zip(arguments, found.T, strict=True):
        omega = math.sqrt(z)
        with mpmath.workdps(50 + int(omega)):
            for j in [n for n in ORDERS if n <= order]:
                near = [mpf(max(0.0, omega + d)) ** 2 for d in (-2, -1, 1, 2)]
                exact, *around = (of_stumpff(k, m + j, x) for x in (mpf(z), *near))
                factor = mpf(2) ** j * mpmath.factorial(j)
                error = abs(mpf(float(column[j - 1])) * factor - exact)
                assert error <= tolerances.FUNCTION_SERIES * max(abs(exact), *map(abs, around)), (z, j)


@functools.cache
def zeta_beyond(p: int, digits: int) -> mpf:
    """Sum of n⁻²ᵖ from n = 30, in this number of digits."""
    with mpmath.workdps(digits):
        return mpmath.zeta(2 * p, 30)


def of_cotangent(m: int, j: int, z: mpf) -> mpf:
    """g_{m+j}/(2^j j!) by partial fractions."""
    p, square = m + j + 1, 4 * mpmath.pi**2
    head = sum((square * n * n - z) ** -p for n in range(1, 30))
    tail = sum(
        math.comb(p - 1 + i, i) * z**i * square ** (-p - i) * zeta_beyond(p + i, mpmath.mp.dps) for i in range(20)
    )
    return 2 ** (m + 1) * mpmath.factorial(m + j) / mpmath.factorial(j) * (head + tail)


@pytest.mark.parametrize("m", [0, 1, 3])
def test_cotangent_series_are_accurate(m: int) -> None:
    """Up to the double next to the pole."""
    arguments = [*drawn(4, POLE, m), 35.0, POLE - 1e-6, math.nextafter(POLE, 0.0), POLE]
    found = function_series(ScalarFunction("g", m), np.array(arguments), MOST_ORDER)
    with mpmath.workdps(40):
        for z, column in zip(arguments, found.T, strict=True):
            for j in ORDERS:
                if math.isfinite(column[j - 1]):
                    exact = of_cotangent(m, j, mpf(z))
                    assert abs(mpf(float(column[j - 1])) / exact - 1) <= tolerances.FUNCTION_SERIES, (z, j)


def test_series_near_further_poles_are_accurate() -> None:
    with mpmath.workdps(40):
        for i, a in enumerate(FURTHER_POLES):
            exact = mpmath.zeta(2 * i + 2, 4) / (4 * mpmath.pi**2) ** (i + 1)
            assert abs(mpf(a) / exact - 1) <= tolerances.EPSILON


@pytest.mark.parametrize("p", [0, 1])
@pytest.mark.parametrize("order", [4, 24, MOST_ORDER])
def test_angle_ratio_series_are_accurate(p: int, order: int) -> None:
    arguments = [*drawn(6, 1.0, p), 1.0, -1e-17]
    found = function_series(ScalarFunction("a", p), np.array(arguments), order)
    with mpmath.workdps(30):
        for x, column in zip(arguments, found.T, strict=True):
            for j in [n for n in ORDERS if n <= order]:
                half = p + j + mpf(1) / 2
                exact = (-1) ** j * mpmath.hyp2f1(j + 1, half, half + 1, -mpf(x)) / (2 * half)
                assert abs(mpf(float(column[j - 1])) / exact - 1) <= tolerances.FUNCTION_SERIES, (x, j)


STATED: dict[str, tuple[Callable[[int], Fraction], Growth]] = {
    "exponential": (lambda n: Fraction(1, math.factorial(n)), Growth(Fraction(1), rate=Fraction(1))),
    "fast": (lambda n: Fraction(3**n, math.factorial(n)), Growth(Fraction(1), rate=Fraction(3))),
    "geometric": (lambda n: Fraction(1, 2**n), Growth(Fraction(1), radius=Fraction(2))),
    "polynomial": (lambda n: Fraction(n * n, 7) if n < 9 else Fraction(0), Growth(Fraction(1000), rate=Fraction(3))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STATED)
def test_user_defined_series_are_accurate(name: str) -> None:
    coefficient, growth = STATED[name]
    series = PowerSeries(name, coefficient, growth)
    f = ScalarFunction("s", expansions=centred_series(series.tail(1, 1)))
    end = float(growth.upper)
    arguments = [0.0, 0.02 * end, 0.13 * end, 0.4 * end, 0.7 * end, end]
    found = function_series(f, np.array(arguments), MOST_ORDER)
    with mpmath.workdps(120):
        values = [mpf(v.numerator) / v.denominator for v in (coefficient(3 + 2 * i) for i in range(500))]
        terms = [(-1) ** (i + 1) * 2 * (i + 1) * v for i, v in enumerate(values)]
        for z, column in zip(arguments, found.T, strict=True):
            away = (float(growth.radius) ** 2 - z) / 3 if growth.radius else 1.0
            exact = [
                sum((math.comb(i, j) * a * mpf(z) ** (i - j) for i, a in enumerate(terms) if i >= j), mpf(0))
                for j in ORDERS
            ]
            sizes = [abs(e) * mpf(away) ** j for j, e in zip(ORDERS, exact, strict=True)]
            for j, e in zip(ORDERS, exact, strict=True):
                error = abs(mpf(float(column[j - 1])) - e) * mpf(away) ** j
                assert error <= tolerances.STATED_SERIES * max(sizes), (z, j)
    assert np.isnan(function_series(f, np.array([1.001 * end]), 3)).all()


@pytest.mark.parametrize(
    ("family", "beyond"),
    [
        ("c", [math.nan, -1.0, math.inf]),
        ("g", [math.nan, -1.0, 40.0, math.inf]),
        ("a", [math.nan, -1.0, -0.5, 2.0, math.inf]),
    ],
)
def test_arguments_outside_the_domain_are_nan(family: str, beyond: Sequence[float]) -> None:
    """NaN for NaN and outside of domains; neighbours are unaffected."""
    found = function_series(ScalarFunction(family, 1), np.array([*beyond, 0.25]), 5)
    assert np.isnan(found[:, :-1]).all()
    assert np.array_equal(found[:, -1:], function_series(ScalarFunction(family, 1), np.array([0.25]), 5))


SOURCE = """
#include "primitives.h"
#define MOST_TERMS_OF_SERIES 1
#include "function_series.h"
const char *symlie_interface_hash(void) { return ""; }
void c(int k, int m, double z, int order, double *out) { coefficient_series(k, m, z, order, out); }
void g(int k, int m, double z, int order, double *out) { (void)m, cotangent_series(k, z, order, out); }
void a(int k, int m, double z, int order, double *out) { (void)m, angle_series(k, z, order, out); }
"""


def test_c_and_numpy_agree() -> None:
    path, _ = compiled_library(with_headers({**constants_header(), "library.c": SOURCE}), "library.c", "default")
    ffi = cffi.FFI()
    ffi.cdef("".join(f"void {name}(int k, int m, double z, int order, double *out);" for name in "cga"))
    library = ffi.dlopen(str(Path(path)))
    cases = [("c", 2, 1, 1e6), ("c", 0, 0, 100.0), ("c", 5, 0, 30.0), ("c", 16, 2, 3e4)]
    cases += [("g", 1, 0, 39.0), ("a", 1, 0, 1.0)]
    for family, k, m, largest in cases:
        for z in [*drawn(6, largest, k), math.nan]:
            out = np.empty(MOST_ORDER)
            getattr(library, family)(k, m, z, MOST_ORDER, ffi.cast("double *", out.ctypes.data))
            expected = function_series(ScalarFunction(family, k, m), np.array([z]), MOST_ORDER)[:, 0]
            assert np.allclose(out, expected, rtol=tolerances.FUNCTION_SERIES, atol=0.0, equal_nan=True), (family, z)
