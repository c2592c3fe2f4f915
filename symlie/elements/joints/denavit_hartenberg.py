"""Serial chains from Denavit–Hartenberg parameters: frame, body and inboard joint of each link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from symlie.elements.joints.joint import Joint
from symlie.elements.joints.kinds import PrismaticJoint, RevoluteJoint
from symlie.elements.marker import Body, Marker
from symlie.elements.placement import Array, BodyNode, initial_placement
from symlie.elements.rigid_body import RigidBody
from symlie.errors import ModelError
from symlie.modeling.ground import Ground
from symlie.modeling.model import Model
from symlie.options import Convention, JointKind

CONVENTIONS = get_args(Convention)
KINDS = get_args(JointKind)


@dataclass(frozen=True)
class DenavitHartenbergLink:
    """A link of a serial chain, with its inboard joint.

    The joint acts along z of frame i - 1 (standard, distal) or of frame i (modified, proximal, after Craig). The frame
    of link i in axes of link i - 1 is

        standard:  Rz(θ) Tz(d) Tx(a) Rx(α)
        modified:  Rx(α) Tx(a) Rz(θ) Tz(d),  with α_{i-1} and a_{i-1} in the row of link i.

    The coordinate q of the joint adds to θ of a revolute joint, and to d of a prismatic one.

    Source: [Corke2017], chapter 7.

    Parameters
    ----------
    d : float
        Offset along z, in m; for a prismatic joint at q = 0.
    a : float
        Length along x, in m.
    alpha : float
        Twist about x, in rad.
    theta : float, optional
        Angle about z, in rad; for a revolute joint at q = 0.
    kind : {'revolute', 'prismatic'}, optional
        Kind of the joint.
    mass : float, optional
        Mass, in kg.
    center : sequence of float, optional
        Centre of mass in the frame of the link, shape (3,), in m.
    inertia : sequence of float, optional
        Moments of inertia about the centre of mass in axes of the frame, shape (3,) or (3, 3), in kg m².

    Raises
    ------
    ModelError
        If the kind is unknown, or if a number is not finite.
    """

    d: float
    a: float
    alpha: float
    theta: float = 0.0
    kind: JointKind = "revolute"
    mass: float = 1.0
    center: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ModelError(f"The joint of a link is {self.kind!r}, but it must be one of: {', '.join(KINDS)}.")
        numbers = {"d": self.d, "a": self.a, "alpha": self.alpha, "theta": self.theta}
        wrong = [name for name, value in numbers.items() if not math.isfinite(value)]
        if wrong:
            raise ModelError(
                f"The Denavit-Hartenberg parameter {wrong[0]} is {numbers[wrong[0]]}, not a finite number."
            )

    def transform(self, q: float = 0.0, convention: Convention = "standard") -> Array:
        """Return the frame of the link in axes of the previous link.

        Parameters
        ----------
        q
            Coordinate of the joint, in rad or m.
        convention
            ``"standard"`` or ``"modified"``.

        Returns
        -------
        Array
            Homogeneous matrix, shape (4, 4), lengths in m.

        Raises
        ------
        ModelError
            If the convention is unknown.
        """
        _check(convention)
        theta = self.theta + (q if self.kind == "revolute" else 0.0)
        d = self.d + (q if self.kind == "prismatic" else 0.0)
        along_z, along_x = _screw(2, theta, d), _screw(0, self.alpha, self.a)
        return along_z @ along_x if convention == "standard" else along_x @ along_z


def denavit_hartenberg_chain(
    model: Model,
    links: Sequence[DenavitHartenbergLink],
    q: ArrayLike | None = None,
    *,
    convention: Convention = "standard",
    name: str = "",
    group: str = "SO3xR3",
    coordinates: str | None = None,
    base: Body | None = None,
    base_frame: Array | None = None,
) -> list[Joint]:
    """Add bodies and joints of a serial chain from its Denavit–Hartenberg parameters.

    Bodies are called NAMElink1, NAMElink2, …; their nodes are at the centres of mass with the axes of the frames.
    Joints are called NAMEjoint1, …

    Source: [Corke2017], chapter 7.

    Parameters
    ----------
    model
        The model.
    links
        The links, from the base outwards.
    q
        Initial coordinates of the joints, shape (links,), in rad and m; default: zero.
    convention
        ``"standard"`` or ``"modified"``.
    name
        Prefix of all names.
    group, coordinates
        Group and coordinates of the bodies, as in `RigidBody`.
    base
        First body of the first joint; default: the ground.
    base_frame
        Frame 0 in axes of the base, homogeneous matrix of shape (4, 4) from its node, lengths in m; default: its axes.

    Returns
    -------
    list of Joint
        The joints in order; ``angle`` of a revolute joint and ``displacement`` of a prismatic one are its q.

    Raises
    ------
    ModelError
        If the convention is unknown, a shape is wrong, the chain has no links, or the base is not a body in space.
    """
    _check(convention)
    values = np.zeros(len(links)) if q is None else np.asarray(q, dtype=float)
    frame = np.eye(4) if base_frame is None else np.asarray(base_frame, dtype=float)
    if not links or values.shape != (len(links),) or frame.shape != (4, 4):
        raise ModelError(
            f"A chain of {len(links)} links needs at least one link, q with one number per link and a base frame of "
            f"shape (4, 4), not shapes {values.shape} and {frame.shape}."
        )
    body: Body = model.ground if base is None else base
    placed = frame if isinstance(body, Ground) else _pose(model, body) @ frame
    joints: list[Joint] = []
    for k, (link, value) in enumerate(zip(links, values, strict=True), start=1):
        placed = placed @ link.transform(value, convention)
        center = np.asarray(link.center, dtype=float)
        follower = RigidBody(
            model, f"{name}link{k}", link.mass, link.inertia, group, coordinates=coordinates,
            position=placed[:3, 3] + placed[:3, :3] @ center, orientation=placed[:3, :3],
        )  # fmt: skip
        along_x, at_zero = _screw(0, link.alpha, link.a), _screw(2, link.theta, 0.0)
        height = _screw(2, 0.0, link.d)
        before, after = (at_zero, height @ along_x) if convention == "standard" else (along_x @ at_zero, height)
        second = _inverse(after)
        second[:3, 3] -= center
        joint = RevoluteJoint if link.kind == "revolute" else PrismaticJoint
        joints.append(joint(model, f"{name}joint{k}", _marker(body, frame @ before), _marker(follower, second)))
        body, frame = follower, np.eye(4)
        frame[:3, 3] = -center
    return joints


def _check(convention: Convention) -> None:
    if convention not in CONVENTIONS:
        raise ModelError(f"The convention is {convention!r}, but it must be one of: {', '.join(CONVENTIONS)}.")


def _screw(axis: int, angle: float, length: float) -> Array:
    """Return a rotation about a coordinate axis with a translation along it; multiples of a right angle are exact."""
    quarter = round(2 * angle / math.pi)
    is_exact = quarter * (math.pi / 2) == angle
    cos, sin = math.cos(angle), math.sin(angle)
    if is_exact:
        cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found = np.eye(4)
    found[i, i], found[i, j], found[j, i], found[j, j] = cos, -sin, sin, cos
    found[axis, 3] = length
    return found


def _inverse(frame: Array) -> Array:
    """Return the inverse of a homogeneous matrix."""
    found = np.eye(4)
    found[:3, :3] = frame[:3, :3].T
    found[:3, 3] = -found[:3, :3] @ frame[:3, 3]
    return found


def _marker(body: Body, frame: Array) -> Marker:
    return Marker(body, frame[:3, 3], axis=frame[:3, 2], across=frame[:3, 0])


def _pose(model: Model, body: RigidBody | BodyNode) -> Array:
    """Return the initial frame of the node of a body, shape (4, 4)."""
    R, x = initial_placement(model, body.node if isinstance(body, RigidBody) else body)
    if len(x) != 3:
        raise ModelError("The base of a Denavit-Hartenberg chain must be a body in space.")
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = R, x
    return found
