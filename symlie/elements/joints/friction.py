"""Coulomb friction in joints, proportional to the size of their reaction force."""

from __future__ import annotations

from symlie.elements.joints.coordinates import Turn
from symlie.elements.joints.frames import Frame
from symlie.elements.joints.rows import JointDefinition
from symlie.modeling.contacts.friction import state_friction
from symlie.modeling.element_type import ElementType
from symlie.modeling.node import column

FRICTION = "friction"
"""Word in the names of element types of joints with friction."""

COEFFICIENT, RADIUS = "friction_coefficient", "friction_radius"
"""Parameters of such element types."""


def state_joint_friction(element: ElementType, a: Frame, b: Frame, rows: JointDefinition) -> None:
    """Add friction on all coordinates of a joint to its element type, which has the constraints already."""
    coefficient = element.parameter(COEFFICIENT, 0.0)
    slips = [c.rate_of(element, a, b) for c in rows.coordinates]
    if any(isinstance(c, Turn) for c in rows.coordinates):
        radius = element.parameter(RADIUS, 0.0, unit="m")
        turns = [isinstance(c, Turn) for c in rows.coordinates]
        slips = [radius * slip if is_turn else slip for slip, is_turn in zip(slips, turns, strict=True)]
    forces = next(c.multipliers for c in element.constraints if c.name == element.name)[: rows.forces]
    state_friction(element, "", coefficient, 0, column(slips), forces)
