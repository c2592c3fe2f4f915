"""What a statement consists of: parameters, constraints, outputs and events, as data."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from symlie.contract.manifest import InputLayout, ParameterLayout
from symlie.groups.group import LieGroup
from symlie.showing import Brief


@dataclass(frozen=True, repr=False)
class Parameter(Brief, ParameterLayout):
    """A parameter with the symbols that it enters formulas with."""

    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class Input(InputLayout):
    """A function of time that is given at run time as a table, with the symbols of its slots among the parameters."""

    slots: tuple[Symbol, ...]


@dataclass(frozen=True, repr=False)
class UnwrappedAngle(Brief):
    """An angle over as many turns as it makes: atan2(sine, cosine) and whole turns that lead next to ``before``."""

    before: Symbol
    """The angle at the last step that was accepted."""
    sine: Expr
    cosine: Expr
    start: Expr
    """What it begins next to."""
    principal: Expr
    """atan2(sine, cosine)."""
    value: Expr

    @property
    def stated(self) -> tuple[Expr, Expr, Expr]:
        """What it was stated by: sine, cosine, start."""
        return self.sine, self.cosine, self.start


@dataclass(frozen=True, repr=False)
class Constraint(Brief):
    """Rows Φ(t, q) = 0, A(t, q) v + b(t, q) = 0 or B(t, q) v' + Z(t, q, v) = 0, as ``level`` says: 0, 1 or 2.

    ``multipliers`` are their symbols.
    """

    name: str
    rows: tuple[Expr, ...]
    multipliers: tuple[Symbol, ...]
    level: int


@dataclass(frozen=True, repr=False)
class Placement(Brief):
    """A node on Rⁿ that is where another one is plus an offset, with the places of both among a statement's nodes."""

    place: int
    reference: int
    offset: tuple[Expr, ...]
    has_velocity: bool = True
    last_first: bool = False


@dataclass(frozen=True, repr=False)
class Location(Brief):
    """A node whose whole configuration and velocity are expressions of other nodes, with its place among a statement's.

    ``configuration`` has all stored components, ``velocity`` all of v.
    """

    place: int
    configuration: tuple[Expr, ...]
    velocity: tuple[Expr, ...]


OUTPUTS_OF_EVERY_MODEL = ("energy", "constraint_residual", "velocity_residual")
"""Names of outputs that nobody states."""


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


@dataclass(frozen=True, repr=False)
class Motion(Brief):
    """A prescribed motion of one node: its storage as expressions of time and parameters."""

    node: str
    index: int
    group: LieGroup
    storage: tuple[Expr, ...]
