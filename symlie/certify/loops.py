"""Truncation error bounds of loops over matrices in stand-alone operators, for matrices of any norm.

For ‖A‖₁ ≤ 1 the loops compute 1 + A p(A) = e^{A (1 + G)} with a function G of A of bounded norm; doubling preserves G.
For logarithms the remainder of artanh is bounded. Rounding errors are not bounded.
Source: [Higham2008], chapter 10.
"""

from __future__ import annotations

from fractions import Fraction

from symlie.certify.certificate import ALLOWANCE
from symlie.certify.checker.series import STATUS, truncation
from symlie.ir import matrix_loops
from symlie.ir.group_operators import GroupOperators

ARTANH_NORM = Fraction(1, 2 * matrix_loops.NEAR_IDENTITY - 1)
"""Bound of the norm of Z = (Y - 1)(Y + 1)⁻¹ for ‖Y - 1‖ ≤ 1/NEAR_IDENTITY."""

EXPONENTIAL = (
    "e^A = 1 + A f and f = (e^A - 1)/A = sum_{k <= degree} A^k/(k+1)!, |A|_1 <= norm, of A (1 + G); then s times"
    " f(2A) = (e^A + 1) f(A)/2 and e^2A = (e^A)^2"
)
LOGARITHM = "log Y = 2 sum_{k <= degree} Z^(2k+1)/(2k+1), Z = (Y - 1)(Y + 1)^-1, |Z|_1 <= norm"


def loop_entries(operators: GroupOperators) -> list[dict[str, object]]:
    """Return the certificate entries of the loops of stand-alone operators."""
    found = []
    if operators.has_series:
        norm = Fraction(matrix_loops.SCALED_NORM)
        found.append(_entry("scaled_phi1", EXPONENTIAL, matrix_loops.DEGREE, norm, "A"))
    if any(f.loops and f.loops.representation for f in operators.factors):
        found.append(_entry("artanh", LOGARITHM, matrix_loops.LOGARITHM_DEGREE, ARTANH_NORM, "log Y"))
    return found


def _entry(name: str, statement: str, degree: int, norm: Fraction, relative_to: str) -> dict[str, object]:
    bound = float(truncation(name, degree, norm) * 2**52)
    return {
        "name": name,
        "status": STATUS,
        "definition": {"family": "matrix function", "statement": statement},
        "degree": degree,
        "norm": str(norm),
        "relative_to": relative_to,
        "truncation_eps": float(f"{bound * ALLOWANCE:.4g}"),
    }
