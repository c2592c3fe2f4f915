"""Enclosures of kernel operations over boxes of their inputs: intervals of exact values, and error bounds.

Intervals are rounded outwards. Error bounds hold with and without fused multiply-add.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from symlie.certify.cells import BITS
from symlie.certify.definitions import JUDGED_AT_ZERO, Definition, definition
from symlie.certify.subjects import named_subject
from symlie.certify.verification import prove_subject
from symlie.errors import SymlieError
from symlie.ir.schemes import TAYLOR_UPPER, Precision, indices
from symlie.ir.straightline import StraightLine

LARGEST_ANGLE = math.pi
GRID = 4096
"""Number of intervals of z in tables of coefficient functions, which are monotonic on each interval."""
SLACK = 1 + 2.0**-40
"""Factor for the roundings of the error bounds themselves."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Enclosure:
    """Interval [lower, upper] of exact values, and bound ``error`` of the deviation of computed ones, for each box."""

    # The contribution of the error of z = ω² is separate, as a derivative by z: it enters all coefficient functions at
    # once, and its effect on a matrix is smaller than the sum of its effects on each function.

    lower: Array
    upper: Array
    error: Array
    slope_lower: Array
    slope_upper: Array
    """Range of the derivative by z for constant Ω."""
    degree: int | None
    """Degree of homogeneity in the components that are not rotations; None for the constant 0, which has every
    degree."""

    @staticmethod
    def exact(lower: Array, upper: Array, degree: int | None) -> Enclosure:
        """Return the enclosure of an input or a constant."""
        zero = np.zeros(len(lower))
        return Enclosure(lower, upper, zero, zero, zero, degree)

    @property
    def largest(self) -> Array:
        """Largest magnitude of exact values."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    @property
    def steepest(self) -> Array:
        """Largest magnitude of the derivative by z."""
        return np.maximum(np.abs(self.slope_lower), np.abs(self.slope_upper))

    @property
    def least(self) -> Array:
        """Smallest magnitude of exact values."""
        return np.where((self.lower > 0) | (self.upper < 0), np.minimum(np.abs(self.lower), np.abs(self.upper)), 0.0)


class NotProvableError(SymlieError):
    """An operation is not supported by the proof."""


class FunctionTable:
    """Ranges, slopes and proved errors of a coefficient function such as ``c2`` or ``c1_to_5_2``, up to the angle π."""

    def __init__(self, name: str, precision: Precision) -> None:
        ctx.prec = BITS
        subject = named_subject(name, precision)
        base = subject.base_name
        scale = float(_working_interval(name)) / float(TAYLOR_UPPER)
        self.end = LARGEST_ANGLE**2 * scale
        upper = self.end * (1 + 1e-6)
        self.points = np.linspace(0.0, upper, GRID + 1)
        function = definition(base, upper)
        slope = definition(_derivative(base), upper)
        self.lower, self.upper = _tabulated(function, slope, self.points)
        curvature = definition(_derivative(_derivative(base)), upper)
        self.slope_lower, self.slope_upper = (x / 2 for x in _tabulated(slope, curvature, self.points))  # (2 d/dz)/2
        cells = [c for s in prove_subject(subject).sections for c in s.cells if c.lower <= upper]
        self.starts = np.array([c.lower for c in cells])
        self.is_scaled = base in JUDGED_AT_ZERO
        errors = [c.absolute if self.is_scaled else c.relative for c in cells]
        self.errors = np.maximum.accumulate(np.array(errors))

    def __call__(self, z: Enclosure, factor: float) -> Enclosure:
        """Return the enclosure at the argument ``factor`` times z, exact up to the angle π, with derivatives by z."""
        if z.degree not in (0, None):
            raise NotProvableError("A coefficient function depends on a component that is not a rotation.")
        last = np.minimum(z.upper, self.end)
        first = np.minimum(np.maximum(z.lower, 0.0), last)
        step = self.points[1]
        a = np.clip(np.floor((first - z.error) / step * (1 - 1e-12)), 0, GRID).astype(np.intp)
        b = np.clip(np.ceil((last + z.error) / step * (1 + 1e-12)), 0, GRID).astype(np.intp)
        lower, upper = np.minimum(self.lower[a], self.lower[b]), np.maximum(self.upper[a], self.upper[b])
        error = self.errors[np.searchsorted(self.starts, last + z.error, side="right") - 1]
        if not self.is_scaled:
            error = error * np.maximum(np.abs(lower), np.abs(upper))
        slopes = (
            factor * np.minimum(self.slope_lower[a], self.slope_lower[b]),
            factor * np.maximum(self.slope_upper[a], self.slope_upper[b]),
        )
        return Enclosure(lower, upper, error * SLACK, *slopes, 0)


def _working_interval(name: str) -> float:
    _, _, tail = name.partition("_to_")
    if not tail:
        return float(TAYLOR_UPPER)
    p, q = tail.split("_")
    return int(p) / int(q)


def _derivative(base_name: str) -> str:
    k, m = indices(base_name)
    return f"c{k}_{m + 1}" if base_name.startswith("c") else f"g{k + 1}"


def _tabulated(function: Definition, slope: Definition, points: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds at points, and prove by the sign of the slope that the function is monotonic."""
    for a, b in itertools.pairwise(map(float, points)):
        value = slope.value((arb(a) + arb(b)) / 2 + arb(0, 1) * (arb(b) - arb(a)) / 2)
        if not (value > 0 or value < 0):
            raise NotProvableError(f"{function.name} is not monotonic.")
    values = [function.value(arb(float(z))) for z in points]
    lower = np.array([math.nextafter(float(v.lower()), -math.inf) for v in values])
    upper = np.array([math.nextafter(float(v.upper()), math.inf) for v in values])
    return lower, upper


