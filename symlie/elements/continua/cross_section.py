"""Cross section of a continuum: its configuration, s, w and ẇ, and the parameters of densities.

    q' = q w̃,   q̇ = q ṽ,   ẇ = v' + ŵ v

Source: [Hante2022], section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Expr, Symbol

from symlie.errors import ModelError
from symlie.groups.classical.coordinates import group_of_rotations
from symlie.groups.group import LieGroup
from symlie.ir.program import Euclidean, Value, Vector, depends_on
from symlie.modeling.declarations import Stated
from symlie.modeling.expressions import components
from symlie.modeling.names import identifier
from symlie.modeling.node import Node, column
from symlie.modeling.symbolic import Expression, SymbolicMatrix, name_components
from symlie.modeling.units import Certainty
from symlie.modeling.values import given_space
from symlie.utilities.unit_names import UNITS, Unit, times

GRID = ("length", "weight", "place")
"""Parameters of elements that the grid determines."""

END_ROTATIONS = {"start": "start_rotation", "end": "end_rotation"}
"""Parameters of elements at ends with an angle to their nodes: rotation vectors."""

RESERVED = (*GRID, *END_ROTATIONS.values())
"""Names of parameters that elements have by default."""

PER_METRE = times(UNITS["1"], UNITS["m"], Fraction(-1))


_AT_SEGMENTS = "it acts on cross sections, and strains are defined on segments only."

_INSTEAD = {
    ("kinetic density", "q"): "it must be T(s, v).",
    ("kinetic density", "w"): "it must be T(s, v).",
    ("kinetic density", "w_dot"): "it must be T(s, v).",
    ("potential density", "v"): "it must be U(s, w, q); use dissipation_density or force_density.",
    ("potential density", "w_dot"): "it must be U(s, w, q); use dissipation_density.",
    ("dissipation density", "v"): "it must be a function of w_dot; use force_density for drag.",
    ("constraint density", "v"): "it must be Ψ(w).",
    ("constraint density", "w_dot"): "it must be Ψ(w).",
    ("local output", "v"): "it is a quantity of segments, which have w and w_dot.",
    ("rate", "v"): "it must be a function of w, q and parameters.",
    ("rate", "w_dot"): "it must be a function of w, q and parameters.",
    ("force density", "w"): _AT_SEGMENTS,
    ("force density", "w_dot"): _AT_SEGMENTS,
}
"""Advice for densities that depend on symbols they must not depend on."""


@dataclass(frozen=True, eq=False)
class StrainRate:
    """Strain rate: its symbols in densities, and the strains whose rate it is."""

    value: Value
    of: Vector


class _CrossSection(Stated):
    """Program, parameters and units of the densities on one cross section."""

    def __init__(self, name: str, group: LieGroup, unit: str) -> None:
        super().__init__(f"{name}_densities")
        self._parameter_prefix = f"{name}."
        self.node = Node(self.program, name, group, unit)
        self._add_node(self.node)


class CrossSection:
    """Symbols and parameters of densities, with checks of the densities."""

    called = "continuum"
    """Name of the kind in messages."""

    def __init__(self, name: str, group: LieGroup | str, unit: str = "", coordinates: str | None = None) -> None:
        self.name = identifier("Node", name)
        space = given_space(group, coordinates)
        if not isinstance(space, LieGroup):
            raise ModelError(f"{self._what} needs a Lie group such as sl.SE2, not {space}.")
        self.space: LieGroup = space
        self.group: LieGroup = group_of_rotations(space)
        self.stated = _CrossSection(name, self.group, unit)
        self.q: Node = self.stated.node
        """Configuration of a cross section: ``q.R``, ``q.x``, …"""
        self.place = Value((Symbol(f"{name}.s", real=True),), Euclidean(1))
        self.strain = self._vector("w")
        self.strain_rate = self._vector("w_dot")
        self.rates: list[StrainRate] = []
        """Rates returned by `rate`."""
        self._declare_units()
        self.values: dict[str, object] = {}
        """Values of the parameters: numbers, functions of s, or a row for each instance."""

    @property
    def _what(self) -> str:
        return f"{self.called.capitalize()} '{self.name}'"

    def _vector(self, stem: str) -> Value:
        """Return new symbols with the size of v."""
        symbols = tuple(Symbol(f"{self.name}.{stem}{k}", real=True) for k in range(self.group.dimension))
        name_components(symbols, self.group.velocity_fields, f"{self.name}.{stem}")
        return Value(symbols, Euclidean(len(symbols)))

    def _declare_units(self) -> None:
        self.stated.units.declare(self.place.components, [Unit(UNITS["m"])], Certainty.FIELD)
        for velocity, w, rate in zip(
            self.q.velocity.components, self.strain.components, self.strain_rate.components, strict=True
        ):
            found = self.stated.units.of(velocity)
            if found is not None:
                moved = times(found.dimension, PER_METRE)
                still = times(moved, UNITS["s"])
                self.stated.units.declare([w, rate], [Unit(still), Unit(moved)], found.certainty)

    @property
    def s(self) -> Symbol:
        """Material coordinate, in m."""
        return self.place.components[0]

    @property
    def t(self) -> Symbol:
        """Time, in s."""
        return self.stated.t

    @property
    def v(self) -> SymbolicMatrix:
        """Velocity, the derivative vector of the configuration by time."""
        return column(self.q.velocity.components)

    @property
    def w(self) -> SymbolicMatrix:
        """Strains, the derivative vector of the configuration by s, in the order of v."""
        return column(self.strain.components)

    @property
    def w_dot(self) -> SymbolicMatrix:
        """Strain rate ẇ = v' + ŵ v."""
        return column(self.strain_rate.components)

    def rate(self, expression: object) -> SymbolicMatrix:
        """Return the time derivative of strains that also depend on q, for dissipation densities and outputs.

        On groups with velocities in inertial axes, such as S³×R³, the strains in axes of the cross section are [K; Rᵀ
        x'], and their rates do not follow from ẇ alone. ``w_dot`` is the rate of ``w``.

        Parameters
        ----------
        expression
            Vector expression of w, q and parameters.
        """
        self._check_open()
        parts = components(expression)
        self._check_symbols("rate", parts, ("v", "w_dot"))
        number = len(self.rates)
        symbols = tuple(Symbol(f"{self.name}.rate{number}[{k}]", real=True) for k in range(len(parts)))
        self.rates.append(StrainRate(Value(symbols, Euclidean(len(symbols))), parts))
        return column(symbols)

    def parameter(self, name: str, default: Any, unit: str = "") -> Expression:
        """Declare a parameter of the densities, a run-time value of the cross sections or segments that use it.

        Parameters
        ----------
        name
            Identifier.
        default
            A number, a vector or a matrix for the entire continuum, or a function of s that returns it.
        unit
            As in `Model.parameter`.
        """
        self._check_open()
        if name in RESERVED:
            raise ModelError(f"Parameter '{name}' of {self._lower} is reserved for its grid; choose another name.")
        found = self.stated.parameter(name, default(0.0) if callable(default) else default, unit)
        self.values[name] = default
        return found

    def _check_open(self) -> None:
        """Raise `ModelError` if no further densities can be added; subclasses override this method."""

    def _density(self, what: str, density: object, *, without: Sequence[str] = ()) -> Expr:
        """Return a scalar density; raise `ModelError` if it depends on forbidden symbols."""
        self._check_open()
        parts = components(density)
        if len(parts) != 1:
            raise ModelError(f"The {what} of {self._lower} must be a scalar, but has {len(parts)} components.")
        self._check_symbols(what, parts, without)
        return parts[0]

    @property
    def _lower(self) -> str:
        return f"{self.called} '{self.name}'"

    def _check_symbols(self, what: str, parts: Sequence[Expr], without: Sequence[str]) -> None:
        symbols = {
            "q": self.q.value.components,
            "v": self.q.velocity.components,
            "w": self.strain.components,
            "w_dot": self.strain_rate.components,
        }
        for letter in without:
            if depends_on(self.stated.program, parts, [s for s in symbols[letter] if isinstance(s, Symbol)]):
                raise ModelError(f"The {what} of {self._lower} depends on {letter}; {_INSTEAD[what, letter]}")

    def depends_on_strain(self, expressions: Sequence[Expr]) -> bool:
        """Return whether expressions depend on w or ẇ and therefore belong to segments.

        Parameters
        ----------
        expressions
            Expressions of densities.
        """
        return depends_on(self.stated.program, expressions, [*self.strain.components, *self.strain_rate.components])
