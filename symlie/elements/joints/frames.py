"""Markers as expressions, and the primitive constraint equations of all joints.

A frame has a point p and axes x, y, z (in the plane x, y) in inertial axes, A of the first body and B of the second:

    coincident_points         p_B - p_A = 0           multipliers in N, inertial axes
    in_plane(i)               a_i·(p_B - p_A) = 0     in N, along a_i
    perpendicular_axes(i, j)  a_i·b_j = 0             in N m, about a_i × b_j
    no_twist                  a_y·b_x - a_x·b_y = 0   in N m, along a_z + b_z

-λ acts on the second body and λ on the first. Source: [Haug1989], chapter 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from sympy import Expr

from symlie.errors import ModelError
from symlie.modeling.expressions import vector
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import Expression, SymbolicMatrix

SIDES = ("a", "b")
"""Names of the local nodes of element types for the first and the second body; the ground has none."""

X, Y, Z = 0, 1, 2
"""Axes of a frame."""


class Frame:
    """Frame of a marker as expressions: a point and axes x, y, z, in the plane x, y.

    Attributes
    ----------
    node
        Node of the body; None for the ground.
    offset
        Point in axes of the body, in m.
    axes
        Axes as columns, in axes of the body.
    """

    def __init__(
        self, node: Node | None, point: SymbolicMatrix, axes: SymbolicMatrix, statement: Statement | None = None
    ) -> None:
        self.node = node
        self._statement = statement
        self.offset = point
        self.axes = axes
        self._known: dict[int, SymbolicMatrix] = {}

    @cached_property
    def point(self) -> SymbolicMatrix:
        """Position of the point in inertial axes, in m."""
        if self.node is None:
            return self.offset
        point = vector(self.node.x + self.node.R * self.offset)
        return point if self._statement is None else vector(self._statement.let(point))

    def axis(self, k: int) -> SymbolicMatrix:
        """Return an axis in inertial axes.

        Parameters
        ----------
        k
            Index of the axis: X, Y or Z.

        Raises
        ------
        ModelError
            If the axis does not exist in the plane.
        """
        if k >= len(self.offset):
            raise ModelError("Axis Z does not exist in the plane; use X and Y in the definition of a planar joint.")
        if k not in self._known:
            column = self.axes[:, k]
            self._known[k] = column if self.node is None else vector(self.node.R * column)
        return self._known[k]

    def velocity_at(self, place: SymbolicMatrix) -> SymbolicMatrix:
        """Return the velocity of the material point at a position, in inertial axes, in m/s.

        Parameters
        ----------
        place
            Position in inertial axes, in m.
        """
        if self.spin is None or self._statement is None:
            return vector(*[0] * len(self.offset))
        lever = place - self.point
        turned = self.spin.cross(lever) if len(lever) == 3 else vector(-lever[1], lever[0]) * self.spin[0]
        return vector(self._statement.rate(self.point) + turned)

    def named(self, scalar: Expr) -> Expr:
        """Bind a scalar to a symbol, to keep expressions that use it short.

        Parameters
        ----------
        scalar
            Expression that several equations use.
        """
        return scalar if self._statement is None else self._statement.let(scalar)

    @cached_property
    def spin(self) -> SymbolicMatrix | None:
        """Angular velocity in inertial axes, or one number in the plane; None for the ground."""
        if self.node is None:
            return None
        return vector(self.node.R * self.node.Omega) if len(self.offset) == 3 else self.node.Omega


def frame_of_numbers(point: Any, axes: Any) -> Frame:
    """Return a fixed frame of arrays in inertial axes: point (n,) and axes as columns (n, n)."""
    return Frame(None, point, axes)


Values = Mapping[str, Expression]
"""Parameters of a kind of joint, other than its markers, by name."""

Equation = Callable[[Frame, Frame, Values], list[Expr]]
"""Function ``f(a, b, values)`` that returns a list of expressions of two frames, zero for constraint equations."""


def coincident_points(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equations of coincident points, p_B - p_A = 0: three, or two in the plane.

    Parameters
    ----------
    a, b
        Frames of the first and of the second body.
    values
        Parameters of the joint; not used.
    """
    return list(b.point - a.point)


def perpendicular_axes(i: int, j: int) -> Equation:
    """Return the equation of perpendicular axes, a_i·b_j = 0.

    Parameters
    ----------
    i, j
        Indices of the axes of the first and of the second frame: X, Y or Z.
    """
    return lambda a, b, values: [a.axis(i).dot(b.axis(j))]


def in_plane(i: int) -> Equation:
    """Return the equation of a second point in the plane through the first point with normal a_i: a_i·(p_B - p_A) = 0.

    Parameters
    ----------
    i
        Index of the normal among the axes of the first frame: X, Y or Z.
    """
    return lambda a, b, values: [a.axis(i).dot(b.point - a.point)]


def no_twist(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equation of a relative rotation about an axis perpendicular to a_z + b_z: a_y·b_x - a_x·b_y = 0.

    Parameters
    ----------
    a, b
        Frames of the first and of the second body.
    values
        Parameters of the joint; not used.
    """
    return [a.axis(Y).dot(b.axis(X)) - a.axis(X).dot(b.axis(Y))]


PARALLEL_AXES = (perpendicular_axes(Z, X), perpendicular_axes(Z, Y))
"""Equations of parallel z axes; opposite axes also satisfy them."""

EQUAL_ORIENTATION = (perpendicular_axes(X, Y), perpendicular_axes(Z, X), perpendicular_axes(Z, Y))
"""Equations of parallel axes; three rotations by half a turn also satisfy them."""


def relative_rate(a: Frame, b: Frame) -> list[Expr]:
    """Return the angular velocity of the second frame relative to the first, in axes of the second."""
    spin = relative_spin(a, b)
    return [b.axis(k).dot(spin) for k in range(3)]


def relative_spin(a: Frame, b: Frame) -> SymbolicMatrix:
    """Return the angular velocity of the second frame relative to the first, in inertial axes."""
    if a.spin is None or b.spin is None:
        spin = b.spin if a.spin is None else -a.spin
        assert spin is not None
        return spin
    return vector(b.spin - a.spin)
