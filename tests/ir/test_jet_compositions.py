"""Functions of one argument in jets: their rules against compositions in many digits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
import sympy
from mpmath import mpf
from sympy import Expr

from symlie.contract.set_table import ScalarFunction
from symlie.errors import ModelError
from symlie.ir.jets import compositions
from symlie.ir.jets.derivation import Jet, jet_of
from symlie.ir.primitives import (
    AngleExcess,
    Cotangent,
    FullAngleRatio,
    HalfAngleRatio,
    RotationQuaternion,
    Stumpff,
    evaluate,
)
from symlie.ir.program import Program
from symlie.ir.straightline import Operand, StraightLine, flatten
from tests import tolerances

X, Y = sympy.symbols("x y", real=True)
PLACES = {X: "q[0]", Y: "q[1]"}
ORDER = 8
SERIES_OF_X = [mpf("0.41"), *(mpf(3 + k) / (7 * k + 2) * (-1) ** k for k in range(ORDER))]
SERIES_OF_Y = [mpf("0.37"), *(mpf(5 - k) / (5 * k + 3) for k in range(ORDER))]


def half_angle(w: mpf, n: mpf) -> mpf:
    """L(w, n)."""
    return 2 * mpmath.atan(mpmath.sqrt(n) / w) / mpmath.sqrt(n)


def full_angle(w: mpf, n: mpf) -> mpf:
    """F(w, n)."""
    return 2 * mpmath.acos(w / mpmath.sqrt(w * w + n)) / mpmath.sqrt(n)


def excess(z: mpf) -> mpf:
    """E(z)."""
    return (mpmath.asin(mpmath.sqrt(z)) / mpmath.sqrt(z * (1 - z)) - 1) / (2 * z)


MATRIX = ((1, -7, 5), (3, -2, 1), (2, 4, 6))
"""Numbers of matrices that are no rotations."""


def matrix(x: Any, y: Any, pivot: int) -> list[Any]:
    """Row by row; its quaternion has its largest component at the pivot."""
    signs = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)][pivot]
    return [
        (10 * signs[i] * (i == j) + x * MATRIX[i][j] / 8 + y * y * MATRIX[j][i] / 4) for i in range(3) for j in range(3)
    ]


def quaternion(r: list[mpf], number: int) -> mpf:
    """A component, from the row of the largest one."""
    a, b, c = r[0], r[4], r[8]
    x, y, z, xy, xz, yz = r[7] - r[5], r[2] - r[6], r[3] - r[1], r[1] + r[3], r[2] + r[6], r[5] + r[7]
    rows = [
        [1 + a + b + c, x, y, z],
        [x, 1 + a - b - c, xy, xz],
        [y, xy, 1 - a + b - c, yz],
        [z, xz, yz, 1 - a - b + c],
    ]
    row = max(enumerate(rows), key=lambda n_row: n_row[1][n_row[0]])[1]
    length = mpmath.sqrt(sum(p * p for p in row))
    return row[number] / (length if row[0] > 0 else -length)


CASES: dict[str, tuple[Expr, Callable[[mpf, mpf], mpf]]] = {
    "c_2 and c_3,1": (
        Stumpff.of(2, X * Y) + X * Stumpff.of(3, X * Y).fdiff(),
        lambda x, y: evaluate("c2", x * y) + x * evaluate("c3_1", x * y) / 2,
    ),
    "g_0 and g_1": (
        Cotangent.of(X**2) * Cotangent.of(Y).fdiff(),
        lambda x, y: evaluate("g0", x * x) * evaluate("g1", y) / 2,
    ),
    "half angle": (HalfAngleRatio(X, Y), half_angle),
    "half angle, beyond": (HalfAngleRatio(-X, Y), lambda x, y: half_angle(-x, y)),
    "full angle": (FullAngleRatio(X, Y), full_angle),
    "full angle, beyond": (FullAngleRatio(-X, Y), lambda x, y: full_angle(-x, y)),
    "excess": (AngleExcess(X) * Y, lambda x, y: excess(x) * y),
    **{
        f"quaternion, pivot {k}": (
            RotationQuaternion(sympy.Integer(n), *map(sympy.sympify, matrix(X, Y, k))),
            functools.partial(lambda k, n, x, y: quaternion(matrix(x, y, k), n), k, n),
        )
        for k, n in ((0, 0), (1, 3), (2, 0), (3, 1))
    },
}
"""Expressions, and their values."""


def derivative(function: ScalarFunction, m: int, z: mpf) -> mpf:
    """f⁽ᵐ⁾(z)/m!, by definitions."""
    if function.family == "a":
        p = function.index
        integral = mpmath.hyp2f1(m + 1, p + m + mpf(1) / 2, p + m + mpf(3) / 2, -z) / (2 * p + 2 * m + 1)
        return (-1) ** m * integral
    name = f"c{function.index}_{function.derivative + m}" if function.family == "c" else f"g{function.index + m}"
    return evaluate(name, z) / (2**m * mpmath.factorial(m))


def values_of(line: StraightLine, inputs: dict[str, list[Any]]) -> list[mpf]:
    """Outputs of a straight line in mpmath's arithmetic."""
    known: dict[str, mpf] = {}

    def value(operand: Operand) -> mpf:
        if isinstance(operand, float):
            return mpf(operand)
        name, bracket, place = operand.partition("[")
        return known[operand] if operand in known else inputs[name][int(place[:-1]) if bracket else 0]

    functions: dict[str, Callable[..., mpf]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        "copysign": lambda a, b: abs(a) * mpmath.sign(b),
        "sqrt": mpmath.sqrt,
        "call half_angle_ratio": half_angle,
        "call full_angle_ratio": full_angle,
        "call angle_excess": excess,
        "call rotation_quaternion": lambda n, *r: quaternion(list(r), int(n)),
    }
    for i in line.instructions:
        values = map(value, i.operands)
        function = functions.get(i.operator)
        known[i.target] = function(*values) if function else evaluate(i.operator.removeprefix("call "), *values)
    return [value(o) for o in line.outputs]


