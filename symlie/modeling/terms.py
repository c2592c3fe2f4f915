"""What a statement consists of: parameters, constraints, outputs and events, as data."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from symlie.showing import Brief


@dataclass(frozen=True, repr=False)
class Parameter(Brief):
    """A run-time input: name, default, unit, and the symbols it enters formulas with."""

    name: str
    default: tuple[float, ...]
    shape: tuple[int, ...]
    unit: str
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class Input:
    """A function of time that is given at run time as a table, with the symbols of its slots among the parameters."""

    name: str
    size: int
    unit: str
    slots: tuple[Symbol, ...]


@dataclass(frozen=True, repr=False)
class Constraint(Brief):
    """Rows Φ(t, q) = 0, or A(t, q) v + b(t, q) = 0 if not holonomic, or B(t, q) v' + Z(t, q, v) = 0 of accelerations.

    ``multipliers`` are their symbols.
    """

    name: str
    rows: tuple[Expr, ...]
    multipliers: tuple[Symbol, ...]
    is_holonomic: bool = True
    is_of_accelerations: bool = False

    @property
    def level(self) -> int:
        """0 for rows of positions, 1 of velocities, 2 of accelerations."""
        return 2 if self.is_of_accelerations else int(not self.is_holonomic)


@dataclass(frozen=True, repr=False)
class Placement(Brief):
    """A node on Rⁿ that is where another one is plus an offset, with the places of both among a statement's nodes."""

    place: int
    reference: int
    offset: tuple[Expr, ...]
    has_velocity: bool = True
    last_first: bool = False


@dataclass(frozen=True, repr=False)
class Output(Brief):
    """A named quantity of (t, q, v, λ)."""

    name: str
    components: tuple[Expr, ...]
    unit: str


DIRECTIONS = {"any": 0, "rising": 1, "falling": -1}
"""Which sign changes of an event count, as users and as integrators say it."""


@dataclass(frozen=True, repr=False)
class Event(Brief):
    """A scalar of (t, q, v, λ) whose zeros are looked for along a solution."""

    name: str
    expression: Expr
    direction: str
    is_terminal: bool
