"""Bounds of the rounding error of straight-line code, by running error analysis.

Every value carries a bound of its error. The bound of an operation f(x) of values x ± e is its rounding plus the change
of f when each argument moves to the ends of its interval; so cancellation, steep functions and choices near a switch
are seen where they happen.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import sympy

from symlie.ir.kernels import Kernel
from symlie.ir.primitives import AngleExcess, FullAngleRatio, HalfAngleRatio, PiecewiseSlope, RotationQuaternion
from symlie.ir.program import Program
from symlie.ir.schemes import Scheme, closed_form
from symlie.ir.straightline import StraightLine, flatten
from tests.evaluation import evaluate_scheme, interpolate

Bounded = tuple[float, float]
"""A value and a bound of its error."""

ROUNDINGS = 4 * 2.0**-53
"""Relative error of one operation: half an ulp of arithmetic, one or two of library functions."""

_ARITHMETIC: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": math.sqrt,
    "pow": math.pow,
    "maximum": max,
    "minimum": min,
    "select": lambda c, a, b: a if c > 0 else b,
    "sign": lambda x: float((x > 0) - (x < 0)),
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
                                              "tanh", "exp", "log")},
}  # fmt: skip


def _half_angle_ratio(w: float, n: float) -> float:
    s = math.sqrt(n)
    return 2 * math.atan(s / w) / s if s else 2 / w


def _full_angle_ratio(w: float, n: float) -> float:
    s = math.sqrt(n)
    return 2 * math.atan2(s, w) / s if s else 2 / abs(w)


def _angle_excess(z: float) -> float:
    if z > 0.05:
        return (math.asin(math.sqrt(z)) / math.sqrt(z * (1 - z)) - 1) / (2 * z)
    series = 1.0
    for n in range(12, 1, -1):
        series = 1 + 2 * n / (2 * n + 1) * z * series
    return series / 3


def _rotation_quaternion(component: float, *r: float) -> float:
    trace = r[0] + r[4] + r[8]
    rows = (
        (1 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1]),
        (r[7] - r[5], 1 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]),
        (r[2] - r[6], r[1] + r[3], 1 - r[0] + r[4] - r[8], r[5] + r[7]),
        (r[3] - r[1], r[2] + r[6], r[5] + r[7], 1 - r[0] - r[4] + r[8]),
    )
    k = max(range(4), key=lambda i: (trace, r[0], r[4], r[8])[i])
    norm = math.copysign(math.hypot(*rows[k]), rows[k][0])
    return rows[k][int(component)] / norm


_FUNCTIONS: dict[str, Callable[..., float]] = {
    HalfAngleRatio.primitive_name: _half_angle_ratio,
    FullAngleRatio.primitive_name: _full_angle_ratio,
    AngleExcess.primitive_name: _angle_excess,
    RotationQuaternion.primitive_name: _rotation_quaternion,
}


def _bounded(function: Callable[..., float], operands: Sequence[Bounded]) -> Bounded:
    values = [v for v, _ in operands]
    try:
        value = function(*values)
    except (ValueError, ZeroDivisionError, OverflowError):
        return math.nan, math.inf
    bound = ROUNDINGS * abs(value)
    for k, (v, e) in enumerate(operands):
        if e > 0:
            moved = 0.0
            for end in (v - e, v + e):
                try:
                    moved = max(moved, abs(function(*values[:k], end, *values[k + 1 :]) - value))
                except (ValueError, ZeroDivisionError, OverflowError):
                    continue
            bound += moved
    return value, bound


@functools.cache
def _beyond(base_name: str) -> StraightLine:
    z = sympy.Symbol("z", nonnegative=True)
    return flatten(Program(), [closed_form(base_name, z)], {z: "z"})


def _coefficient(scheme: Scheme, z: Bounded) -> Bounded:
    end = scheme.pieces[-1].upper
    if z[0] <= end:
        return _bounded(lambda x: float(evaluate_scheme(scheme, np.array(min(x, end)))), [z])
    if not scheme.has_closed_form:
        return math.nan, math.inf
    return bounds(_beyond(scheme.base_name), {"z": z})[0]


def bounds(line: StraightLine, inputs: Mapping[str, Bounded]) -> list[Bounded]:
    """Values and error bounds of the outputs of some instructions.

    Parameters
    ----------
    line
        The instructions.
    inputs
        Value and error bound of each reference, such as ``q[3]``.
    """
    schemes = {s.function: s for s in line.schemes}
    values: dict[str, Bounded] = dict(inputs)

    def fetch(operand: str | float) -> Bounded:
        return values[operand] if isinstance(operand, str) else (operand, 0.0)

    for instruction in line.instructions:
        name = instruction.operator.removeprefix("call ")
        if name.startswith("table "):
            values[instruction.target] = _table(name, instruction.operands, values)
            continue
        operands = [fetch(o) for o in instruction.operands]
        if name in schemes:
            values[instruction.target] = _coefficient(schemes[name], operands[0])
        else:
            values[instruction.target] = _bounded(_ARITHMETIC.get(name) or _FUNCTIONS[name], operands)
    return [fetch(o) for o in line.outputs]


def _table(name: str, operands: Sequence[str | float], values: Mapping[str, Bounded]) -> Bounded:
    position, *firsts, count = operands
    points = []
    for first in firsts:
        vector, _, index = str(first).removesuffix("]").partition("[")
        points.append([values[f"{vector}[{int(index) + k}]"][0] for k in range(int(count))])
    slope = name.removeprefix("table ") == PiecewiseSlope.primitive_name
    x = values[position] if isinstance(position, str) else (position, 0.0)
    return _bounded(lambda at: float(interpolate(at, *points, slope=slope)), [x])


def kernel_bounds(kernel: Kernel, inputs: Mapping[str, Sequence[Bounded] | Bounded]) -> list[Bounded]:
    """Values and error bounds of a kernel; its inputs by name of the argument."""
    flat: dict[str, Bounded] = {}
    for argument in kernel.signature.arguments:
        if argument.is_output:
            continue
        given = inputs[argument.name]
        if argument.size is None:
            flat[argument.name] = given
        else:
            flat |= {f"{argument.name}[{k}]": given[k] for k in range(argument.size)}
    return bounds(kernel.body, flat)
