"""Definitions of joints as data, and the reaction of their constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sympy import Expr

from symlie.contract.connections import BALL, Part
from symlie.elements.joints.coordinates import Coordinate
from symlie.elements.joints.frames import Equation, Frame, Values
from symlie.errors import ModelError
from symlie.modeling.expressions import components
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import SymbolicMatrix

BALL_RATE = "rate"
"""Output of ball joints: angular velocity of the second body relative to the first, in axes of the second marker."""


@dataclass(frozen=True)
class JointDefinition:
    """Constraint equations, free coordinates and appearance of a joint, in space or in the plane.

    Attributes
    ----------
    holonomic
        Constraint equations on configurations.
    coordinates
        Free coordinates; the first is the default of drives, locks and limits.
    positive
        Expressions that are positive on the intended branch of the constraint equations, but not on mirrored ones.
    nonholonomic
        Constraint equations on velocities.
    is_ball
        True if all rotations are free; they have no coordinates, but are elements of SO(3).
    appearance
        Parts that 3-D views draw.
    forces
        Number of the first equations whose multipliers are components of a force along perpendicular axes; friction in
        the joint follows its size.

    Raises
    ------
    ModelError
        If an attribute is not a tuple, or if it contains an object of another type.
    """

    holonomic: tuple[Equation, ...]
    coordinates: tuple[Coordinate, ...] = ()
    positive: tuple[Equation, ...] = ()
    nonholonomic: tuple[Equation, ...] = ()
    is_ball: bool = False
    appearance: tuple[Part, ...] = BALL
    forces: int = 0

    def __post_init__(self) -> None:
        for name in ("holonomic", "positive", "nonholonomic"):
            _check_tuple(name, getattr(self, name), callable, "equations")
        _check_tuple("coordinates", self.coordinates, lambda c: isinstance(c, Coordinate), "Turn or Shift objects")
        _check_tuple("appearance", self.appearance, lambda p: isinstance(p, Part), "Part objects")

    @property
    def rates(self) -> list[str]:
        """Names of the rates of the free coordinates; for a ball joint, the name of its relative angular velocity."""
        return [BALL_RATE] if self.is_ball else [c.rate for c in self.coordinates]

    def vanishing(self, a: Frame, b: Frame, values: Values) -> list[Expr]:
        """Return all constraint equations on configurations.

        Parameters
        ----------
        a, b
            Frames of the first and of the second body.
        values
            Parameters of the joint.
        """
        return [r for row in self.holonomic for r in row(a, b, values)]

    def sliding(self, a: Frame, b: Frame, values: Values) -> list[Expr]:
        """Return all constraint equations on velocities.

        Parameters
        ----------
        a, b
            Frames of the first and of the second body.
        values
            Parameters of the joint.
        """
        return [r for row in self.nonholonomic for r in row(a, b, values)]


def _check_tuple(name: str, given: object, is_member: Callable[[object], bool], members: str) -> None:
    """Raise `ModelError` unless an attribute of a definition is a tuple of the right objects."""
    if not isinstance(given, tuple):
        raise ModelError(
            f"The attribute {name} of a joint definition must be a tuple of {members}; a tuple of one needs a comma: "
            "write (in_plane(Y),)."
        )
    for member in given:
        if isinstance(member, tuple):
            raise ModelError(
                f"The attribute {name} of a joint definition contains a tuple; unpack it: write *PARALLEL_AXES."
            )
        if not is_member(member):
            raise ModelError(f"The attribute {name} of a joint definition contains {member!r}, but needs {members}.")


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
