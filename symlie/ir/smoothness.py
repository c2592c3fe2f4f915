"""Kinks and jumps of piecewise expressions, found numerically along a smooth path.

Along a path everything is a function of one number s. At a sign change of the condition of a branch, both sides are
extrapolated to that point from nearby values, in many digits: the difference is a jump of the function or of a
derivative. Only kinks that are found are reported; expressions that cannot be evaluated pass.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import mpmath

from symlie.ir.primitives import evaluate
from symlie.ir.straightline import Operand, StraightLine, pruned

Context: TypeAlias = mpmath.MPContext | mpmath.FPContext
"""Arithmetic in double precision or in many digits."""

DIGITS = 60
"""Digits of values at switches."""

DISTANCE = mpmath.mpf(10) ** -12
"""Distance of the points from a switch and from each other, relative to its position on the path."""

POINTS = 6
"""Number of points on each side."""

TOLERANCE = 1e-9
"""Jump, relative to the values and derivatives at the switch, below which it is rounding of constants."""

MOST_SWITCHES = 3
"""Maximum number of examined switches of each condition."""

MOST_SECANTS = 12
"""Secant steps that find a zero in all digits."""

NEAR_ZERO = 1e-3
"""Least path position to which derivatives are scaled."""


@dataclass(frozen=True)
class Defect:
    """Jump of a derivative of an output (0: the function itself) at a position on the path."""

    derivative: int
    at: float
    jump: float
    output: int


def defect_along(line: StraightLine, order: int) -> Defect | None:
    """Return the first jump of an output of a straight line in the input ``s``, up to the derivative ``order - 1``, at
    switches."""
    conditions = dict.fromkeys(i.operands[0] for i in line.instructions if i.operator == "select")
    for condition in conditions:
        of_condition = pruned(line.instructions, (condition,), {s.function: s for s in line.schemes})
        for at in itertools.islice(_switches(of_condition), MOST_SWITCHES):
            if (defect := _defect_at(line, at, order)) is not None:
                return defect
    return None


def _switches(condition: StraightLine) -> Iterator[mpmath.mpf]:
    """Yield positions where a condition changes sign without a jump; those near s = 1 first."""
    numbers = {o for i in condition.instructions for o in i.operands if isinstance(o, float)}
    decades = {sign * 10.0 ** (k / 4) for k in range(-24, 25) for sign in (-1, 1)}
    ends = sorted({0.0, *decades, *(n * (1 + side * 1e-4) for n in numbers for side in (-1, 1))})
    values = [(s, _value(condition, mpmath.fp, s)) for s in ends]
    known = [
        ((a, left), (b, right)) for (a, left), (b, right) in itertools.pairwise(values) if None not in (left, right)
    ]
    changes = [(a, b) for (a, left), (b, right) in known if (left > 0) != (right > 0)]
    for a, b in sorted(changes, key=lambda ends: abs(math.log(abs(sum(ends)) / 2 + 1e-9))):
        with mpmath.workdps(DIGITS):
            at = _zero(condition, a, b)
        if at is not None:
            yield at


def _zero(condition: StraightLine, a: float, b: float) -> mpmath.mpf:
    """Return a zero between two points, by bisection in doubles and secants in all digits; None at a jump."""
    is_positive = _value(condition, mpmath.fp, a) > 0
    while a < (middle := (a + b) / 2) < b:
        if (value := _value(condition, mpmath.fp, middle)) is None:
            return None
        a, b = (middle, b) if (value > 0) == is_positive else (a, middle)
    points = [mpmath.mpf(a), mpmath.mpf(b) + mpmath.mpf(10) ** (-DIGITS // 2)]
    values = [_value(condition, mpmath.mp, s) for s in points]
    for _ in range(MOST_SECANTS):
        if None in values:
            return None
        if values[-1] == values[-2] or values[-1] == 0:
            break
        points.append(points[-1] - values[-1] * (points[-1] - points[-2]) / (values[-1] - values[-2]))
        values.append(_value(condition, mpmath.mp, points[-1]))
    is_zero = values[-1] is not None and abs(values[-1]) < mpmath.mpf(10) ** (-DIGITS // 2)
    is_near = abs(points[-1] - a) <= NEAR_ZERO * (abs(a) + NEAR_ZERO)
    return points[-1] if is_zero and is_near else None


def _defect_at(line: StraightLine, at: mpmath.mpf, order: int) -> Defect | None:
    with mpmath.workdps(DIGITS):
        size = max(abs(at), mpmath.mpf(NEAR_ZERO))
        step = DISTANCE * size
        samples: dict[int, list[list[mpmath.mpf]]] = {-1: [], 1: []}
        for side, k in itertools.product(samples, range(1, POINTS + 1)):
            if (row := _values(line, mpmath.mp, at + side * k * step)) is None:
                return None
            samples[side].append(row)
        for derivative in range(order):
            for output in range(len(line.outputs)):
                left, right = (
                    sum(w * row[output] for w, row in zip(_weights(derivative), samples[side], strict=True))
                    / (side * step) ** derivative
                    for side in (-1, 1)
                )
                scale = max(abs(left), abs(right), _size(line, at + step) / size**derivative)
                if abs(right - left) > TOLERANCE * scale:
                    return Defect(derivative, float(mpmath.chop(at)), float(right - left), output)
    return None


@functools.cache
def _weights(derivative: int) -> list[mpmath.mpf]:
    """Return weights of values at 1, 2, … for a derivative at 0 of the polynomial through them."""
    with mpmath.workdps(2 * DIGITS):
        powers = mpmath.matrix([[mpmath.mpf(k) ** j for k in range(1, POINTS + 1)] for j in range(POINTS)])
        wanted = mpmath.matrix([mpmath.factorial(j) if j == derivative else 0 for j in range(POINTS)])
        return list(mpmath.lu_solve(powers, wanted))


def _size(line: StraightLine, s: mpmath.mpf) -> mpmath.mpf:
    """Return the largest value of the selected branches."""
    chosen = {i.target for i in line.instructions if i.operator == "select"}
    known = _evaluated(line, mpmath.mp, s)
    return max((abs(known[target]) for target in chosen if target in known), default=mpmath.mpf(0))


def _value(line: StraightLine, context: Context, s: mpmath.mpf) -> mpmath.mpf:
    found = _values(line, context, s)
    return None if found is None else found[0]


def _values(line: StraightLine, context: Context, s: mpmath.mpf) -> list[mpmath.mpf] | None:
    """Return the outputs at a point; None if they are not real and finite."""
    try:
        known = _evaluated(line, context, s)
        found = [known[o] if isinstance(o, str) else context.mpf(o) for o in line.outputs]
    except (ArithmeticError, AttributeError, ValueError, KeyError, TypeError):
        return None
    return found if all(not isinstance(x, complex | mpmath.mpc) and mpmath.isfinite(x) for x in found) else None


def _evaluated(line: StraightLine, context: Context, s: mpmath.mpf) -> dict[str, mpmath.mpf]:
    known: dict[str, mpmath.mpf] = {"s": s}

    def value(operand: Operand) -> mpmath.mpf:
        return known[operand] if isinstance(operand, str) else context.mpf(operand)

    for i in line.instructions:
        kind, _, name = i.operator.partition(" ")
        if i.operator == "select":
            condition, *pieces = i.operands
            known[i.target] = value(pieces[0] if value(condition) > 0 else pieces[1])
        elif kind == "input":
            x, _, component, derivative = i.operands
            # A smooth function replaces the table, which is specified later.
            known[i.target] = context.sin(value(x) + value(component) + derivative * context.pi / 2)
        elif kind == "call":
            known[i.target] = context.convert(evaluate(name, value(i.operands[0])))
        else:
            operator = _OPERATORS.get(kind) or functools.partial(_of_context, kind)
            known[i.target] = operator(context, *map(value, i.operands))
    return known


def _of_context(name: str, context: Context, *operands: mpmath.mpf) -> mpmath.mpf:
    return getattr(context, name)(*operands)


_OPERATORS: dict[str, Callable[..., mpmath.mpf]] = {
    "add": lambda context, a, b: a + b,
    "sub": lambda context, a, b: a - b,
    "mul": lambda context, a, b: a * b,
    "div": lambda context, a, b: a / b,
    "neg": lambda context, a: -a,
    "pow": lambda context, a, b: a**b,
    "abs": lambda context, a: abs(a),
    "maximum": lambda context, a, b: max(a, b),
    "minimum": lambda context, a, b: min(a, b),
    "rint": lambda context, a: mpmath.nint(a),
}
