"""Variational integrators; `symlie.runtime.methods.programs.variational` contains their step and equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from symlie.contract.discrete import DISCRETE_LAGRANGIANS, DiscreteLagrangian, Samples
from symlie.contract.sets import discrete_set
from symlie.runtime.kernels.c_text import c_number, c_vector
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.options import Bounded, Choice, Option
from symlie.runtime.methods.programs.discrete_stages import DAMPED, SLOW_ENOUGH, DiscreteTableau
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.methods.programs.variational import variational_step
from symlie.runtime.methods.self_adjoint import COMPOSE, SelfAdjoint
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.discrete_lagrangian import checked, order_of

if TYPE_CHECKING:
    from symlie.runtime.tableaux.entry import EntryReader
    from symlie.runtime.tableaux.order_conditions import FoundOrder


@dataclass(frozen=True, repr=False)
class Variational(SelfAdjoint, ProgrammedMethod):
    """Variational integrator."""

    tableau: DiscreteTableau
    newton: str = "simplified"
    """``"simplified"``: M replaces h ∂p⁺/∂θ; ``"full"``: the derived matrix, except while contacts are closed."""
    multipliers: str = "average"
    """``"average"``: mean of λ⁻ and λ⁺; ``"index1"``: from the accelerations, always used by compositions."""
    newton_rtol: float = 0.0
    """Bound on the norm of the final residual, relative to the first residuals."""
    newton_atol: float = 0.0
    """Absolute bound on the norm of the final residual."""
    newton_max: int = 50

    family: ClassVar[str] = "variational"
    required: ClassVar[tuple[str, ...]] = ("kinetic", "potential")
    stated_options: ClassVar[Mapping[str, Option]] = {
        "newton": Choice(("simplified", "full")),
        "multipliers": Choice(("average", "index1")),
        "newton_rtol": Bounded(0, 1),
        "newton_atol": Bounded(0),
        "newton_max": Bounded(1, 1e6, is_whole=True),
        **COMPOSE,
    }
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in stated_options.items()}
    members: ClassVar[str] = "rattlie, variational_midpoint and user-defined discrete Lagrangians"
    refused: ClassVar[tuple[str, ...]] = (
        "acceleration-level constraints",
        "dependent nodes",
        "first-order states",
    )
    takes_constraints: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        entry = reader.entry
        if "discrete_lagrangian" in entry:
            discrete = DISCRETE_LAGRANGIANS[str(entry["discrete_lagrangian"])]
        else:
            discrete = checked(DiscreteLagrangian(reader.name, *(_samples(reader, n) for n in cls.required)))
        newton = "full" if discrete.between else "simplified"
        return cls(DiscreteTableau(**reader.common(), c=(), discrete=discrete), newton)

    def orders(self) -> tuple[FoundOrder, None]:
        return order_of(self.tableau.discrete), None

    @property
    def is_self_adjoint(self) -> bool:
        return self.tableau.discrete.is_symmetric

    @property
    def steps_contacts(self) -> bool:
        return not self.tableau.discrete.between

    @property
    def takes_averages(self) -> bool:
        """True if multipliers are means of λ⁻ and λ⁺, which would reduce composed steps to order two."""
        return self.multipliers == "average" and self.composition is None

    def refusal(self, layout: Layout) -> str | None:
        what = ""
        if layout.has_dependents:
            what = "forces on its dependent nodes do not follow from a Lagrangian of the other nodes"
        elif not layout.of_velocities.all():
            what = "no discrete constraint is defined for its acceleration-level constraints"
        elif layout.has_nonlinear_rows:
            what = "a constraint is nonlinear in the velocities, for which no discrete constraint is defined"
        elif layout.has_fields:
            what = "it has first-order states"
        if not what:
            return super().refusal(layout)
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': {what}; use rkmk_dopri5, or index1_dopri5 with "
            "constraints."
        )

    @property
    def stability(self) -> str:
        return (
            ""
            if self.tableau.discrete.between
            else "it is explicit in the forces: h ω must be below 2 for the highest frequency ω"
        )

    @property
    def kernel_set(self) -> str | None:
        return "interpolation" if self.tableau.discrete.between else None

    @property
    def element_set(self) -> str:
        return discrete_set(self.tableau.discrete).name

    @property
    def takes_element_matrix(self) -> bool:
        return self.newton == "full"

    def constants(self) -> list[str]:
        between = self.tableau.discrete.between
        parts = {"SAMPLE_PART": [float(xi) for xi, _ in between], "SAMPLE_WEIGHT": [float(w) for _, w in between]}
        numbers = {
            "NEWTON_RTOL": self.newton_rtol,
            "NEWTON_ATOL": self.newton_atol,
            "SLOW_ENOUGH": SLOW_ENOUGH,
            "DAMPED": DAMPED,
        }
        choices = {
            "NEWTON_MAX": self.newton_max,
            "FULL": self.newton == "full",
            "AVERAGES": self.takes_averages,
            "SAMPLES": len(between),
        }
        return [
            *(f"#define {name} {c_number(value)}" for name, value in numbers.items()),
            *(f"#define {name} {int(value)}" for name, value in choices.items()),
            *(c_vector(name, numbers) for name, numbers in parts.items() if between),
        ]

    def write_step(self, s: StepRecorder) -> None:
        variational_step(s, averages=self.takes_averages, steps_contacts=self.steps_contacts)


def _samples(reader: EntryReader, name: str) -> Samples:
    """Return pairs of a fraction of the step and a weight, one per sample."""
    stated = reader.entry[name]
    rows = [reader.row(name, pair) for pair in stated] if isinstance(stated, list | tuple) else []
    if not rows or any(len(row) != 2 or any(x.factor for x in row) for row in rows):
        raise reader.error(f'{name} is {stated!r}, but it must be pairs of a part of the step and a weight: ["1/2", 1]')
    return tuple((row[0].rational, row[1].rational) for row in rows)
