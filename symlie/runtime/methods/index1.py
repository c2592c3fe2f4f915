"""Explicit Runge–Kutta methods for the index-1 system: constraints are differentiated to the acceleration level.

`symlie.runtime.methods.programs.rkmk` contains their step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.programs.rkmk import rkmk_step
from symlie.runtime.methods.rkmk import ExplicitMethod
from symlie.runtime.steps.recorder import StepRecorder


@dataclass(frozen=True, repr=False)
class Index1(ExplicitMethod, ProgrammedMethod):
    """Explicit method for the index-1 system."""

    family: ClassVar[str] = "index1"
    required: ClassVar[tuple[str, ...]] = ()
    takes_constraints: ClassVar[bool] = True

    @property
    def keeps_hidden_constraints(self) -> bool:
        return False

    @property
    def has_end_stage(self) -> bool:
        """Return True: this stage provides λ."""
        return True

    def write_step(self, s: StepRecorder) -> None:
        rkmk_step(s, self.table)
