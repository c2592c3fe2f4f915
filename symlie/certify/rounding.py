"""Running error analysis of an operation list on a cell: bounds of the rounding error of each value.

Every bound is computed in double precision from nonnegative terms and enlarged by `SLACK` once per operation, which
covers the roundings of the bound itself. Absolute and relative bounds are propagated together.

Assumptions: IEEE arithmetic with rounding to nearest; a correctly rounded square root; sine, cosine and tangent of the
mathematical library within one unit in the last place.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from flint import arb

from symlie.certify.operation_list import Branch, Operand, Operation
from symlie.ir.schemes import Precision

Contraction = Literal["any", "off", "on"]
"""Fused multiply-add: ``any``: the compiler may fuse products into sums; ``off``: never; ``on``: wherever possible."""

SLACK = 1 + 2.0**-40

LIBRARY_UNITS = 1
"""Error of sin, cos and tan in units in the last place."""


@dataclass(frozen=True)
class Format:
    """Binary floating-point format."""

    digits: int
    smallest: float
    """Spacing of subnormal numbers."""

    @property
    def unit(self) -> float:
        """Largest relative rounding error u; the unit eps of tables is 2 u."""
        return 2.0**-self.digits

    def half_ulp(self, magnitude: float, error: float) -> float:
        """Return the rounding error of results within ``error`` of numbers up to ``magnitude``."""
        # The rounding error of a result just above a power of two is at most its distance from that power.
        if not math.isfinite(magnitude + error):
            return math.inf
        if magnitude + error == 0:
            return 0.0
        exponent = math.frexp(magnitude)[1]
        power = math.ldexp(0.5, exponent)
        excess = (magnitude - power) + error
        if excess < power:
            return max(self._half(exponent - 1), min(excess * SLACK, self._half(exponent)))
        return self._half(math.frexp((magnitude + error) * SLACK)[1])

    def half_below(self, magnitude: float) -> float:
        """Return half the spacing of numbers up to a magnitude."""
        mantissa, exponent = math.frexp(magnitude)
        return self._half(exponent - (mantissa == 0.5)) if math.isfinite(magnitude) else math.inf

    def _half(self, exponent: int) -> float:
        """Return half the spacing of numbers below a power of two."""
        return max(math.ldexp(1.0, max(exponent - self.digits - 1, -1074)), self.smallest)


FORMATS: dict[Precision, Format] = {"double": Format(53, 2.0**-1074), "float": Format(24, 2.0**-149)}


@dataclass(frozen=True)
class Interval:
    """Range of an exact value over the cell."""

    lower: float
    upper: float

    @classmethod
    def of(cls, ball: arb) -> Interval:
        """Return the interval of a ball, rounded outwards."""
        lower, upper = float(ball.lower()), float(ball.upper())
        return cls(
            lower if ball >= lower else math.nextafter(lower, -math.inf),
            upper if ball <= upper else math.nextafter(upper, math.inf),
        )

    def __mul__(self, other: Interval) -> Interval:
        corners = [a * b for a in (self.lower, self.upper) for b in (other.lower, other.upper)]
        return Interval(math.nextafter(min(corners), -math.inf), math.nextafter(max(corners), math.inf))

    def __truediv__(self, other: Interval) -> Interval:
        if not other.least:
            return Interval(-math.inf, math.inf)
        corners = [a / b for a in (self.lower, self.upper) for b in (other.lower, other.upper)]
        return Interval(math.nextafter(min(corners), -math.inf), math.nextafter(max(corners), math.inf))

    def __or__(self, other: Interval) -> Interval:
        return Interval(min(self.lower, other.lower), max(self.upper, other.upper))

    def __and__(self, other: Interval) -> Interval:
        return Interval(max(self.lower, other.lower), min(self.upper, other.upper))

    @property
    def largest(self) -> float:
        """Largest magnitude."""
        return max(abs(self.lower), abs(self.upper))

    @property
    def least(self) -> float:
        """Least magnitude."""
        return 0.0 if self.lower <= 0 <= self.upper else min(abs(self.lower), abs(self.upper))


@dataclass(frozen=True)
class Rounded:
    """Computed value: range of the exact value, and error bounds."""

    range: Interval
    absolute: float = 0.0
    relative: float = 0.0
    product: Rounded | None = None
    """Value before its last rounding, if it is a product that may be fused into a sum."""
    is_power_of_two: bool = False

    @property
    def largest(self) -> float:
        """Largest magnitude of the computed value."""
        return (self.range.largest + self.absolute) * SLACK


class RunningError:
    """Error bounds of all operations of a branch on a cell."""

    def __init__(self, branch: Branch, precision: Precision, contraction: Contraction) -> None:
        self.branch = branch
        self.format = FORMATS[precision]
        self.contraction = contraction
        self._fusible = _fusible_products(branch)

    def bounds(self, ranges: Mapping[Operand, Interval]) -> dict[Operand, Rounded]:
        """Return bounds for all operations from enclosures of exact values, which products and quotients may lack."""
        values: dict[Operand, Rounded] = {}
        targets = {o.target for o in self.branch.operations}
        values.update({name: Rounded(value) for name, value in ranges.items() if name not in targets})
        for operation in self.branch.operations:
            operands = [values[o] if isinstance(o, str) else _constant(o) for o in operation.operands]
            values[operation.target] = self._operation(operation, operands, ranges)
        return values

    def _operation(self, operation: Operation, operands: list[Rounded], ranges: Mapping[Operand, Interval]) -> Rounded:
        value = ranges.get(operation.target, Interval(-math.inf, math.inf))
        if operation.operator == "mul":
            value &= operands[0].range * operands[1].range
        elif operation.operator == "div":
            value &= operands[0].range / operands[1].range
        match operation.operator:
            case "neg":
                x = operands[0]
                product = x.product and Rounded(value, x.product.absolute, x.product.relative)
                return Rounded(value, x.absolute, x.relative, product)
            case "add" | "sub":
                return self._sum(operation.operator, value, *operands)
            case "mul":
                return self._product(operation, value, *operands)
            case "div":
                return self._quotient(value, *operands)
            case "sqrt":
                return self._root(value, *operands)
            case _:
                x = operands[0]
                before = _slope(operation.operator, x.range, x.absolute) * x.absolute if x.absolute else 0.0
                return self._library(operation.operator, value, before)

    def _library(self, operator: str, value: Interval, before: float) -> Rounded:
        """Add the error of a function of the mathematical library, in units of its result."""
        largest = (value.largest + before) * SLACK
        if operator in ("sin", "cos"):
            largest = min(largest, 1.0)
        return self._with_error(value, before, math.inf, 2 * LIBRARY_UNITS * self.format.half_below(largest),
                                2 * LIBRARY_UNITS * self.format.unit)  # fmt: skip

    def _finish(self, value: Interval, absolute: float, relative: float, half_units: int) -> Rounded:
        """Add the rounding error of the operation to the error that its operands contribute."""
        before = min(absolute, relative * value.largest) if value.largest else absolute
        half = half_units * self.format.half_ulp(value.largest, before)
        return self._with_error(value, before, relative, half, half_units * self.format.unit)

    def _with_error(self, value: Interval, before: float, relative: float, half: float, unit: float) -> Rounded:
        least = value.least
        after = (before + half) * SLACK
        if not least:
            return Rounded(value, after, math.inf if after else 0.0)
        inherited = min(relative, before / least)
        if unit:
            unit = min(unit, half / least) + 2 * self.format.smallest / least
        total = min((inherited + (1 + inherited) * unit) * SLACK, after / least * SLACK)
        return Rounded(value, min(after, total * value.largest * SLACK), total)

    def _sum(self, operator: str, value: Interval, x: Rounded, y: Rounded) -> Rounded:
        may_stay_apart = self.contraction != "on" or not (x.product or y.product)
        choices = [(x, y, _is_exact(operator, x, y))] if may_stay_apart else []
        if self.contraction != "off":
            choices += [(x.product, y, False)] if x.product else []
            choices += [(x, y.product, False)] if y.product else []
        results = [
            self._finish(value, (a.absolute + b.absolute) * SLACK, math.inf, 0 if exact else 1)
            for a, b, exact in choices
        ]
        return Rounded(value, max(r.absolute for r in results), max(r.relative for r in results))

    def _product(self, operation: Operation, value: Interval, x: Rounded, y: Rounded) -> Rounded:
        a, b = x.range.largest, y.range.largest
        absolute = (a * y.absolute + b * x.absolute + x.absolute * y.absolute) * SLACK
        relative = (x.relative + y.relative + x.relative * y.relative) * SLACK
        if x.is_power_of_two or y.is_power_of_two:
            exact = self._finish(value, absolute + self.format.smallest, relative, 0)
            return Rounded(value, exact.absolute, exact.relative)
        rounded = self._finish(value, absolute, relative, 1)
        product = self._finish(value, absolute, relative, 0) if operation.target in self._fusible else None
        return Rounded(value, rounded.absolute, rounded.relative, product)

    def _quotient(self, value: Interval, x: Rounded, y: Rounded) -> Rounded:
        least = y.range.least - y.absolute
        absolute = (x.absolute + value.largest * y.absolute) / least * SLACK if least > 0 else math.inf
        relative = (x.relative + y.relative) / (1 - y.relative) * SLACK if y.relative < 1 else math.inf
        return self._finish(value, absolute, relative, 0 if y.is_power_of_two else 1)

    def _root(self, value: Interval, x: Rounded) -> Rounded:
        relative = x.relative / (2 * math.sqrt(1 - x.relative)) * SLACK if x.relative < 1 else math.inf
        return self._finish(value, math.sqrt(x.absolute) * SLACK, relative, 1)


def _constant(value: float) -> Rounded:
    return Rounded(Interval(value, value), is_power_of_two=math.frexp(abs(value))[0] == 0.5)


def _fusible_products(branch: Branch) -> set[str]:
    """Return the products that compilers may fuse: all uses are sums, possibly after sign changes."""
    operators = {o.target: o.operator for o in branch.operations}
    uses: Counter[Operand] = Counter()
    elsewhere: set[Operand] = {branch.result}
    for operation in reversed(branch.operations):
        for operand in operation.operands:
            uses[operand] += 1
            is_sum = operation.operator in ("add", "sub")
            if not is_sum and not (operation.operator == "neg" and operation.target not in elsewhere):
                elsewhere.add(operand)
    return {t for t, operator in operators.items() if operator == "mul" and t not in elsewhere}


def _is_exact(operator: str, x: Rounded, y: Rounded) -> bool:
    """Return whether a difference is exact by Sterbenz's lemma: its operands are within a factor of two."""
    a = (x.range.lower - x.absolute * SLACK, x.range.upper + x.absolute * SLACK)
    b = (y.range.lower - y.absolute * SLACK, y.range.upper + y.absolute * SLACK)
    if operator == "add":
        b = (-b[1], -b[0])
    if a[1] < 0:
        a, b = (-a[1], -a[0]), (-b[1], -b[0])
    if a[0] <= 0 or b[0] <= 0:
        return False
    return a[0] * (1 - 1e-15) >= b[1] / 2 and a[1] * (1 + 1e-15) <= 2 * b[0]


def _slope(operator: str, argument: Interval, error: float) -> float:
    """Return the largest magnitude of the derivative between the exact and the computed argument."""
    x = arb(argument.lower).union(arb(argument.upper)) + arb(0, error)
    derivative = {"sin": lambda: x.cos(), "cos": lambda: x.sin(), "tan": lambda: 1 + x.tan() ** 2}[operator]()
    return Interval.of(derivative).largest
