"""Implicit methods whose step is a program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symlie.runtime.methods.family import OwnArray
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.programs.method import ProgrammedMethod


@dataclass(frozen=True, repr=False)
class ImplicitProgram(Implicit, ProgrammedMethod):
    """Method with one implicit stage whose step is a program."""

    @cached_property
    def own(self) -> tuple[OwnArray, ...]:
        """Carried arrays, followed by those with the evaluation point of stored factors."""
        return (*super().own, *self.record_arrays)
