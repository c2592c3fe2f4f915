"""Generalized-α methods; `symlie.runtime.methods.programs.generalized_alpha` contains their step and equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from symlie.contract.constants import ROUNDING
from symlie.errors import ModelError
from symlie.runtime.implicit.alpha_parameters import PARAMETERS, Parameters, parameters_of
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.implicit import MATRIX_OPTIONS, NEWTON_OPTIONS, ImplicitTableau
from symlie.runtime.methods.options import Bounded, Choice, Option
from symlie.runtime.methods.programs.generalized_alpha import generalized_alpha_start, generalized_alpha_step
from symlie.runtime.methods.programs.implicit_program import ImplicitProgram
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order
from symlie.warnings import warn

if TYPE_CHECKING:
    pass


OPTIONS: Mapping[str, Option] = {
    "rho": Bounded(0, 1, may_be_missing=True),
    **dict.fromkeys(PARAMETERS, Bounded(may_be_missing=True)),
    **NEWTON_OPTIONS,
    "start": Choice(("optimal", "plain")),
    "predictor": Choice(("previous", "zero")),
    **MATRIX_OPTIONS,
}
"""Options with their values."""


@dataclass(frozen=True, repr=False)
class GeneralizedAlpha(ImplicitProgram):
    """Generalized-α method."""

    rho: float | None = 0.9
    """Spectral radius at infinity: from 0 (strongest damping of fast motions) to 1 (none)."""
    alpha_m: float | None = None
    alpha_f: float | None = None
    beta: float | None = None
    gamma: float | None = None
    """γ; parameters that are None follow from ρ."""
    start: str = "optimal"
    """``"optimal"``: start by (4) and (5); ``"plain"``: a_0 = v̇_0."""
    predictor: str = "previous"
    """Initial guess of v̇ and λ: ``"previous"``: values of the previous step; ``"zero"``."""

    family: ClassVar[str] = "generalized_alpha"
    stated_options: ClassVar[Mapping[str, Option]] = OPTIONS
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in OPTIONS.items()}
    members: ClassVar[str] = "generalized_alpha and generalized_alpha_index2"
    refused: ClassVar[tuple[str, ...]] = (
        "index 3: adaptive steps with constraints of dependent nodes and first-order states",
    )

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        index = reader.required_integer("index")
        return cls(ImplicitTableau(**{**reader.common(), "order": 2, "order_hat": 3}, c=(), index=index))

    @property
    def parameters(self) -> Parameters[float]:
        """α_m, α_f, β and γ."""
        return parameters_of(vars(self), 1.0)

    def refusal_of_adaptive_steps(self, layout: Layout) -> str | None:
        if not (self.is_index_3 and layout.has_fields and layout.constrains_dependent_nodes):
            return None
        # In index-3 form velocities violate the hidden constraints by an amount that depends on the step size; (6)
        # corrects velocities, but not velocities that are first-order states.
        return (
            f"Method '{self.name}' integrates '{layout.name}' with fixed steps only, because its constraints act on "
            "dependent nodes whose velocities are first-order states; give a step size h, or use "
            "generalized_alpha_index2 or bdf."
        )

    @property
    def inside(self) -> GeneralizedAlpha:
        # Short steps of index 3 divide rounding errors of positions by their length.
        return replace(self, tableau=replace(self.tableau, index=2))

    @property
    def order(self) -> int:
        return self.orders()[0].order

    @property
    def has_estimate(self) -> bool:
        return self.order == self.tableau.order

    def orders(self) -> tuple[FoundOrder, FoundOrder]:
        """Compare (1) and (2) with the exact q and v, where a_n = v̇ + Δ h v̈ + c h² v⃛ at t_n by (3), Δ = α_m - α_f."""
        known = {name: getattr(self, name) for name in ("rho", *PARAMETERS)}
        stated = {name: None if value is None else Fraction(repr(value)) for name, value in known.items()}
        p = parameters_of(stated, Fraction(1))
        shift, half = p.alpha_m - p.alpha_f, Fraction(1, 2)
        c = (1 - p.alpha_f) / 2 - (1 - p.alpha_m) * (half + shift)
        third = [c + p.gamma * (half + shift) - Fraction(1, 6), shift / 2 + p.beta - Fraction(1, 6)]
        first, last = Fraction(1, 3), Fraction(1, 6)
        estimate = [[first + last - half], [last - Fraction(1, 6)], [last / 2 - Fraction(1, 24)]]
        return (
            count_order([[Fraction(0)], [p.gamma + shift - half], third, [Fraction(1)]], 8 * ROUNDING),
            count_order([[Fraction(0)], *estimate], 0.0),
        )

    def _with(self, options: Mapping[str, object]) -> Self:
        chosen = self._read(options)
        stated = [name for name in ("alpha_m", "alpha_f") if chosen.get(name) is not None]
        if chosen.get("rho") is not None and stated:
            raise ModelError(f"Method {self.name}: give rho, or alpha_m and alpha_f, not both.")
        if chosen.get("rho") is not None:
            chosen |= {"alpha_m": None, "alpha_f": None}
        elif stated:
            chosen["rho"] = None
        found = replace(self, **chosen)
        for remark in found.parameters.remarks():
            warn(f"Method {self.name}: {remark}")
        return found

    def write_step(self, s: StepRecorder) -> None:
        generalized_alpha_step(
            s,
            self.parameters,
            is_index_3=self.is_index_3,
            keeps_values=self.predictor == "previous",
            has_estimate=self.has_estimate,
        )

    def write_first_values(self, s: StepRecorder) -> None:
        is_optimal = self.start == "optimal"
        generalized_alpha_start(s, self.parameters, is_index_3=self.is_index_3, is_optimal=is_optimal)
