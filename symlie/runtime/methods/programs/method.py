"""Methods whose step is a program, printed as C and interpreted in NumPy."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method, OwnArray
from symlie.runtime.methods.programs.history import COUNT, array_of
from symlie.runtime.methods.programs.interpreter import first_values, interpreted
from symlie.runtime.steps.c_text import step_header
from symlie.runtime.steps.multistep_instructions import StartingStep
from symlie.runtime.steps.program import Features, Program, features_of
from symlie.runtime.steps.recorder import StepRecorder

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

    @property
    def starter(self) -> ProgrammedMethod | None:
        """Method of the first steps, if the step reads earlier states."""
        return None

    @cached_property
    def own(self) -> tuple[OwnArray, ...]:
        """Earlier states that the step reads, latest first, or arrays that it carries."""
        return tuple(map(array_of, self.program(Features()).carried))

    @abstractmethod
    def write_step(self, s: StepRecorder) -> None:
        """Write the step to a recorder.

        Parameters
        ----------
        s
            Recorder for a system.
        """

    def write_first_step(self, s: StepRecorder) -> None:
        """Write the step that `starter` takes at the beginning.

        Parameters
        ----------
        s
            Recorder for a system.
        """
        assert self.starter is not None
        self.starter.write_step(s)

    def write_first_values(self, s: StepRecorder) -> None:
        """Write the initial values of the arrays that the step carries; others are zero.

        Parameters
        ----------
        s
            Recorder for a system.
        """

    def program(self, features: Features) -> Program:
        """Return the step for systems with certain features."""
        s = StepRecorder(features, self.coordinates)
        self.write_step(s)
        return s.program()

    @cached_property
    def _programs(self) -> dict[Features, Program]:
        """Recorded programs."""
        return {}

    @cached_property
    def _start_programs(self) -> dict[Features, Program]:
        """Recorded first steps."""
        return {}

    def known_program(self, features: Features) -> Program:
        """Return the step for systems with certain features, recorded once."""
        if features not in self._programs:
            self._programs[features] = self.program(features)
        return self._programs[features]

    def starts_from_multipliers(self, features: Features) -> bool:
        methods = [self, *([self.starter] if self.starter is not None else [])]
        programs = [method.known_program(features) for method in methods]
        return any(program.starts_from_multipliers for program in programs)

    def start_program(self, features: Features) -> Program | None:
        """Return the first steps, which keep the states that later steps read; None if these read no earlier ones."""
        if self.starter is None:
            return None
        if features not in self._start_programs:
            s = StepRecorder(features, self.starter.coordinates, self.known_program(features).history)
            self.write_first_step(s)
            self._start_programs[features] = s.program()
        return self._start_programs[features]

    def substeps(self, features: Features) -> Program | None:
        """Return the substeps of the first steps; None if these have none."""
        start = self.start_program(features)
        if start is None or self.starter is None or not start.has(StartingStep):
            return None
        return self.starter.known_program(features)

    def first_values(self, features: Features) -> Program | None:
        """Return the initial values of the arrays that the step carries; None without such arrays."""
        if not self.known_program(features).carried:
            return None
        s = StepRecorder(features, is_step=False)
        self.write_first_values(s)
        return s.first_values()

    @cached_property
    def _headers(self) -> dict[Features, str]:
        """Printed headers."""
        return {}

    def step_files(self, features: Features) -> dict[str, str]:
        if features not in self._headers:
            start, starter = self.start_program(features), self.substeps(features)
            header = step_header(self.program(features), self.name, start, self.first_values(features), starter)
            self._headers[features] = header
        return {STEP_HEADER: self._headers[features]}

    def constants(self) -> list[str]:
        return []

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        program = self.first_values(features_of(stepper.mechanics, compiled=False))
        own, parts = super().begin(stepper, state, h), self.own_parts(stepper.mechanics.layout)
        return own if program is None else first_values(program, stepper, state, h, own, parts)

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        if self.name not in stepper.programs:
            features = features_of(stepper.mechanics, compiled=False)
            program = self.program(features)
            stepper.programs[self.name] = program, self.start_program(features) or program
        later, start = stepper.programs[self.name]
        parts = self.own_parts(stepper.mechanics.layout)
        is_start = later.first_steps > 0 and state.own is not None and state.own[parts[COUNT]][0] < later.first_steps
        return interpreted(start if is_start else later, stepper, state, h, parts, self.starter)
