"""Cross sections at nodes that may store their rotation by parameters ρ or be joined at an angle.

An end that is joined to a node at an angle has the configuration q∘A, with the configuration q of the node and a
constant rotation A = exp(ψ).

δ(q∘A) = Ad(A⁻¹) δq,   v at the end = Ad(A⁻¹) v,   F on the node = Ad(A⁻¹)ᵀ F at the end
δq = G(ρ) δρ,          v = G(ρ) ρ',                F along ρ = G(ρ)ᵀ F
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Integer

from symlie.elements.continua.cross_section import END_ROTATIONS
from symlie.groups import operators
from symlie.groups.group import Field, LieGroup
from symlie.groups.operations import Exponential
from symlie.ir.program import Euclidean, Value, Vector
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import components
from symlie.modeling.node import GroupElement, Node
from symlie.rotations import rotation_form


@dataclass(frozen=True, eq=False)
class Frame:
    """Cross section at a node, in the symbols of an element type."""

    node: Node
    q: GroupElement
    """Configuration of the cross section."""
    v: Vector
    """Velocity of the cross section."""
    back: GroupElement | None = None
    """Constant rotation A⁻¹, or None if the cross section coincides with the node."""

    def force_on_node(self, element: ElementType, force: Vector) -> Vector:
        """Return the generalised force on the node equivalent to one on the cross section."""
        if self.back is not None:
            force = operators.adjoint(element.program, self.back.lie_group, self.back.storage, force, transpose=True)
        return self.node.along_velocity(force)


def frame(element: ElementType, node: Node, end: str = "") -> Frame:
    """Return the cross section at a node of an element type; ``end`` names an end with an angle to the node, or is
    empty."""
    here, velocity = node.element, node.group_velocity
    if not end:
        return Frame(node, here, velocity)
    program, group = element.program, here.lie_group
    turning = turning_field(group)
    assert turning is not None
    psi: Sequence[Expr] = components(element.parameter(END_ROTATIONS[end], [0.0] * turning.size, unit="rad"))
    algebra: list[Expr] = [Integer(0)] * group.dimension
    algebra[turning.offset : turning.offset + turning.size] = psi
    value = Value(program.vector(algebra), Euclidean(len(algebra)))
    constant = GroupElement(program, program.apply(Exponential(group), value))
    back = constant.inverse()
    v = operators.adjoint(program, group, back.storage, velocity)
    return Frame(node, here * constant, program.vector(v), back)


def turning_field(group: LieGroup) -> Field | None:
    """Return the angular velocity field of a group that stores exactly one rotation, otherwise None."""
    stored = [f for f in group.storage_fields if rotation_form(f.name, f.shape)]
    turning = [f for f in group.velocity_fields if f.name == "Omega"]
    return turning[0] if group.rotation is not None and len(stored) == len(turning) == 1 else None
