"""Coefficient functions: spot values, recurrences, derivatives, series, closed forms."""

from __future__ import annotations

import mpmath
import pytest
import sympy
from mpmath import mpf
from sympy import Rational

from symlie.ir.minimax import DEGREES
from symlie.ir.primitives import WORKING_INTERVAL, CoefficientFunction, Cotangent, HalfAngleRatio, Stumpff, evaluate
from symlie.ir.program import Program
from symlie.ir.schemes import closed_form
from tests import evaluation, tolerances

Z = sympy.Symbol("z", real=True)

ARGUMENTS = ("0", "1e-14", "0.01", "1", "5", "9.8696", "30")

SPOT_VALUES = [
    ("c2", 1.0, ".459697694131860282599"),
    ("c3", 1.0, ".158529015192103493347"),
    ("c2_1", 1.0, "-.0779244034558240585456"),
    ("c3_1", 1.0, "-.0158893514444501974434"),
    ("g0", 1.0, ".0847561391437740403660"),
    ("g1", 1.0, ".00291518569123666502240"),
    ("g2", 1.0, "2.85437557087034904295e-4"),
    ("c3", 0.1, ".166583353171847693177"),
    ("c3_1", 0.1, "-.0166587318119689113595"),
    ("c2_2", 0.1, ".0111051600527430526176"),
    ("c3_2", 0.1, ".00158664033187748557280"),
    ("g1", 0.1, ".00277910102529934204629"),
]
"""Name, the double ω, value to 21 digits at z = ω²."""

VALUES_AT_ZERO = {
    "c0": (1, 1), "c1": (1, 1), "c2": (1, 2), "c3": (1, 6), "c4": (1, 24), "c5": (1, 120), "c6": (1, 720),
    "c1_1": (-1, 3), "c2_1": (-1, 12), "c3_1": (-1, 60), "c2_2": (1, 90), "c3_2": (1, 630), "c2_3": (-1, 840),
    "c3_3": (-1, 7560), "g0": (1, 12), "g1": (1, 360), "g2": (1, 3780), "g3": (1, 25200),
}  # fmt: skip

every_argument = pytest.mark.parametrize("z", ARGUMENTS)


def close(a: mpf, b: mpf) -> bool:
    """Equal up to the tolerance of primitives, absolutely for values below one."""
    return bool(abs(a - b) <= tolerances.PRIMITIVE * max(1, abs(b)))


def function_of(base_name: str, argument: sympy.Expr = Z, upper: Rational = WORKING_INTERVAL) -> CoefficientFunction:
    """The symbolic function with this name."""
    family, _, suffix = base_name.partition("_")
    index, m = int(family[1:]), int(suffix or 0)
    return Stumpff(index, m, argument, upper) if family[0] == "c" else Cotangent(index, argument, upper)


@pytest.mark.parametrize(("name", "omega", "value"), SPOT_VALUES)
def test_known_values_are_reproduced(name: str, omega: float, value: str) -> None:
    assert abs(evaluate(name, mpf(omega) ** 2) / mpf(value) - 1) < tolerances.SPOT_VALUE


@pytest.mark.parametrize("name", VALUES_AT_ZERO)
def test_values_at_zero_are_exact(name: str) -> None:
    p, q = VALUES_AT_ZERO[name]
    assert close(evaluate(name, mpf(0)), mpf(p) / q)


@every_argument
def test_definitions_match_the_series(z: str) -> None:
    x = mpf(z)
    omega = mpmath.sqrt(x)
    assert close(evaluate("c0", x), mpmath.cos(omega))
    assert close(omega * evaluate("c1", x), mpmath.sin(omega))
    assert close(x * evaluate("c2", x), 1 - mpmath.cos(omega))
    assert close(omega * x * evaluate("c3", x), omega - mpmath.sin(omega))
    if x > 0:
        assert close(x * evaluate("g0", x), 1 - omega / 2 * mpmath.cot(omega / 2))


@pytest.mark.slow
@every_argument
def test_recurrences_hold(z: str) -> None:
    x = mpf(z)

    def c(k: int, m: int = 0) -> mpf:
        return evaluate(f"c{k}_{m}" if m else f"c{k}", x)

    for k in range(6):
        assert close(c(k), 1 / mpmath.factorial(k) - x * c(k + 2))
        for m in range(3):
            assert close(c(k, m + 1), k * c(k + 2, m) - c(k + 1, m))
    assert close(c(1, 1), c(3) - c(2))
    assert close(c(2, 1), 2 * c(4) - c(3))
    assert close(c(3, 1), 3 * c(5) - c(4))
    assert close(c(2, 2), 8 * c(6) - 5 * c(5) + c(4))
    assert close(c(3, 2), 15 * c(7) - 7 * c(6) + c(5))


