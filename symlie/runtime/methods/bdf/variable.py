"""BDF of variable order and step size on Lie groups, in stabilised index-2 form;
`symlie.runtime.methods.programs.bdf_variable` contains the step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.bdf.fixed import MOST_STEPS, REFUSED_STATES, order_of_steps, refusal_of_states
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.implicit import MATRIX_OPTIONS, NEWTON_OPTIONS, ImplicitTableau
from symlie.runtime.methods.options import Bounded, Option
from symlie.runtime.methods.programs.bdf_variable import bdf_variable_start, bdf_variable_step
from symlie.runtime.methods.programs.implicit_program import ImplicitProgram
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder

OPTIONS: Mapping[str, Option] = {
    "max_order": Bounded(1, MOST_STEPS, is_whole=True),
    **NEWTON_OPTIONS,
    **MATRIX_OPTIONS,
}
"""Options with their values."""


@dataclass(frozen=True, kw_only=True, repr=False)
class VariableTableau(ImplicitTableau):
    """Tableau of variable-order BDF, with the method of shorter steps between recorded states."""

    inside: Method


@dataclass(frozen=True, repr=False)
class BdfVariable(ImplicitProgram):
    """BDF of variable order, from one to `max_order`."""

    tableau: VariableTableau
    max_order: int = MOST_STEPS
    """Largest order; 2 for fast undamped oscillations, since higher orders are not stable for them."""

    family: ClassVar[str] = "bdf_variable"
    stated_options: ClassVar[Mapping[str, Option]] = OPTIONS
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in OPTIONS.items()}
    members: ClassVar[str] = "bdf"
    refused: ClassVar[tuple[str, ...]] = (REFUSED_STATES, "fixed steps")
    chooses_order: ClassVar[bool] = True
    chooses_length: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        steps, inside = reader.required_integer("steps"), reader.entry["start"]
        assert isinstance(inside, Method)
        known = {**reader.common(), "order": steps, "order_hat": steps + 1}
        return cls(VariableTableau(**known, c=(), index=reader.required_integer("index"), inside=inside))

    @property
    def order(self) -> int:
        """Largest order."""
        return self.max_order

    @property
    def order_hat(self) -> int:
        return self.max_order + 1

    def orders(self) -> tuple[FoundOrder, FoundOrder]:
        """Return the largest order, and the order of the formula with one more step, which supplies the error
        estimate."""
        return order_of_steps(self.max_order), order_of_steps(self.max_order + 1)

    @property
    def restarts_at_kinks(self) -> bool:
        return True

    @property
    def inside(self) -> Method:
        return self.tableau.inside

    @property
    def remark(self) -> str:
        return f"from 1 to {self.max_order}, chosen by tolerance"

    def refusal(self, layout: Layout) -> str | None:
        return super().refusal(layout) or refusal_of_states(self.name, layout)

    @property
    def kernel_set(self) -> str:
        return "increments"

    def constants(self) -> list[str]:
        return ["#define CHOOSES_ORDER 1", f"#define STEPS {self.max_order}", *super().constants()]

    def write_step(self, s: StepRecorder) -> None:
        bdf_variable_step(s, self.max_order)

    def write_first_values(self, s: StepRecorder) -> None:
        bdf_variable_start(s, self.max_order)
