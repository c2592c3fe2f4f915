"""Constraint Jacobian, hidden constraint and curvature term from Φ(t, q) = 0.

d/dt Φ = B(t, q) v + b(t, q) = 0,    d²/dt² Φ = B v' + Z(t, q, v) = 0
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer

from symlie.errors import ModelError
from symlie.ir.differentiate import forward, reverse
from symlie.ir.program import depends_on
from symlie.modeling.statement import Statement


@dataclass(frozen=True)
class ConstraintTerms:
    """Constraint terms of one statement, as expressions of its program."""

    position: tuple[Expr, ...]
    """Φ(t, q)."""
    jacobian: tuple[tuple[Expr, ...], ...]
    """B(t, q), one row per constraint row."""
    rate: tuple[Expr, ...]
    """b(t, q) = ∂Φ/∂t."""
    hidden: tuple[Expr, ...]
    """B v + b."""
    curvature: tuple[Expr, ...]
    """Z(t, q, v)."""


def derive_constraints(statement: Statement) -> ConstraintTerms:
    """Derive B, b and Z.

    Raises
    ------
    ModelError
        A row does not depend on the configuration.
    """
    program, nodes = statement.program, statement.nodes
    rows = tuple(row for c in statement.constraints for row in c.rows)
    names = [f"row {i + 1} of constraint '{c.name}'" for c in statement.constraints for i in range(len(c.rows))]
    values = [n.value for n in nodes]
    jacobian = []
    for row, name in zip(rows, names, strict=True):
        if not depends_on(program, [row], [s for v in values for s in v.components]):
            raise ModelError(f"In '{statement.name}', {name} does not depend on the configuration; remove it.")
        parts = reverse(program, [(row, Integer(1))], values)
        jacobian.append(tuple(c for part in parts for c in part))
    rate = forward(program, rows, [seed for seed in statement.motion() if seed[0].components == (statement.time,)])
    hidden = program.vector(forward(program, rows, statement.motion()))
    curvature = forward(program, hidden, statement.motion())
    return ConstraintTerms(rows, tuple(jacobian), rate, hidden, curvature)
