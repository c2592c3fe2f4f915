"""BDF of orders one to five on Lie groups, in index-3 or stabilised index-2 form;
`symlie.runtime.methods.programs.bdf` contains the steps and their equations.

``half_explicit_5`` takes the first steps and those after a jump, in substeps. In index-3 form the method history
contains the velocities of (2), computed from the configurations: with the accurate velocities λ would lose an order.
The first 2 k - 1 steps are starting steps there, otherwise k - 1. In index-3 form λ has order k - 1 for k steps after
each change of h. All rotations from q_{n-k+1} on must stay below π, the limit of log; each step is restricted to a
fraction of it.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.half_explicit import HalfExplicit
from symlie.runtime.methods.implicit import ImplicitTableau
from symlie.runtime.methods.programs.bdf import bdf_first_step, bdf_start, bdf_step, derivative_weights
from symlie.runtime.methods.programs.implicit_program import ImplicitProgram
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order

MOST_STEPS = 5
"""Largest number of steps with a stable formula."""

REFUSED_STATES = "first-order states that are not elements of the group which moves them"
"""Model feature that no BDF method supports."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BdfTableau(ImplicitTableau):
    """Number of steps k, from 1 to `MOST_STEPS`, and the starting method."""

    steps: int
    start: HalfExplicit

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= MOST_STEPS:
            raise self._error(f"steps is {self.steps}, but it must be from 1 to {MOST_STEPS}")


@dataclass(frozen=True, repr=False)
class Bdf(ImplicitProgram):
    """BDF of fixed order, which is the number of steps."""

    tableau: BdfTableau

    family: ClassVar[str] = "bdf"
    members: ClassVar[str] = "bdf1, …, bdf5 and their forms of index 2"
    refused: ClassVar[tuple[str, ...]] = (REFUSED_STATES,)

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        steps, start = reader.required_integer("steps"), reader.entry["start"]
        assert isinstance(start, HalfExplicit)
        first = HalfExplicit(dataclasses.replace(start.tableau, b_hat=None, order_hat=None))
        known = {**reader.common(), "order": steps}
        return cls(BdfTableau(**known, c=(), index=reader.required_integer("index"), steps=steps, start=first))

    def orders(self) -> tuple[FoundOrder, None]:
        """Check Σ α_i τ_i^m = 1 for m = 1 and 0 for all other m ≤ p with equal steps, which are representative."""
        return order_of_steps(self.tableau.steps), None

    @property
    def restarts_at_kinks(self) -> bool:
        # Order two in q and v is preserved across kinks.
        return self.order > 2

    @property
    def remark(self) -> str:
        if not self.is_index_3:
            return ""
        k = self.tableau.steps
        lost = "an error that does not decrease" if k == 1 else f"order {k - 1}"
        return f"with constraints λ has {lost} for {k} step{'s' * (k > 1)} after each change of the step size"

    def refusal(self, layout: Layout) -> str | None:
        return super().refusal(layout) or refusal_of_states(self.name, layout)

    @property
    def kernel_set(self) -> str:
        return "increments"

    @property
    def starter(self) -> HalfExplicit:
        return self.tableau.start

    def _keeps_scheme(self, s: StepRecorder) -> bool:
        """Return whether the method history contains the velocities of (2)."""
        return self.is_index_3 and s.is_constrained

    def _first_steps(self, s: StepRecorder) -> int:
        """Return the number of starting steps."""
        return (2 if self._keeps_scheme(s) else 1) * self.tableau.steps - 1

    def write_step(self, s: StepRecorder) -> None:
        bdf_step(s, self.tableau.steps, self._first_steps(s))

    def write_first_step(self, s: StepRecorder) -> None:
        bdf_first_step(s, self.tableau.steps, keeps_scheme=self._keeps_scheme(s))

    def write_first_values(self, s: StepRecorder) -> None:
        bdf_start(s, self.tableau.steps)


def order_of_steps(steps: int) -> FoundOrder:
    """Return the order of the formula with a number of equal steps."""
    tau = [Fraction(-i) for i in range(steps + 1)]
    alpha = derivative_weights(tau[1:])
    moments = [sum((a * x**m for a, x in zip(alpha, tau, strict=True)), Fraction(0)) for m in range(1, 8)]
    return count_order([[x - int(m == 0)] for m, x in enumerate(moments)], 0.0)


def refusal_of_states(name: str, layout: Layout) -> str | None:
    """Return why a BDF method cannot integrate the first-order states of a model, or None."""
    moved = [n.type for n in layout.nodes if not n.type.velocities]
    if all(kind.is_translated or re.fullmatch(r"R\d+(_left|_right)?", kind.name) for kind in moved):
        return None
    return (
        f"Method '{name}' supports first-order states that are elements of the group which moves them, such as "
        f"vectors and translation_space(group), but nodes of '{layout.name}' are on other spaces; use "
        "generalized_alpha or half_explicit_5."
    )
