"""Parts of a model or element type as data: parameters, constraints, outputs, events and trees of bodies.

Velocities of bodies on a tree of joints are twists in inertial axes at the origin, (ω, v_O), where v_O is the velocity
of the point of the body at the origin; in the plane ω is one number. The link after a joint has the velocity

    V = V_before + Σ s_j v_j

with a column s_j for each velocity v_j of the joint: (a, p × a) for a rotation about the axis a through p, (0, a) for
a translation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sympy import Abs, Expr, Integer, S, Symbol, sqrt

from symlie.contract.manifest import InputLayout, ParameterLayout, TableLayout
from symlie.contract.tables import smoothness_of
from symlie.groups.group import LieGroup
from symlie.groups.standard import SE2, SE3
from symlie.ir.primitives import Select
from symlie.ir.program import Vector
from symlie.options import Direction
from symlie.utilities.showing import Brief


@dataclass(frozen=True, repr=False)
class Parameter(Brief, ParameterLayout):
    """Parameter with its symbols in expressions."""

    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class Input(InputLayout):
    """Function of time, specified at run time as a table, with the symbols of its slots among the parameters."""

    slots: tuple[Symbol, ...]

    @property
    def smoothness(self) -> int:
        """Smallest number of continuous derivatives for any permitted table; -1 if the function may jump."""
        return smoothness_of(self.interpolation, outside="refuse") if self.interpolation else -1


@dataclass(frozen=True, repr=False)
class ElementInput(Brief):
    """Input of each instance of an element type, with the symbols of the instance data that choose it."""

    name: str
    unit: str
    choice: tuple[Symbol, Symbol]
    """Slot among the parameters, and component, of an input of the model."""


@dataclass(frozen=True, eq=False, repr=False)
class SmoothTable(TableLayout):
    """Smooth function through points, with the symbols of its slots among the parameters."""

    slots: tuple[Symbol, ...]

    @property
    def smoothness(self) -> int:
        """Number of continuous derivatives."""
        return smoothness_of(self.interpolation, self.end, self.outside)


@dataclass(frozen=True, repr=False)
class UnwrappedAngle(Brief):
    """Unwrapped angle: atan2(sine, cosine) plus the number of full turns that brings it nearest to ``before``."""

    before: Symbol
    """Angle at the last accepted step."""
    sine: Expr
    cosine: Expr
    start: Expr
    """Angle that selects the initial number of full turns."""
    principal: Expr
    """atan2(sine, cosine)."""
    value: Expr

    @property
    def stated(self) -> tuple[Expr, Expr, Expr]:
        """Defining expressions: sine, cosine, start."""
        return self.sine, self.cosine, self.start


@dataclass(frozen=True, repr=False)
class Constraint(Brief):
    """Constraint equations Φ(t, q) = 0, ψ(t, q, v) = 0 or B(t, q, v) v' + Z(t, q, v) = 0, for ``level`` 0, 1 or 2."""

    name: str
    rows: tuple[Expr, ...]
    multipliers: tuple[Symbol, ...]
    level: int
    is_affine: bool = True
    """True if B does not depend on v; at level 1, ψ is then A(t, q) v + b(t, q)."""
    balances: tuple[Expr, ...] = ()
    """Massless velocity components whose force balances are the equations."""


@dataclass(frozen=True, repr=False)
class Activity(Brief):
    """Number that is stored in the configuration and constant between events.

    The activity of a constraint multiplies its equations: 1 in force, 0 released. Other numbers, such as the direction
    of sliding of a contact, belong to no constraint; ``constraint`` is then empty.
    """

    symbol: Symbol
    constraint: str


@dataclass(frozen=True, repr=False)
class DependentNode(Brief):
    """Dependent node q_d = F(t, q) with its index among the nodes of the statement."""

    place: int
    configuration: Vector
    """All stored components."""
    velocity: Vector | None
    """All velocities; None if they follow from the rate of the configuration."""


OUTPUTS_OF_EVERY_MODEL = ("energy", "constraint_residual", "velocity_residual")
"""Names of outputs that every model has by default."""


