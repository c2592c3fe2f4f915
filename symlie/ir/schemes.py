"""Evaluation schemes of primitives as data: polynomials on their domain, closed forms or NaN beyond."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

import sympy
from sympy import Expr, Rational

from symlie.ir.primitives import CoefficientFunction

Precision = Literal["double", "float"]

POLES: dict[Precision, tuple[float, float]] = {
    "double": (39.47841760435743, 2.5061182034958845e-15),
    "float": (39.47841644287109375, 1.1614863524300745e-06),
}
"""4π² as a sum of two numbers of the precision, of which the first is below 4π²; (first - z) is exact near the pole."""

TAYLOR_UPPER = Fraction(10)
"""End of the working interval of functions outside of the shipped family."""


@dataclass(frozen=True)
class Piece:
    """f = p(x)/(4π² - z)^pole_order for z ≤ ``upper``, without square roots and trigonometric functions."""

    # x is z - ``shift``, or z/4 with ``doubles_angle``, where the value is 2 p² - 1. With ``constant`` the value is
    # constant - z p, the recurrence c_k = 1/k! - z c_{k+2} with the polynomial p of c_{k+2}: where both are needed,
    # compilers evaluate it once.

    upper: float
    coefficients: tuple[float, ...]
    """Ascending coefficients of p, exactly the numbers used."""
    pole_order: int = 0
    chains: int = 1
    """1: Horner's scheme. 2: even and odd part, each in Horner form in z². 4: four parts by powers modulo four, in z⁴.
    More chains have shorter dependencies, at some cost in accuracy."""
    shift: float = 0.0
    doubles_angle: bool = False
    constant: float | None = None

    @property
    def parts(self) -> tuple[tuple[float, ...], ...]:
        """Coefficients of each chain, from the highest powers down."""
        return tuple(self.coefficients[k :: self.chains] for k in reversed(range(self.chains)))

    @property
    def degree(self) -> int:
        """Degree of p in z."""
        return len(self.coefficients) - 1


@dataclass(frozen=True)
class Scheme:
    """Evaluation of one coefficient function f(z) for z ≥ 0."""

    # ``pieces`` are consecutive from z = 0; the first covers the working interval without a branch but its guard.
    # Beyond the last one c_{k,m} are evaluated by `closed_form`; g_m, whose pieces reach to their pole at 4π², and the
    # tails of user-defined series are NaN.

    function: str
    """Emitted name, such as ``c2_1``."""
    base_name: str
    """Member of the family, without the interval."""
    pieces: tuple[Piece, ...]
    precision: Precision = "double"
    is_shipped: bool = True
    """True if the scheme belongs to those whose proofs ship with the package."""

    @property
    def working(self) -> Piece:
        """Piece of the working interval."""
        return self.pieces[0]

    @property
    def upper(self) -> float:
        """End of the working interval."""
        return self.working.upper

    @property
    def pole_order(self) -> int:
        """Order of the pole at z = 4π², 0 without a pole."""
        return self.pieces[-1].pole_order

    @property
    def has_closed_form(self) -> bool:
        """Return whether a closed form applies beyond the last piece; otherwise the value there is NaN."""
        return self.base_name.startswith("c")


@functools.cache
def standard_pieces() -> dict[tuple[str, Fraction, str], tuple[Piece, ...]]:
    """Return the pieces of the shipped schemes by function, end of the working interval, and precision."""
    rows = json.loads(Path(__file__).with_name("standard_schemes.json").read_text())
    return {
        (row["function"], Fraction(row["upper"]), row["precision"]): tuple(
            Piece(
                float.fromhex(p["upper"]),
                tuple(map(float.fromhex, p["coefficients"])),
                p.get("pole_order", 0),
                p.get("chains", 1),
                p.get("shift", 0.0),
                p.get("doubles_angle", False),
                p.get("constant"),
            )
            for p in row["pieces"]
        )
        for row in rows
    }


def scheme_for(function: CoefficientFunction, precision: Precision = "double") -> Scheme:
    """Return the scheme of a coefficient function in a precision."""
    # Members of the shipped family use the shipped pieces, on their interval or on the standard one; others Taylor
    # polynomials whose remainders are bounded in rational arithmetic.
    upper = Fraction(int(function.upper.p), int(function.upper.q))
    return named_scheme(function.primitive_name, function.base_name, upper, precision)


def in_precision(scheme: Scheme, precision: Precision) -> Scheme:
    """Return the scheme of the same function in another precision."""
    return named_scheme(scheme.function, scheme.base_name, Fraction(scheme.upper), precision)


def named_scheme(name: str, base_name: str, upper: Fraction, precision: Precision) -> Scheme:
    """Return the scheme of a function by its names and the end of its working interval."""
    for end in (upper, TAYLOR_UPPER):
        pieces = standard_pieces().get((base_name, end, precision))
        if pieces:
            return Scheme(name, base_name, pieces, precision)
    from symlie.ir.minimax import taylor_pieces

    return Scheme(name, base_name, taylor_pieces(base_name, precision), precision, is_shipped=False)


def indices(base_name: str) -> tuple[int, int]:
    """Return (k, m) of ``ck_m``, (m, 0) of ``gm``."""
    first, _, second = base_name[1:].partition("_")
    return int(first), int(second or 0)


def closed_form(base_name: str, z: Expr) -> Expr:
    """Return the closed form of c_{k,m} in ω = √z, used only beyond the working interval, where no cancellation
    occurs.
    """
    # From the definitions; c_2 and c_{2,1} in half-angle form because they vanish at 2π.
    return _stumpff_closed_form(*indices(base_name), z)


def _stumpff_closed_form(k: int, m: int, z: Expr) -> Expr:
    omega = sympy.sqrt(z)
    half = omega / 2
    if (k, m) == (0, 0):
        return sympy.cos(omega)
    if (k, m) == (1, 0):
        return sympy.sin(omega) / omega
    if (k, m) == (2, 0):
        return 2 * sympy.sin(half) ** 2 / z
    if (k, m) == (3, 1):
        return (3 * sympy.sin(omega) - omega * (2 + sympy.cos(omega))) / (omega * z**2)
    if (k, m) == (2, 1):
        return -2 * sympy.sin(half) * (2 * sympy.sin(half) - omega * sympy.cos(half)) / z**2
    if m == 0:
        return (Rational(1, sympy.factorial(k - 2)) - _stumpff_closed_form(k - 2, 0, z)) / z
    if k == 0:
        return -_stumpff_closed_form(1, m - 1, z)
    return k * _stumpff_closed_form(k + 2, m - 1, z) - _stumpff_closed_form(k + 1, m - 1, z)
