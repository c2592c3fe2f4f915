"""Bounds of |computed - f| on one cell, an interval of the argument, in ball arithmetic.

The exact value p of the operation list and the function f are enclosed by Taylor polynomials about the centre of the
cell, with the last coefficient enclosed over the whole cell; `rounding` adds the floating-point errors.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TypeVar

from flint import arb, arb_poly, arb_series

from symlie.certify.definitions import Definition, pole_distance
from symlie.certify.operation_list import Branch, Operand
from symlie.certify.rounding import Contraction, Interval, Rounded, RunningError
from symlie.ir.schemes import Precision

BITS = 192
"""Working precision in bits."""

ORDER = 14
"""Number of Taylor coefficients on a cell; the last one is the remainder."""


Number = TypeVar("Number", arb, arb_series)


@dataclass(frozen=True)
class Cell:
    """Error bounds on lower ≤ argument ≤ upper."""

    lower: float
    upper: float
    absolute: float
    relative: float
    """Relative to |f|; infinite if f vanishes."""


class CellProver:
    """Error bounds of one branch of a function on cells, with the argument ``z``, or ``w`` for ω."""

    def __init__(
        self, branch: Branch, argument: str, function: Definition, precision: Precision, contraction: Contraction
    ) -> None:
        self.branch = branch
        self.argument = argument
        self.function = function
        self.argument_is_omega = argument == "w"
        self.running = RunningError(branch, precision, contraction)
        self._tangents: dict[Operand, Operand] = {
            o.target: o.operands[0] for o in branch.operations if o.operator == "tan"
        }
        self._divisor = None if self.argument_is_omega else self._pole_divisor()

    def cell(self, lower: float, upper: float) -> Cell:
        """Return the bounds on one cell."""
        centre = (arb(lower) + arb(upper)) / 2
        radius = (arb(upper) - centre).upper()
        ball = centre + arb(0, 1) * radius
        try:
            at_centre, over_cell = self._series(centre), self._series(ball)
        except ValueError:  # a divisor may vanish on a wide cell
            return Cell(lower, upper, math.inf, math.inf)
        ranges = self._ranges(arb(lower), arb(upper), at_centre, over_cell, radius)
        f_centre, f_cell = self._function_series(centre), self._function_series(ball)
        result = self.branch.result
        if self._divisor is not None:
            numerator, divisor = self._divisor
            approximation = self._by_pole(
                at_centre[numerator], over_cell[numerator], divisor, f_centre, f_cell, ball, radius
            )
            value = (_bounded(f_centre, f_cell, radius) + arb(0, 1) * self.function.remainder) / pole_distance(
                ball
            ) ** self.function.pole_order
            difference = (approximation * abs(value)).upper()
        else:
            value, difference = self._directly(at_centre[result], over_cell[result], f_centre, f_cell, ball, radius)
            approximation = difference / _least_ball(value) if _least(value) > 0 else arb(math.inf)
        rounded: Rounded = self.running.bounds(ranges)[result]
        total = _above(difference) + rounded.absolute
        relative = _above(approximation) + rounded.relative * (1 + _above(approximation))
        least = _least(value)
        if least > 0:
            relative = min(relative, total / least)
        inflation = 1 + 2.0**-45
        return Cell(lower, upper, total * inflation, relative * inflation)

    def _series(self, x: arb) -> dict[Operand, arb_series]:
        values: dict[Operand, arb_series] = {self.argument: arb_series([x, 1])}
        for operation in self.branch.operations:
            if self._divisor is not None and operation.target == self.branch.result:
                break  # the bounds of the quotient follow from its parts
            operands = [values[o] if isinstance(o, str) else arb_series([arb(o)]) for o in operation.operands]
            divisor = self._tangents.get(operation.operands[-1]) if operation.operator == "div" else None
            if divisor is not None:  # x/tan u = x cos u/sin u has no pole at u = π/2
                operands = [operands[0] * values[divisor].cos(), values[divisor].sin()]
            values[operation.target] = _apply(operation.operator, operands)
        return values

    def _ranges(
        self,
        lower: arb,
        upper: arb,
        at_centre: dict[Operand, arb_series],
        over_cell: dict[Operand, arb_series],
        radius: arb,
    ) -> dict[Operand, Interval]:
        """Return the ranges of all operations from end points if monotonic, else by the second-order mean value
        form."""
        width = arb(0, 1) * radius
        first, last = self._values(lower), self._values(upper)
        ranges: dict[Operand, Interval] = {}
        for name, series in at_centre.items():
            wide = over_cell[name]
            slope = wide[1]
            angle = self._tangents.get(name)
            rises = angle is not None and first[angle] >= 0 and last[angle] < arb.pi() / 2
            if slope >= 0 or slope <= 0 or rises:
                ranges[name] = Interval.of(first[name]) | Interval.of(last[name])
            else:
                form = series[0] + series[1] * width + wide[2] * width * width
                ranges[name] = Interval.of(form) & Interval.of(wide[0])
        return ranges

    def _values(self, x: arb) -> dict[Operand, arb]:
        values: dict[Operand, arb] = {self.argument: x}
        for operation in self.branch.operations:
            operands = [values[o] if isinstance(o, str) else arb(o) for o in operation.operands]
            values[operation.target] = _apply(operation.operator, operands)
        return values

    def _function_series(self, x: arb) -> list[arb]:
        """Return the Taylor coefficients of the numerator of f, without the remainder of its series."""
        inner = arb_poly([x * x, 2 * x, 1]) if self.argument_is_omega else arb_poly([x, 1])
        return _coefficients(self.function.series(inner))

    def _directly(
        self, p: arb_series, wide: arb_series, f: list[arb], f_wide: list[arb], ball: arb, radius: arb
    ) -> tuple[arb, arb]:
        """Return the range of f and a bound on |p - f|."""
        remainder = self.function.remainder
        if self.function.pole_order:
            z = ball * ball if self.argument_is_omega else ball
            divisor = _pole_series(self.argument_is_omega, ball.mid()) ** self.function.pole_order
            wide_divisor = _pole_series(self.argument_is_omega, ball) ** self.function.pole_order
            f = _coefficients(arb_series(f) / divisor)
            f_wide = _coefficients(arb_series(f_wide) / wide_divisor)
            remainder = remainder / _least_ball(pole_distance(z)) ** self.function.pole_order
        value = _bounded(f, f_wide, radius) + arb(0, 1) * remainder
        return value, (_bounded_difference(p, wide, f, f_wide, radius) + remainder).upper()

    def _pole_divisor(self) -> tuple[Operand, Operand] | None:
        """Return numerator and divisor of the result if the degree of the divisor equals the order of the pole of f."""
        k = self.function.pole_order
        last = next((o for o in self.branch.operations if o.target == self.branch.result), None)
        if not k or last is None or last.operator != "div":
            return None
        degrees = _degrees(self.branch, self.argument)
        numerator, divisor = last.operands
        return (numerator, divisor) if isinstance(numerator, str) and degrees.get(divisor) == k else None

    def _by_pole(
        self,
        a: arb_series,
        wide: arb_series,
        divisor: Operand,
        f: list[arb],
        f_wide: list[arb],
        ball: arb,
        radius: arb,
    ) -> arb:
        """Return a bound of |p/f - 1| for p = A/B and f = N/(4π² - z)^k, from A - N and from B about the pole."""
        # With ρ = B/(4π² - z)^k, p/f - 1 = (A/N - ρ)/ρ, and ρ - 1 has small coefficients in powers of 4π² - z.
        k = self.function.pole_order
        remainder = self.function.remainder
        error = _bounded_difference(a, wide, f, f_wide, radius) + remainder
        numerator = _least_ball(_bounded(f, f_wide, radius)) - remainder
        about_pole = _coefficients(self._series(pole_distance(arb(0)))[divisor])
        distance = _least_ball(pole_distance(ball))
        excess = abs(about_pole[k] * (-1) ** k - 1)
        for j in range(k):
            excess += abs(about_pole[j]) / distance ** (k - j)
        excess = excess.upper()
        if not (excess < 0.5 and numerator > 0):
            return arb(math.inf)
        bound: arb = ((error / numerator + excess) / (1 - excess)).upper()
        return bound


_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "neg": "neg"}
"""Functions of the module `operator`; all others are methods of numbers."""


def _apply(name: str, operands: list[Number]) -> Number:
    first, *_ = operands
    applied: Number = getattr(operator, _ARITHMETIC[name])(*operands) if name in _ARITHMETIC else getattr(first, name)()
    return applied


def _coefficients(series: arb_series | arb_poly) -> list[arb]:
    found: list[arb] = series.coeffs()[:ORDER]
    return found + [arb(0)] * (ORDER - len(found))


def _bounded(centre: list[arb], wide: list[arb], radius: arb) -> arb:
    """Return the range of a function from its Taylor coefficients at the centre and over the cell."""
    total = abs(wide[ORDER - 1])
    for coefficient in reversed(centre[1 : ORDER - 1]):
        total = total * radius + abs(coefficient)
    return centre[0] + arb(0, 1) * (total * radius).upper()


def _bounded_difference(p: arb_series, wide: arb_series, f: list[arb], f_wide: list[arb], radius: arb) -> arb:
    """Return an enclosure of |p - f| over the cell."""
    near, over = ([x - y for x, y in zip(_coefficients(a), b, strict=True)] for a, b in ((p, f), (wide, f_wide)))
    return abs(_bounded(near, over, radius))


def _pole_series(argument_is_omega: bool, x: arb) -> arb_series:
    square = [x * x, 2 * x, arb(1)] if argument_is_omega else [x, arb(1)]
    return arb_series([pole_distance(arb(0))]) - arb_series(square)


def _degrees(branch: Branch, argument: str) -> dict[Operand, int]:
    """Return the degree in the argument of each operation that is a polynomial."""
    degrees: dict[Operand, int] = {argument: 1}
    for operation in branch.operations:
        if all(isinstance(o, float) or o in degrees for o in operation.operands):
            found = [degrees[o] if isinstance(o, str) else 0 for o in operation.operands]
            if operation.operator in ("add", "sub", "neg"):
                degrees[operation.target] = max(found)
            elif operation.operator == "mul":
                degrees[operation.target] = sum(found)
    return degrees


def _least_ball(x: arb) -> arb:
    return abs(x).lower()


def _least(x: arb) -> float:
    value = float(abs(x).lower())
    return math.nextafter(value, 0.0) if value > 0 else 0.0


def _above(x: arb) -> float:
    value = float(x.upper())
    return math.nextafter(value, math.inf) if value else 0.0