@dataclass(frozen=True, repr=False)
class Output(Brief):
    """Named quantity of (t, q, v, λ)."""

    name: str
    components: tuple[Expr, ...]
    unit: str


DIRECTIONS: Mapping[Direction, int] = {"any": 0, "rising": 1, "falling": -1}
"""Directions of sign changes of events, by name and as used by integrators."""


@dataclass(frozen=True, repr=False)
class Event(Brief):
    """Scalar of (t, q, v, λ) whose zeros along a solution are detected."""

    name: str
    expression: Expr
    direction: Direction
    is_terminal: bool | None
    """True if the event ends a run; None if it does unless it changes the state or the constraints."""


@dataclass(frozen=True, repr=False)
class Reset(Brief):
    """New values of components of the state at an event of the same statement."""

    event: str
    components: tuple[Expr, ...]
    """Symbols of the components."""
    values: tuple[Expr, ...]


@dataclass(frozen=True, repr=False)
class Motion(Brief):
    """Prescribed motion of one node: its storage as expressions of time and parameters."""

    node: str
    index: int
    group: LieGroup
    storage: tuple[Expr, ...]


@dataclass(frozen=True, repr=False)
class Slipping(Brief, ABC):
    """Coulomb friction against slip velocities, which the constraint NAME_slip holds at zero while it sticks."""

    name: str
    """Name; empty for the only contact or friction of an element type."""
    slip: tuple[Expr, ...]
    """Slip velocities; empty for contacts without friction."""
    friction: Expr
    """Coefficient μ."""

    @property
    def slip_name(self) -> str:
        """Name of the constraint of a sticking contact."""
        return self.named("slip")

    def named(self, what: str) -> str:
        """Name of an event, output or constraint."""
        return f"{self.name}_{what}" if self.name else what

    @property
    @abstractmethod
    def closed(self) -> Symbol:
        """Number that is 1 while the contact is closed, otherwise 0."""

    @property
    def sticks(self) -> Symbol:
        """Activity of the equations of slip: 1 while the contact sticks."""
        return activity_symbol(self.slip_name)

    @property
    def direction(self) -> tuple[Symbol, ...]:
        """Direction of slip at the start of sliding; while the contact sticks, minus the friction relative to μ F in
        implied equations of slip."""
        return tuple(Symbol(f"direction[{self.name},{k}]", real=True) for k in range(len(self.slip)))

    @property
    def implied(self) -> tuple[Symbol, ...]:
        """Numbers that are 1 for equations of slip that others imply, which are then released."""
        return tuple(Symbol(f"implied[{self.name},{k}]", real=True) for k in range(len(self.slip)))

    @property
    def largest_speed(self) -> Symbol:
        """Largest speed of approach in a sequence of impacts."""
        return Symbol(f"largest_speed[{self.name}]", real=True)

    @property
    def slack(self) -> Symbol:
        """Force that is round-off, so that a contact without load stays closed; a gap, if others carry its load."""
        return Symbol(f"slack[{self.name}]", real=True)

    @property
    def kept(self) -> tuple[Symbol, ...]:
        """Numbers that are stored in the configuration and constant between events, without activities."""
        return (*self.direction, *self.implied, self.largest_speed, self.slack)

    @property
    def modes(self) -> tuple[Symbol, ...]:
        """All numbers that are constant between events, with activities."""
        return (self.closed, self.sticks, *self.kept)

    @property
    def sliding(self) -> Expr:
        """Factor of the friction force along its direction: 1 or 0."""
        if len(self.slip) < 2:
            return self.closed
        # The direction is zero in time stepping, if an impact has no slip.
        return self.closed * (self.sticks + (1 - self.sticks) * sum((d**2 for d in self.direction), Integer(0)))


@dataclass(frozen=True, repr=False)
class Contact(Slipping):
    """Unilateral contact 0 ≤ g ⊥ F ≥ 0, whose force F is minus the multiplier of a constraint on the gap."""

    gap: Expr
    restitution: Expr

    @property
    def normal_name(self) -> str:
        """Name of the constraint on the gap."""
        return self.name or "contact"

    @property
    def closed(self) -> Symbol:
        """Activity of the constraint on the gap: 1 closed, 0 open."""
        return activity_symbol(self.normal_name)


