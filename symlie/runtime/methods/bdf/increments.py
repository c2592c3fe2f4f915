"""BDF of order two in increments, in index-3 or stabilised index-2 form: the scheme of the literature on rods.

    q_{n+1} = q_n∘exp(θ_{n+1})                                                        (a)
    w = θ_{n+1} + B_nᵀ η   (index 3 and without constraints: w = θ_{n+1})             (b)
    v_{n+1} = (1 + r) w/h - r θ_n/h_n                                                 (1)
    h v̇_{n+1} = α_0 v_{n+1} + α_1 v_n + α_2 v_{n-1}                                   (2)
    r = h/(h + h_n);  α_i are the weights of BDF2 for the times of three steps        (3)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (c)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (d)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)     (e)

Equal steps have r = 1/2 and α = (3/2, -2, 1/2). The first step, and those after a jump, have r = 0 and α = (1, -1). θ_n
is the increment without η. The difference to `symlie.runtime.methods.bdf.fixed` has the size of the error and consists
of commutators of θ_{n+1} and θ_n; configurations before q_n are not used. Equation numbers refer to
``bdf_increments.h``; ``bdf_increments_formula.py`` contains (1) to (3), ``implicit_step.py`` the equations with
letters.

Source: [Wieloch2021]; [Hante2022], section 5, stabilised as in [Gear1985].
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.runtime.implicit.bdf_increments_formula import BdfIncrementsFormula
from symlie.runtime.implicit.implicit_step import without_traces
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import OwnArray
from symlie.runtime.methods.implicit import Implicit, ImplicitTableau
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, repr=False)
class BdfIncrements(Implicit):
    """BDF of order two in increments."""

    family: ClassVar[str] = "bdf_increments"
    header: ClassVar[str] = "bdf_increments.h"
    members: ClassVar[str] = "bdf2_increments and bdf2_increments_index2"
    refused: ClassVar[tuple[str, ...]] = (*Implicit.refused, "first-order states")

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        index = reader.required_integer("index")
        return cls(ImplicitTableau(**{**reader.common(), "order": 2}, c=(), index=index))

    def orders(self) -> tuple[FoundOrder, None]:
        """Return order two: (1) is exact for velocities that are linear in time, with v ≈ θ_{n+1}/h at the midpoint,
        and (2) for quadratic ones."""
        half = Fraction(1, 2)
        levels = [[Fraction(3, 2) - half - 1], [Fraction(3, 2) * -half - half * -3 * half], [Fraction(1, 4)]]
        return count_order(levels, 0.0), None

    def refusal(self, layout: Layout) -> str | None:
        if (found := super().refusal(layout)) or not layout.has_fields:
            return found
        return (
            f"Method '{self.name}' integrates velocities on Lie groups, but nodes of '{layout.name}' are first-order "
            "states; use generalized_alpha or half_explicit_5."
        )

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """Length of the previous step, or zero; θ_n, v_{n-1} and v̇_n."""
        return (
            OwnArray("length", 1),
            OwnArray("increment", 1, "dimension"),
            OwnArray("earlier", 1, "dimension"),
            OwnArray("acceleration", 1, "dimension"),
            *self.record_arrays,
        )

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        own = super().begin(stepper, state, h)
        acceleration = stepper.acceleration(state.t, state.q, state.v, state.multipliers)[0]
        own[self.own_parts(stepper.system.layout)["acceleration"]] = acceleration
        return own

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None
        places = self.own_parts(stepper.system.layout)
        length = float(state.own[0])
        increment, earlier, before = (state.own[places[name]] for name in ("increment", "earlier", "acceleration"))
        formula = BdfIncrementsFormula(state.v, h, length, increment, earlier, before)
        step, at, trial = self.solved(stepper, state, h, formula, formula.predicted(state.v), state.multipliers)
        trial.own = np.concatenate(
            [
                [h],
                at.theta,
                state.v,
                without_traces(at.acceleration),
                step.record_after(stepper.newton.iterations, renews=self.renews_factors),
            ]
        )
        return trial
