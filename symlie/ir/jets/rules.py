"""Rules of jets: coefficients of order k of each operator, by products or by the equation that the result satisfies."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symlie.errors import ModelError
from symlie.ir.jets import compositions, pieces
from symlie.ir.jets.one_pass import Pass
from symlie.ir.straightline import Lines, Operand


def _product(p: Pass, target: Operand, a: Operand, b: Operand) -> Operand | None:
    if p.of.is_constant(a) or p.of.is_constant(b):
        constant, other = (a, b) if p.of.is_constant(a) else (b, a)
        return p.times(p.value(constant), p.derivative(other))
    if a == b:
        return p.plus(p.times(p.value(p.at_begin("mul", 2.0, a)), p.derivative(a)), p.sum_of(a, a))
    # Add one product at a time, so that processors can fuse each product with its sum.
    known = p.plus(p.sum_of(a, b), p.times(p.value(a), p.derivative(b)))
    return p.plus(known, p.times(p.derivative(a), p.value(b)))


def _quotient(p: Pass, target: Operand, a: Operand, b: Operand) -> Operand | None:
    reciprocal = p.value(p.at_begin("div", 1.0, b))
    if p.of.is_constant(b):
        return p.times(p.derivative(a), reciprocal)
    rest = p.minus(p.derivative(a), p.sum_of(target, b))
    return p.times(p.minus(rest, p.times(p.value(target), p.derivative(b))), reciprocal)


def _root(p: Pass, target: Operand, a: Operand) -> Operand | None:
    half = p.value(p.at_begin("div", 0.5, target))
    return p.times(p.minus(p.derivative(a), p.sum_of(target, target)), half)


def _exponential(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _along(p, a, target)


def _logarithm(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _divided(p, target, p.derivative(a), a)


def _sine(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _along(p, a, p.of.begin.emit("cos", a))


def _cosine(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return p.minus(None, _along(p, a, p.of.begin.emit("sin", a)))


def _hyperbolic_sine(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _along(p, a, p.of.begin.emit("cosh", a))


def _hyperbolic_cosine(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _along(p, a, p.of.begin.emit("sinh", a))


def _along(p: Pass, a: Operand, slope: Operand) -> Operand | None:
    """Return the coefficient of t from t' = slope a'."""
    return p.plus(p.times(p.value(slope), p.derivative(a)), p.weighted_sum(a, slope))


def _tangent(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return p.plus(_along(p, a, p.of.begin.emit("mul", target, target)), p.derivative(a))


def _hyperbolic_tangent(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return p.minus(p.derivative(a), _along(p, a, p.of.begin.emit("mul", target, target)))


def _divided(p: Pass, target: Operand, rate: Operand | None, divisor: Operand) -> Operand | None:
    """Return the coefficient of t from divisor t' = rate."""
    rest = p.minus(rate, p.weighted_sum(target, divisor))
    return p.times(rest, p.value(p.at_begin("div", 1.0, divisor)))


def _one_plus_square(lines: Lines, a: Operand) -> Operand:
    return lines.emit("add", 1.0, lines.emit("mul", a, a))


def _complement(lines: Lines, a: Operand) -> Operand:
    return lines.emit("sqrt", lines.emit("sub", 1.0, lines.emit("mul", a, a)))


def _square_of_distance(lines: Lines, y: Operand, x: Operand) -> Operand:
    return lines.emit("add", lines.emit("mul", x, x), lines.emit("mul", y, y))


def _arctangent(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _divided(p, target, p.derivative(a), _one_plus_square(p.of.begin, a))


def _arcsine(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _divided(p, target, p.derivative(a), _complement(p.of.begin, a))


def _arccosine(p: Pass, target: Operand, a: Operand) -> Operand | None:
    return _divided(p, target, p.minus(None, p.derivative(a)), _complement(p.of.begin, a))


def _direction(p: Pass, target: Operand, y: Operand, x: Operand) -> Operand | None:
    rate = p.minus(_along(p, y, x), _along(p, x, y))
    return _divided(p, target, rate, _square_of_distance(p.of.begin, y, x))


def _power(p: Pass, target: Operand, a: Operand, exponent: Operand) -> Operand | None:
    """Return the coefficient of t = a^exponent from a t' = exponent t a'."""
    if not p.of.is_constant(exponent):
        raise ModelError("a power with a variable exponent has no rule; write it as exp(exponent*log(base)).")
    return _divided(p, target, p.times(p.value(exponent), _along(p, a, target)), a)


RULES: Mapping[str, Callable[..., Operand | None]] = {
    "add": lambda p, _, a, b: p.plus(p.derivative(a), p.derivative(b)),
    "sub": lambda p, _, a, b: p.minus(p.derivative(a), p.derivative(b)),
    "neg": lambda p, _, a: p.minus(None, p.derivative(a)),
    "mul": _product,
    "div": _quotient,
    "sqrt": _root,
    "exp": _exponential,
    "log": _logarithm,
    "sin": _sine,
    "cos": _cosine,
    "sinh": _hyperbolic_sine,
    "cosh": _hyperbolic_cosine,
    "tan": _tangent,
    "tanh": _hyperbolic_tangent,
    "atan": _arctangent,
    "asin": _arcsine,
    "acos": _arccosine,
    "atan2": _direction,
    "pow": _power,
    **pieces.RULES,
}
"""Rule for the coefficient of order k of each operator."""

NEEDS: Mapping[str, Callable[..., object]] = {
    "sin": lambda lines, _, a: lines.emit("cos", a),
    "cos": lambda lines, _, a: lines.emit("sin", a),
    "sinh": lambda lines, _, a: lines.emit("cosh", a),
    "cosh": lambda lines, _, a: lines.emit("sinh", a),
    "tan": lambda lines, target, a: lines.emit("mul", target, target),
    "tanh": lambda lines, target, a: lines.emit("mul", target, target),
    "atan": lambda lines, _, a: _one_plus_square(lines, a),
    "asin": lambda lines, _, a: _complement(lines, a),
    "acos": lambda lines, _, a: _complement(lines, a),
    "atan2": lambda lines, _, y, x: _square_of_distance(lines, y, x),
    **compositions.NEEDS,
    **pieces.NEEDS,
}
"""Auxiliary functions of time that a rule needs; they are computed with it."""
