"""Explicit Runge–Kutta methods for the index-1 system: constraints are differentiated to the acceleration level.

    [M Bᵀ; B 0] [V̇_i; λ] = [-g; -Z]  at (t_n + c_i h, Q_i, V_i)  (5)

This system replaces (2) and preserves neither Φ = 0 nor B v = 0. ``rkmk.h`` contains the step and the other equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from symlie.runtime.methods.rkmk import ExplicitMethod, coordinate_lines, rkmk_step

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, repr=False)
class Index1(ExplicitMethod):
    """Explicit method for the index-1 system."""

    family: ClassVar[str] = "index1"
    header: ClassVar[str] = "rkmk.h"
    required: ClassVar[tuple[str, ...]] = ()
    takes_constraints: ClassVar[bool] = True

    @property
    def keeps_hidden_constraints(self) -> bool:
        return False

    @property
    def has_end_stage(self) -> bool:
        """Return True: this stage provides λ."""
        return True

    def constants(self) -> list[str]:
        return [*super().constants(), *coordinate_lines(self.table)]

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        return rkmk_step(stepper, state, h, self.table)
