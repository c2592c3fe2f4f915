"""Jumps and kinks of functions with branches along a path."""

from __future__ import annotations

import pytest
import sympy
from sympy import Expr, Rational

from symlie.ir.primitives import Select
from symlie.ir.program import Program
from symlie.ir.smoothness import Defect, defect_along
from symlie.ir.straightline import flatten

S, AT = sympy.Symbol("s", real=True), Rational(1, 2)

CONTINUATIONS: dict[str, Expr] = {
    "maximum": sympy.Max(S, AT / 2),
    "minimum": sympy.Min(S, 3 * AT / 2),
    "absolute value": sympy.Abs(S),
    "square root": sympy.sqrt(S * S),
    "quotient": S * S / S,
    "logarithm": sympy.log(sympy.exp(S)),
    "sine": sympy.sin(sympy.asin(S)),
    "tangent": sympy.tan(sympy.atan(S)),
    "hyperbolic tangent": sympy.log((1 + sympy.tanh(S)) / (1 - sympy.tanh(S))) / 2,
    "angle": sympy.sin(sympy.atan2(S, sympy.sqrt(1 - S * S))),
}
"""Functions that are s near the switch."""


def defect(piece: Expr, order: int = 3) -> Defect | None:
    """The smoothness of a function which is s up to 1/2, and another one beyond."""
    program = Program()
    return defect_along(flatten(program, [Select(S - AT, piece, S)], {S: "s"}), order)


@pytest.mark.parametrize("name", CONTINUATIONS)
def test_smooth_continuations_have_no_defect(name: str) -> None:
    assert defect(CONTINUATIONS[name]) is None


@pytest.mark.parametrize("name", CONTINUATIONS)
def test_jumps_of_each_derivative_are_found(name: str) -> None:
    """The added powers of the distance from the switch have the derivative k! 2 there."""
    for k in range(3):
        found = defect(CONTINUATIONS[name] + 2 * (S - AT) ** k)
        assert found is not None and found.derivative == k
        assert found.at == pytest.approx(float(AT)) and found.jump == pytest.approx(2 * sympy.factorial(k))
