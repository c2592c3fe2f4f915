"""Symplectic θ family; `symlie.runtime.methods.programs.symplectic_theta` contains its step and equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.options import Bounded, Option
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.programs.symplectic_theta import symplectic_theta_step
from symlie.runtime.methods.refusals import refusal_of_constraints
from symlie.runtime.methods.self_adjoint import COMPOSE, SelfAdjoint
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    pass

THETA = Bounded(0, 1)
"""Range of θ."""


@dataclass(frozen=True, repr=False)
class SymplecticTheta(SelfAdjoint, ProgrammedMethod):
    """Method with θ between 0 and 1: symplectic for all θ, symmetric and of order 2 for θ = 1/2, otherwise of order
    1."""

    theta: float = 0.5

    family: ClassVar[str] = "symplectic"
    stated_options: ClassVar[Mapping[str, Option]] = {"theta": THETA, **COMPOSE}
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in stated_options.items()}
    refused: ClassVar[tuple[str, ...]] = ("systems that are not Hamiltonian on cotangent bundles",)
    members: ClassVar[str] = "symplectic_theta"

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        common = {**reader.common(), "order": 2}
        return cls(Tableau(**common, c=()), THETA.read(reader.name, "theta", reader.entry["theta"]))

    @property
    def is_self_adjoint(self) -> bool:
        return self.theta == 0.5

    @property
    def single_order(self) -> int:
        return self.tableau.order if self.theta == 0.5 else 1

    def refusal(self, layout: Layout) -> str | None:
        if layout.is_hamiltonian:
            return super().refusal(layout)
        return refusal_of_constraints(self, layout) or (
            f"Method '{self.name}' integrates Hamiltonian systems on cotangent bundles; not all nodes of "
            f"'{layout.name}' are on a cotangent_space(group) with the Hamiltonian of the model. Use rkmk_dopri5 or "
            "another explicit method."
        )

    def write_step(self, s: StepRecorder) -> None:
        symplectic_theta_step(s, self.theta)
