"""Numerical evaluation of programs: by the definitions in mpmath's arithmetic, and in doubles like a backend.

`evaluate` gives the meaning of a program: group statements are lowered, and every primitive is replaced by its
definition. `interpret` runs the compiled form: the flat instructions one by one in double precision.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from numpy.typing import NDArray
from sympy import Expr, Symbol

from symlie.ir import primitives
from symlie.ir.primitives import (
    AngleExcess,
    CoefficientFunction,
    FullAngleRatio,
    HalfAngleRatio,
    PiecewiseLinear,
    PiecewiseSlope,
    RotationQuaternion,
    Select,
)
from symlie.ir.program import Assignment, Program, lower
from symlie.ir.schemes import POLES, Piece, Scheme
from symlie.ir.series import evaluate_tail, is_series
from symlie.ir.straightline import Operand, StraightLine

DIGITS = 40
"""Decimal digits of `evaluate`, unless mpmath is set to more."""

_ELEMENTARY: dict[str, Callable[..., mpf]] = {
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "asin": mpmath.asin, "acos": mpmath.acos,
    "atan": mpmath.atan, "atan2": mpmath.atan2, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh,
    "exp": mpmath.exp, "log": mpmath.log, "Abs": abs, "Max": max, "Min": min, "sign": mpmath.sign,
    "NearestTurn": lambda x: 2 * mpmath.pi * mpmath.nint(x / (2 * mpmath.pi)),
}  # fmt: skip

_RELATIONS: dict[str, Callable[[mpf, mpf], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip


class Evaluation:
    """A program lowered once and evaluated for many values of its input symbols.

    Parameters
    ----------
    program
        Program with or without group statements.
    expressions
        Expressions wanted, in symbols of the program.
    """

    def __init__(self, program: Program, expressions: Sequence[Expr]) -> None:
        self.program, self.expressions = lower(program, expressions)

    def __call__(self, values: Mapping[Symbol, object], digits: int = DIGITS) -> list[mpf]:
        """The expressions for given values of all free symbols, each anything that mpf accepts."""
        with mpmath.workdps(max(digits, mpmath.mp.dps)):
            environment = {symbol: mpf(value) for symbol, value in values.items()}
            for statement in self.program.statements:
                assert isinstance(statement, Assignment), statement
                environment[statement.symbol] = value_of(statement.expression, environment)
            return [+value_of(e, environment) for e in self.expressions]


def evaluate(
    program: Program, expressions: Sequence[Expr], values: Mapping[Symbol, object], digits: int = DIGITS
) -> list[mpf]:
    """Values of expressions of a program; see `Evaluation`, which saves time if one program is evaluated often."""
    return Evaluation(program, expressions)(values, digits)


def value_of(expression: Expr, environment: Mapping[Symbol, mpf]) -> mpf:
    """One expression in the current precision of mpmath; primitives by their definitions."""
    if expression.is_Symbol:
        return environment[expression]
    if expression.is_Rational:
        return mpf(int(expression.p)) / int(expression.q)
    if expression.is_Number or expression.is_NumberSymbol:
        return mpf(expression.evalf(mpmath.mp.dps + 5)._mpf_)
    if isinstance(expression, PiecewiseLinear | PiecewiseSlope):
        x, abscissa, value, count = expression.args
        points = [_consecutive(first, int(count), environment) for first in (abscissa, value)]
        return interpolate(value_of(x, environment), *points, slope=isinstance(expression, PiecewiseSlope))
    if isinstance(expression, CoefficientFunction):
        return _primitive(expression.base_name, value_of(expression.argument, environment), mpmath.mp.prec)
    if isinstance(expression, Select):
        condition, if_positive, otherwise = expression.args
        return value_of(if_positive if value_of(condition, environment) > 0 else otherwise, environment)
    if isinstance(expression, sympy.Piecewise):
        return next(value_of(piece, environment) for piece, where in expression.args if _holds(where, environment))
    arguments = [value_of(a, environment) for a in expression.args]
    if expression.is_Add:
        return mpmath.fsum(arguments)
    if expression.is_Mul:
        return mpmath.fprod(arguments)
    if expression.is_Pow:
        base, exponent = arguments
        return base ** int(exponent) if mpmath.isint(exponent) else mpmath.power(base, exponent)
    if isinstance(expression, HalfAngleRatio):
        return half_angle_ratio(*arguments)
    if isinstance(expression, FullAngleRatio):
        return full_angle_ratio(*arguments)
    if isinstance(expression, AngleExcess):
        return angle_excess(*arguments)
    if isinstance(expression, RotationQuaternion):
        return rotation_quaternion(arguments[1:])[int(arguments[0])]
    return _ELEMENTARY[type(expression).__name__](*arguments)


def _holds(condition: Any, environment: Mapping[Symbol, mpf]) -> bool:
    """True if a condition of a piecewise function is met."""
    if condition.is_Boolean and not condition.is_Relational:
        assert condition in (sympy.true, sympy.false)
        return bool(condition)
    left, right = (value_of(side, environment) for side in condition.args)
    return bool(_RELATIONS[condition.rel_op](left, right))


def _consecutive(first: Symbol, count: int, environment: Mapping[Symbol, mpf]) -> list[mpf]:
    """Values of consecutive parameters; they are given in their order."""
    start = list(environment).index(first)
    return list(environment.values())[start : start + count]


def interpolate(x: Any, abscissae: Sequence[Any], values: Sequence[Any], *, slope: bool = False) -> Any:
    """Linear interpolation of a table, constant outside of it, or its slope, at kinks that to the right."""
    if x < abscissae[0]:
        return 0 * x if slope else values[0]
    for k in range(len(abscissae) - 1):
        if x < abscissae[k + 1]:
            rate = (values[k + 1] - values[k]) / (abscissae[k + 1] - abscissae[k])
            return rate if slope else values[k] + rate * (x - abscissae[k])
    return 0 * x if slope else values[-1]


@functools.lru_cache(maxsize=10_000)
def _primitive(base_name: str, z: mpf, precision: int) -> mpf:
    """A coefficient function by its series, which costs more than anything else here."""
    assert precision == mpmath.mp.prec
    return +(evaluate_tail if is_series(base_name) else primitives.evaluate)(base_name, z)


def half_angle_ratio(w: mpf, n: mpf) -> mpf:
    """2 atan(√n/w)/√n, and 2/w at n = 0."""
    if n == 0:
        return 2 / w
    root = mpmath.sqrt(n)
    return (2 if w >= 0 else -2) * mpmath.atan2(root, abs(w)) / root


def full_angle_ratio(w: mpf, n: mpf) -> mpf:
    """2 atan2(√n, w)/√n, and 2/|w| at n = 0."""
    return 2 / abs(w) if n == 0 else 2 * mpmath.atan2(mpmath.sqrt(n), w) / mpmath.sqrt(n)


def angle_excess(z: mpf) -> mpf:
    """(φ/sin φ - 1)/(2 z) with z = sin²(φ/2); φ/sin φ is ₂F₁(1, 1; 3/2; z)."""
    return mpmath.hyp2f1(1, 2, mpf(5) / 2, z) / 3


def rotation_quaternion(rotation: Sequence[mpf]) -> list[mpf]:
    """Unit quaternion of a row-major rotation matrix, scalar first and not negative, from its largest component.

    4 p_i p_j is linear in R: with S = 4 p pᵀ, p is the column of the largest diagonal entry over its root.
    """
    r = [rotation[3 * i : 3 * i + 3] for i in range(3)]
    trace = r[0][0] + r[1][1] + r[2][2]
    square = [[mpf(0)] * 4 for _ in range(4)]
    square[0][0] = 1 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        square[i + 1][i + 1] = 1 + 2 * r[i][i] - trace
        square[0][i + 1] = square[i + 1][0] = r[k][j] - r[j][k]
        square[j + 1][k + 1] = square[k + 1][j + 1] = r[j][k] + r[k][j]
    pivot = max(range(4), key=lambda i: square[i][i])
    column = [c / (2 * mpmath.sqrt(square[pivot][pivot])) for c in square[pivot]]
    return column if column[0] >= 0 else [-c for c in column]


def evaluate_scheme(scheme: Scheme, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """A coefficient function up to the end of its last piece in doubles, as `Scheme` documents it."""
    if np.any(z > scheme.pieces[-1].upper):
        raise ValueError(f"{scheme.function} was evaluated beyond z = {scheme.pieces[-1].upper}")
    result = evaluate_piece(scheme.pieces[-1], z)
    for piece in reversed(scheme.pieces[:-1]):
        result = np.where(z <= piece.upper, evaluate_piece(piece, z), result)
    return result


def evaluate_piece(piece: Piece, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """One piece of a scheme, in doubles."""
    if piece.chains == 4:
        square = z * z
        r3, r2, r1, r0 = (_horner(part, square * square) for part in piece.parts)
        result = (r3 * z + r2) * square + (r1 * z + r0)
    elif piece.chains == 2:
        odd, even = (_horner(part, z * z) for part in piece.parts)
        result = odd * z + even
    else:
        result = _horner(piece.coefficients, 0.25 * z if piece.doubles_angle else z - piece.shift)
    if piece.doubles_angle:
        result = 2 * (result * result) - 1
    if piece.constant is not None:
        result = piece.constant - z * result
    if piece.pole_order:
        high, low = POLES["double"]
        distance = (high - z) + low
        divisor = distance
        for _ in range(piece.pole_order - 1):
            divisor = divisor * distance
        result = result / divisor
    return result


def _horner(coefficients: Sequence[float], z: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.full_like(z, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * z + coefficient
    return result


_OPERATORS: dict[str, Callable[..., float]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "select": lambda c, a, b: a if c > 0 else b,
    "sqrt": math.sqrt, "pow": math.pow, "abs": abs, "maximum": np.maximum, "minimum": np.minimum,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "rint": lambda x: float(round(x)),
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
                                              "tanh", "exp", "log")},
}  # fmt: skip


def interpret(line: StraightLine, inputs: Mapping[str, float]) -> list[float]:
    """Run flat instructions in doubles, in order.

    Parameters
    ----------
    line
        The instructions.
    inputs
        Value of each reference, such as ``q[3]``.
    """
    schemes = {s.function: s for s in line.schemes}
    values: dict[str, float] = dict(inputs)

    def fetch(operands: Iterable[Operand]) -> list[float]:
        return [values[o] if isinstance(o, str) else o for o in operands]

    for instruction in line.instructions:
        operands = fetch(instruction.operands)
        name = instruction.operator.removeprefix("call ")
        if name.startswith("table "):
            position, *firsts, count = instruction.operands
            points = []
            for first in firsts:
                assert isinstance(first, str) and isinstance(count, float)
                vector, _, index = first.removesuffix("]").partition("[")
                points.append([values[f"{vector}[{int(index) + k}]"] for k in range(int(count))])
            slope = name.removeprefix("table ") == PiecewiseSlope.primitive_name
            values[instruction.target] = interpolate(fetch([position])[0], points[0], points[1], slope=slope)
        elif name == instruction.operator:
            values[instruction.target] = _OPERATORS[name](*operands)
        elif name in schemes:
            values[instruction.target] = float(evaluate_scheme(schemes[name], np.array(operands[0])))
        elif name == HalfAngleRatio.primitive_name:
            values[instruction.target] = float(half_angle_ratio(*map(mpf, operands)))
        elif name == FullAngleRatio.primitive_name:
            values[instruction.target] = float(full_angle_ratio(*map(mpf, operands)))
        elif name == AngleExcess.primitive_name:
            values[instruction.target] = float(angle_excess(*map(mpf, operands)))
        elif name == RotationQuaternion.primitive_name:
            component, *rotation = operands
            values[instruction.target] = float(rotation_quaternion([mpf(r) for r in rotation])[int(component)])
        else:
            raise ValueError(f"unknown operator {instruction.operator}")
    return fetch(line.outputs)


def symbols(stem: str, count: int) -> tuple[Symbol, ...]:
    """Real symbols ``stem0``, ``stem1``, … for inputs."""
    return tuple(sympy.Symbol(f"{stem}{i}", real=True) for i in range(count))


def assigned(names: Sequence[Symbol], values: Sequence[mpf]) -> dict[Symbol, mpf]:
    """The values of a vector of input symbols, for `evaluate`."""
    return dict(zip(names, values, strict=True))


def distance(a: Sequence[mpf], b: Sequence[mpf]) -> mpf:
    """Largest difference of two vectors, in current precision."""
    return max((abs(mpf(x) - mpf(y)) for x, y in zip(a, b, strict=True)), default=mpf(0))
