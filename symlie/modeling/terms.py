"""What a statement consists of: parameters, constraints, outputs and events, as data."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol


@dataclass(frozen=True)
class Parameter:
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


@dataclass(frozen=True)
class Constraint:
    """Rows Φ(t, q) = 0, or A(t, q) v + b(t, q) = 0 if not holonomic, with the symbols of their multipliers."""

    name: str
    rows: tuple[Expr, ...]
    multipliers: tuple[Symbol, ...]
    is_holonomic: bool = True


@dataclass(frozen=True)
class Output:
    """A named quantity of (t, q, v, λ)."""

    name: str
    components: tuple[Expr, ...]
    unit: str


DIRECTIONS = {"any": 0, "rising": 1, "falling": -1}
"""Which sign changes of an event count, as users and as integrators say it."""


@dataclass(frozen=True)
class Event:
    """A scalar of (t, q, v, λ) whose zeros are looked for along a solution."""

    name: str
    expression: Expr
    direction: str
    is_terminal: bool
