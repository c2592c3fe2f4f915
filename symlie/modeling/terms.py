"""What a statement consists of: parameters, constraints, outputs, events and trees of bodies, as data.

Velocities of bodies on a tree of joints are twists in inertial axes at the origin, (ω, v_O) with the velocity v_O of
the point of the body that passes the origin; in the plane ω is one number. Behind a joint,

    V = V_before + Σ s_j v_j

with a column s_j for each of its velocities v_j: (a, p × a) of a turn about the axis a through p, (0, a) of a shift.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sympy import Expr, Symbol

from symlie.contract.manifest import InputLayout, ParameterLayout, TableLayout
from symlie.contract.tables import smoothness_of
from symlie.groups.group import LieGroup
from symlie.groups.standard import SE2, SE3
from symlie.ir.program import Vector
from symlie.showing import Brief


@dataclass(frozen=True, repr=False)
class Parameter(Brief, ParameterLayout):
    """A parameter with the symbols that it enters formulas with."""

    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class Input(InputLayout):
    """A function of time that is given at run time as a table, with the symbols of its slots among the parameters."""

    slots: tuple[Symbol, ...]

    @property
    def smoothness(self) -> int:
        """How many derivatives are continuous, whatever table is given; -1 if it may jump."""
        return smoothness_of(self.interpolation, outside="refuse") if self.interpolation else -1


@dataclass(frozen=True, eq=False, repr=False)
class SmoothTable(TableLayout):
    """A smooth function through points, with the symbols of its slots among the parameters."""

    slots: tuple[Symbol, ...]

    @property
    def smoothness(self) -> int:
        """How many derivatives are continuous."""
        return smoothness_of(self.interpolation, self.end, self.outside)


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
    """Rows Φ(t, q) = 0, ψ(t, q, v) = 0 or B(t, q) v' + Z(t, q, v) = 0, as ``level`` says: 0, 1 or 2.

    ``multipliers`` are their symbols; ``is_affine`` says whether B does not depend on v, so that ψ is
    A(t, q) v + b(t, q), ``balances`` are the velocity components without mass whose forces the rows are.
    """

    name: str
    rows: tuple[Expr, ...]
    multipliers: tuple[Symbol, ...]
    level: int
    is_affine: bool = True
    balances: tuple[Expr, ...] = ()


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


Rows = tuple[Vector, ...]
"""A matrix of expressions by rows."""


@dataclass(frozen=True, repr=False)
class RigidInertia(Brief):
    """What an element type states of a rigid body, beside its energies."""

    mass: Expr
    center: Vector
    """Centre of mass, in axes of the body."""
    inertia: Rows
    """About the centre of mass, in axes of the body; one number in the plane."""
    gravity: Vector
    """Acceleration of gravity, in inertial axes."""

    def mapped(self, of: Callable[[Expr], Expr]) -> RigidInertia:
        """The same with other expressions.

        Parameters
        ----------
        of
            What stands for an expression.
        """
        rows = tuple(tuple(map(of, row)) for row in self.inertia)
        return RigidInertia(of(self.mass), tuple(map(of, self.center)), rows, tuple(map(of, self.gravity)))


@dataclass(frozen=True, repr=False)
class Link(Brief):
    """What moves by some velocities against the link before it."""

    before: int | None
    """Number of the link before; None of the ground."""
    velocities: Vector
    """Symbols of v_j, components of velocities of nodes."""
    columns: Rows
    """s_j of each."""
    rides: bool
    """Whether the columns are fixed in this link; else they are in the one before. One column is fixed in both."""
    inertia: Rows
    """Of the bodies that are fixed in it, about the origin in inertial axes; no rows without such bodies."""


@dataclass(frozen=True, repr=False)
class BodyTree(Brief):
    """Links, each behind the one before it, and what was stated of their bodies."""

    links: tuple[Link, ...]
    gravity: Vector
    """Acceleration of gravity."""
    kinetic: Vector
    """Terms of the kinetic energy that are of these bodies."""
    potential: Vector
    """Terms of the potential energy that are their weight."""

    @property
    def group(self) -> LieGroup:
        """SE(3) or, in the plane, SE(2): the group of motions, whose algebra twists are in."""
        return SE3 if len(self.gravity) == 3 else SE2
