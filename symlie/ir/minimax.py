"""Near-minimax polynomials in z for coefficient functions, by interpolation in 60 digits.

``python -m symlie.ir.minimax`` rewrites ``standard_schemes.json``, the schemes shipped with the package.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import mpmath

from symlie.ir.primitives import evaluate
from symlie.ir.schemes import POLES, Piece, Precision
from symlie.ir.taylor import expansions

DIGITS = 60

BITS: dict[Precision, int] = {"double": 53, "float": 24}

RECURRENCE = {"c1": "c3"}
"""Functions that are evaluated as 1/k! - z c_{k+2} on [0, 10], at no cost in addition to c_{k+2}. Others would lose
accuracy: relative to f(0) c_0 up to 6 eps, relative to f c_2 3 eps."""

DEGREES = {
    "c2": 10, "c3": 10, "c4": 9, "c5": 9, "c6": 9, "c7": 8,
    "c1_1": 10, "c2_1": 10, "c3_1": 9, "c1_2": 10, "c2_2": 10, "c3_2": 9, "c1_3": 10, "c2_3": 9, "c3_3": 9,
    "g0": 14, "g1": 15, "g2": 16, "g3": 18,
}  # fmt: skip
"""Degrees in z on [0, 10], from a table of minimax degrees computed with 60 digits."""

QUARTER_DEGREES = {"c0": 8, "c1": 8, "c1_1": 7, "c2": 7, "c3": 7}
"""Degrees on [0, 5/2], the interval of half-angle arguments z/4; c_0 on [0, 10] doubles the angle."""

QUARTER_CONTINUED = ("c1_1",)
"""Functions whose closed forms cancel on [5/2, 10], so that the polynomials of the standard interval follow."""

BEYOND_DEGREES = {
    "g0": 15, "g1": 16, "g2": 17, "g3": 18,
    "c6": 12, "c7": 12, "c1_1": 14, "c3_1": 13, "c1_2": 14, "c2_2": 13, "c3_2": 13, "c1_3": 14, "c2_3": 13, "c3_3": 13,
}  # fmt: skip
"""Degrees of the numerators of g_m on [0, 4π²], used beyond z = 10, and of polynomials in z - 24 on [10, 4π²] for
functions whose closed forms cancel there."""

CHAINS = {"g0": 4, "g1": 4, "g2": 2, "g3": 2}
"""Chains of the polynomials on [0, 10]: the largest number with an error on [0, π/2] below 1.5 eps."""

FLOAT_DEGREES = {
    "c2": 6, "c3": 6, "c4": 5, "c5": 5, "c6": 5, "c7": 4,
    "c1_1": 6, "c2_1": 6, "c3_1": 5, "c1_2": 6, "c2_2": 5, "c3_2": 5, "c1_3": 6, "c2_3": 5, "c3_3": 5,
    "g0": 7, "g1": 7, "g2": 8, "g3": 8,
}  # fmt: skip
FLOAT_QUARTER_DEGREES = {"c0": 5, "c1": 4, "c1_1": 4, "c2": 4, "c3": 4}
FLOAT_BEYOND_DEGREES = {
    "g0": 7, "g1": 7, "g2": 8, "g3": 8,
    "c6": 7, "c7": 7, "c1_1": 8, "c3_1": 7, "c1_2": 8, "c2_2": 7, "c3_2": 7, "c1_3": 8, "c2_3": 7, "c3_3": 7,
}  # fmt: skip
"""The same for single precision."""

SHIFT = 24.0
"""Near the middle of [10, 4π²]; z - 24 is exact."""

STANDARD_UPPER, QUARTER_UPPER = Fraction(10), Fraction(5, 2)


def pole_order(base_name: str) -> int:
    """Return the order of the pole at z = 4π² that is divided out: m + 1 for g_m, 0 for entire functions."""
    return int(base_name[1:]) + 1 if base_name.startswith("g") else 0


def fit(base_name: str, degree: int, upper: Fraction, bits: int = 53, *, with_pole: bool = False) -> tuple[float, ...]:
    """Interpolate (f(z) - f(0))/z at Chebyshev nodes of [0, upper] and round; return ascending coefficients from f(0)
    on."""
    # ``with_pole`` fits (4π² - z)^{m+1} g_m instead of g_m; ``bits`` is the length of the significands.
    with mpmath.workdps(DIGITS):
        order = pole_order(base_name) if with_pole else 0
        pole = 4 * mpmath.pi**2

        def function(z: mpmath.mpf) -> mpmath.mpf:
            return evaluate(base_name, z) * (pole - z) ** order

        constant = function(mpmath.mpf(0))
        nodes = _nodes(mpmath.mpf(0), mpmath.mpf(upper.numerator) / upper.denominator, degree)
        slopes = _interpolate(nodes, [(function(z) - constant) / z for z in nodes])
    with mpmath.workprec(bits):
        return (float(+constant), *(float(+c) for c in slopes))


def fit_shifted(base_name: str, degree: int, upper: Fraction, bits: int = 53) -> tuple[float, ...]:
    """Interpolate f at Chebyshev nodes of [`STANDARD_UPPER`, upper] by a polynomial in z - `SHIFT`, and round."""
    with mpmath.workdps(DIGITS):
        end = mpmath.mpf(upper.numerator) / upper.denominator
        nodes = _nodes(mpmath.mpf(int(STANDARD_UPPER)), end, degree + 1)
        solution = _interpolate([z - SHIFT for z in nodes], [evaluate(base_name, z) for z in nodes])
    with mpmath.workprec(bits):
        return tuple(float(+c) for c in solution)


def _nodes(lower: mpmath.mpf, upper: mpmath.mpf, count: int) -> list[mpmath.mpf]:
    cosines = [mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    return [lower + (upper - lower) * (1 + c) / 2 for c in cosines]


def _interpolate(nodes: list[mpmath.mpf], values: list[mpmath.mpf]) -> list[mpmath.mpf]:
    vandermonde = mpmath.matrix([[x**j for j in range(len(nodes))] for x in nodes])
    return list(mpmath.lu_solve(vandermonde, mpmath.matrix(values)))


def taylor_pieces(base_name: str, precision: Precision) -> tuple[Piece, ...]:
    """Return correctly rounded Taylor polynomials of a function outside of the shipped family, as pieces."""
    pieces = []
    for expansion in expansions(base_name):
        upper = min(float(expansion.upper), POLES[precision][0])
        with mpmath.workprec(BITS[precision]):
            coefficients = tuple(float(+a) for a in expansion.coefficients)
        pieces.append(Piece(upper, coefficients, expansion.pole_order, shift=float(expansion.centre)))
    return tuple(pieces)


def standard_schemes() -> list[dict[str, object]]:
    """Fit every scheme of the standard family."""
    # The coefficients of the g_m have one sign, and coefficients of functions of half angles decay fast, so that
    # several chains cost no accuracy; c_0 … c_7 on the full interval would lose up to 5 eps.
    rows: list[dict[str, object]] = []
    tables: tuple[tuple[Precision, dict[str, int], dict[str, int], dict[str, int]], ...] = (
        ("double", DEGREES, QUARTER_DEGREES, BEYOND_DEGREES),
        ("float", FLOAT_DEGREES, FLOAT_QUARTER_DEGREES, FLOAT_BEYOND_DEGREES),
    )
    for precision, degrees, quarter_degrees, beyond_degrees in tables:
        bits = BITS[precision]
        standard: dict[str, list[dict[str, object]]] = {}
        end = Fraction(POLES[precision][0])
        doubled = fit("c0", quarter_degrees["c0"], QUARTER_UPPER, bits)
        rows.append(_row("c0", STANDARD_UPPER, precision, [_piece(STANDARD_UPPER, doubled, doubles_angle=True)]))
        for name, other in RECURRENCE.items():
            polynomial = fit(other, degrees[other], STANDARD_UPPER, bits)
            constant = fit(name, 1, STANDARD_UPPER, bits)[0]
            rows.append(_row(name, STANDARD_UPPER, precision, [_piece(STANDARD_UPPER, polynomial, constant=constant)]))
        for name, degree in degrees.items():
            pieces = [_piece(STANDARD_UPPER, fit(name, degree, STANDARD_UPPER, bits), chains=CHAINS.get(name, 1))]
            beyond = beyond_degrees.get(name, 0)
            if name.startswith("g"):
                pieces.append(_piece(end, fit(name, beyond, end, bits, with_pole=True), pole_order=pole_order(name)))
            elif beyond:
                pieces.append(_piece(end, fit_shifted(name, beyond, end, bits), shift=SHIFT))
            rows.append(_row(name, STANDARD_UPPER, precision, pieces))
            if name in QUARTER_CONTINUED:
                standard[name] = pieces
        for name, degree in quarter_degrees.items():
            chains = 1 if name in QUARTER_CONTINUED else 2
            pieces = [_piece(QUARTER_UPPER, fit(name, degree, QUARTER_UPPER, bits), chains=chains)]
            rows.append(_row(name, QUARTER_UPPER, precision, pieces + standard.get(name, [])))
    return rows


def _row(name: str, upper: Fraction, precision: Precision, pieces: list[dict[str, object]]) -> dict[str, object]:
    return {"function": name, "upper": str(upper), "precision": precision, "pieces": pieces}


def _piece(upper: Fraction, coefficients: tuple[float, ...], **form: object) -> dict[str, object]:
    return {"upper": float(upper).hex(), **form, "coefficients": [c.hex() for c in coefficients]}


def main() -> None:
    """Write the standard schemes into the folder of this module, one per line."""
    path = Path(__file__).with_name("standard_schemes.json")
    lines = ",\n".join(json.dumps(row) for row in standard_schemes())
    path.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
