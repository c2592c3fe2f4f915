"""Table of equations whose solutions are instructions of steps: of constraints, of contacts, and of Newton's method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.instructions import Instruction, mistakes_of
from symlie.runtime.steps.values import Algebra, Configuration, Jacobian, Multiplier, Velocity


class TransposedEquations(NamedTuple):
    """Transposed equations, which determine cotangents of inputs from those of results."""

    call: str
    """Call in C, with the texts of `Equations.call` and the cotangents ``of_y`` and ``of_x``."""
    results: tuple[int, ...]
    """Positions of the results with cotangents; others, such as residuals, have none."""
    inputs: tuple[int, ...]
    """Positions of the inputs with cotangents."""
    read: tuple[int, ...] = ()
    """Positions of the results that the call reads."""
    header: str = ""
    workspace: str = ""


@dataclass(frozen=True)
class Equations:
    """Entry of the table."""

    inputs: tuple[type[Value], ...]
    results: tuple[type[Value], ...]
    call: str
    """Call in C that returns a status, with the texts of t + c h (``t``), c, inputs (``x``) and results (``y``)."""
    overwritten: tuple[int, ...] = ()
    """Positions of the inputs that results overwrite, in the order of the results; calls have them in the results."""
    headers: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    declaration: str = ""
    """Statement in C that calls need."""
    is_implicit: bool = False
    """True if Newton's method solves the equations of a whole step, and counts their evaluations."""
    transposed: TransposedEquations | None = None


_START = (Configuration, Velocity, Vector, Scalar, Vector, Multiplier, Scalar, Vector)
_END = (Configuration, Velocity, Configuration, Vector, Vector)
_SOLUTION = "variational_solution.h"

