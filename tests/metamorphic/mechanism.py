"""A random mechanism as data, in SI units and one inertial frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Vector = tuple[float, float, float]


def rotation_matrix(axis: Sequence[float], angle: float) -> Array:
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


@dataclass(frozen=True)
class Body:
    """A rigid body; velocities that are None are left to completion."""

    name: str
    mass: float
    inertia: tuple[Vector, Vector, Vector]
    position: Vector
    axis: Vector
    angle: float
    velocity: Vector | None = None
    angular_velocity: Vector | None = None


@dataclass(frozen=True)
class Wave:
    """amplitude · sin(frequency t + phase)."""

    amplitude: float
    frequency: float
    phase: float = 0.0


@dataclass(frozen=True)
class Curve:
    """A smooth table; of time, or of a coordinate of a body."""

    points: tuple[float, ...]
    values: tuple[float, ...]
    order: int


@dataclass(frozen=True)
class Joint:
    """A joint; body "" is the ground."""

    name: str
    kind: str
    a: str
    b: str
    at: Vector
    axes: tuple[Vector, ...] = ()
    lead: float | None = None
    rate: tuple[str, float] | None = None
    drive: Wave | Curve | None = None


@dataclass(frozen=True)
class Spring:
    """A spring with a damper between points of two bodies."""

    name: str
    a: str
    b: str
    at: tuple[Vector, Vector]
    stiffness: float
    length: float
    damping: float


@dataclass(frozen=True)
class TorsionSpring:
    """A spring and damper on the angle of a hinge, with friction if ``coulomb`` is positive."""

    name: str
    joint: str
    stiffness: float
    rest: float
    damping: float
    coulomb: float = 0.0
    creep: float = 1.0


@dataclass(frozen=True)
class Attraction:
    """Potential energy k |x_b - x_a|²/2 of two bodies, a term of the model or an element."""

    name: str
    a: str
    b: str
    stiffness: float


@dataclass(frozen=True)
class Floor:
    """An elastic floor below a body: force -k (n·x - level) n where that is negative."""

    name: str
    body: str
    normal: Vector
    level: float
    stiffness: float


@dataclass(frozen=True)
class Table:
    """A force of given direction on a body, whose size is an input."""

    name: str
    body: str
    direction: Vector
    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolation: str


@dataclass(frozen=True)
class CurvedForce:
    """A force of given direction on a body, whose size is a smooth table of time, or of the place along a direction."""

    name: str
    body: str
    direction: Vector
    curve: Curve
    along: Vector | None
    origin: Vector


@dataclass(frozen=True)
class Filter:
    """A first-order state z' = (n·x - z)/τ with the force -k z n on the body."""

    name: str
    body: str
    direction: Vector
    origin: Vector
    delay: float
    stiffness: float
    start: float


@dataclass(frozen=True)
class Blade:
    """A nonholonomic constraint: no velocity of the centre of mass along an axis of the body."""

    name: str
    body: str
    axis: Vector


@dataclass(frozen=True)
class Pivot:
    """A point of a body that moves along a given path: a rheonomic constraint."""

    name: str
    body: str
    arm: Vector
    at: Vector
    direction: Vector
    wave: Wave


@dataclass(frozen=True)
class Rod:
    """A rod whose first node is clamped to the ground, with a force at its end."""

    name: str
    segments: int
    length: float
    position: Vector
    axis: Vector
    angle: float
    bending: float
    stretching: float
    density: float
    rotary: float
    force: Vector
    corner: tuple[Vector, float] | None = None
    """Rotation, about an axis by an angle, of a second rod that begins at the last node of the first one."""

    @property
    def second(self) -> str:
        """Name of the second rod."""
        return f"{self.name}_second"


@dataclass(frozen=True)
class String:
    """A continuum in R³ that is clamped to the ground at its start, with a force at its end."""

    name: str
    elements: int
    length: float
    position: Vector
    tangent: Vector
    stiffness: float
    density: float
    damping: float
    force: Vector


@dataclass(frozen=True)
class Rolling:
    """A sphere that rolls on a plane of the ground below its centre."""

    name: str
    body: str
    radius: float
    normal: Vector


@dataclass(frozen=True)
class Governor:
    """A constraint nonlinear in the velocity: a constant speed, or, where it is None, a spin normal to the velocity."""

    name: str
    body: str
    speed: float | None


@dataclass(frozen=True)
class Knot:
    """A point without mass where springs to the ground and to a body meet; position is a guess."""

    name: str
    body: str
    position: Vector
    anchors: tuple[Vector, ...]
    stiffness: tuple[float, ...]
    length: float
    damping: float


@dataclass(frozen=True)
class Crossing:
    """An event: the projection of a body's position passes a level."""

    name: str
    body: str
    direction: Vector
    origin: Vector


@dataclass
class Mechanism:
    """All statements of a mechanism, and its run."""

    seed: str
    gravity: Vector
    duration: float
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    torsion: list[TorsionSpring] = field(default_factory=list)
    attractions: list[Attraction] = field(default_factory=list)
    floors: list[Floor] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    blades: list[Blade] = field(default_factory=list)
    pivots: list[Pivot] = field(default_factory=list)
    rods: list[Rod] = field(default_factory=list)
    curved_forces: list[CurvedForce] = field(default_factory=list)
    strings: list[String] = field(default_factory=list)
    rollings: list[Rolling] = field(default_factory=list)
    governors: list[Governor] = field(default_factory=list)
    knots: list[Knot] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)
    mistake: str = ""
    """A mistake that must be refused for the same reason in every writing; "" for none."""

    @property
    def is_small(self) -> bool:
        """Whether an equilibrium is a matter of a few seconds: one body that something holds, without rods."""
        return len(self.bodies) == 1 and bool(self.joints or self.springs) and not (self.rods or self.strings)
