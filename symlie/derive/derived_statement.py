"""A statement with everything that is derived from it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symlie.derive.constraints import ConstraintTerms, derive_constraints
from symlie.derive.dynamics import Dynamics, derive_dynamics
from symlie.ir.program import Program
from symlie.modeling.statement import Statement
from symlie.showing import Brief

if TYPE_CHECKING:
    from symlie.derive.field_matrices import FieldMatrices
    from symlie.derive.newton_matrices import NewtonMatrices


@dataclass(frozen=True, repr=False)
class DerivedStatement(Brief):
    """A statement with its derived terms."""

    statement: Statement
    dynamics: Dynamics
    constraints: ConstraintTerms
    stated: Program
    """The program as far as these terms need it; others that are derived later do not change it."""

    @functools.cached_property
    def newton(self) -> NewtonMatrices:
        """K, C and H, derived when first needed, and once: whoever shows them changes no text that is emitted later."""
        from symlie.derive.newton_matrices import derive_newton_matrices

        return derive_newton_matrices(self)

    @functools.cached_property
    def fields(self) -> FieldMatrices:
        """Derivatives of fields, behind K, C and H in the program, whichever are asked for first."""
        from symlie.derive.field_matrices import derive_field_matrices

        _ = self.newton
        return derive_field_matrices(self)


def derive_statement(statement: Statement) -> DerivedStatement:
    """Derive all terms of a statement.

    Raises
    ------
    ModelError
        An energy of the wrong kind, or a constraint without configuration.
    """
    dynamics, constraints = derive_dynamics(statement), derive_constraints(statement)
    return DerivedStatement(statement, dynamics, constraints, statement.program.copy())
