"""A method with a given step, for tests of single instructions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau

Write = Callable[[StepRecorder], None]
"""Function that writes a step to a recorder."""


@dataclass(frozen=True, repr=False)
class Probe(ProgrammedMethod):
    """Method with a given step."""

    write: Write = lambda s: None
    map: str = "exp"
    kernels: str | None = None

    family: ClassVar[str] = "probe"
    takes_constraints: ClassVar[bool] = True
    takes_coordinate_rates: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        raise NotImplementedError

    @property
    def coordinates(self) -> str:
        return self.map

    @property
    def kernel_set(self) -> str | None:
        return self.kernels if self.map == "exp" else self.map

    def write_step(self, s: StepRecorder) -> None:
        self.write(s)


def probe(write: Write, coordinates: str = "exp", *, kernels: str | None = None, has_estimate: bool = False) -> Probe:
    """Return a method with a given step, local coordinates and further kernels of nodes."""
    tableau = Tableau(name="probe", order=2, order_hat=1 if has_estimate else None, c=(), source="")
    return Probe(tableau, write=write, map=coordinates, kernels=kernels)
