"""Non-elementary functions in jets: c_{k,m}, g_m, user-defined series, and ratios of angles.

For f(z) with f_m = f⁽ᵐ⁾(z_0)/m! and (z - z_0)^m = Σ_k P_{m,k} s^k the coefficient of order k is

    f_1 z_k + Σ_{1<m≤k} f_m P_{m,k}  (1)

The sum needs only coefficients of z below k. It is computed before the pass of an order, like sums of products, with
powers that all functions of an argument share. A differential equation for f is unsuitable: those of c and of g divide
by z, which vanishes in straight rods.

Ratios of angles have two arguments, or are less smooth than the function in them. They are rewritten as roots,
quotients and

    a_p(x) = Σ_j (-x)^j/(2j + 2p + 1),   of x = tan²(φ/4) or tan²(φ/8)

of a rotation by φ, where x ≤ 1; the only singularity is that at the end of the range of φ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from symlie.contract.set_table import ScalarFunction
from symlie.errors import ModelError
from symlie.ir.jets.one_pass import COMPOSITIONS, SLOPES, Pass, Rule
from symlie.ir.schemes import Scheme, indices
from symlie.ir.series import is_series
from symlie.ir.series_centres import centred_series
from symlie.ir.straightline import Lines, Operand

A_0, A_1 = ScalarFunction("a", 0), ScalarFunction("a", 1)

MOST_DERIVATIVES = 16
"""Largest k and m of c_{k,m} and g_m: size of the arrays of their derivatives (``function_series.h``)."""

SIGN = "copysign"
"""Operator whose result is constant within a step."""


def functions_of(schemes: Sequence[Scheme]) -> dict[str, Rule]:
    """Return the rules of ratios of angles and of the coefficient functions of a straight line, by operator."""

    def rule(scheme: Scheme) -> Rule:
        return lambda p, _, argument: _composition(p, _scalar_function(scheme), argument)

    return {**_RATIOS, **{f"call {s.function}": rule(s) for s in schemes}}


def _composition(p: Pass, function: ScalarFunction, argument: Operand) -> Operand | None:
    of_argument = p.derivative(argument)
    if p.of.is_later(argument):
        raise ModelError("a function of accelerations or multipliers has no rule; define it without them.")
    if p.of_rest:
        return None
    number = p.of.functions.number(function, argument)
    return p.plus(p.times(f"{SLOPES} {number}", of_argument), f"{COMPOSITIONS} {number}")


def _over(p: Pass, target: Operand, rate: Operand | None, divisor: Operand) -> Operand | None:
    """Return the coefficient of order k of the solution t of divisor·t = numerator, with the numerator's coefficient
    ``rate``."""
    rest = p.minus(rate, p.sum_of(target, divisor))
    rest = p.minus(rest, p.times(p.value(target), p.derivative(divisor)))
    return p.times(rest, p.value(p.at_begin("div", 1.0, divisor)))


def _scalar_function(scheme: Scheme) -> ScalarFunction:
    name = scheme.base_name
    if is_series(name):
        return ScalarFunction("s", expansions=centred_series(name))
    index, derivative = indices(name)
    if max(index, derivative) > MOST_DERIVATIVES:
        raise ModelError(f"'{scheme.function}' has no rule, because its index is above {MOST_DERIVATIVES}.")
    return ScalarFunction(name[0], index, derivative)


def _half_angle(lines: Lines, w: Operand, n: Operand) -> tuple[Operand, Operand, Operand]:
    """Return the sign of w, x = (r - |w|)/(r + |w|) and r + |w| with r² = w² + n: L = 4 sign a_0(x)/(r + |w|)."""
    sign = lines.emit(SIGN, 1.0, w)
    u = lines.emit("mul", sign, w)
    r = lines.emit("sqrt", lines.emit("add", lines.emit("mul", u, u), n))
    divisor = lines.emit("add", r, u)
    return sign, lines.emit("div", lines.emit("sub", r, u), divisor), divisor


def _full_angle(lines: Lines, w: Operand, n: Operand) -> tuple[Operand, Operand]:
    """Return x = (r - e)/(r + e) and e + (r + w)/2 with e² = r (r + w)/2: F = 4 a_0(x)/(e + (r + w)/2)."""
    r = lines.emit("sqrt", lines.emit("add", lines.emit("mul", w, w), n))
    half = lines.emit("mul", 0.5, lines.emit("add", r, w))
    e = lines.emit("sqrt", lines.emit("mul", r, half))
    x = lines.emit("div", lines.emit("sub", r, e), lines.emit("add", r, e))
    return x, lines.emit("add", e, half)


def _excess(lines: Lines, z: Operand) -> tuple[Operand, Operand, Operand]:
    """Return c = √y with y = 1 - z, x = (1 - c)/(1 + c) and d = 2 c (1 + c)³: E = (3 - z + 3c - 2 a_1(x))/d."""
    y = lines.emit("sub", 1.0, z)
    c = lines.emit("sqrt", y)
    x = lines.emit("div", lines.emit("sub", 1.0, c), lines.emit("add", 1.0, c))
    triple = lines.emit("mul", 3.0, y)
    whole = lines.emit("mul", c, lines.emit("add", 1.0, triple))
    cube = lines.emit("add", lines.emit("add", whole, triple), lines.emit("mul", y, y))
    return c, x, lines.emit("mul", 2.0, cube)


def _component(lines: Lines, number: Operand, *r: Operand) -> Operand:
    """Return a component of the unit quaternion of a matrix, from the row of 4 p pᵀ that is largest at order 0."""

    def total(*signed: tuple[int, Operand]) -> Operand:
        found: Operand = 0.0
        for sign, term in signed:
            found = lines.emit("add" if sign > 0 else "sub", found, term)
        return found

    def reaches(a: Operand, b: Operand) -> Operand:
        return lines.emit("mul", 0.5, lines.emit("add", 1.0, lines.emit(SIGN, 1.0, lines.emit("sub", a, b))))

    def product(*factors: Operand) -> Operand:
        return functools.reduce(lambda a, b: lines.emit("mul", a, b), factors)

    diagonal = (r[0], r[4], r[8])
    trace = total(*((1, x) for x in diagonal))
    by_trace = product(*(reaches(trace, x) for x in diagonal))
    by_x = product(reaches(r[0], r[4]), reaches(r[0], r[8]))
    not_trace, not_x = lines.emit("sub", 1.0, by_trace), lines.emit("sub", 1.0, by_x)
    by_y = reaches(r[4], r[8])
    chosen = (
        by_trace,
        product(not_trace, by_x),
        product(not_trace, not_x, by_y),
        product(not_trace, not_x, lines.emit("sub", 1.0, by_y)),
    )
    w = [total((1, r[7]), (-1, r[5])), total((1, r[2]), (-1, r[6])), total((1, r[3]), (-1, r[1]))]
    xy, xz, yz = (total((1, r[i]), (1, r[j])) for i, j in ((1, 3), (2, 6), (5, 7)))
    one = [lines.emit("add", 1.0, total(*((s, x) for s, x in zip(row, diagonal, strict=True)))) for row in _DIAGONALS]
    rows = ([one[0], *w], [w[0], one[1], xy, xz], [w[1], xy, one[2], yz], [w[2], xz, yz, one[3]])
    row = [total(*((1, product(c, column[i])) for c, column in zip(chosen, rows, strict=True))) for i in range(4)]
    length = lines.emit("sqrt", total(*((1, product(x, x)) for x in row)))
    sign = lines.emit(SIGN, 1.0, row[0])
    assert isinstance(number, float)
    return lines.emit("div", lines.emit("mul", sign, row[int(number)]), length)


_DIAGONALS = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
"""Signs of R11, R22, R33 in 4 p₀², …, 4 p₃²."""


def _half_angle_rule(p: Pass, target: Operand, w: Operand, n: Operand) -> Operand | None:
    sign, x, divisor = _half_angle(p.of.begin, w, n)
    return _over(p, target, p.times(p.value(p.at_begin("mul", 4.0, sign)), _composition(p, A_0, x)), divisor)


def _full_angle_rule(p: Pass, target: Operand, w: Operand, n: Operand) -> Operand | None:
    x, divisor = _full_angle(p.of.begin, w, n)
    return _over(p, target, p.times(4.0, _composition(p, A_0, x)), divisor)


def _excess_rule(p: Pass, target: Operand, z: Operand) -> Operand | None:
    c, x, divisor = _excess(p.of.begin, z)
    rate = p.minus(p.times(3.0, p.derivative(c)), p.derivative(z))
    return _over(p, target, p.minus(rate, p.times(2.0, _composition(p, A_1, x))), divisor)


_RATIOS: Mapping[str, Rule] = {
    "call half_angle_ratio": _half_angle_rule,
    "call full_angle_ratio": _full_angle_rule,
    "call angle_excess": _excess_rule,
    "call rotation_quaternion": lambda p, _, *r: p.derivative(_component(p.of.begin, *r)),
}
"""Rules of the ratios of angles."""

NEEDS: Mapping[str, Callable[..., object]] = {
    "call half_angle_ratio": lambda lines, _, w, n: _half_angle(lines, w, n),
    "call full_angle_ratio": lambda lines, _, w, n: _full_angle(lines, w, n),
    "call angle_excess": lambda lines, _, z: _excess(lines, z),
    "call rotation_quaternion": lambda lines, _, *r: _component(lines, *r),
}
"""Values of order 0 that a rule needs."""