def coefficients(jet: Jet) -> list[mpf]:
    """Coefficients of the single result of a jet."""
    layout = jet.layout
    begin = values_of(jet.begin, {"q": [SERIES_OF_X[0], SERIES_OF_Y[0]]})
    kept, z = begin[1 : 1 + layout.kept], begin[1 + layout.kept :]
    functions = [
        (c.argument, [derivative(c.function, m, z[c.argument]) for m in range(ORDER + 1)]) for c in layout.compositions
    ]
    powers = [[[mpf(0)] * (ORDER + 1) for _ in range(ORDER + 1)] for _ in z]
    found, factors = begin[:1], list[list[mpf]]()
    for k in range(1, ORDER + 1):
        sums = [
            sum((factors[j - 1][a] * factors[k - j - 1][b] for j in range(1, k)), mpf(0)) for a, b in layout.products
        ]
        for of_z in powers:
            for m in range(2, k + 1):
                of_z[m][k] = sum((of_z[1][j] * of_z[m - 1][k - j] for j in range(1, k)), mpf(0))
        result, *rest = values_of(
            jet.order,
            {
                "q": [SERIES_OF_X[k], SERIES_OF_Y[k]],
                "k": [mpf(k)],
                "kept": kept,
                "sums": sums,
                "slopes": [f[1] for _, f in functions],
                "compositions": [sum((f[m] * powers[a][m][k] for m in range(2, k + 1)), mpf(0)) for a, f in functions],
            },
        )
        found.append(result)
        factors.append(rest[: layout.factors])
        for of_z, z_k in zip(powers, rest[layout.factors :], strict=True):
            of_z[1][k] = z_k
    return found


def worst(name: str) -> float:
    """The largest error of a coefficient."""
    expression, function = CASES[name]
    with mpmath.workdps(60):
        found = coefficients(jet_of(name, flatten(Program(), [expression], PLACES), ()))

        def along(s: mpf) -> mpf:
            return function(*(mpmath.polyval(c[::-1], s) for c in (SERIES_OF_X, SERIES_OF_Y)))

        expected = mpmath.taylor(along, 0, ORDER)
        return max(float(abs(a - b) / (1 + abs(b))) for a, b in zip(found, expected, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_composition_rules_are_correct(name: str) -> None:
    assert worst(name) <= tolerances.JETS


@pytest.mark.parametrize("name", ["half angle", "full angle", "excess", "quaternion, pivot 2"])
def test_wrong_ratio_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ratios = compositions._RATIOS
    wrong = {k: lambda p, *o, rule=rule: p.times(1 + 2.0**-40, rule(p, *o)) for k, rule in ratios.items()}
    monkeypatch.setattr(compositions, "_RATIOS", wrong)
    assert worst(name) > 1e6 * tolerances.JETS


def test_wrong_composition_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = compositions._composition
    monkeypatch.setattr(compositions, "_composition", lambda p, *o: p.times(1 + 2.0**-40, rule(p, *o)))
    assert worst("c_2 and c_3,1") > 1e6 * tolerances.JETS


def test_functions_share_their_argument() -> None:
    expression = Stumpff.of(2, X) + Stumpff.of(3, X) * Stumpff.of(2, Y) + Cotangent.of(X)
    layout = jet_of("x", flatten(Program(), [expression], PLACES), ()).layout
    numbers = [c.argument for c in layout.compositions]
    assert layout.arguments == 2
    assert numbers == sorted(numbers)
    assert {numbers.count(0), numbers.count(1)} == {1, 3}


def test_functions_of_accelerations_and_multipliers_are_rejected() -> None:
    with pytest.raises(ModelError, match="a function of accelerations or multipliers has no rule"):
        jet_of("x", flatten(Program(), [Stumpff.of(2, X)], PLACES), (), ("q[",))


@pytest.mark.parametrize("function", [Stumpff(1, 17, X, 10), Stumpff(18, 0, X, 10), Cotangent(17, X, 10)])
def test_indices_beyond_the_arrays_are_rejected(function: Expr) -> None:
    """Arrays of derivatives have a length that was proved enough for orders up to 60."""
    with pytest.raises(ModelError, match="has no rule, because its index is above 16"):
        jet_of("x", flatten(Program(), [function], PLACES), ())