EQUATIONS: Mapping[str, Equations] = {
    # The equations that B shows to be redundant are omitted from here on.
    "dependent_rows": Equations(
        (Jacobian,), (), "find_dependent_rows(P, {x[0]}, mass) ? SYMLIE_DONE : SYMLIE_NOT_FINITE",
        transposed=TransposedEquations("", (), ()),
    ),
    # λ of minimal norm for the redundancy of B, from λ, B, the first B, whose omitted equations remain omitted, and q
    # and v of B.
    "minimal_multipliers": Equations(
        (Multiplier, Jacobian, Jacobian, Configuration, Velocity), (Multiplier,),
        "step_minimal_multipliers(P, {x[1]}, {x[2]}, mass, {y[0]}) ? SYMLIE_DONE : SYMLIE_NOT_FINITE",
        overwritten=(0,),
        transposed=TransposedEquations(
            "minimal_multiplier_cotangents(P, work, {t}, {x[3]}, {x[4]}, {x[0]}, {of_y}, MASS_OF_STAGE(STAGES - 1), "
            "&start->gradient, {of_x})",
            (0,), (0, 3, 4),
        ),
    ),
    # d = M⁻¹ Bᵀ μ with B d = B v + b at (q, v), for holonomic constraints. If a number is 0 and the step has no error
    # estimate, d is zero.
    "hidden_violation": Equations(
        (Configuration, Velocity, Scalar), (Velocity,),
        "step_hidden_violation(P, work, {t}, {x[0]}, {x[1]}, mass, {y[0]}, control, {x[2]})",
        transposed=TransposedEquations(
            "hidden_violation_cotangents(P, work, {t}, {x[0]}, {x[1]}, {of_y}, mass, &start->gradient, {of_x})",
            (0,), (0, 1), workspace="implicit_end",
        ),
    ),
    # θ, its free part, q at the end on its group, μ and the residual divided by h, for the discrete equations at the
    # start of a step from t + c h to t + (c + 1) h. The inputs are q and v there, the loads l and a number that is 0 if
    # they are unknown, guesses of θ and μ, a number that is not 0 if these are the solution, and the residual of this
    # solution.
    "discrete_start": Equations(
        _START, (Algebra, Algebra, Configuration, Multiplier, Algebra),
        "discrete_start(&problem, work, {t}, h, {all_x}, {is_now}, {all_y}, &trial->newton)",
        headers=(_SOLUTION,), workspaces=("discrete",), declaration="VARIATIONAL_STEP(problem);", is_implicit=True,
        transposed=TransposedEquations(
            "discrete_start_cotangents(&problem, work, {t}, h, {x[0]}, {x[1]}, {x[3]}, {x[6]}, {y[0]}, {y[2]}, {y[3]}, "
            "{of_y}, &start->gradient, {of_x})",
            (0, 1, 2, 3), (0, 1, 2, 4, 5), (0, 2, 3), "discrete_cotangents.h", "discrete_cotangents",
        ),
    ),
    # Whether the matrix needs derivatives of loads, v, l and μ for the discrete equations at the end of a step. The
    # inputs are q and v at its start, q, θ and the residual of the solution there, and whether the matrix contains
    # derivatives of loads.
    "discrete_end": Equations(
        (*_END, Scalar), (Scalar, Velocity, Algebra, Multiplier),
        "discrete_end(&problem, work, {t}, h, {all_x}, {all_y}, &trial->newton)",
        overwritten=(5,), headers=(_SOLUTION,), workspaces=("discrete",), declaration="VARIATIONAL_STEP(problem);",
        transposed=TransposedEquations(
            "discrete_end_cotangents(&problem, work, {t}, h, {x[0]}, {x[2]}, {x[3]}, {y[1]}, {y[3]}, {of_y}, "
            "&start->gradient, {of_x})",
            (1, 2, 3), (0, 2, 3), (1, 3), "discrete_cotangents.h", "discrete_cotangents",
        ),
    ),
    # The same with contacts that may close. A further input of the end is μ of the start; further results are q with
    # the modes of contacts, and their forces as multipliers.
    "contact_start": Equations(
        _START, (Algebra, Algebra, Configuration, Multiplier, Algebra),
        "contact_start(&problem, work, {t}, h, {all_x}, {is_now}, {all_y}, &trial->newton)",
        headers=(_SOLUTION, "contact_stages.h"), workspaces=("discrete", "contact_stage"),
        declaration="VARIATIONAL_STEP(problem);", is_implicit=True,
    ),
    "contact_end": Equations(
        (*_END, Multiplier, Scalar), (Scalar, Velocity, Algebra, Multiplier, Configuration, Multiplier),
        "contact_end(&problem, work, {t}, h, {all_x}, {all_y}, &trial->newton)",
        overwritten=(6,), headers=(_SOLUTION, "contact_stages.h"), workspaces=("discrete", "contact_stage"),
        declaration="VARIATIONAL_STEP(problem);",
    ),
    # v after the impulses of a step at q within it, q with the modes of contacts, and the impulses divided by h as
    # multipliers.
    "impulses": Equations(
        (Configuration, Velocity), (Velocity, Configuration, Multiplier),
        "step_impulses(P, work, {t}, h, mass, {all_x}, {all_y}, &trial->newton)",
        headers=("impulse_step.h",), workspaces=("impulse",),
    ),
    # The increment u = h f at the stage t + c h of a Hamiltonian system on cotangent bundles, and q at the end.
    "symplectic_stage": Equations(
        (Configuration,), (Algebra, Configuration),
        "symplectic_stage(P, t, h, {c}, {all_x}, {all_y}, &trial->newton)",
        headers=("symplectic_stage.h",), is_implicit=True,
        transposed=TransposedEquations(
            "symplectic_cotangents(P, t, h, {c}, {x[0]}, {y[0]}, {of_y}, &start->gradient, {of_x})",
            (0, 1), (0,), (0,), "symplectic_cotangents.h",
        ),
    ),
}  # fmt: skip
"""The equations by name."""


@dataclass(frozen=True)
class Solve(Instruction):
    """Solution of an entry of `EQUATIONS` at t + c h."""

    name: str
    values: tuple[Value | float, ...]
    c: float = 0.0

    @property
    def title(self) -> str:
        return self.name

    @property
    def entry(self) -> Equations:
        """Entry of the table."""
        return EQUATIONS[self.name]

    @property
    def results(self) -> tuple[type[Value], ...]:
        return self.entry.results

    @property
    def overwritten(self) -> tuple[Value, ...]:
        values = (self.values[k] for k in self.entry.overwritten)
        return tuple(x for x in values if isinstance(x, Value))

    def mistakes(self) -> Iterator[str]:
        for k, (kind, x) in enumerate(zip(self.entry.inputs, self.values, strict=True)):
            may_be_constant = kind is Scalar and k not in self.entry.overwritten
            yield from mistakes_of(f"input {k + 1}", x, (kind, float) if may_be_constant else (kind,))