def _outward(lower: Array, upper: Array) -> tuple[Array, Array]:
    return np.nextafter(lower, -np.inf), np.nextafter(upper, np.inf)


def enclose(
    body: StraightLine, inputs: dict[str, Enclosure], tables: dict[str, FunctionTable], unit: float
) -> tuple[list[Enclosure], Array]:
    """Return enclosures of the outputs of a kernel over boxes, and bounds of the error of z."""
    count = len(next(iter(inputs.values())).lower)
    values = dict(inputs)
    scaled: dict[str, tuple[str, float]] = {}
    root, z_error = "", np.zeros(count)

    def of(operand: str | float) -> Enclosure:
        if isinstance(operand, str):
            return values[operand]
        constant = np.full(count, float(operand))
        return Enclosure.exact(constant, constant, 0 if operand else None)

    for instruction in body.instructions:
        operator, names = instruction.operator, instruction.operands
        operands = [of(p) for p in names]
        if operator.startswith("call ") and operator[5:] in tables:
            argument = str(names[0])
            origin, factor = scaled.get(argument, (argument, 1.0))
            if root not in ("", origin):
                raise NotProvableError("Coefficient functions have different arguments.")
            root, z_error = origin, values[origin].error
            values[instruction.target] = tables[operator[5:]](operands[0], factor)
            continue
        powers = [n for n in names if isinstance(n, float) and n and math.frexp(abs(n))[0] == 0.5]
        if operator == "mul" and powers:
            (other,) = [n for n in names if isinstance(n, str)]
            scaled[instruction.target] = (str(other), float(powers[0]))
        unit_here = 0.0 if operator == "mul" and powers else unit
        values[instruction.target] = _apply(operator, names, operands, unit_here)
    return [of(p) for p in body.outputs], z_error


def _product(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    products = [p * q for p in a for q in b]
    return _outward(np.minimum.reduce(products), np.maximum.reduce(products))


def _apply(operator: str, names: Sequence[str | float], operands: Sequence[Enclosure], unit: float) -> Enclosure:
    a = operands[0]
    if operator == "neg":
        return Enclosure(-a.upper, -a.lower, a.error, -a.slope_upper, -a.slope_lower, a.degree)
    if operator not in ("add", "sub", "mul"):
        raise NotProvableError(f"The operation {operator} is not supported.")
    b = operands[1]
    if operator == "mul":
        lower, upper = _product((a.lower, a.upper), (b.lower, b.upper))
        if names[0] == names[1]:
            lower = np.maximum(lower, 0.0)
        first = _product((a.slope_lower, a.slope_upper), (b.lower, b.upper))
        second = _product((a.lower, a.upper), (b.slope_lower, b.slope_upper))
        slopes = _outward(first[0] + second[0], first[1] + second[1])
        error = a.largest * b.error + b.largest * a.error + a.error * b.error
        degree = None if a.degree is None or b.degree is None else a.degree + b.degree
    else:
        if operator == "sub":
            b = Enclosure(-b.upper, -b.lower, b.error, -b.slope_upper, -b.slope_lower, b.degree)
        lower, upper = _outward(a.lower + b.lower, a.upper + b.upper)
        slopes = _outward(a.slope_lower + b.slope_lower, a.slope_upper + b.slope_upper)
        error = a.error + b.error
        if None not in (a.degree, b.degree) and a.degree != b.degree:
            raise NotProvableError("A sum has parts of different degree in components that are not rotations.")
        degree = a.degree if b.degree is None else b.degree
    error = (error + unit * (np.maximum(np.abs(lower), np.abs(upper)) + error)) * SLACK
    return Enclosure(lower, upper, error, *slopes, degree)
