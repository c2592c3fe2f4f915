"""Joint types, defined by constraint equations between two frames from `symlie.elements.joints.frames`."""

from __future__ import annotations

import numpy as np

from symlie.contract.connections import (
    BALL_ON_AXIS,
    BALL_ON_SHAFT,
    BLOCK,
    CROSS,
    HINGE,
    PIN_IN_SLIDER,
    PLANAR_BALL_ON_AXIS,
    PLANAR_SLIDER,
    PLATE,
    SLIDER,
)
from symlie.elements.joints.coordinates import ANGLE, DISPLACEMENT, Shift, Turn
from symlie.elements.joints.frames import (
    EQUAL_ORIENTATION,
    PARALLEL_AXES,
    X,
    Y,
    Z,
    coincident_points,
    in_plane,
    no_twist,
    perpendicular_axes,
)
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.motions import MovingJoint, Sliding, Turning
from symlie.elements.joints.rows import JointDefinition
from symlie.elements.marker import direction
from symlie.elements.placement import Array
from symlie.errors import ModelError

SAME_SIDE = (perpendicular_axes(Z, Z),)
"""Condition of equally directed z axes."""

FACING = (lambda a, b, values: [a.axis(X).dot(b.axis(X)) + a.axis(Y).dot(b.axis(Y))],)
"""Condition that the second frame is not twisted by half a turn."""

ALL_SIDES = (perpendicular_axes(X, X), perpendicular_axes(Z, Z))
"""Conditions of equally directed axes."""


class RigidJoint(Joint):
    """The bodies are rigidly connected: p_A = p_B, a_x·b_y = a_z·b_x = a_z·b_y = 0.

    In the plane p_A = p_B, a_x·b_y = 0. Multipliers: the force in inertial axes, in N, and moments about a_x × b_y,
    a_z × b_x, a_z × b_y, in N m.
    """

    kind = "rigid"
    space = JointDefinition((coincident_points, *EQUAL_ORIENTATION), positive=ALL_SIDES, appearance=BLOCK)
    plane = JointDefinition(
        (coincident_points, perpendicular_axes(X, Y)), positive=(perpendicular_axes(X, X),), appearance=BLOCK
    )


class RevoluteJoint(Turning):
    """A hinge permits rotation about the axis: p_A = p_B, a_z·b_x = a_z·b_y = 0; in the plane p_A = p_B.

    Coordinates: ``angle`` about the axis in rad, ``rate`` in rad/s. Multipliers: the force in inertial axes, in N, and
    moments about a_z × b_x and a_z × b_y, in N m.
    """

    kind = "revolute"
    has_axis = True
    space = JointDefinition((coincident_points, *PARALLEL_AXES), (ANGLE,), SAME_SIDE, appearance=HINGE, forces=3)
    plane = JointDefinition((coincident_points,), (ANGLE,), appearance=HINGE, forces=2)


class PrismaticJoint(Sliding):
    """The second body translates along the axis: a_x·d = a_y·d = 0 and a_x·b_y = a_z·b_x = a_z·b_y = 0.

    Here d = p_B - p_A. In the plane the axis is x: a_y·d = a_x·b_y = 0. Coordinates: ``displacement`` in m along the
    axis, ``speed`` in m/s. Multipliers: forces along a_x and a_y, in N, and moments about a_x × b_y, a_z × b_x,
    a_z × b_y, in N m.
    """

    kind = "prismatic"
    has_axis = True
    space = JointDefinition(
        (in_plane(X), in_plane(Y), *EQUAL_ORIENTATION), (DISPLACEMENT,), ALL_SIDES, appearance=SLIDER, forces=2
    )
    plane = JointDefinition(
        (in_plane(Y), perpendicular_axes(X, Y)),
        (Shift("displacement", "speed", X),),
        (perpendicular_axes(X, X),),
        appearance=PLANAR_SLIDER,
        forces=1,
    )


class CylindricalJoint(Turning, Sliding):
    """The second body translates along the axis and rotates about it: a_x·d = a_y·d = 0, a_z·b_x = a_z·b_y = 0.

    Coordinates: ``angle`` in rad, ``rate`` in rad/s, ``displacement`` in m, ``speed`` in m/s. Multipliers: forces along
    a_x and a_y, in N, and moments about a_z × b_x and a_z × b_y, in N m.
    """

    kind = "cylindrical"
    has_axis = True
    space = JointDefinition(
        (in_plane(X), in_plane(Y), *PARALLEL_AXES), (ANGLE, DISPLACEMENT), SAME_SIDE, appearance=PIN_IN_SLIDER,
        forces=2,
    )  # fmt: skip


class SphericalJoint(Joint):
    """A ball joint permits all rotations about its point: p_A = p_B. Multipliers: the force in inertial axes, in N."""

    kind = "spherical"
    space = JointDefinition((coincident_points,), is_ball=True)


class UniversalJoint(MovingJoint):
    """A cross connects the bodies and has one axis fixed in each of them: p_A = p_B, a_z·b_z = 0.

    ``axis`` takes two perpendicular axes of the cross, first the axis fixed in the first body, then the axis fixed in
    the second. Coordinates: ``first_angle`` about the axis in the first body and ``second_angle`` about the axis in the
    second, in rad; ``first_rate``, ``second_rate`` in rad/s. Multipliers: the force in inertial axes, in N, and the
    moment about a_z × b_z, in N m.
    """

    kind = "universal"
    axes_are = "perpendicular"
    has_axis = True
    space = JointDefinition(
        (coincident_points, perpendicular_axes(Z, Z)),
        (
            Turn("first_angle", "first_rate", (Y, Z), (X, Z), (Z, False)),
            Turn("second_angle", "second_rate", (Z, X), (Z, Y), (Z, True)),
        ),
        appearance=CROSS,
    )

    def _axes(self, size: int, axis: object) -> tuple[Array, Array]:
        first, second = _two_axes(self._called, axis)
        if abs(first @ second) > 1e-9:
            raise ModelError(
                f"The axes of {self._called} are {np.degrees(np.arccos(first @ second)):.6g} degrees apart; the axes "
                "of a cross are perpendicular."
            )
        third = np.cross(first, second)
        return np.column_stack([second, third, first]), np.column_stack([third, first, second])


