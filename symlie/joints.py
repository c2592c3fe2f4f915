"""Primitives of custom joints: constraint equations, coordinates and appearance.

A custom joint is a subclass of `Joint`, or of `MovingJoint` if it has free coordinates, with a `JointDefinition` in
space, in the plane, or both. See [Haug1989], chapter 9, for the primitive constraint equations.
"""

from __future__ import annotations

from symlie.contract.connections import Part
from symlie.elements.joints.coordinates import ANGLE, DISPLACEMENT, Coordinate, Shift, Turn
from symlie.elements.joints.frames import (
    EQUAL_ORIENTATION,
    PARALLEL_AXES,
    Equation,
    Frame,
    Values,
    X,
    Y,
    Z,
    coincident_points,
    in_plane,
    no_twist,
    perpendicular_axes,
)
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.motions import MovingJoint
from symlie.elements.joints.rows import JointDefinition

__all__ = [
    "ANGLE",
    "DISPLACEMENT",
    "EQUAL_ORIENTATION",
    "PARALLEL_AXES",
    "Coordinate",
    "Equation",
    "Frame",
    "Joint",
    "JointDefinition",
    "MovingJoint",
    "Part",
    "Shift",
    "Turn",
    "Values",
    "X",
    "Y",
    "Z",
    "coincident_points",
    "in_plane",
    "no_twist",
    "perpendicular_axes",
]
