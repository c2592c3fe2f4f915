"""Shipped schemes in double precision, as printed: polynomials in z, poles divided out."""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf
from numpy.typing import NDArray
from sympy import Rational

from symlie.ir import schemes
from symlie.ir.minimax import fit, standard_schemes
from symlie.ir.primitives import Cotangent, Stumpff
from symlie.ir.schemes import POLES, Piece, Scheme, scheme_for
from tests import tolerances
from tests.evaluation import evaluate_scheme

Z = sympy.Symbol("z", real=True)
ALL_ROWS = json.loads((Path(schemes.__file__).parent / "standard_schemes.json").read_text())
ROWS = [row for row in ALL_ROWS if row["precision"] == "double"]
CROSSES_ZERO = {"c0", "c1"}
"""Functions with a zero on the interval, judged with respect to f(0)."""
SAMPLES = 300


def split(name: str) -> tuple[str, int, int]:
    """Family, index and number of derivatives."""
    family, _, suffix = name.partition("_")
    return family[0], int(family[1:]), int(suffix or 0)


def function_of(row: dict[str, object]) -> Stumpff | Cotangent:
    """The symbolic function a shipped row belongs to."""
    family, index, m = split(str(row["function"]))
    upper = Rational(row["upper"])
    return Stumpff(index, m, Z, upper) if family == "c" else Cotangent(index, Z, upper)


def series(name: str) -> list[Rational]:
    """Enough exact series coefficients for 25 digits at z = 10."""
    family, index, m = split(name)
    if family == "c":
        return [Stumpff.series_coefficient(index, m, j) for j in range(30)]
    return [Cotangent.series_coefficient(index, j) for j in range(45)]


@functools.cache
def descending(name: str) -> list[mpf]:
    """The series for mpmath.polyval."""
    return [mpf(int(c.p)) / int(c.q) for c in reversed(series(name))]


def grid(upper: float) -> NDArray[np.float64]:
    """Zero, log-uniform in ω = √z from 1e-8, uniform in z, and the end."""
    omega = np.exp(np.linspace(np.log(1e-8), np.log(upper) / 2, SAMPLES))
    z: NDArray[np.float64] = np.concatenate([[0.0], omega * omega, np.linspace(0.0, upper, SAMPLES), [upper]])
    return np.minimum(z, upper)


def error(scheme: Scheme) -> float:
    """Largest error on the grid of the working interval, relative to f, or to f(0) for functions with a zero."""
    z = grid(min(scheme.working.upper, 10.0))
    values = evaluate_scheme(scheme, z)
    worst = mpf(0)
    with mpmath.workdps(30):
        at_zero = mpmath.polyval(descending(scheme.base_name), mpf(0))
        for x, value in zip(z, values, strict=True):
            exact = mpmath.polyval(descending(scheme.base_name), mpf(float(x)))
            scale = at_zero if scheme.base_name in CROSSES_ZERO else exact
            worst = max(worst, abs((mpf(float(value)) - exact) / scale))
    return float(worst)


def test_shipped_family_is_complete() -> None:
    names = [(row["function"], row["upper"]) for row in ROWS]
    assert len(set(names)) == len(names)
    rotations = {"c0", "c1", "c2", "c3", "c2_1", "c3_1", "g0", "g1"}
    newton = {"c1_1", "c2_2", "c3_2", "g2"}
    assert {(name, "10") for name in rotations | newton} | {("c0", "5/2"), ("c1", "5/2"), ("c1_1", "5/2")} <= set(names)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=[f"{r['function']}-{r['upper']}" for r in ROWS])
def test_schemes_are_accurate(row: dict[str, object]) -> None:
    scheme = scheme_for(function_of(row))
    stored = row["pieces"]
    assert isinstance(stored, list) and len(stored) == len(scheme.pieces)
    for piece, data in zip(scheme.pieces, stored, strict=True):
        assert piece.coefficients == tuple(float.fromhex(c) for c in data["coefficients"])
        assert piece.degree == len(data["coefficients"]) - 1
    assert scheme.is_shipped
    assert error(scheme) < tolerances.SCHEME


@pytest.mark.parametrize("row", ROWS, ids=[f"{r['function']}-{r['upper']}" for r in ROWS])
def test_value_at_zero_is_correctly_rounded(row: dict[str, object]) -> None:
    scheme = scheme_for(function_of(row))
    first = series(scheme.base_name)[0]
    assert evaluate_scheme(scheme, np.array([0.0]))[0] == float(Fraction(int(first.p), int(first.q)))


@pytest.mark.slow
def test_recipe_reproduces_the_shipped_coefficients() -> None:
    """Bit for bit, all of them."""
    assert json.loads(json.dumps(standard_schemes())) == ALL_ROWS


def test_accuracy_is_lost_with_too_low_a_degree() -> None:
    """The yardstick itself: three degrees fewer are seen."""
    coefficients = fit("c3", 7, Fraction(10))
    assert error(Scheme("c3", "c3", (Piece(10.0, coefficients),))) > 10 * tolerances.SCHEME


@pytest.mark.parametrize(
    "function",
    [Stumpff(1, 2, Z, Rational(5, 2)), Stumpff(2, 0, Z, Rational(40, 9)), Cotangent(1, Z, 20)],
    ids=["c1_2-5/2", "c2-40/9", "g1-20"],
)
def test_other_intervals_use_the_standard_polynomials(function: Stumpff | Cotangent) -> None:
    scheme = scheme_for(function)
    assert scheme.function == function.primitive_name
    assert scheme.is_shipped and scheme.working.upper == 10
    assert error(scheme) < tolerances.SCHEME


@pytest.mark.parametrize("function", [Stumpff(4, 1, Z, 10), Stumpff(5, 2, Z, 10), Cotangent(4, Z, 10)], ids=str)
def test_functions_outside_the_family_are_rejected(function: Stumpff | Cotangent) -> None:
    scheme = scheme_for(function)
    assert not scheme.is_shipped
    assert error(scheme) < tolerances.SCHEME_UNPROVED


@pytest.mark.parametrize(("precision", "bits"), [("double", 53), ("float", 24)])
def test_pole_is_stored_in_two_doubles(precision: schemes.Precision, bits: int) -> None:
    with mpmath.workdps(50):
        pole = 4 * mpmath.pi**2
        high, low = POLES[precision]
        with mpmath.workprec(bits):
            rounded = [+pole, +(pole - mpf(high))]
        assert [float(x) for x in rounded] == [high, low]
        assert low > 0 and abs(pole - mpf(high) - mpf(low)) < pole * mpf(2) ** (-2 * bits - 1)


def test_evaluation_outside_the_interval_is_rejected() -> None:
    scheme = scheme_for(Stumpff.of(2, Z))
    with pytest.raises(ValueError, match="c2 was evaluated beyond"):
        evaluate_scheme(scheme, np.array([10.1]))
