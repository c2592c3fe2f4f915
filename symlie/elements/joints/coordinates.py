"""Free coordinates of joints as data: angles between axes and displacements along them."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, atan2, cos, sin

from symlie.elements.joints.frames import Frame, X, Y, Z, relative_spin
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import SymbolicMatrix


@dataclass(frozen=True)
class Turn:
    """Angle of the second body relative to the first, in rad; by default about the z axis, in the plane the angle.

    ``Turn("angle", "rate")`` names the coordinate and its rate.
    """

    name: str
    rate: str
    sine: tuple[int, int] = (Y, X)
    """Axes i of the first and j of the second frame with the sine a_i·b_j."""
    cosine: tuple[int, int] = (X, X)
    """Axes i of the first and j of the second frame with the cosine a_i·b_j."""
    about: tuple[int, bool] = (Z, False)
    """Index of the axis of rotation, and True for an axis of the second frame."""
    unit = "rad"
    rate_unit = "rad/s"
    effort_unit = "N m"

    def parts(self, a: Frame, b: Frame) -> tuple[Expr, Expr]:
        """Return sine and cosine of the angle."""
        sine, cosine = (a.named(a.axis(i).dot(b.axis(j))) for i, j in (self.sine, self.cosine))
        return sine, cosine

    def principal(self, a: Frame, b: Frame) -> Expr:
        """Return the angle between -π and π."""
        return atan2(*self.parts(a, b))

    def value(self, statement: Statement, a: Frame, b: Frame) -> Expr:
        """Return the unwrapped angle."""
        return statement.unwrapped_angle(*self.parts(a, b))

    def rate_of(self, statement: Statement, a: Frame, b: Frame) -> Expr:
        """Return the angular velocity of the second body relative to the first about the axis."""
        spin = relative_spin(a, b)
        return a.named(spin[0] if len(spin) == 1 else spin.dot(self._axis(a, b)))

    def apply(self, statement: Statement, a: Frame, b: Frame, effort: Expr) -> None:
        """Apply a torque about the axis to the second body, and its opposite to the first."""
        for frame, sign in ((a, -1), (b, 1)):
            if isinstance(frame.node, Node):
                torque = [effort] if len(frame.offset) == 2 else self._axis(a, b) * effort
                statement.torque([sign * c for c in torque], on=frame.node)

    def difference(self, a: Frame, b: Frame, other: Expr) -> Expr:
        """Return the difference of two angles, between -π and π, smooth near zero and full turns."""
        s, c = self.parts(a, b)
        return atan2(s * cos(other) - c * sin(other), c * cos(other) + s * sin(other))

    def _axis(self, a: Frame, b: Frame) -> SymbolicMatrix:
        number, of_second = self.about
        return (b if of_second else a).axis(number)


@dataclass(frozen=True)
class Shift:
    """Displacement of the second point relative to the first along an axis of the first frame, by default z, in m.

    ``Shift("travel", "speed", X)`` names the coordinate and its rate, and selects the axis.
    """

    name: str
    rate: str
    along: int = Z
    """Index of the axis."""
    unit = "m"
    rate_unit = "m/s"
    effort_unit = "N"

    def principal(self, a: Frame, b: Frame) -> Expr:
        """Return the displacement."""
        displacement: Expr = a.axis(self.along).dot(b.point - a.point)
        return displacement

    def value(self, statement: Statement, a: Frame, b: Frame) -> Expr:
        """Return the displacement."""
        return a.named(self.principal(a, b))

    def difference(self, a: Frame, b: Frame, other: Expr) -> Expr:
        """Return the displacement minus another one."""
        return self.principal(a, b) - other

    def rate_of(self, statement: Statement, a: Frame, b: Frame) -> Expr:
        """Return the rate of the displacement."""
        rate: Expr = statement.rate(self.value(statement, a, b))
        return rate

    def apply(self, statement: Statement, a: Frame, b: Frame, effort: Expr) -> None:
        """Apply a force along the axis to the second body, and its opposite to the first."""
        statement.force([effort], at=[self.value(statement, a, b)])


Coordinate = Turn | Shift
"""Free coordinate of a joint."""

ANGLE = Turn("angle", "rate")
"""Angle about the parallel z axes."""

DISPLACEMENT = Shift("displacement", "speed")
"""Displacement along the z axis of the first frame."""
