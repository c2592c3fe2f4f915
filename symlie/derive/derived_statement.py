"""A statement with all its derived terms."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symlie.derive.constraints import ConstraintTerms, derive_constraints
from symlie.derive.dynamics import Dynamics, derive_dynamics
from symlie.ir.program import Program
from symlie.modeling.statement import Statement
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.derive.matrices.fields import FieldMatrices
    from symlie.derive.matrices.newton import NewtonMatrices


@dataclass(frozen=True, repr=False)
class DerivedStatement(Brief):
    """Definition of a model or element type with all its derived terms."""

    statement: Statement
    dynamics: Dynamics
    constraints: ConstraintTerms
    stated: Program
    """State of the program with these terms; terms derived later do not change it."""

    @functools.cached_property
    def newton(self) -> NewtonMatrices:
        """K, C and H, derived once on first use; displaying them does not change code generated later."""
        from symlie.derive.matrices.newton import derive_newton_matrices

        return derive_newton_matrices(self)

    @functools.cached_property
    def fields(self) -> FieldMatrices:
        """Derivatives of vector fields, which always follow K, C and H in the program."""
        from symlie.derive.matrices.fields import derive_field_matrices

        _ = self.newton
        return derive_field_matrices(self)


def derive_statement(statement: Statement) -> DerivedStatement:
    """Derive all terms of a definition; raise `ModelError` for invalid energies, or for constraints that do not depend
    on the configuration."""
    dynamics, constraints = derive_dynamics(statement), derive_constraints(statement)
    return DerivedStatement(statement, dynamics, constraints, statement.program.copy())
