"""Jets of straight lines: coefficients of every operator compared with compositions in many digits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import mpmath
import pytest
import sympy
from mpmath import mpf
from sympy import Expr

import symlie as sl
from symlie.errors import ModelError
from symlie.ir.jets import derivation
from symlie.ir.jets.derivation import Jet, jet_of
from symlie.ir.primitives import PiecewiseLinear, RunTimeInput
from symlie.ir.program import Program
from symlie.ir.straightline import Operand, StraightLine, flatten
from tests import tolerances

X, Y, P = sympy.symbols("x y P", real=True)
ABSCISSA, VALUE, SLOT = sympy.symbols("abscissa value slot", real=True)
PLACES = {X: "q[0]", Y: "a[0]", P: "p[0]", ABSCISSA: "p[1]", VALUE: "p[5]", SLOT: "p[9]"}

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
    "select": sl.select(X - P, X, X * Y) + sl.select(X, X * Y, Y),
    "abs": abs(X) * Y + abs(X - P) * X,
    "maximum": sympy.Max(X, P - 1) * Y + sympy.Max(X, P) * X,
    "minimum": sympy.Min(X, P) * Y + sympy.Min(X, P - 1),
    "table interpolate": PiecewiseLinear(X * X + P / 4, ABSCISSA, VALUE, 4) * Y,
    "input input": RunTimeInput.of(X * X + P / 4, SLOT, 0) * Y + RunTimeInput.of(X, SLOT, 0).diff(X),
}
"""An expression for each operator with a rule."""

INTERVAL = (0.375, 0.875)
"""An interval of a run-time table."""


def table_polynomial(x: Any, derivative: int) -> Any:
    """A derivative of the polynomial of a run-time table in that interval."""
    falling = [math.perm(j, derivative) * c for j, c in enumerate((3, -2, 5, 7, -1, 2)) if j >= derivative]
    return sum((c * (x - sympy.Rational(3, 8) if isinstance(x, Expr) else x - mpf("0.375")) ** j
                for j, c in enumerate(falling)), 0 * x)  # fmt: skip


PIECES: dict[str, Expr] = {
    "select": 2 * X * Y,
    "abs": X * Y + (P - X) * X,
    "maximum": X * Y + P * X,
    "minimum": X * Y + P - 1,
    "table interpolate": (1 + 8 * (X * X + P / 4 - sympy.Rational(1, 4))) * Y,
    "input input": sympy.sympify(table_polynomial(X * X + P / 4, 0)) * Y + table_polynomial(X, 1),
}
"""Definitions of the piecewise operators."""

ORDER = 9
COEFFICIENTS_OF_X = [mpf("0.41"), *(mpf(3 + k) / (7 * k + 2) * (-1) ** k for k in range(ORDER))]
COEFFICIENTS_OF_Y = [mpf("0.37"), *(mpf(5 - k) / (5 * k + 3) for k in range(ORDER))]
PARAMETER = mpf("1.25")
PARAMETERS = [PARAMETER, *map(mpf, ("0.25", "0.5", "0.75", "1", "1", "3", "0.5", "7"))]
"""P, a table of four points, and the slot of a run-time table."""


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

    def table(x: mpf, abscissa: str, value: str, count: float, *, of: str) -> mpf:
        first, last = (int(name[2:-1]) for name in (abscissa, value))
        k = max(i for i in range(int(count)) if inputs["p"][first + i] <= x)
        (a, b), (u, w) = (inputs["p"][start + k : start + k + 2] for start in (first, last))
        slope = (w - u) / (b - a)
        return {"interpolate": u + slope * (x - a), "slope": slope, "begin": a, "end": b}[of]

    plain = {
        "abs": abs,
        "maximum": max,
        "minimum": min,
        "select": lambda c, a, b: a if c > 0 else b,
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        "pow": lambda a, b: a**b,
    }
    for i in line.instructions:
        kind, _, which = i.operator.partition(" ")
        if kind == "table":
            known[i.target] = table(value(i.operands[0]), *i.operands[1:], of=which.split("_")[-1])
            continue
        if kind == "input":
            derivative = int(i.operands[3])
            known[i.target] = {
                "input": table_polynomial(value(i.operands[0]), derivative),
                "input_begin": mpf(INTERVAL[0]),
                "input_end": mpf(INTERVAL[1]),
            }[which]
            continue
        known[i.target] = (plain.get(i.operator) or getattr(mpmath, i.operator))(*map(value, i.operands))
    return [value(o) for o in line.outputs]


def coefficients(jet: Jet, expression: Expr, *, is_split: bool) -> list[mpf]:
    """Coefficients of an expression; with ``is_split`` y is omitted in each order and completed afterwards."""
    fixed = {"p": PARAMETERS}
    begin = values_of(jet.begin, {"q": COEFFICIENTS_OF_X[:1], "a": COEFFICIENTS_OF_Y[:1], **fixed})
    found, kept = begin[:1], begin[1 : jet.layout.kept + 1]
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
        row = row[: jet.layout.factors]
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
        expression = PIECES.get(name, expression)
        found = coefficients(jet, expression, is_split=is_split)
        function = sympy.lambdify((X, Y, P), expression, "mpmath")

        def along(s: mpf) -> mpf:
            x, y = (mpmath.polyval(c[::-1], s) for c in (COEFFICIENTS_OF_X, COEFFICIENTS_OF_Y))
            return function(x, y, PARAMETER)

        expected = mpmath.taylor(along, 0, ORDER)
        return max(float(abs(a - b) / (1 + abs(b))) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_jet_rules_are_correct(name: str, is_split: bool) -> None:
    assert worst(name, is_split=is_split) <= tolerances.JETS


def test_each_rule_has_an_expression() -> None:
    assert set(EXPRESSIONS) == set(derivation.RULES)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_wrong_rule_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = derivation.RULES[name]
    wrong = {**derivation.RULES, name: lambda p, *operands: p.times(1 + 2.0**-40, rule(p, *operands))}
    monkeypatch.setattr(derivation, "RULES", wrong)
    assert worst(name, is_split=False) > 1e6 * tolerances.JETS


def test_constants_have_no_coefficients() -> None:
    """Expressions of parameters alone have order 0, and products with them are not products of series."""
    line = flatten(Program(), [sympy.sin(P) * X + sympy.exp(P * P)], PLACES)
    jet = jet_of("x", line, ("p[",))
    assert (jet.layout.products, jet.layout.kept, jet.order.operation_count) == ((), 1, 1)


def test_products_of_late_results_come_first() -> None:
    """Whole registers of factors of which nothing is known before are put down once; x + y has a part that is known."""
    products: list[Expr] = [X**2, X * sympy.sin(X), X * (X + Y), X * Y]
    layout = jet_of("jet", flatten(Program(), products, PLACES), ("p[",), ("a[",)).layout
    of_late = [max(factors) >= layout.factors - layout.late for factors in layout.products]
    of_new = [max(factors) >= layout.factors - layout.new for factors in layout.products]
    assert (layout.late, layout.new) == (2, 1)
    assert (sum(of_late), sum(of_new)) == (2, 1)
    assert of_new == sorted(of_new, reverse=True)
    assert layout.products[0][0] == layout.factors - 1  # y is on the side of all such factors


def test_equal_products_are_summed_once() -> None:
    line = flatten(Program(), [X * Y + sympy.sin(X * Y)], PLACES)
    # x y, and the angle with its cosine and its sine, whose factors are x, y, the weighted angle, cosine and sine.
    layout = jet_of("x", line, ()).layout
    assert (len(layout.products), layout.factors) == (3, 5)


def conditions_of(expression: Expr) -> list[list[float]]:
    """Functions whose signs choose pieces, of order 0 and 1, and their sizes."""
    jet = jet_of("x", flatten(Program(), [expression], PLACES), ("p[",))
    inputs = {"q": COEFFICIENTS_OF_X, "a": COEFFICIENTS_OF_Y, "p": PARAMETERS}
    begin = values_of(jet.begin, inputs)
    count = jet.layout.conditions
    of_order = {"q": COEFFICIENTS_OF_X[1:], "a": COEFFICIENTS_OF_Y[1:], "p": PARAMETERS, "k": [mpf(1)]}
    kept = {"kept": begin[1 : jet.layout.kept + 1], "sums": [mpf(0)] * len(jet.layout.products)}
    order = values_of(jet.order, of_order | kept)
    rows = begin[len(begin) - 2 * count : len(begin) - count], order[len(order) - count :], begin[len(begin) - count :]
    return [[float(value) for value in row] for row in rows]


def test_conditions_select_branches() -> None:
    """A table has the distances from both ends of an interval, sign(x) both signs of x; sizes are sums of all terms."""
    x, x1 = (float(c) for c in COEFFICIENTS_OF_X[:2])
    assert conditions_of(sl.select(X - P, X, Y)) == [[x - 1.25], [x1], [x + 1.25]]
    assert conditions_of(sympy.sign(X) * Y) == [[x, -x], [x1, -x1], [x, x]]
    found = conditions_of(PiecewiseLinear(X, ABSCISSA, VALUE, 4))
    assert found == [[0.25 - x, x - 0.5], [-x1, x1], [0.25 + x, 0.5 + x]]
    assert conditions_of(RunTimeInput.of(X, SLOT, 0)) == [[0.375 - x, x - 0.875], [-x1, x1], [0.375 + x, 0.875 + x]]
    assert conditions_of(sympy.Max(X, P) + sympy.Min(X, P)) == [[1.25 - x], [-x1], [x + 1.25]]
    assert conditions_of(sl.select(P, X, Y)) == [[], [], []]


def test_missing_rule_is_reported() -> None:
    line = flatten(Program(), [sl.select(X, Y, X * Y)], PLACES)
    with pytest.raises(ModelError, match="condition that depends on accelerations or multipliers has no rule"):
        jet_of("x", line, (), ("q[",))
    with pytest.raises(ModelError, match=r"variable exponent .* exp\(exponent\*log\(base\)\)"):
        jet_of("x", flatten(Program(), [X**Y], PLACES), ())
