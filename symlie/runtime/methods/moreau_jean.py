"""Time stepping of Moreau and Jean; `symlie.runtime.methods.programs.moreau_jean` contains its step and equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.programs.discrete_stages import SLOW_ENOUGH
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.programs.moreau_jean import moreau_jean_step
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau


@dataclass(frozen=True, repr=False)
class MoreauJean(ProgrammedMethod):
    """Method of order one whose steps contain the impulses of contacts, for comparison."""

    family: ClassVar[str] = "moreau_jean"
    has_coefficients: ClassVar[bool] = False
    takes_constraints: ClassVar[bool] = True
    refused: ClassVar[tuple[str, ...]] = (
        "systems without contacts",
        "acceleration-level constraints",
        "first-order states",
    )

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        return cls(Tableau(**reader.common(), c=()))

    @property
    def steps_contacts(self) -> bool:
        return True

    def refusal(self, layout: Layout) -> str | None:
        what = ""
        if not layout.has_gaps:
            what = "no contacts"
        elif layout.has_fields:
            what = "first-order states"
        elif not layout.of_velocities.all():
            what = "acceleration-level constraints"
        if not what:
            return super().refusal(layout)
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': it has {what}; use half_explicit_5 or "
            "index1_dopri5."
        )

    def constants(self) -> list[str]:
        return [f"#define SLOW_ENOUGH {c_number(SLOW_ENOUGH)}"]

    def write_step(self, s: StepRecorder) -> None:
        moreau_jean_step(s)
