"""A statement with everything that is derived from it."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.derive.constraints import ConstraintTerms, derive_constraints
from symlie.derive.dynamics import Dynamics, derive_dynamics
from symlie.modeling.statement import Statement


@dataclass(frozen=True)
class DerivedStatement:
    """A statement with its derived terms."""

    statement: Statement
    dynamics: Dynamics
    constraints: ConstraintTerms


def derive_statement(statement: Statement) -> DerivedStatement:
    """Derive all terms of a statement.

    Raises
    ------
    ModelError
        An energy of the wrong kind, or a constraint without configuration.
    """
    return DerivedStatement(statement, derive_dynamics(statement), derive_constraints(statement))
