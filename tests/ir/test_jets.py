"""Jets of straight lines: coefficients of every operator against those of compositions in many digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import pytest
import sympy
from mpmath import mpf
from sympy import Expr

import symlie as sl
from symlie.errors import ModelError
from symlie.ir import jets
from symlie.ir.jets import Jet, jet_of
from symlie.ir.program import Program
from symlie.ir.straightline import Operand, StraightLine, flatten
from tests import tolerances

X, Y, P = sympy.symbols("x y P", real=True)
PLACES = {X: "q[0]", Y: "a[0]", P: "p[0]"}

EXPRESSIONS: dict[str, Expr] = {
    "mul": X * Y + X**2,
    "add": X + P * Y - 3,
    "sub": P - X - Y,
    "neg": -X,
    "div": X / Y + P / X + X / P,
    "sqrt": sympy.sqrt(X + Y),
    "exp": sympy.exp(X * Y),
    "log": sympy.log(X),
    "sin": sympy.sin(X * Y),
    "cos": sympy.cos(X + Y),
    "tan": sympy.tan(X),
    "asin": sympy.asin(X),
    "acos": sympy.acos(X),
    "atan": sympy.atan(X / Y),
    "atan2": sympy.atan2(Y, X),
    "sinh": sympy.sinh(X),
    "cosh": sympy.cosh(X * Y),
    "tanh": sympy.tanh(X),
    "pow": X**P,
}
"""An expression for each operator with a rule."""

ORDER = 9
COEFFICIENTS_OF_X = [mpf("0.41"), *(mpf(3 + k) / (7 * k + 2) * (-1) ** k for k in range(ORDER))]
COEFFICIENTS_OF_Y = [mpf("0.37"), *(mpf(5 - k) / (5 * k + 3) for k in range(ORDER))]
PARAMETER = mpf("1.25")


def values_of(line: StraightLine, inputs: dict[str, Sequence[Any]]) -> list[mpf]:
    """Outputs of a straight line in mpmath's arithmetic."""
    known: dict[str, mpf] = {}

    def value(operand: Operand) -> mpf:
        if isinstance(operand, float):
            return mpf(operand)
        if operand in known:
            return known[operand]
        name, bracket, place = operand.partition("[")
        return inputs[name][int(place[:-1])] if bracket else inputs[name][0]

    plain = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        "pow": lambda a, b: a**b,
    }
    for i in line.instructions:
        known[i.target] = (plain.get(i.operator) or getattr(mpmath, i.operator))(*map(value, i.operands))
    return [value(o) for o in line.outputs]


def coefficients(jet: Jet, expression: Expr, *, is_split: bool) -> list[mpf]:
    """Those of an expression; with ``is_split`` those of y are left out of each order and completed behind it."""
    fixed = {"p": [PARAMETER]}
    begin = values_of(jet.begin, {"q": COEFFICIENTS_OF_X[:1], "a": COEFFICIENTS_OF_Y[:1], **fixed})
    found, kept = begin[:1], begin[1:]
    slope = sympy.lambdify((X, Y, P), expression.diff(Y), "mpmath")
    by_y = slope(COEFFICIENTS_OF_X[0], COEFFICIENTS_OF_Y[0], PARAMETER)
    factors: list[list[mpf]] = []
    for k in range(1, ORDER + 1):
        sums = [
            sum((factors[j - 1][a] * factors[k - j - 1][b] for j in range(1, k)), mpf(0))
            for a, b in jet.layout.products
        ]
        inputs = {"q": [COEFFICIENTS_OF_X[k]], "a": [COEFFICIENTS_OF_Y[k]], "k": [mpf(k)], "kept": kept, "sums": sums}
        result, *row = values_of(jet.order, inputs)
        factors.append(row)
        if is_split:
            result += by_y * COEFFICIENTS_OF_Y[k]
            for n, more in enumerate(values_of(jet.rest, inputs), start=len(row) - jet.layout.late):
                row[n] += more
        found.append(result)
    return found


def worst(name: str, *, is_split: bool) -> float:
    """The largest error of a coefficient of the expression for an operator."""
    expression = EXPRESSIONS[name]
    with mpmath.workdps(60):
        line = flatten(Program(), [expression], PLACES)
        jet = jet_of(name, line, ("p[",), ("a[",) if is_split else ())
        found = coefficients(jet, expression, is_split=is_split)
        function = sympy.lambdify((X, Y, P), expression, "mpmath")

        def along(s: mpf) -> mpf:
            x, y = (mpmath.polyval(c[::-1], s) for c in (COEFFICIENTS_OF_X, COEFFICIENTS_OF_Y))
            return function(x, y, PARAMETER)

        expected = mpmath.taylor(along, 0, ORDER)
        return max(float(abs(a - b) / (1 + abs(b))) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_rules(name: str, is_split: bool) -> None:
    assert worst(name, is_split=is_split) <= tolerances.JETS


def test_each_rule_has_an_expression() -> None:
    assert set(EXPRESSIONS) == set(jets._RULES)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_wrong_rule_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = jets._RULES[name]
    wrong = {**jets._RULES, name: lambda p, *operands: p.times(1 + 2.0**-40, rule(p, *operands))}
    monkeypatch.setattr(jets, "_RULES", wrong)
    assert worst(name, is_split=False) > 1e6 * tolerances.JETS


def test_constants_have_no_coefficients() -> None:
    """What depends on parameters alone is computed with order 0, and products with it are no products of series."""
    line = flatten(Program(), [sympy.sin(P) * X + sympy.exp(P * P)], PLACES)
    jet = jet_of("x", line, ("p[",))
    assert (jet.layout.products, jet.layout.kept, jet.order.operation_count) == ((), 1, 1)


def test_equal_products_are_summed_once() -> None:
    line = flatten(Program(), [X * Y + sympy.sin(X * Y)], PLACES)
    # x y, and the angle with its cosine and its sine, whose factors are x, y, the weighted angle, cosine and sine.
    layout = jet_of("x", line, ()).layout
    assert (len(layout.products), layout.factors) == (3, 5)


def test_no_rule() -> None:
    line = flatten(Program(), [sl.select(X, Y, X * Y)], PLACES)
    with pytest.raises(ModelError, match="'select' has no rule; use another method"):
        jet_of("x", line, ())
    with pytest.raises(ModelError, match=r"exponent moves .* exp\(exponent\*log\(base\)\)"):
        jet_of("x", flatten(Program(), [X**Y], PLACES), ())
