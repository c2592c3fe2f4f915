"""BDF of orders one to five on Lie groups, in index-3 or stabilised index-2 form, in local coordinates at the new
point.

    q_{n+1} = q_n∘exp(θ)                                                              (a)
    w = θ + B_{n+1}ᵀ η   (index 3 and without constraints: w = θ)                     (b)
    θ_i = log(q_{n+1}⁻¹∘q_{n+1-i}),  i = 1, …, k;  θ_1 = -θ                           (1)
    h v_{n+1} = Σ_{i≥1} α_i θ_i + α_0 (w - θ)                                         (2)
    h v̇_{n+1} = Σ_{i≥0} α_i v_{n+1-i}                                                 (3)
    α_i = d/dτ Π_{j≠i} (τ - τ_j)/(τ_i - τ_j) at τ = 0,  τ_i = (t_{n+1-i} - t_{n+1})/h   (4)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (c)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (d)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)     (e)

The local coordinates at the new point are log(q_{n+1}⁻¹∘q), where T is 1: the rate of the polynomial through the θ_i is
v_{n+1}, and no order needs commutators. (4) holds for variable step sizes. For first-order states the right-hand side
of (2) divided by h is their rate,

    ż_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, v̇_{n+1}, λ_{n+1})                          (f)

Newton's method computes θ, λ and η. The derivative of v by a change q∘exp(δ) is γ' Σ_{i≥1} -(α_i/α_0) T⁻¹(-θ_i) with γ'
= α_0/h, which is γ' T⁻¹(m) up to products of the θ_i, where m = θ + Σ_{i≥2} α_i/α_0 log(q_n⁻¹∘q_{n+1-i}). Only θ is
unknown at the start of a step. The Newton matrix uses T⁻¹(m) δ instead of dθ.

θ_i is the log of a group element relative to q_{n+1}, computed from the element relative to q_n: these elements are
close to the identity, while differences of configurations would have the rounding of configurations.

``half_explicit_5`` takes the first steps and those after a jump, in substeps so short that halving them changes
velocities by at most `START_TOLERANCE`, or by less than the resolution of configuration differences. In index-3 form
the method history contains the velocities of (2), computed from the configurations: with the accurate velocities λ
would lose an order. The first 2 k - 1 steps are starting steps there, otherwise k - 1. In index-3 form λ has order k -
1 for k steps after each change of h. All rotations from q_{n-k+1} on must stay below π, the limit of log; each step is
restricted to a fraction of it. Equation numbers refer to ``bdf.h``; ``bdf_formula.py`` contains (1) to (4),
``implicit_step.py`` the equations with letters.

Source: [Gear1985]; for Lie groups [Wieloch2021], here in the coordinates of the new point.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import MOST_PARTS, ROUGH_PARTS, ROUGH_START, ROUNDING, START_TOLERANCE
from symlie.errors import NotConvergedError, NotFiniteError, OutsideChartError
from symlie.runtime.implicit.bdf_formula import BdfFormula, derivative_weights, history_at
from symlie.runtime.implicit.implicit_step import without_traces
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import OwnArray
from symlie.runtime.methods.half_explicit import HalfExplicit
from symlie.runtime.methods.implicit import Implicit, ImplicitTableau
from symlie.runtime.steps.program import Features
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial

MOST_STEPS = 5
"""Largest number of steps with a stable formula."""

REFUSED_STATES = "first-order states on spaces other than R(n)"
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
class Bdf(Implicit):
    """BDF of fixed order, which is the number of steps."""

    tableau: BdfTableau

    family: ClassVar[str] = "bdf"
    header: ClassVar[str] = "bdf.h"
    members: ClassVar[str] = "bdf1, …, bdf5 and their forms of index 2"
    refused: ClassVar[tuple[str, ...]] = (*Implicit.refused, REFUSED_STATES)

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
    def own(self) -> tuple[OwnArray, ...]:
        """Number of known steps, their lengths, previous points relative to q_n, velocities, and v̇_n; latest first."""
        k = self.tableau.steps
        return (
            OwnArray("count", 1),
            OwnArray("lengths", k),
            OwnArray("increments", k - 1, "dimension"),
            OwnArray("elements", k - 1, "storage"),
            OwnArray("velocities", k, "dimension"),
            OwnArray("acceleration", 1, "dimension"),
            *self.record_arrays,
        )

    def constants(self) -> list[str]:
        return [f"#define STEPS {self.tableau.steps}", *super().constants()]

    def step_files(self, features: Features) -> dict[str, str]:
        return self.tableau.start.step_files(features)

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        own = super().begin(stepper, state, h)
        parts = self.own_parts(stepper.system.layout)
        n = len(state.v)
        own[parts["velocities"].start : parts["velocities"].start + n] = state.v
        own[parts["elements"]] = no_elements(stepper, self.tableau.steps - 1)
        return own

    def _is_scheme(self, stepper: Stepper) -> bool:
        """Return whether the method history contains the velocities of (2)."""
        return self.is_index_3 and stepper.rows > 0

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None and stepper.further is not None
        layout, k = stepper.system.layout, self.tableau.steps
        places = self.own_parts(layout)
        count, lengths = int(state.own[0]), state.own[places["lengths"]]
        increments = state.own[places["increments"]].reshape(k - 1, layout.dimension)
        elements = state.own[places["elements"]].reshape(k - 1, layout.storage)
        V = state.own[places["velocities"]].reshape(k, -1)
        before = state.own[places["acceleration"]]
        record = state.own[places["acceleration"].stop :]
        formula = None
        if count >= k - 1:
            known = lengths[: k - 1], increments, elements, V, before
            formula = BdfFormula(layout, stepper.further, h, *known, k)
        begins = 2 * k - 1 if self._is_scheme(stepper) else k - 1
        if formula is None or count < begins:
            trial = self._start(stepper, state, h)
            v, theta = trial.v, stepper.further.increment(state.q, trial.q)
            acceleration = before if trial.acceleration is None else trial.acceleration
            if formula is not None:
                v = formula.at(theta, theta)[0]
        else:
            step, at, trial = self.solved(
                stepper, state, h, formula, formula.predicted(), state.multipliers, formula.before
            )
            v, theta, acceleration, record = (
                trial.v,
                at.theta,
                without_traces(at.acceleration),
                step.record_after(stepper.newton.iterations, renews=self.renews_factors),
            )
        stepper.check_chart(state.q, trial.increment, times=2 * k)
        head = np.array([min(count + 1, begins), h])
        moved = [rows[: k - 1].ravel() for rows in history_at(stepper.further, theta, elements)]
        trial.own = np.concatenate([head, lengths[:-1], *moved, v, V[:-1].ravel(), acceleration, record])
        return trial

    def _start(self, stepper: Stepper, state: State, h: float) -> Trial:
        """Take a step by the starting method in sufficiently short substeps; a step across a switch may be
        inaccurate."""
        parts, coarse = 1, self._in_parts(stepper, state, h, 1)
        while parts < MOST_PARTS:
            parts *= 2
            fine = self._in_parts(stepper, state, h, parts)
            if fine is not None and coarse is not None:
                largest = max(float(np.abs(trial.v).max(initial=0)) for trial in (coarse, fine))
                unseen = ROUNDING * float(np.abs(fine.q).max(initial=0)) / h
                is_rough = stepper.may_be_rough and parts >= ROUGH_PARTS and _is_over_switch(stepper, state, h, fine)
                tolerance = ROUGH_START if is_rough else START_TOLERANCE
                if float(np.abs(fine.v - coarse.v).max(initial=0)) <= max(tolerance * largest, unseen):
                    fine.is_rough = is_rough
                    return fine
            coarse = fine
        raise NotConvergedError(
            f"The first step of {self.name} in {MOST_PARTS} parts, by {self.tableau.start.name}, does not agree with "
            "that in half as many"
        )

    def _in_parts(self, stepper: Stepper, state: State, h: float, parts: int) -> Trial | None:
        """Take the step in equal substeps; return None if shorter substeps may avoid the failure."""
        at, length, trials = state, h / parts, []
        for part in range(parts):
            try:
                trial = self.tableau.start.step(stepper, at, length)
            except (NotFiniteError, OutsideChartError):
                return None
            if not np.isfinite(np.concatenate([trial.q, trial.v, trial.multipliers])).all():
                return None
            trials.append(trial)
            t = state.t + (part + 1) * length
            at = replace(at, t=t, q=trial.q, v=trial.v, multipliers=trial.multipliers, acceleration=trial.acceleration)
        trial.increment = stepper.mechanics.kernels.difference(state.q, trial.q)
        trial.first_acceleration = trials[0].first_acceleration
        trial.rhs_evaluations = sum(trial.rhs_evaluations for trial in trials)
        return trial


def _is_over_switch(stepper: Stepper, state: State, h: float, trial: Trial) -> bool:
    """Return whether a switching function has a different sign at the end of a step."""
    m = stepper.mechanics
    before, after = (
        m.kernels.switches(m.p, t, q, v) > 0
        for t, q, v in ((state.t, state.q, state.v), (state.t + h, trial.q, trial.v))
    )
    return not np.array_equal(before, after)


def no_elements(stepper: Stepper, count: int) -> Array:
    """Return the group elements at the start of a run, where all previous points coincide with the initial one."""
    assert stepper.further is not None
    return np.tile(stepper.further.exponential(np.zeros(stepper.system.layout.dimension)), count)


def order_of_steps(steps: int) -> FoundOrder:
    """Return the order of the formula with a number of equal steps."""
    tau = [Fraction(-i) for i in range(steps + 1)]
    alpha = derivative_weights(tau)
    moments = [sum((a * x**m for a, x in zip(alpha, tau, strict=True)), Fraction(0)) for m in range(1, 8)]
    return count_order([[x - int(m == 0)] for m, x in enumerate(moments)], 0.0)


def refusal_of_states(name: str, layout: Layout) -> str | None:
    """Return why a BDF method cannot integrate the first-order states of a model, or None."""
    moved = [n.type.name for n in layout.nodes if not n.type.velocities]
    if all(re.fullmatch(r"R\d+(_left|_right)?", space) for space in moved):
        return None
    return (
        f"Method '{name}' supports first-order states in R(n) only, but nodes of '{layout.name}' are first-order "
        "states on other spaces; use generalized_alpha or half_explicit_5."
    )
