"""Connections of two bodies in manifests: the nodes of the bodies, and the appearance of joints in 3-D views."""

from __future__ import annotations

from dataclasses import dataclass, field

from symlie.contract.records import OPTIONAL
from symlie.errors import ModelError

SHAPES = ("pin", "slider", "ball", "plate", "block", "rail", "dial")
"""Shapes of parts: solids, and the lines of the coordinates."""

AXES = ("", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z")
"""Axes of the markers on the first and on the second body; empty for parts without an axis."""


@dataclass(frozen=True)
class Part:
    """Part of the appearance of a joint in 3-D views, at the point of the marker on the first body.

    Parameters
    ----------
    shape : {"pin", "slider", "ball", "plate", "block", "rail", "dial"}
        A solid, or a line: a ``rail`` along the axis with the limits of the first displacement, or a ``dial`` about the
        axis with the limits of the first angle, drawn if there are limits.
    axis : {"", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z"}
        Axis of the part: a marker axis on the first body, a, or on the second, b; a_z and b_z are the normal in the
        plane. A drive is drawn about the axis of the first part that has one.

    Raises
    ------
    ModelError
        If the shape or the axis is unknown, or if a rail or dial has no axis.
    """

    shape: str
    axis: str = field(default="", metadata={OPTIONAL: True})

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise ModelError(f"The shape of a joint's part is {self.shape!r}, but must be one of: {', '.join(SHAPES)}.")
        if self.axis not in AXES:
            raise ModelError(f"The axis of a joint's part is {self.axis!r}, but must be one of: {', '.join(AXES[1:])}.")
        if self.shape in ("rail", "dial") and not self.axis:
            raise ModelError(f"A {self.shape} needs an axis.")


BALL = (Part("ball"),)
BLOCK = (Part("block"),)
PLATE = (Part("plate", "a_z"),)
HINGE = (Part("pin", "a_z"), Part("dial", "a_z"))
SLIDER = (Part("slider", "a_z"), Part("rail", "a_z"))
PLANAR_SLIDER = (Part("slider", "a_x"), Part("rail", "a_x"))
PIN_IN_SLIDER = (Part("slider", "a_z"), Part("pin", "a_z"), Part("rail", "a_z"))
SCREW = (Part("pin", "a_z"), Part("slider", "a_z"))
CROSS = (Part("pin", "a_z"), Part("pin", "b_z"))
BALL_ON_SHAFT = (Part("ball"), Part("pin", "a_z"))
BALL_ON_AXIS = (Part("ball", "a_z"),)
PLANAR_BALL_ON_AXIS = (Part("ball", "a_x"),)


@dataclass(frozen=True)
class ConnectionLayout:
    """Joint or force between two bodies."""

    bodies: tuple[int, int]
    """Local nodes of the first and of the second body; -1 for the ground."""
    appearance: tuple[Part, ...] = field(default=(), metadata={OPTIONAL: True})
    """Parts that are drawn in views; empty for forces, which are lines."""
