"""Explicit Runge–Kutta methods on the stored components, which drift off the manifold, for comparison;
`symlie.runtime.methods.programs.ambient` contains their step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symlie.runtime.methods.programs.ambient import ambient_step
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.rkmk import ExplicitMethod
from symlie.runtime.steps.recorder import StepRecorder


@dataclass(frozen=True, repr=False)
class Ambient(ExplicitMethod, ProgrammedMethod):
    """Explicit method on the stored components."""

    family: ClassVar[str] = "ambient"
    required: ClassVar[tuple[str, ...]] = ()

    @property
    def is_free_of_commutators(self) -> bool:
        return True

    @property
    def kernel_set(self) -> str:
        return "ambient"

    def write_step(self, s: StepRecorder) -> None:
        ambient_step(s, self.table)
