"""Derivatives of B a + Z, which vanishes along motions, by configuration and velocity."""

from __future__ import annotations

from sympy import Integer, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.ir.differentiate import Matrix, columns


def derive_variations(
    derived: DerivedStatement,
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], tuple[Matrix, Matrix]]:
    """Symbols of a and λ, and D_q(B a + Z) and ∂Z/∂v."""
    # All sets are statements of one program: what comes behind the Newton matrices has one text.
    _ = derived.newton
    statement, program, constraints = derived.statement, derived.statement.program, derived.constraints
    moving = statement.moving_nodes
    acceleration = [s for n in moving for s in n.acceleration.components]
    moved = program.vector(
        z + sum((b * a for b, a in zip(row, acceleration, strict=True)), Integer(0))
        for z, row in zip(constraints.curvature, constraints.jacobian, strict=True)
    )
    everything = tuple(s for n in statement.nodes for s in n.acceleration.components)
    by_configuration = columns(program, moved, [n.value for n in moving])
    by_velocity = columns(program, program.vector(constraints.curvature), [n.velocity for n in moving])
    return everything, (), (by_configuration, by_velocity)
