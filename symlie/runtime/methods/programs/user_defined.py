"""User-defined methods: functions that write a step to a recorder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

from symlie.errors import FormatError
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.implicit import ImplicitTableau
from symlie.runtime.methods.programs.implicit_program import ImplicitProgram
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.calls import Call, repeat
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import Kernel
from symlie.runtime.steps.program import ALL_FEATURES, Program
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau

INCREMENTS = "increments"
"""Set of the kernels of group elements."""


@dataclass(frozen=True, repr=False)
class UserDefined(ProgrammedMethod):
    """User-defined method for systems without constraints."""

    calls: str = field(default="[]", kw_only=True)
    """Calls of the recorder as JSON text."""
    first_calls: str = field(default="[]", kw_only=True)
    """Calls that determine the initial values of carried arrays, as JSON text."""
    first: ProgrammedMethod | None = field(default=None, kw_only=True)
    """Method of the first steps if the step reads earlier states."""

    family: ClassVar[str] = "user_defined"
    required: ClassVar[tuple[str, ...]] = ("calls",)
    optional: ClassVar[tuple[str, ...]] = ("start", "first_calls", "index")
    refused: ClassVar[tuple[str, ...]] = ("first-order states in steps that read earlier states",)
    takes_coordinate_rates: ClassVar[bool] = True
    has_coefficients: ClassVar[bool] = False

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        start = reader.entry.get("start")
        first = start if isinstance(start, ProgrammedMethod) and start.starter is None else None
        calls, first_calls = _calls(reader, "calls"), _calls(reader, "first_calls")
        found = cls(cls.tableau_of(reader), calls=calls, first_calls=first_calls, first=first)
        if found.full.history and first is None:
            raise reader.error("start must be an explicit one-step method, since the step reads earlier states")
        return found

    @classmethod
    def tableau_of(cls, reader: EntryReader) -> Tableau:
        """Return the tableau of an entry, without coefficients.

        Parameters
        ----------
        reader
            Reader of the entry.
        """
        return Tableau(**reader.common(), c=())

    @cached_property
    def full(self) -> Program:
        """The step for systems with all features."""
        return self.program(ALL_FEATURES)

    @property
    def _kernels(self) -> list[Kernel]:
        """System kernels in the step."""
        return [line.instruction for line in self.full.lines if isinstance(line.instruction, Kernel)]

    @property
    def kernel_set(self) -> str | None:
        sees_end = any(isinstance(x.instruction, ImplicitEnd) and x.instruction.sees_end for x in self.full.lines)
        return INCREMENTS if sees_end or any(kernel.entry.set == INCREMENTS for kernel in self._kernels) else None

    @property
    def is_free_of_commutators(self) -> bool:
        return not any(kernel.name in ("inverse_tangent_operator", "bracket") for kernel in self._kernels)

    @property
    def starter(self) -> ProgrammedMethod | None:
        return self.first if self.full.history else None

    @property
    def restarts_at_switches(self) -> bool:
        return bool(self.full.carried)

    @property
    def restarts_at_kinks(self) -> bool:
        return self.restarts_at_switches and self.order > 2

    def refusal(self, layout: Layout) -> str | None:
        if (found := super().refusal(layout)) or not (layout.has_fields and self.full.history):
            return found
        return (
            f"Method '{self.name}' reads earlier states, which contain no rates of first-order states, as in "
            f"'{layout.name}'; use cf4 or another method with a single step."
        )

    def write_step(self, s: StepRecorder) -> None:
        repeat((Call(*call) for call in json.loads(self.calls)), s)

    def write_first_values(self, s: StepRecorder) -> None:
        repeat((Call(*call) for call in json.loads(self.first_calls)), s)


def _calls(reader: EntryReader, name: str) -> str:
    """Return the calls of an entry as JSON text."""
    calls = reader.entry.get(name, [])
    if not isinstance(calls, list) or not all(isinstance(call, list) and len(call) == 4 for call in calls):
        raise FormatError(f"The step program of method '{reader.name}' is damaged.")
    return json.dumps(calls)


@dataclass(frozen=True, repr=False)
class UserDefinedWithConstraints(UserDefined):
    """User-defined method that determines multipliers."""

    family: ClassVar[str] = "user_defined_with_constraints"
    takes_constraints: ClassVar[bool] = True

    @property
    def keeps_hidden_constraints(self) -> bool:
        return self.full.has_next_points


@dataclass(frozen=True, repr=False)
class UserDefinedImplicit(ImplicitProgram, UserDefined):
    """User-defined implicit method."""

    family: ClassVar[str] = "user_defined_implicit"
    members: ClassVar[str] = "user-defined implicit methods"
    takes_coordinate_rates: ClassVar[bool] = False

    @classmethod
    def tableau_of(cls, reader: EntryReader) -> ImplicitTableau:
        return ImplicitTableau(**reader.common(), c=(), index=reader.required_integer("index"))
