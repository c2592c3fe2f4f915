"""How exported programs complete initial values."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.export.plan import ExportPlan
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.system.initial_values import conditions_of
from symlie.runtime.system.ordinary_start import has_ordinary_values
from symlie.runtime.system.output_jacobian import open_rates


@dataclass(frozen=True)
class StartRule:
    """Rule for the velocities that initial values leave open.

    Attributes
    ----------
    guesses
        1 if stated and guessed velocities that satisfy the constraints are complete, 2 if only zero ones are, else 0.
    completes
        True if constraints determine the open velocities.
    """

    guesses: int
    completes: bool


def start_rule(plan: ExportPlan) -> StartRule:
    """Return the rule of a system, which is that of `symlie.runtime.system.ordinary_start`."""
    system, layout = plan.system, plan.layout
    if not isinstance(system.kernels, CKernels) or not has_ordinary_values(system):
        return StartRule(0, False)
    _, _, given = system.stated_values()
    conditions = conditions_of(system)
    names = [*conditions, *open_rates(layout, given)]
    is_given = bool((given | ~layout.free).all())
    is_open = layout.free & ~given
    determines = bool(is_open.any()) and int(is_open.sum()) == layout.rows and bool(layout.of_velocities.all())
    guesses = 1 if (is_given and not conditions) or not names else 0 if conditions else 2
    return StartRule(guesses, determines and not conditions)
