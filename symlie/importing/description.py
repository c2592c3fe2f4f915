"""Description of an imported robot as numbers and names, from which its model file is printed.

Frames follow the file: the origin and the axes of a link are those of its body. In the reference configuration all
poses are relative to inertial axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GROUND = -1
"""Index of the ground instead of a link."""

HINGE, SLIDE, BALL, FREE = "hinge", "slide", "ball", "free"


@dataclass(frozen=True, eq=False)
class Pose:
    """A rotation from local axes to the axes of a parent, and the position of the local origin."""

    turn: Array = field(default_factory=lambda: np.eye(3))
    place: Array = field(default_factory=lambda: np.zeros(3))

    def then(self, other: Pose) -> Pose:
        """Return the pose of a frame that is given relative to this one."""
        return Pose(self.turn @ other.turn, self.place + self.turn @ other.place)

    def inverse(self) -> Pose:
        """Return the pose of the parent in local axes."""
        return Pose(self.turn.T, -self.turn.T @ self.place)


@dataclass(frozen=True, eq=False)
class Link:
    """A moving rigid body; its fixed parts are included."""

    name: str
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    """Centre of mass in axes of the link, in m."""
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """About the centre of mass, in kg m²."""


@dataclass(frozen=True, eq=False)
class JointData:
    """A joint of the tree, between a link and its parent."""

    name: str
    kind: str
    parent: int
    child: int
    offset: Pose
    """Pose of the child in axes of the parent, in the reference configuration."""
    anchor: Array = field(default_factory=lambda: np.zeros(3))
    """In axes of the child, in m."""
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    reference: float = 0.0
    """Coordinate in the reference configuration, in rad or m."""
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    armature: float = 0.0
    friction: float = 0.0

    @property
    def across(self) -> Array:
        """Direction from which the angle is measured, in axes of the child."""
        return np.array(np.eye(3)[int(np.argmin(np.abs(self.axis)))])

    @property
    def is_scalar(self) -> bool:
        """True for a hinge and a slide."""
        return self.kind in (HINGE, SLIDE)

    @property
    def size(self) -> int:
        """Number of velocities."""
        return {HINGE: 1, SLIDE: 1, BALL: 3, FREE: 6}[self.kind]


@dataclass(frozen=True, eq=False)
class Loop:
    """A joint that closes a loop, between frames of two links."""

    name: str
    kind: str
    """Name of the joint type in symlie, such as SphericalJoint."""
    first: int
    second: int
    frames: tuple[Pose, Pose]


@dataclass(frozen=True, eq=False)
class ContactData:
    """A contact between frames of two links."""

    name: str
    kind: str
    """Name of the contact type in symlie, such as SpherePlaneContact."""
    first: int
    second: int
    frames: tuple[Pose, Pose]
    """Of a plane and a shape, with the normal and the axis of the shape along z; or of two spheres."""
    lengths: tuple[str, float | tuple[float, ...]]
    """Name and value of the argument that gives the size of the shape, such as ``radius``, in m."""
    friction: float


@dataclass(frozen=True)
class Coupling:
    """A polynomial relation c = a₀ + a₁ d + … of two coordinates, or a fixed coordinate."""

    name: str
    joint: str
    other: str | None
    start: float
    """Reference value of the coordinate, to which the polynomial is added."""
    other_start: float
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class Motor:
    """Force on a coordinate c with the input u: (gain·(1, c, c')) u + bias·(1, c, c')."""

    name: str
    joint: str
    gain: tuple[float, float, float]
    bias: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class FrameData:
    """A named frame of a link: a site, or a fixed part."""

    name: str
    link: int
    pose: Pose


@dataclass(frozen=True)
class SensorData:
    """A sensor as an output."""

    name: str
    kind: str
    subject: str
    """Name of a joint or of a frame."""


@dataclass(frozen=True, eq=False)
class ShapeData:
    """A shape that views draw."""

    link: int
    kind: str
    sizes: tuple[float, ...]
    pose: Pose
    color: str | None = None
    file: str | None = None
    """File of a mesh, with its scale as the only size."""


@dataclass(frozen=True, eq=False)
class Configuration:
    """Coordinates and rates by joint; omitted ones have the values of the file and are at rest.

    Coordinates of a ball joint are a rotation matrix, those of a free joint a pose; their rates are an angular
    velocity in axes of the link, preceded for a free joint by the velocity of its origin in inertial axes.
    """

    coordinates: Mapping[str, float | Array | Pose] = field(default_factory=dict)
    rates: Mapping[str, float | Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Description:
    """An imported robot."""

    name: str
    source: str
    gravity: Array
    links: tuple[Link, ...]
    joints: tuple[JointData, ...]
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    contacts: tuple[ContactData, ...] = ()
    motors: tuple[Motor, ...] = ()
    torques: tuple[str, ...] = ()
    """Joints with a component of the input ``torques``, in files without actuators."""
    frames: tuple[FrameData, ...] = ()
    sensors: tuple[SensorData, ...] = ()
    shapes: tuple[ShapeData, ...] = ()
    keyframes: Mapping[str, Configuration] = field(default_factory=dict)
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    has_stops: bool = False
    """True if limits are stops of the model."""
    has_dry_friction: bool = False
    """True if friction of joints sticks exactly; otherwise it is regularised."""
    skipped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of skipped parts by feature."""
    is_redundant: bool = False
    """True if constraint equations of loops are dependent in all configurations."""
    removed: tuple[str, ...] = ()
    """Loops whose dependent equations were removed."""

    @property
    def velocities(self) -> int:
        """Number of velocities of joints, without free ones."""
        return sum(j.size for j in self.joints if j.kind != FREE)

    @property
    def has_loops(self) -> bool:
        """True if constraints remain in minimal coordinates."""
        return bool(self.loops or self.couplings)

    @property
    def has_events(self) -> bool:
        """True if contacts, stops or friction change the equations at events."""
        rubs = self.has_dry_friction and any(j.friction for j in self.joints)
        return bool(self.contacts or (self.has_stops and self.limits) or rubs)

    def joint(self, name: str) -> JointData:
        """Return a joint by name."""
        return next(j for j in self.joints if j.name == name)