@every_argument
def test_cotangent_family_follows_from_stumpff_functions(z: str) -> None:
    """g₀ = -c_{2,1}/(2 c₂), and g₁, g₂ through r_i = c_{1,i}(z/4)/c₁(z/4)."""
    x = mpf(z)
    r_1, r_2, r_3 = (evaluate(f"c1_{i}", x / 4) / evaluate("c1", x / 4) for i in (1, 2, 3))
    assert close(evaluate("g0", x), -evaluate("c2_1", x) / (2 * evaluate("c2", x)))
    assert close(evaluate("g0", x), -r_1 / 4)
    assert close(evaluate("g1", x), -(r_2 - r_1**2) / 16)
    assert close(evaluate("g2", x), -(r_3 - 3 * r_1 * r_2 + 2 * r_1**3) / 64)


@pytest.mark.parametrize("name", ["c0", "c1", "c2", "c3", "c5", "c2_1", "c3_2", "g0", "g1", "g2"])
def test_derivative_is_the_next_member(name: str) -> None:
    slope = sympy.diff(function_of(name), Z)
    for z in ("0.01", "2.5", "9"):
        h = mpf(tolerances.DIFFERENCE_STEP)
        with mpmath.workdps(60):
            expected = (evaluate(name, mpf(z) + h) - evaluate(name, mpf(z) - h)) / (2 * h)
        (found,) = evaluation.evaluate(Program(), [slope], {Z: z})
        assert abs(found - expected) < tolerances.DIFFERENCE


def test_chain_rule_keeps_the_working_interval() -> None:
    x = sympy.Symbol("x", real=True)
    half = Rational(5, 2)
    assert sympy.diff(Stumpff.of(2, x**2, half), x) == x * Stumpff(2, 1, x**2, half)
    assert sympy.diff(Cotangent.of(x**2), x, x) == Cotangent(1, x**2, 10) + x**2 * Cotangent(2, x**2, 10)
    assert sympy.diff(Stumpff.of(2, x**2), sympy.Symbol("y")) == 0


def test_primitives_have_systematic_names() -> None:
    assert Stumpff.of(3, Z).base_name == Stumpff.of(3, Z).primitive_name == "c3"
    assert Stumpff(3, 2, Z, 10).primitive_name == "c3_2"
    assert Stumpff.of(1, Z / 4, Rational(5, 2)).primitive_name == "c1_to_5_2"
    assert Cotangent(2, Z, 10).primitive_name == "g2"
    assert Stumpff.of(3, Z).argument == Z
    assert sympy.latex(Stumpff(3, 1, Z, 10)) == r"c_{3,1}\left(z\right)"
    assert sympy.latex(Cotangent.of(Z) ** 2) == r"g_{0}\left(z\right)^{2}"
    assert sympy.latex(HalfAngleRatio(Z, 0)) == r"L\left(z, 0\right)"


def test_primitives_are_opaque() -> None:
    """No constructor may evaluate, even at numbers: an accurate scheme must not be replaced by a closed form."""
    for function in (Stumpff.of(2, sympy.Integer(0)), Cotangent.of(sympy.Integer(1)), HalfAngleRatio(1, 0)):
        assert not function.is_Number
        assert sympy.simplify(function) == function


@pytest.mark.parametrize("name", ["c0", "c3", "c1_1", "c2_2", "c3_3", "g0", "g1", "g3"])
def test_series_coefficients_are_exact(name: str) -> None:
    function = function_of(name)
    z = mpf("0.7")
    total = mpf(0)
    for j in range(60):
        if isinstance(function, Stumpff):
            coefficient = Stumpff.series_coefficient(int(function.args[0]), int(function.args[1]), j)
        else:
            coefficient = Cotangent.series_coefficient(int(function.args[0]), j)
        assert coefficient.is_Rational
        total += mpf(int(coefficient.p)) / int(coefficient.q) * z**j
    assert close(total, evaluate(name, z))


def test_leading_cotangent_coefficients_are_exact() -> None:
    expected = [Rational(1, n) for n in (12, 720, 30240, 1209600, 47900160)]
    assert [Cotangent.series_coefficient(0, j) for j in range(5)] == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in ("c0", *DEGREES) if n.startswith("c")])
def test_closed_forms_hold_beyond_the_working_interval(name: str) -> None:
    form = closed_form(name, Z)
    for z in ("10.001", "39.478", "45", "200"):
        (found,) = evaluation.evaluate(Program(), [form], {Z: z})
        expected = evaluate(name, mpf(z))
        assert abs(found - expected) < tolerances.CLOSED_FORM * max(1, abs(expected))
