"""Check of units: the terms of a sum must have one unit.

Known units are the declared units of parameters and inputs, and the units of the time and of the fields of bodies. A
number may represent a quantity (``9.81``, or a mass of one kilogram that is not even written), so a product has an
unknown unit if it contains numbers other than ±1 and ±1/2, and an uncertain one if no factor has a declared unit.
Unknown units are not an error.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

import sympy
from sympy import Expr, Rational, Symbol

from symlie.errors import ModelError
from symlie.groups.classical.turned import ByCoordinates
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import HomogeneousSpace
from symlie.groups.operations import Compose, Difference, Exponential, Inverse, Logarithm
from symlie.groups.rotation import Rotate
from symlie.groups.rotation_parameters import parametrised_rotation
from symlie.ir.primitives import PiecewiseLinear, RunTimeInput, Select
from symlie.ir.program import Application, Assignment, Program, Vector, substitute
from symlie.modeling.node import Node
from symlie.utilities.unit_names import NUMBER, UNITS, Dimension, Unit, parse_units, times, unit_name


class Certainty(IntEnum):
    """Reliability of a unit: a plain number may represent a quantity with a unit."""

    PRODUCT = 0
    """Product of fields, in which a quantity of value one may be implicit."""
    PURE = 1
    """Rotation matrices and values of functions."""
    FIELD = 2
    """Single field."""
    STATED = 3
    """Product with a factor of declared unit."""


@dataclass(frozen=True)
class Quantity:
    """Unit and its reliability."""

    dimension: Dimension
    certainty: Certainty


Known = Quantity | None

_COMPARED = (Certainty.FIELD, Certainty.STATED)
_PLAIN_FACTORS = (Rational(1), Rational(1, 2))
"""Absolute values of numbers that count as factors without a unit."""


class UnitCheck:
    """Units of the expressions of one statement, and comparison of the terms of sums."""

    def __init__(self, where: str, program: Program) -> None:
        self._where = where
        self._program = program
        self._symbols: dict[Symbol, Known] = {}
        self._sizes: dict[Symbol, float] = {}
        self._nodes: list[Node] = []
        self._undeclared: list[tuple[Node, Dimension | None]] = []
        self._position = 0
        self._cache: dict[Expr, Known] = {}

    def declare(self, symbols: Sequence[Symbol], units: Sequence[Unit | None], certainty: Certainty) -> None:
        """Set the units of symbols; a symbol in a unit other than an SI unit appears only multiplied by the size of its
        unit."""
        for symbol, unit in zip(symbols, units, strict=True):
            self._symbols[symbol] = None if unit is None else Quantity(unit.dimension, certainty)
            if unit is not None and not unit.is_si:
                self._sizes[symbol] = unit.number

    def declare_node(self, node: Node) -> None:
        """Set the units of the fields of a node; fields of Rⁿ have the unit of its coordinates."""
        known = si_units(f"Coordinates of node '{node.name}'", node.unit, 1)[0]
        length = None if known is None else known.dimension
        if isinstance(node.group, HomogeneousSpace):
            return  # the units of points of homogeneous spaces are unknown
        self._nodes.append(node)
        self._undeclared.append((node, length))

    def declare_rates(self, rates: Sequence[Expr], expressions: Sequence[Expr]) -> None:
        """Set the units of time derivatives, without checking the program statements of their derivation."""
        quantities = [self.of(e) for e in expressions]
        self.skip()
        for rate, q in zip(rates, quantities, strict=True):
            if q is not None and isinstance(rate, Symbol) and rate not in self._symbols:
                self._symbols[rate] = Quantity(times(q.dimension, UNITS["Hz"]), q.certainty)

    def _component_names(self) -> Iterator[tuple[Symbol, Expr]]:
        """Yield the components of nodes with symbols of their names in messages."""
        for node in self._nodes:
            for components, fields in (
                (node.value.components, node.group.storage_fields),
                (node.velocity.components, node.group.velocity_fields),
            ):
                for f in fields:
                    for k, component in enumerate(components[f.offset : f.offset + f.size]):
                        if isinstance(component, Symbol):
                            yield component, Symbol(f"{node.name}.{f.name}[{k}]", real=True)

    def _short(self, term: Expr) -> str:
        found = term.free_symbols
        text = str(substitute(term, {s: name for s, name in self._component_names() if s in found}))
        return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}…'"

    def skip(self) -> None:
        """Ignore the program statements that were added since the last check."""
        self._position = len(self._program.statements)

    def of(self, expression: Expr) -> Known:
        """Return the unit of an expression after comparing the terms of all its sums."""
        self._look()
        return self._of(expression)

    def check(self, what: str, expression: Expr, expected: Dimension) -> None:
        """Raise `ModelError` if a term of an expression has another unit than expected."""
        self._look()
        for term in sympy.Add.make_args(expression):
            found = self._of(term)
            if found is not None and found.certainty is Certainty.STATED and found.dimension != expected:
                raise ModelError(
                    f"{what} of '{self._where}' is in {unit_name(expected)}, but {self._short(term)} is in "
                    f"{unit_name(found.dimension)}."
                )

    def check_product(self, what: str, expression: Expr, conjugate: Expr, expected: Dimension) -> None:
        """Check an expression whose product with another one has a given unit, if the unit of the other one is
        known."""
        q = self.of(conjugate)
        if q is None:
            self.of(expression)
        else:
            self.check(what, expression, times(expected, q.dimension, Fraction(-1)))

    def _look(self) -> None:
        for node, length in self._undeclared:
            self._symbols |= zip(node.value.components, storage_units(node.group, length), strict=True)
            self._symbols |= zip(node.velocity.components, velocity_units(node.group, length), strict=True)
        self._undeclared.clear()
        statements = self._program.statements
        while self._position < len(statements):
            statement = statements[self._position]
            self._position += 1
            if isinstance(statement, Assignment):
                self._symbols[statement.symbol] = self._of(statement.expression)
            else:
                self._apply(statement)

    def _apply(self, statement: Application) -> None:
        operation, result = statement.operation, statement.result.components
        if isinstance(operation, Inverse | Compose | Exponential | ByCoordinates):
            found: Sequence[Known] = storage_units(operation.group, None)
        elif isinstance(operation, Logarithm | Difference):
            found = [_strain(q) for q in velocity_units(operation.group, None)]
        elif isinstance(operation, Rotate):
            found = [self._common(statement.arguments[1].components)] * len(result)
        else:
            found = [None] * len(result)
        self._symbols |= {s: q for s, q in zip(result, found, strict=True) if isinstance(s, Symbol)}

    def _common(self, components: Vector) -> Known:
        found = [self._of(c) for c in components if c != 0]
        return found[0] if found and all(q == found[0] for q in found) else None

    def _of(self, expression: Expr) -> Known:
        if expression.is_Symbol:
            return self._symbols.get(expression)
        if expression not in self._cache:
            self._cache[expression] = self._compound(expression)
        return self._cache[expression]

    def _compound(self, expression: Expr) -> Known:
        if expression.is_Add:
            return self._sum(expression.args)
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return self._power(*expression.as_base_exp())
        if isinstance(expression, Select):
            self._of(expression.args[0])
            return self._sum(expression.args[1:])
        if isinstance(expression, PiecewiseLinear):
            return self._of(expression.args[2])
        if isinstance(expression, RunTimeInput):
            return self._of(expression.args[1]) if expression.args[3] == 0 else None
        if isinstance(expression, sympy.Function):
            return self._function(expression)
        return None

    def _sum(self, terms: Sequence[Expr]) -> Known:
        found = [(term, self._of(term)) for term in terms if term != 0]
        known = [(term, q) for term, q in found if q is not None]
        compared = [(term, q) for term, q in known if q.certainty in _COMPARED]
        # A single field may have an implicit factor of unit length, so one of the two must have a declared unit.
        compared.sort(key=lambda pair: -pair[1].certainty)
        for term, q in compared[1:]:
            first, other = compared[0]
            if other.certainty is Certainty.STATED and q.dimension != other.dimension:
                raise ModelError(
                    f"In '{self._where}', {self._short(first)} in {unit_name(other.dimension)} and "
                    f"{self._short(term)} in {unit_name(q.dimension)} are added; check the units of the parameters."
                )
        if len(known) < len(found) or not known or len({q.dimension for _, q in known}) > 1:
            return None
        return Quantity(known[0][1].dimension, max(q.certainty for _, q in known))

    def _product(self, expression: Expr) -> Known:
        number, factors = expression.as_coeff_mul()
        sizes = [size for size in map(self._size, factors) if size != 1.0]
        if sizes:
            constants = [factor for factor in factors if factor.is_number]
            factors = [factor for factor in factors if not factor.is_number]
            ratio = float(sympy.Mul(number, *constants)) / math.prod(sizes)
            number = next((plain for plain in _PLAIN_FACTORS if math.isclose(abs(ratio), plain)), ratio)
        found = [self._of(factor) for factor in factors]
        known = [q for q in found if q is not None]
        if len(known) < len(found) or abs(number) not in _PLAIN_FACTORS:
            return None
        dimension = functools.reduce(times, (q.dimension for q in known), NUMBER)
        if len(known) == 1 or any(q.certainty is Certainty.STATED for q in known):
            return Quantity(dimension, max(q.certainty for q in known))
        return Quantity(dimension, Certainty.PRODUCT)

    def _size(self, factor: Expr) -> float:
        """Return the size in SI units of a factor's unit, which its product contains as a number."""
        base, exponent = factor.as_base_exp()
        if isinstance(base, PiecewiseLinear | RunTimeInput):
            base = base.args[2 if isinstance(base, PiecewiseLinear) else 1]
        return float(self._sizes.get(base, 1.0)) ** float(exponent) if exponent.is_Rational else 1.0

    def _power(self, base: Expr, exponent: Expr) -> Known:
        q = self._of(base)
        if q is None or not exponent.is_Rational:
            return None
        dimension = times(NUMBER, q.dimension, Fraction(int(exponent.p), int(exponent.q)))
        return Quantity(dimension, Certainty.PRODUCT if q.certainty is Certainty.FIELD else q.certainty)

    def _function(self, expression: Expr) -> Known:
        found = [self._of(a) for a in expression.args]
        if len(found) == 2:
            self._sum(expression.args)
            return None
        q = found[0]
        if q is not None and q.certainty is Certainty.STATED and q.dimension != NUMBER:
            raise ModelError(
                f"In '{self._where}', {self._short(expression)} is a function of a quantity in "
                f"{unit_name(q.dimension)}; its argument must be a number or an angle."
            )
        return Quantity(NUMBER, Certainty.PURE)


