"""Methods whose step is a program, printed as C and interpreted in NumPy."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from symlie.runtime.methods.family import Method
from symlie.runtime.methods.programs.interpreter import interpreted
from symlie.runtime.steps.c_text import step_header
from symlie.runtime.steps.program import Features, Program, features_of
from symlie.runtime.steps.recorder import Recorder

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial

STEP_HEADER = "step.h"
"""Printed header with the step of a method."""


@dataclass(frozen=True, repr=False)
class ProgrammedMethod(Method):
    """Method whose step is a program."""

    header: ClassVar[str] = STEP_HEADER

    @property
    def coordinates(self) -> str:
        """Local coordinates of the step."""
        return "exp"

    @abstractmethod
    def write_step(self, s: Recorder) -> None:
        """Write the step to a recorder.

        Parameters
        ----------
        s
            Recorder for a system.
        """

    def program(self, features: Features) -> Program:
        """Return the step for systems with certain features."""
        s = Recorder(features, self.coordinates)
        self.write_step(s)
        return s.program()

    def step_files(self, features: Features) -> dict[str, str]:
        return {STEP_HEADER: step_header(self.program(features), self.name)}

    def constants(self) -> list[str]:
        return []

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        if self.name not in stepper.programs:
            stepper.programs[self.name] = self.program(features_of(stepper.mechanics, compiled=False))
        return interpreted(stepper.programs[self.name], stepper, state, h)
