"""Joint types as data, and the reaction of their constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr

from symlie.elements.joints.coordinates import Coordinate
from symlie.elements.joints.frames import Frame, Row, Values
from symlie.modeling.expressions import components
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import SymbolicMatrix

BALL_RATE = "rate"
"""Output of ball joints: angular velocity of the second body relative to the first, in axes of the second marker."""


@dataclass(frozen=True)
class Rows:
    """Constraint equations and free coordinates of a joint type, in space or in the plane."""

    held: tuple[Row, ...]
    """Constraint equations on positions."""
    coordinates: tuple[Coordinate, ...] = ()
    positive: tuple[Row, ...] = ()
    """Expressions that are positive on the intended branch, but not on mirrored branches, of the equations."""
    rolling: tuple[Row, ...] = ()
    """Nonholonomic constraint equations."""
    is_ball: bool = False
    """True if all rotations are free; they have no coordinates, but are elements of SO(3)."""

    @property
    def rates(self) -> list[str]:
        """Names of the rates of the free coordinates; for a ball joint, the name of its relative angular velocity."""
        return [BALL_RATE] if self.is_ball else [c.rate for c in self.coordinates]

    def vanishing(self, a: Frame, b: Frame, values: Values) -> list[Expr]:
        """Return all constraint equations on positions."""
        return [r for row in self.held for r in row(a, b, values)]

    def sliding(self, a: Frame, b: Frame, values: Values) -> list[Expr]:
        """Return all nonholonomic constraint equations."""
        return [r for row in self.rolling for r in row(a, b, values)]


def reaction(statement: Statement, a: Frame, b: Frame, constraints: Sequence[str]) -> tuple[SymbolicMatrix, object]:
    """Return force and moment of constraints on the second body at the point of its marker, in inertial axes."""
    node, sign = (b.node, 1) if isinstance(b.node, Node) else (a.node, -1)
    assert isinstance(node, Node)
    total = statement.constraint_force(node, *constraints)
    parts = node.parts_of_force(total)
    force = node.R * parts["U"] if "U" in parts else parts["x_dot"]
    lever = b.point - node.x
    if len(lever) == 2:
        (torque,) = components(parts["Omega"])
        return SymbolicMatrix(sign * force), sign * (torque - lever[0] * force[1] + lever[1] * force[0])
    return SymbolicMatrix(sign * force), sign * (node.R * parts["Omega"] - lever.cross(force))
