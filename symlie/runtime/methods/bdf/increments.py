"""BDF of order two in increments; `symlie.runtime.methods.programs.bdf_increments` contains its step and equations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from symlie.runtime.methods.implicit import ImplicitTableau
from symlie.runtime.methods.programs.bdf_increments import bdf_increments_start, bdf_increments_step
from symlie.runtime.methods.programs.implicit_program import ImplicitProgram
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, repr=False)
class BdfIncrements(ImplicitProgram):
    """BDF of order two in increments."""

    family: ClassVar[str] = "bdf_increments"
    members: ClassVar[str] = "bdf2_increments and bdf2_increments_index2"

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        index = reader.required_integer("index")
        return cls(ImplicitTableau(**{**reader.common(), "order": 2}, c=(), index=index))

    @property
    def inside(self) -> BdfIncrements:
        # Short steps of index 3 divide rounding errors of positions by their length.
        return replace(self, tableau=replace(self.tableau, index=2))

    def orders(self) -> tuple[FoundOrder, None]:
        """Return order two: (1) is exact for velocities that are linear in time, with v ≈ θ_{n+1}/h at the midpoint,
        and (2) for quadratic ones."""
        half = Fraction(1, 2)
        levels = [[Fraction(3, 2) - half - 1], [Fraction(3, 2) * -half - half * -3 * half], [Fraction(1, 4)]]
        return count_order(levels, 0.0), None

    def write_step(self, s: StepRecorder) -> None:
        bdf_increments_step(s)

    def write_first_values(self, s: StepRecorder) -> None:
        bdf_increments_start(s)
