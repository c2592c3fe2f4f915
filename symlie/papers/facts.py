"""Studies without time integration: model definitions, coefficients of methods, printed thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symlie.papers.studies import Case, Session
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.family import Method
from symlie.runtime.statics.linearization import Linearization
from symlie.runtime.system.system import System
from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau
from symlie.utilities.packages import require

if TYPE_CHECKING:
    from symlie.certify.verification import Row


@dataclass(frozen=True)
class Stated:
    """A system with the data of its definition; the result is the `System`."""

    case: Case

    def run(self, session: Session) -> System:
        """Build the system."""
        return session.system(self.case)


@dataclass(frozen=True)
class AtEquilibrium:
    """Linearisation about a static equilibrium; the result is the `Linearization`."""

    case: Case
    load_steps: int

    def run(self, session: Session) -> Linearization:
        """Compute the equilibrium and linearise there."""
        session.progress(f"{self.case.model}: equilibrium")
        system = session.system(self.case)
        q, multipliers, _ = system.static_equilibrium(load_steps=self.load_steps)
        return system.linearize(q, multipliers)


@dataclass(frozen=True)
class Coefficients:
    """Coefficients and exact orders of a method; the result is the `Method`."""

    method: str

    def run(self, session: Session) -> Method:
        """Return the method."""
        session.progress(f"{self.method}: order conditions")
        return chosen_method(self.method, {})


@dataclass(frozen=True)
class Thresholds:
    """Errors of the printed closed forms and polynomials of a paper up to ω = π, as in ``symlie verify --paper``; the
    result is a tuple of `Row`."""

    paper: str

    def run(self, session: Session) -> tuple[Row, ...]:
        """Prove and measure the errors."""
        require("A proof", "flint", "pycparser")
        from symlie.certify.stated_functions import paper_functions
        from symlie.certify.switched import switched_subject
        from symlie.certify.verification import verify

        session.progress("printed thresholds")
        subjects = [switched_subject(function) for function in paper_functions(self.paper)]
        return tuple(row for result in verify(subjects, domain=(0.0, math.pi)) for row in result.rows)


def threshold_rows(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of functions with their thresholds and errors."""
    return [[row.name, f"{row.switch:.4g}", f"{row.proved_eps:.3g}", f"{row.measured_eps:.3g}"] for row in rows]


def coefficient_rows(*methods: Method) -> list[list[str]]:
    """Return the table of nodes and coefficients of methods."""
    return [
        [method.name, str(number), str(c), ", ".join(map(str, a))]
        for method in methods
        if isinstance(method.tableau, HalfExplicitTableau)
        for number, (c, a) in enumerate(zip(method.tableau.c, method.tableau.a, strict=False), 1)
    ]
