"""Drives of joint coordinates, and loads on them."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from symlie.elements.joints.coordinates import Coordinate


@dataclass(frozen=True)
class Drive:
    """Constraint that makes a coordinate of a joint follow a function of time.

    Attributes
    ----------
    name
        Name of the constraint.
    effort
        Required torque in N m, or force in N, on the second body about or along the axis, for outputs and events;
        reported as NAME_effort.
    """

    name: str
    effort: Expr


@dataclass(frozen=True)
class Load:
    """Torque or force on a coordinate of a joint, in N m or N."""

    coordinate: Coordinate
    effort: Expr
    forces: range
    """Indices among the generalised forces of the model; empty for a force along an expression."""