class ConstantVelocityJoint(Joint):
    """Two shafts rotate at equal rates, at any angle between them: p_A = p_B, a_y·b_x - a_x·b_y = 0.

    ``axis`` takes the directions of the shafts in the first and in the second body; they are equal for shafts in line.
    Multipliers: the force in inertial axes, in N, and the moment along a_z + b_z, in N m.
    """

    kind = "constant_velocity"
    has_axis = True
    space = JointDefinition((coincident_points, no_twist), positive=FACING, appearance=BALL_ON_SHAFT)

    def _axes(self, size: int, axis: object) -> tuple[Array, Array]:
        first, second = _two_axes(self._called, axis)
        if first @ second < -1 + 1e-9:
            raise ModelError(
                f"The shafts of {self._called} point in opposite directions; the joint cannot bend by 180 degrees."
            )
        turn = np.cross(first, second)
        skew = np.cross(np.eye(3), turn)
        swing = np.eye(3) + skew + skew @ skew / (1 + first @ second)
        across = np.eye(3)[int(np.argmin(np.abs(first)))]
        x = across - (across @ first) * first
        x /= np.linalg.norm(x)
        axes = np.column_stack([x, np.cross(first, x), first])
        return axes, swing @ axes


class PlanarJoint(Turning):
    """The second body moves on a plane of the first body normal to the axis: a_z·d = 0, a_z·b_x = a_z·b_y = 0.

    Coordinates: ``angle`` about the normal in rad, ``rate`` in rad/s, ``displacement_x`` and ``displacement_y`` along
    a_x and a_y in m, ``speed_x`` and ``speed_y`` in m/s. Multipliers: the force along a_z, in N, and moments about
    a_z × b_x and a_z × b_y, in N m.
    """

    kind = "planar"
    has_axis = True
    space = JointDefinition(
        (in_plane(Z), *PARALLEL_AXES),
        (ANGLE, Shift("displacement_x", "speed_x", X), Shift("displacement_y", "speed_y", Y)),
        SAME_SIDE,
        appearance=PLATE,
    )


class PointOnLineJoint(Sliding):
    """A point of the second body moves along the axis in the first body: a_x·d = a_y·d = 0; in the plane a_y·d = 0.

    Coordinates: ``displacement`` along the line in m, ``speed`` in m/s. Multipliers: forces along a_x and a_y, in N.
    """

    kind = "point_on_line"
    has_axis = True
    space = JointDefinition((in_plane(X), in_plane(Y)), (DISPLACEMENT,), appearance=BALL_ON_AXIS)
    plane = JointDefinition((in_plane(Y),), (Shift("displacement", "speed", X),), appearance=PLANAR_BALL_ON_AXIS)


class InLineJoint(Sliding):
    """A point of the second body moves along a line of the first body, without relative rotation about the line.

    a_x·d = a_y·d = 0 with d = p_B - p_A, and a_y·b_x - a_x·b_y = 0, which does not depend on the choice of x: the
    second body tilts about axes perpendicular to the line. Coordinates: ``displacement`` along the line in m, ``speed``
    in m/s. Multipliers: forces along a_x and a_y, in N, and the moment along a_z + b_z, in N m.
    """

    kind = "in_line"
    has_axis = True
    space = JointDefinition((in_plane(X), in_plane(Y), no_twist), (DISPLACEMENT,), FACING, appearance=BALL_ON_AXIS)


class PointOnPlaneJoint(MovingJoint):
    """A point of the second body moves on a plane of the first body normal to the axis: a_z·d = 0.

    Coordinates: ``displacement_x`` and ``displacement_y`` along a_x and a_y in m, ``speed_x`` and ``speed_y`` in m/s.
    Multipliers: the force along a_z, in N.
    """

    kind = "point_on_plane"
    has_axis = True
    space = JointDefinition(
        (in_plane(Z),),
        (Shift("displacement_x", "speed_x", X), Shift("displacement_y", "speed_y", Y)),
        appearance=BALL_ON_AXIS,
    )


class OrientationJoint(Joint):
    """The joint keeps the orientations of both bodies equal: a_x·b_y = a_z·b_x = a_z·b_y = 0; in the plane a_x·b_y = 0.

    Multipliers: moments about a_x × b_y, a_z × b_x, a_z × b_y, in N m.
    """

    kind = "orientation"
    space = JointDefinition(EQUAL_ORIENTATION, positive=ALL_SIDES)
    plane = JointDefinition((perpendicular_axes(X, Y),), positive=(perpendicular_axes(X, X),))


def _two_axes(called: str, axis: object) -> tuple[Array, Array]:
    if np.shape(np.asarray(axis, dtype=object)) != (2, 3):
        raise ModelError(f"{called[0].upper()}{called[1:]} needs two axes, one in each of its bodies: axis=[[…], […]].")
    first, second = (direction(called, row, 3) for row in np.asarray(axis, dtype=float))
    return first, second
