"""How primitives are evaluated, as data: a polynomial on the working interval, a closed form beyond it."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import sympy
from sympy import Expr, Rational

from symlie.ir.minimax import fit, pole_order
from symlie.ir.primitives import CoefficientFunction

POLE_HIGH = 39.47841760435743
POLE_LOW = 2.5061182034958845e-15
"""4π² = POLE_HIGH + POLE_LOW to 107 bits; (POLE_HIGH - z) is exact near the pole."""

DEGREE_FOR_UNKNOWN = 13
"""Degree for functions outside the shipped family: the Taylor degree that is sufficient for all of them."""


@dataclass(frozen=True)
class Scheme:
    """Evaluation of one coefficient function f(z).

    On 0 ≤ z ≤ ``upper``: f = p(z)/(4π² - z)^pole_order with the polynomial p in Horner form, or split into its even
    and odd part; no square root, no trigonometric function. For z > ``upper``: the guarded closed form of
    `closed_form`.
    """

    function: str
    """Emitted name, such as ``c2_1``."""
    base_name: str
    """Member of the family, without the interval."""
    upper: float
    """Upper end of the working interval, dimensionless."""
    pole_order: int
    coefficients: tuple[float, ...]
    """Ascending coefficients of p, exactly the doubles that are used."""
    is_split: bool = False
    """Whether p is evaluated as O(z²) z + E(z²), each in Horner form: half the latency, at some cost in accuracy."""

    @property
    def degree(self) -> int:
        """Degree of p in z."""
        return len(self.coefficients) - 1


@functools.cache
def _standard() -> dict[tuple[str, Fraction], tuple[tuple[float, ...], bool]]:
    rows = json.loads(Path(__file__).with_name("standard_schemes.json").read_text())
    return {
        (row["function"], Fraction(row["upper"])): (tuple(map(float.fromhex, row["coefficients"])), row["is_split"])
        for row in rows
    }


def scheme_for(function: CoefficientFunction) -> Scheme:
    """The scheme of a coefficient function; fitted on the spot if it is not in the shipped family."""
    base_name = function.base_name
    upper = Fraction(int(function.upper.p), int(function.upper.q))
    known = _standard().get((base_name, upper))
    coefficients, is_split = known or (fit(base_name, DEGREE_FOR_UNKNOWN, upper), False)
    return Scheme(function.primitive_name, base_name, float(upper), pole_order(base_name), coefficients, is_split)


def closed_form(base_name: str, z: Expr) -> Expr:
    """Closed form in ω = √z, used beyond the working interval only, where it does not cancel.

    Source: definitions; c_2 and c_{2,1} in half-angle form because they vanish at 2π; g_m through
    r_i = c_{1,i}(z/4)/c_1(z/4): g_0 = -r_1/4 and (2 d/dy) r_i = r_{i+1} - r_i r_1.
    """
    family, _, suffix = base_name.partition("_")
    index, m = int(family[1:]), int(suffix or 0)
    if family[0] == "c":
        return _stumpff_closed_form(index, m, z)
    return _cotangent_closed_form(index, z)


def _stumpff_closed_form(k: int, m: int, z: Expr) -> Expr:
    omega = sympy.sqrt(z)
    half = omega / 2
    if (k, m) == (0, 0):
        return sympy.cos(omega)
    if (k, m) == (1, 0):
        return sympy.sin(omega) / omega
    if (k, m) == (2, 0):
        return 2 * sympy.sin(half) ** 2 / z
    if (k, m) == (2, 1):
        return -2 * sympy.sin(half) * (2 * sympy.sin(half) - omega * sympy.cos(half)) / z**2
    if m == 0:
        return (Rational(1, sympy.factorial(k - 2)) - _stumpff_closed_form(k - 2, 0, z)) / z
    if k == 0:
        return -_stumpff_closed_form(1, m - 1, z)
    return k * _stumpff_closed_form(k + 2, m - 1, z) - _stumpff_closed_form(k + 1, m - 1, z)


def _cotangent_closed_form(m: int, z: Expr) -> Expr:
    ratios = sympy.symbols(f"r1:{m + 2}")
    expression: Expr = -ratios[0] / 4
    for _ in range(m):
        rate = {r: ratios[i + 1] - r * ratios[0] for i, r in enumerate(ratios[:-1])}
        expression = sum(sympy.diff(expression, r) * dr for r, dr in rate.items()) / 4
    quarter = z / 4
    sinc = _stumpff_closed_form(1, 0, quarter)
    return expression.xreplace({r: _stumpff_closed_form(1, i + 1, quarter) / sinc for i, r in enumerate(ratios)})