@dataclass(frozen=True, repr=False)
class Friction(Slipping):
    """Friction of at most L + μ |F|, where F is the reaction of bilateral constraints."""

    limit: Expr
    """L."""
    reaction: tuple[Expr, ...]
    """Components of F, linear in multipliers; empty if μ is zero."""

    @property
    def closed(self) -> Symbol:
        """Number that is 1 when the mode is known."""
        return Symbol(f"is_known[{self.name}]", real=True)

    @property
    def toward(self) -> tuple[Symbol, ...]:
        """Unit vector along F, with |F| = F·n; constant between events if F has one component."""
        return tuple(Symbol(f"reaction[{self.name},{k}]", real=True) for k in range(len(self.reaction)))

    @property
    def kept(self) -> tuple[Symbol, ...]:
        """Numbers that are stored in the configuration, without activities."""
        return (self.closed, *super().kept, *self.toward)

    @property
    def size(self) -> Expr:
        """|F|."""
        if len(self.reaction) < 2:
            return Abs(self.reaction[0]) if self.reaction else Integer(0)
        return sqrt(sum((f**2 for f in self.reaction), Integer(0)))


def slip_direction(contact: Slipping, smallest: Expr = S.Zero) -> tuple[Expr, ...]:
    """Return the unit vector along the slip velocity γ of a sliding contact, or the stored direction of a sticking one.

    It is continued smoothly past the instant at which γ vanishes, where friction would reverse: it points to the same
    side as at the start of sliding. For |γ|² up to ``smallest`` it is the direction at the start.
    """
    if len(contact.slip) < 2:
        return contact.direction
    square = sum((s**2 for s in contact.slip), Integer(0))
    along = sum((s * d for s, d in zip(contact.slip, contact.direction, strict=True)), Integer(0))
    size = Select(along, Integer(1), Integer(-1)) * sqrt(square)
    is_turning = (1 - contact.sticks) * square - smallest
    return tuple(Select(is_turning, s / size, d) for s, d in zip(contact.slip, contact.direction, strict=True))


def activity_symbol(constraint: str) -> Symbol:
    """Return the symbol of the activity of a constraint."""
    return Symbol(f"activity[{constraint}]", real=True)


Rows = tuple[Vector, ...]
"""Matrix of expressions in row-major order."""


@dataclass(frozen=True, repr=False)
class RigidInertia(Brief):
    """Inertia and gravity of a rigid body, in addition to the energies of its element type."""

    mass: Expr
    center: Vector
    """Centre of mass, in body axes."""
    inertia: Rows
    """Moments of inertia about the centre of mass, in body axes; one number in the plane."""
    gravity: Vector
    """Acceleration of gravity, in inertial axes."""

    def mapped(self, of: Callable[[Expr], Expr]) -> RigidInertia:
        """Return the inertia with a function applied to each expression."""
        rows = tuple(tuple(map(of, row)) for row in self.inertia)
        return RigidInertia(of(self.mass), tuple(map(of, self.center)), rows, tuple(map(of, self.gravity)))


@dataclass(frozen=True, repr=False)
class Link(Brief):
    """Link that moves relative to the link before it."""

    before: int | None
    """Index of the link before; None for the ground."""
    velocities: Vector
    """Symbols of v_j, components of velocities of nodes."""
    columns: Rows
    """Column s_j of each velocity."""
    rides: bool
    """True if the columns are fixed in this link, False if in the link before; a single column is fixed in both."""
    inertia: Rows
    """Spatial inertia of the bodies fixed in the link, about the origin in inertial axes; empty without bodies."""


@dataclass(frozen=True, repr=False)
class BodyTree(Brief):
    """Links, each after its predecessor, and the energies of their bodies."""

    links: tuple[Link, ...]
    gravity: Vector
    """Acceleration of gravity."""
    kinetic: Vector
    """Terms of the kinetic energy of these bodies."""
    potential: Vector
    """Terms of the potential energy of their weight."""

    @property
    def group(self) -> LieGroup:
        """Group of the motions: SE(3) or, in the plane, SE(2)."""
        return SE3 if len(self.gravity) == 3 else SE2
