"""Generalized-α methods on Lie groups, in index-3 or stabilised index-2 form.

    q_{n+1} = q_n∘exp(θ)                                                              (a)
    w = θ + B_nᵀ η   (index 3 and without constraints: w = θ)                         (b)
    a_{n+1} = (w/h - v_n - h (1/2 - β) a_n)/(h β)                                     (1)
    v_{n+1} = v_n + h (1 - γ) a_n + h γ a_{n+1}                                       (2)
    (1 - α_f) v̇_{n+1} + α_f v̇_n = (1 - α_m) a_{n+1} + α_m a_n                        (3)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (c)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (d)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)     (e)

Newton's method computes θ, λ and η. The method starts with

    a_0 = v̇_0 + (α_m - α_f) h v̈_0                                                    (4)
    B_0 δv = B_0 ((1 - 6β - 3(α_m - α_f)) h² v̈_0/6 + h² [v_0, v̇_0]/12)               (5)

where δv = M⁻¹Bᵀμ is added to v_0 in index-3 form only. v̈_0 is a derivative from the right. If the step size changes to
r h,

    a_n ← v̇_n + r (a_n - v̇_n),   v_n ← v_n + (r² - 1) δ,   B δ = B v_n + b            (6)

with δ = M⁻¹Bᵀμ, in index-3 form only. The error is estimated by

    θ̂ = h (v_n - δ) + h² (v̇_n/3 + v̇_{n+1}/6) + h³ [v_n, v̇_n]/12                      (7)

of order three, with the true accelerations instead of a_n and a_{n+1}. By (3), a_n = v̇_n + Δ h v̈_n + O(h²) with Δ =
α_m - α_f, so that (1) gives

    θ̂ - θ = h³ ((1/6 - β - Δ/2) v̈_n + [v_n, v̇_n]/12) + O(h⁴)

without its component normal to Φ = 0, where the step is exact: index 3 subtracts δ, and index 2 includes η in θ. This
is the local error of θ. Stable parameters have β + Δ/2 ≥ 1/4, so that the factor of v̈_n is -1/12 or less. The local
error of v, h³ (1/6 - c - γ (1/2 + Δ)) v⃛_n with c = (1 - α_f)/2 - (1 - α_m)(1/2 + Δ), is not part of the estimate: for
a motion of frequency ω it is as large as that of θ relative to θ, times h ω; accelerations at three times would show
it, but in index-3 form their rounding grows like 1/h². With parameters of order one it is O(h²), and no estimate is
available.

For first-order states θ follows from first-order generalized-α of the same ρ,

    θ = h (1 - γ') ζ_n + h γ' ζ_{n+1}                                                 (8)
    (1 - α_f) ż_{n+1} + α_f ż_n = (1 - α_m') ζ_{n+1} + α_m' ζ_n                       (9)
    ż_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, v̇_{n+1}, λ_{n+1})                          (f)
    θ̂ = h (ż_n + ż_{n+1})/2 - h³/6 (D_{n+1} - D_n)/(h + h_n) + h³ [ż_n, D_{n+1}]/12   (10)

with γ' = 1 - α_f, α_m' = 2 α_f - 1/2 and D_{n+1} = (ż_{n+1} - ż_n)/h. (6) holds with ż and ζ. The method starts with
ζ_0 = ż_0, which is more robust than (4) for fast transients, and D_0 = z̈_0. ż is stored in v̇, ζ in a, and D in the
array of the perturbations of v_n. Equation numbers refer to ``generalized_alpha.h``; ``alpha_formula.py`` contains
(1) to (3) and (6) to (10), ``implicit_step.py`` the equations with letters.

Source: [Holzinger2024], equations 33 to 43 and algorithms 4 and 5; [Hante2022], section 5; (4), (5): [Arnold2016];
[Bruls2012]; (8), (9): [Jansen2000]; (7) is the estimate of Zienkiewicz and Xie, for Lie groups and with true
accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import DERIVATIVE_STEP, ROUNDING
from symlie.errors import ModelError
from symlie.runtime.implicit.alpha_formula import AlphaFormula
from symlie.runtime.implicit.alpha_parameters import PARAMETERS, Parameters, parameters_of
from symlie.runtime.implicit.implicit_step import without_traces
from symlie.runtime.kernels.c_text import c_number
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import OwnArray
from symlie.runtime.methods.implicit import MATRIX_OPTIONS, NEWTON_OPTIONS, Implicit, ImplicitTableau
from symlie.runtime.methods.options import Bounded, Choice, Option
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order
from symlie.warnings import warn

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


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
class GeneralizedAlpha(Implicit):
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
    header: ClassVar[str] = "generalized_alpha.h"
    stated_options: ClassVar[Mapping[str, Option]] = OPTIONS
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in OPTIONS.items()}
    members: ClassVar[str] = "generalized_alpha and generalized_alpha_index2"

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        index = reader.required_integer("index")
        return cls(ImplicitTableau(**{**reader.common(), "order": 2, "order_hat": 3}, c=(), index=index))

    @property
    def parameters(self) -> Parameters[float]:
        """α_m, α_f, β and γ."""
        return parameters_of(vars(self), 1.0)

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

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """Length of the previous step, v̇_n, a_n, perturbation of v_n; record of the arguments of stored factors."""
        return (
            OwnArray("length", 1),
            OwnArray("acceleration", 1, "dimension"),
            OwnArray("algorithmic", 1, "dimension"),
            OwnArray("perturbation", 1, "dimension"),
            *self.record_arrays,
        )

    def constants(self) -> list[str]:
        p = self.parameters
        numbers = {"ALPHA_M": p.alpha_m, "ALPHA_F": p.alpha_f, "BETA": p.beta, "GAMMA": p.gamma}
        choices = {"OPTIMAL_START": self.start == "optimal", "PREVIOUS": self.predictor == "previous"}
        return [
            *(f"#define {name} {c_number(value)}" for name, value in numbers.items()),
            *(f"#define {name} {int(value)}" for name, value in choices.items()),
            *super().constants(),
        ]

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        m, p = stepper.mechanics, self.parameters
        layout = m.layout
        acceleration, multipliers = _rates(stepper, state.t, state.q, state.v, state.multipliers)
        own = np.zeros(self.own_size(m.layout))
        parts = self.own_parts(m.layout)
        own[0], own[parts["acceleration"]], own[parts["algorithmic"]] = h, acceleration, acceleration
        if self.start == "plain" and not layout.has_fields:
            return own
        moving = np.where(layout.has_velocity, state.v, acceleration)
        d = DERIVATIVE_STEP * h
        later = []
        for k in (1, 2):
            q, v = m.kernels.advance(state.q, k * d * stepper.moving(moving)), state.v + k * d * acceleration
            m.prescribe(state.t + k * d, q, v)
            later.append(_rates(stepper, state.t + k * d, q, v, multipliers)[0])
        jerk = (-3 * acceleration + 4 * later[0] - later[1]) / (2 * d)
        if self.start == "optimal":
            # (4)
            own[parts["algorithmic"]] += layout.has_velocity * ((p.alpha_m - p.alpha_f) * h * jerk)
        if self.start == "optimal" and stepper.rows and self.is_index_3:
            # (5)
            B = m.jacobian(state.t, state.q, state.v)
            bracket = m.kernels.bracket(state.v, acceleration)
            wanted = h**2 * ((1 - 6 * p.beta - 3 * (p.alpha_m - p.alpha_f)) * jerk / 6 + bracket / 12)
            c = m.algebra.multiply(B, wanted)
            if layout.has_fields:
                # Dense output starts at ends of steps, where velocities violate the hidden constraint.
                c = c - m.hidden_residual(state.t, state.q, state.v, B)
            own[parts["perturbation"]] = m.along_constraints(state.t, state.q, B, layout.holonomic * c)
        own[parts["perturbation"]] = np.where(layout.has_velocity, own[parts["perturbation"]], jerk)
        return own

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None
        layout = stepper.system.layout
        places = self.own_parts(layout)
        formula = AlphaFormula(
            self.parameters,
            stepper.mechanics,
            state.t,
            state.q,
            state.v,
            {name: state.own[part] for name, part in places.items()},
            h,
            is_off=self.is_index_3 and layout.rows > 0,
            with_estimate=stepper.control.with_estimate,
        )
        keeps = self.predictor == "previous"
        predicted = formula.predicted(keeps * formula.before)
        step, at, trial = self.solved(stepper, state, h, formula, predicted, keeps * state.multipliers)
        algorithmic, slope = map(without_traces, (formula.algorithmic(at.w), formula.slope(at.acceleration)))
        trial.own = np.concatenate(
            [
                [h],
                without_traces(at.acceleration),
                algorithmic,
                slope,
                step.record_after(stepper.newton.iterations, renews=self.renews_factors),
            ]
        )
        if stepper.control.with_estimate:
            trial.estimate(stepper.control, at.theta, formula.third_order(at.acceleration), state.v, at.v, at.v)
        return trial


def _rates(stepper: Stepper, t: float, q: Array, v: Array, multipliers: Array) -> tuple[Array, Array]:
    """Return v̇ and λ at a state; for first-order states v̇ is f."""
    acceleration, multipliers = stepper.acceleration(t, q, v, multipliers)
    layout = stepper.system.layout
    if layout.has_fields:
        rate = stepper.mechanics.field(t, q, v, acceleration, multipliers)
        acceleration = np.where(layout.has_velocity, acceleration, rate)
    return acceleration, multipliers
