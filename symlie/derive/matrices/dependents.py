"""Derivatives of dependent nodes, q_d = F(t, q) and v_d = V(t, q, v), for implicit steps.

Rows and columns are components of local coordinates of all nodes; D_q F is in the Lie algebra of the dependent node.
"""

from __future__ import annotations

from itertools import accumulate

from sympy import Expr, Integer

from symlie.contract.dependents import WHOLE
from symlie.derive.dependents import dependent_parts
from symlie.ir.differentiate import Matrix, columns
from symlie.ir.program import Value
from symlie.modeling.statement import Statement


class _Derivatives:
    """D_q F, D_q V and ∂V/∂v, with the rows of all nodes of a statement."""

    def __init__(self, statement: Statement) -> None:
        self._program = statement.program
        self._values = [n.value for n in statement.nodes]
        self._velocities = [n.velocity for n in statement.moving_nodes]
        sizes = [n.group.dimension for n in statement.nodes]
        moving = [n.group.velocity_dimension for n in statement.nodes]
        self.first, self.first_velocity = ([0, *accumulate(part)] for part in (sizes, moving))
        widths = self.first[-1], self.first[-1], self.first_velocity[-1]
        self.matrices: list[list[list[Expr]]] = [[[Integer(0)] * n for _ in range(self.first[-1])] for n in widths]

    def add(self, place: int, by_configuration: Matrix, velocity: tuple[Expr, ...]) -> None:
        """Set the rows of a node."""
        velocity = self._program.vector(velocity)
        parts = by_configuration, self.by_configuration(velocity), self.by(velocity, self._velocities)
        for matrix, rows in zip(self.matrices, parts, strict=True):
            matrix[self.first[place] : self.first[place + 1]] = map(list, rows)

    def by(self, outputs: tuple[Expr, ...], values: list[Value]) -> Matrix:
        """Return derivatives by some values; a matrix without columns has its rows, too."""
        return columns(self._program, outputs, values) if values else ((),) * len(outputs)

    def by_configuration(self, outputs: tuple[Expr, ...]) -> Matrix:
        """Return derivatives by the configuration."""
        return self.by(outputs, self._values)


def derive_dependents(statement: Statement) -> tuple[Matrix, ...]:
    """Return D_q F, D_q V and ∂V/∂v, with the rows of all nodes of a statement."""
    program, found = statement.program, _Derivatives(statement)
    for part in dependent_parts(statement):
        group, stored = statement.nodes[part.place].lie_group, program.vector(part.configuration)
        rates = zip(*found.by_configuration(stored), strict=True)
        found.add(
            part.place,
            tuple(zip(*(group.algebra_tangent(program, stored, column) for column in rates), strict=True)),
            part.velocity,
        )
        if part.reference != WHOLE:
            for k in range(group.dimension):
                row = found.first[part.place] + k
                found.matrices[0][row][found.first[part.reference] + k] += 1
                found.matrices[2][row][found.first_velocity[part.reference] + k] += 1
    return tuple(tuple(map(tuple, matrix)) for matrix in found.matrices)
