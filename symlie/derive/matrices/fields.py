"""Derivatives of fields, and of forces by first-order states, for implicit steps.

Rows and columns are components of local coordinates of all nodes, velocities v of nodes with velocities:

    Sq = D_y [M v̇ + g + Bᵀλ; -f],   Sv = ∂(-f)/∂v,   Sa = ∂(-f)/∂v̇,   Sl = ∂(-f)/∂λ

with the balance of forces on nodes with velocities and the fields f of the others. The rows of forces in Sq contain the
columns of nodes without velocity; K contains the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.fields import total_field
from symlie.derive.matrices.newton import balance
from symlie.ir.differentiate import Matrix, columns
from symlie.ir.program import Euclidean, Value, depends_on


@dataclass(frozen=True)
class FieldMatrices:
    """Sq, Sv, Sa and Sl as expressions in the program of a definition, with the symbols of v̇ and λ in them."""

    acceleration: tuple[Symbol, ...]
    multipliers: tuple[Symbol, ...]
    matrices: tuple[Matrix, Matrix, Matrix, Matrix]


def derive_field_matrices(derived: DerivedStatement) -> FieldMatrices:
    """Derive the matrices by forward differentiation of the derived forces and of the vector fields."""
    statement, program = derived.statement, derived.statement.program
    moved = {n.name for n, _ in statement.fields}
    forces, rates = iter(_forces(derived)), list[Expr]()
    for place, node in enumerate(statement.nodes):
        n = node.group.velocity_dimension
        if n:
            rates += [next(forces) for _ in range(n)]
        elif node.name in moved:
            rates += [-c for c in total_field(statement, place)]
        else:
            rates += [Integer(0)] * node.group.dimension
    has_velocity = [node.group.velocity_dimension > 0 for node in statement.nodes for _ in range(node.group.dimension)]
    everything = program.vector(rates, "rate")
    of_fields = [Integer(0) if kind else e for kind, e in zip(has_velocity, everything, strict=True)]
    multipliers = statement.multipliers
    sides = [
        columns(program, everything, [n.value for n in statement.nodes]),
        columns(program, of_fields, [n.velocity for n in statement.moving_nodes]),
        columns(program, of_fields, [n.acceleration for n in statement.moving_nodes]),
        columns(program, of_fields, [Value(multipliers, Euclidean(len(multipliers)))]),
    ]
    sides[0] = tuple(
        tuple(Integer(0) if row_kind and kind else e for kind, e in zip(has_velocity, row, strict=True))
        for row_kind, row in zip(has_velocity, sides[0], strict=True)
    )
    acceleration = tuple(s for n in statement.nodes for s in n.acceleration.components)
    by_configuration, by_velocity, by_acceleration, by_multipliers = sides
    return FieldMatrices(acceleration, multipliers, (by_configuration, by_velocity, by_acceleration, by_multipliers))


def _forces(derived: DerivedStatement) -> list[Expr]:
    """Return g, with M v̇ and Bᵀλ if M or B depends on first-order states."""
    statement, program = derived.statement, derived.statement.program
    states = [c for n in statement.nodes if not n.group.velocity_dimension for c in n.value.components]
    matrices = [e for matrix in (derived.dynamics.mass, derived.constraints.jacobian) for row in matrix for e in row]
    if not depends_on(program, matrices, states):
        return list(derived.dynamics.force)
    acceleration = [s for n in statement.moving_nodes for s in n.acceleration.components]
    return balance(derived, acceleration, statement.multipliers)


def has_points(statements: Sequence[DerivedStatement]) -> bool:
    """Return whether some nodes have no velocity."""
    return any(not n.group.velocity_dimension for d in statements for n in d.statement.nodes)
