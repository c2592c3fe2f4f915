"""Half-explicit Runge–Kutta Lie group methods for index-2 systems; `symlie.runtime.methods.programs.half_explicit`
contains their step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.family import ScalarStages
from symlie.runtime.methods.programs.half_explicit import half_explicit_step
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau
from symlie.runtime.tableaux.index2_conditions import half_explicit_orders
from symlie.runtime.tableaux.order_conditions import FoundOrder


@dataclass(frozen=True, repr=False)
class HalfExplicit(ProgrammedMethod):
    """Half-explicit method."""

    tableau: HalfExplicitTableau

    family: ClassVar[str] = "half_explicit"
    required: ClassVar[tuple[str, ...]] = ("s", "a", "d")
    optional: ClassVar[tuple[str, ...]] = ("c", "b_hat")
    refused: ClassVar[tuple[str, ...]] = (
        "acceleration-level constraints, or dependent nodes and first-order states, together with other constraints",
    )
    takes_constraints: ClassVar[bool] = True
    takes_baumgarte: ClassVar[bool] = True
    takes_friction: ClassVar[bool] = True
    takes_coordinate_rates: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        rows = reader.runge_kutta("d", "b_hat")
        return cls(HalfExplicitTableau(**rows, s=reader.required_integer("s"), **reader.common()))

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        return half_explicit_orders(self.tableau)

    def refusal(self, layout: Layout) -> str | None:
        if found := super().refusal(layout):
            return found
        what = ""
        if not layout.of_velocities.any():
            return None
        if not layout.of_velocities.all():
            what = "acceleration-level constraints"
        elif layout.has_fields and layout.has_dependents:
            what = "dependent nodes and first-order states"
        if not what:
            return None
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': it has {what} together with constraints of "
            "configurations or velocities; use index1_dopri5."
        )

    def scalar_stages(self) -> ScalarStages:
        end = self.tableau.s + 1
        return ScalarStages([0] * end, list(self.tableau.a_float()[:end]))

    def write_step(self, s: StepRecorder) -> None:
        half_explicit_step(s, self.tableau)