def si_units(what: str, text: str, size: int) -> list[Unit | None]:
    """Return the units of quantities that must be in SI units, or raise `ModelError`."""
    units = parse_units(text, size)
    for unit in units:
        if unit is not None and not unit.is_si:
            raise ModelError(f"{what} are in SI units such as {unit_name(unit.dimension)}, not in '{text}'.")
    return units


def size_of(unit: Unit | None) -> Expr:
    """Return the exact size of a unit in SI units."""
    if unit is None:
        return sympy.Integer(1)
    return Rational(unit.ratio.numerator, unit.ratio.denominator) * sympy.pi**unit.turns


def _strain(rate: Known) -> Known:
    """Return the unit of a component of a logarithm, None for angles, whose weights may imply a length of one."""
    if rate is None or rate.dimension == UNITS["Hz"]:
        return None
    return Quantity(times(rate.dimension, UNITS["s"]), rate.certainty)


def _turns(group: LieGroup) -> bool:
    return any(f.name.rstrip("0123456789") == "Omega" for f in group.velocity_fields) or bool(
        parametrised_rotation(group)
    )


@functools.cache
def storage_units(group: LieGroup, length: Dimension | None) -> tuple[Known, ...]:
    """Return the units of the stored components of a group; ``length`` is the unit of the coordinates of Rⁿ."""
    position = UNITS["m"] if _turns(group) else length
    units: Mapping[str, Known] = {
        "R": Quantity(NUMBER, Certainty.PURE),
        "p": Quantity(NUMBER, Certainty.PURE),
        "x": None if position is None else Quantity(position, Certainty.FIELD),
    }
    turning = parametrised_rotation(group)
    if turning is not None:
        units = {**units, turning.parameters.field: Quantity(NUMBER, Certainty.PURE)}
    return tuple(units.get(f.name.rstrip("0123456789")) for f in group.storage_fields for _ in range(f.size))


@functools.cache
def velocity_units(group: LieGroup, length: Dimension | None) -> tuple[Known, ...]:
    """Return the units of the velocity components of a group; ``length`` is the unit of the coordinates of Rⁿ."""
    position = UNITS["m"] if _turns(group) else length
    linear = None if position is None else Quantity(times(position, UNITS["Hz"]), Certainty.FIELD)
    units: Mapping[str, Known] = {"Omega": Quantity(UNITS["Hz"], Certainty.FIELD), "U": linear, "x_dot": linear}
    turning = parametrised_rotation(group)
    if turning is not None:
        units = {**units, f"{turning.parameters.field}_dot": Quantity(UNITS["Hz"], Certainty.FIELD)}
    return tuple(units.get(f.name.rstrip("0123456789")) for f in group.velocity_fields for _ in range(f.size))
