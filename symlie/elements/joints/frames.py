"""Markers as expressions, and the primitive constraint equations of all joints.

A frame has a point p and axes x, y, z (in the plane x, y) in inertial axes, A of the first body and B of the second:

    coincident          p_B - p_A = 0                      multipliers in N, inertial axes
    level(i)            a_i·(p_B - p_A) = 0                in N, along a_i
    perpendicular(i, j) a_i·b_j = 0                        in N m, about a_i × b_j

-λ acts on the second body and λ on the first. Source: [Haug1989], chapter 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from sympy import Expr

from symlie.modeling.expressions import vector
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import Expression, SymbolicMatrix

SIDES = ("a", "b")
"""Names of the local nodes of element types for the first and the second body; the ground has none."""

X, Y, Z = 0, 1, 2
"""Axes of a frame."""


class Frame:
    """Point and axes of a marker as expressions; ``node`` is None for the ground, and ``statement`` for numbers."""

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
        """Position in inertial axes."""
        if self.node is None:
            return self.offset
        point = vector(self.node.x + self.node.R * self.offset)
        return point if self._statement is None else vector(self._statement.let(point))

    def axis(self, k: int) -> SymbolicMatrix:
        """Return axis k in inertial axes."""
        if k not in self._known:
            column = self.axes[:, k]
            self._known[k] = column if self.node is None else vector(self.node.R * column)
        return self._known[k]

    def velocity_at(self, place: SymbolicMatrix) -> SymbolicMatrix:
        """Return the velocity of the material point at a position, in inertial axes, for bodies in space."""
        if self.spin is None or self._statement is None:
            return vector(0, 0, 0)
        return vector(self._statement.rate(self.point) + self.spin.cross(place - self.point))

    def named(self, scalar: Expr) -> Expr:
        """Bind a scalar to a symbol, which shortens expressions that use it."""
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

Row = Callable[[Frame, Frame, Values], list[Expr]]
"""Function that returns constraint equations between two frames."""


def coincident(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equations of coincident points."""
    return list(b.point - a.point)


def perpendicular(i: int, j: int) -> Row:
    """Return the equation of perpendicular axes, i of the first frame and j of the second."""
    return lambda a, b, values: [a.axis(i).dot(b.axis(j))]


def level(i: int) -> Row:
    """Return the equation of equal coordinates of both points along axis i of the first frame."""
    return lambda a, b, values: [a.axis(i).dot(b.point - a.point)]


def untwisted(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equation of a relative rotation without twist, about an axis perpendicular to z."""
    return [a.axis(Y).dot(b.axis(X)) - a.axis(X).dot(b.axis(Y))]


PARALLEL = (perpendicular(Z, X), perpendicular(Z, Y))
"""Equations of parallel z axes."""

ALIGNED = (perpendicular(X, Y), perpendicular(Z, X), perpendicular(Z, Y))
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
