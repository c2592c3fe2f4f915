"""Adams–Bashforth–Munthe-Kaas k-step methods with one evaluation per step, for velocities on Lie groups;
`symlie.runtime.methods.programs.adams_bashforth` contains their step. The classical Runge–Kutta–Munthe-Kaas method of
order four takes the first steps and those after a jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.programs.adams_bashforth import adams_bashforth_step, lagrange_integrals
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.rkmk import Rkmk
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order
from symlie.runtime.tableaux.tableau import Tableau

MOST_STEPS = 4
"""Largest number of steps, equal to the order of the starting method."""

_CLASSICAL = {"c": ["0", "1/2", "1/2", "1"], "a": [[], ["1/2"], ["0", "1/2"], ["0", "0", "1"]]}
_BEGIN = Rkmk.read(EntryReader("begin", {**_CLASSICAL, "b": ["1/6", "1/3", "1/3", "1/6"], "order": 4}))


@dataclass(frozen=True, kw_only=True, repr=False)
class AdamsTableau(Tableau):
    """Number of steps, from 2 to `MOST_STEPS`."""

    steps: int

    def __post_init__(self) -> None:
        if not 2 <= self.steps <= MOST_STEPS:
            raise self._error(f"steps is {self.steps}, but it must be from 2 to {MOST_STEPS}")


@dataclass(frozen=True, repr=False)
class AdamsBashforth(ProgrammedMethod):
    """Adams–Bashforth method in local coordinates, whose order is the number of steps."""

    tableau: AdamsTableau

    family: ClassVar[str] = "adams_bashforth"
    takes_coordinate_rates: ClassVar[bool] = True
    refused: ClassVar[tuple[str, ...]] = ("first-order states", "acceleration-level constraints")

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        steps = reader.required_integer("steps")
        return cls(AdamsTableau(**{**reader.common(), "order": steps}, c=(), steps=steps))

    def orders(self) -> tuple[FoundOrder, None]:
        """Check Σ β_j τ_j^m = 1/(m + 1) for m < p with equal steps; this suffices, since (4) satisfies these equations
        for any steps."""
        tau = [Fraction(-j) for j in range(self.tableau.steps)]
        beta = lagrange_integrals(tau)
        levels = [[sum(b * x**m for b, x in zip(beta, tau, strict=True)) - Fraction(1, m + 1)] for m in range(6)]
        return count_order(levels, 0.0), None

    def refusal(self, layout: Layout) -> str | None:
        if (found := super().refusal(layout)) or not (layout.has_fields or layout.rows):
            return found
        return (
            f"Method '{self.name}' integrates velocities on Lie groups, but nodes of '{layout.name}' are first-order "
            "states or have acceleration-level constraints; use rkmk_dopri5 or another explicit method."
        )

    @property
    def restarts_at_switches(self) -> bool:
        return True

    @property
    def restarts_at_kinks(self) -> bool:
        # Order two is preserved across kinks.
        return self.order > 2

    @property
    def starter(self) -> ProgrammedMethod:
        return _BEGIN

    def write_step(self, s: StepRecorder) -> None:
        adams_bashforth_step(s, self.tableau.steps)
