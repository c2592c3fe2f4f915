"""Taylor series of the stored components, the velocities and the multipliers.

    q' = S(q) v,   M(t, q) v' + B(t, q)ᵀ λ = -g(t, q, v),   B(t, q) v + b(t, q) = 0  (1)

For first-order states f(t, q, v, v', λ) replaces v; constraints do not depend on them. The series of stored components
converge as far as the series of v, while local coordinates become singular after a full turn. Coefficients are computed
recursively: let r_k and c_{k+1} be the coefficients of order k and k + 1 of M v' + g + Bᵀλ and B v + b without v'_k,
λ_k and v_{k+1},

    q_{k+1} = (S v)_k/(k + 1),   [M₀ B₀ᵀ; B₀ 0] [v'_k; λ_k] = [-r_k; -(k + 1) c_{k+1}],   v_{k+1} = v'_k/(k + 1)  (2)

One matrix serves all orders, and λ loses no order. A step ends with Σ q_k h^k, normalised onto the groups; with
constraints, one Newton step for Φ and B v + b with the matrix at the end follows.

The cost of a step is about linear in its order up to thirty, and its length is (τ/‖x_N‖)^(1/N) for a tolerance τ, so
that N = -ln τ is optimal, with steps of 1/e of the radius of convergence, and `PART_OF_ORDER` of it for run-time
topologies; above `BEST_ORDER` shorter steps replace higher orders. The step size follows from the last `LAST_TERMS`
terms of q and of v separately; some of them vanish for motions with a symmetry in time. Near a pole or a discontinuity
the remainder estimate of a series is unreliable, so the rates at the end decide on acceptance: h/N times the difference
between the rates of the series and those of the series that starts there is the error of a step. Coefficients of
order k are multiplied by the k-th power of a unit of time near the length of the step
(`symlie.runtime.methods.series_at`): they stay in the range of doubles for any unit of time of a model.

Source: [Jorba2005], for the choice of orders and steps; their value of N is changed here, since a step costs less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import (
    LAST_TERMS,
    LENGTHS,
    MOST_ORDER,
    MOST_PARTS,
    MOST_PIECES,
    REJECTED_STEP,
    ROUNDED,
    ROUNDING,
    STRETCH,
)
from symlie.errors import ChatteringError, ModelError
from symlie.runtime.kernels.series import EventPiece, Series
from symlie.runtime.kernels.series_reach import find_reach, proposed_step
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.options import Bounded
from symlie.runtime.methods.series_at import found_series, root_in_seconds, series_of
from symlie.runtime.methods.series_convergence import check_rates, divergence_named
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial
    from symlie.runtime.system.mechanics import Mechanics

LEAST_ORDER = 4
"""Smallest order of a run; the largest one is `MOST_ORDER`."""

BEST_ORDER = 24
"""Largest order chosen from a tolerance. Beyond it shorter steps cost as much as higher orders, and their terms, which
determine the rounding error of the step, are smaller: for exp(iωt) with a tolerance of 1e-15 they are at most three
times their sum, whereas terms of order 35 are thirty times the sum."""

PART_OF_ORDER = 0.75
"""Fraction of the order -ln τ if nodes and elements fill registers: there, sums of products dominate the cost of a
step, their number is quadratic in the order, and their factors exceed the cache."""

LEAST_TOLERANCE = 2.0**-52
"""Smallest tolerance, the resolution of doubles."""

ORDER = Bounded(LEAST_ORDER, MOST_ORDER, is_whole=True, may_be_missing=True)
"""Range of the option."""


@dataclass(frozen=True, repr=False)
class Taylor(Method):
    """Taylor series method."""

    stated_order: int | None = None
    """User-defined order; None: determined by the tolerance, or with fixed steps by the tableau."""

    family: ClassVar[str] = "taylor"
    header: ClassVar[str] = "taylor.h"
    option_values: ClassVar[Mapping[str, str]] = {"order": ORDER.text}
    members: ClassVar[str] = "taylor"
    refused: ClassVar[tuple[str, ...]] = ("dependent nodes together with constraints of configurations and velocities",)
    takes_constraints: ClassVar[bool] = True
    takes_coordinate_rates: ClassVar[bool] = True
    chooses_length: ClassVar[bool] = True
    is_polynomial: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        return cls(Tableau(**reader.common(), c=()))

    @property
    def order(self) -> int:
        return self.tableau.order if self.stated_order is None else self.stated_order

    @property
    def has_estimate(self) -> bool:
        return True

    @property
    def is_free_of_commutators(self) -> bool:
        return True

    @property
    def options(self) -> dict[str, object]:
        return {"order": self.stated_order}

    def _with(self, options: Mapping[str, object]) -> Self:
        return replace(self, stated_order=ORDER.read(self.name, "order", options["order"]))

    def for_run(self, layout: Layout, tolerance: float | None) -> Self:
        if tolerance is not None and tolerance < LEAST_TOLERANCE:
            raise ModelError(
                f"The tolerance {tolerance:g} is below {LEAST_TOLERANCE:.2g}, the spacing of doubles at one; "
                "use a larger one."
            )
        if self.stated_order is not None or tolerance is None:
            return replace(self, stated_order=self.order)
        part = 1.0 if layout.is_fixed else PART_OF_ORDER
        best = math.ceil(-part * math.log(tolerance))
        return replace(self, stated_order=min(max(best, LEAST_ORDER), BEST_ORDER))

    @property
    def remark(self) -> str:
        return f"from {LEAST_ORDER} to {MOST_ORDER}, chosen by tolerance, or specified"

    def refusal(self, layout: Layout) -> str | None:
        if not (layout.has_dependents and layout.of_velocities.any()):
            return super().refusal(layout)
        return (
            f"Method '{self.name}' does not integrate '{layout.name}', because it has dependent nodes together with "
            "constraints of configurations or velocities; use half_explicit_5 or index1_dopri5."
        )

    @property
    def kernel_set(self) -> str:
        return "jets"

    def constants(self) -> list[str]:
        return [
            "#define POLYNOMIAL 1",
            "#define CHOOSES_LENGTH 1",
        ]

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        m, control = stepper.mechanics, stepper.control
        begin = series_of(stepper, self.order, h, state.t, state.q, state.v, state.multipliers)
        trial = stepper.trial(state, state.q, state.v, [begin.first_rates()[1]], self.order, np.zeros_like(state.v))
        trial.rhs_evaluations = 0 if state.acceleration is not None else self.order
        done = 0.0
        for _ in range(MOST_PIECES + 2 * begin.conditions.shape[1]):
            start, rest = state.t + done, h - done
            with divergence_named(control, begin, rest):
                longest, length = self._piece(stepper, start, begin, rest)
            proposed = proposed_step(longest, begin.reach)
            if control.is_adaptive and not rest <= proposed * STRETCH:
                trial.factor, trial.error, trial.is_untried = (done + proposed) / h, 2.0, not done
                return trial
            is_last = not length < rest
            end = state.t + h if is_last else state.t + (done + length)
            with divergence_named(control, begin, length):
                trial.q, trial.v, trial.multipliers = self._reached(stepper, start, begin, length)
                # No step follows at the end of a run, so the rates that determine the error suffice.
                find, order = (found_series, 1) if is_last and stepper.ends_run else (series_of, self.order)
                after = find(stepper, order, h, end, trial.q, trial.v, trial.multipliers)
            check_rates(control, begin, after, length)
            theta = begin.moved(length, after, stepper.system.layout.has_angles)
            trial.increment = trial.increment + theta
            trial.rhs_evaluations += order
            if control.with_estimate:
                trial.error = max(trial.error, self._error(stepper, start, begin, after, length, theta))
            if is_last:
                break
            begin, done = after, done + length
        else:
            raise ChatteringError("A force chatters")
        if stepper.system.layout.of_velocities.any():
            stepper.measure(trial, end, trial.q, trial.v, m.jacobian(end, trial.q, trial.v))
        trial.multipliers, trial.acceleration = after.multipliers[0], after.first_rates()[1]
        if control.is_adaptive:
            trial.factor = REJECTED_STEP
            if trial.error <= 1 and stepper.ends_run:
                trial.factor = 1.0
            elif trial.error <= 1:
                longest = self._longest_step(stepper, after)
                self._find_reach(stepper, end, after, longest * STRETCH)
                trial.factor = proposed_step(longest, after.reach) / h
        return trial

    def event_piece(self, stepper: Stepper, state: State, rest: float) -> EventPiece | None:
        series = series_of(stepper, self.order, rest, state.t, state.q, state.v, state.multipliers)
        if series.events is None:
            return None
        _, length = self._piece(stepper, state.t, series, rest)
        return EventPiece(
            length, series.unit, series.events, LAST_TERMS, lambda at: self._reached(stepper, state.t, series, at)
        )

    def _piece(self, stepper: Stepper, t: float, series: Series, rest: float) -> tuple[float, float]:
        """Return the longest step from a series, and the part of the remaining step for which it is valid, in s."""
        longest = self._longest_step(stepper, series) if stepper.control.is_adaptive else math.inf
        self._find_reach(stepper, t, series, longest * STRETCH if longest < math.inf else rest)
        beyond = series.reach.beyond
        return longest, rest if rest <= beyond * (1 + 4 * ROUNDING) else beyond

    def _reached(self, stepper: Stepper, t: float, series: Series, length: float) -> tuple[Array, Array, Array]:
        """Return q, v and λ at a given length."""
        m = stepper.mechanics
        stored, v, multipliers = series.sums(length)
        stepper.check("velocity", v)
        q = m.kernels.normalize(stored)
        m.prescribe(t + length, q, v)
        if stepper.system.layout.of_velocities.any():
            q, v = self._on_constraints(stepper, t + length, q, v)
        if m.layout.has_unwrapped:
            self._follow_turns(m, t, series, length, q, v)
        return q, v, multipliers

    @staticmethod
    def _follow_turns(m: Mechanics, t: float, series: Series, length: float, q: Array, v: Array) -> None:
        """Store the unwrapped angles at a given length in q, following the polynomial in increments of about one
        radian."""
        angles, k = m.layout.unwrapped, m.kernels
        ends = (t, series.q[0], series.v[0]), (t + length, q, v)
        turns = max(float(np.abs(k.unwrapped_rate(m.p, *end)).max()) for end in ends) * length
        parts = 1 + int(min(turns, MOST_PARTS))
        before = series.q[0][angles]
        for i in range(1, parts + 1):
            at = q if i == parts else k.normalize(series.sums(i * length / parts)[0])
            at[angles] = before
            before = k.unwrapped(m.p, t + i * length / parts, at)
        q[angles] = before

    def _near(self, stepper: Stepper, t: float, series: Series, length: float) -> Series:
        """Return a series of order one about the state of another series at a given length."""
        return found_series(stepper, 1, series.unit, t + length, *self._reached(stepper, t, series, length))

    def _find_reach(self, stepper: Stepper, t: float, series: Series, length: float) -> None:
        if series.conditions.shape[1]:
            find_reach(series, length, lambda at: self._near(stepper, t, series, at).conditions[0])

    @staticmethod
    def _on_constraints(stepper: Stepper, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Apply one Newton step for Φ, and one for B v + b at the new q; without the latter, errors would grow from
        step to step."""
        m = stepper.mechanics
        delta = m.along_constraints(t, q, m.jacobian(t, q, v), -m.constraint(t, q))
        q = m.kernels.normalize(m.moved(q, delta))
        B = m.jacobian(t, q, v)
        return q, v + m.along_constraints(t, q, B, -m.hidden_residual(t, q, v, B))

    def _longest_step(self, stepper: Stepper, series: Series) -> float:
        """Return the longest step size for which the last terms are within the tolerance, in s."""
        control, n, order = stepper.control, len(series.v[0]), self.order
        tau, speed = control.tolerance, np.abs(series.v[0])
        scale = control.atol[n:] + control.rtol[n:] * speed
        last = range(order, order - LAST_TERMS, -1)

        def bounded(h: float, sizes: list[float]) -> float:
            bounds = [root_in_seconds(tau * x, i, series.unit) for i, x in zip(last, sizes, strict=True) if x > 0]
            return float(min([h, *(tau ** (1 / order) * bound for bound in bounds)]))

        h = bounded(math.inf, [float(np.sqrt(np.sum(control.weight[n:] * (series.v[i] / scale) ** 2))) for i in last])
        span = min(h, control.h_max)
        scale = control.atol[:n] + control.rtol[:n] * np.abs(series.w[0]) * (span if span < math.inf else 0.0)
        h = bounded(h, [stepper.stored_size(series.q[i], scale) for i in last])
        # The result is rounded to few digits, since the last terms do not determine more.
        part, power = math.frexp(h)
        return math.ldexp(math.floor(LENGTHS * part) / LENGTHS, power) if h < math.inf else h

    def _error(self, stepper: Stepper, t: float, begin: Series, after: Series, length: float, theta: Array) -> float:
        """Estimate the error of a part of a step from the rates at its end, or at the last point where its branches are
        valid."""
        control, before = stepper.control, min(length, begin.reach.before)
        if not before > 0:
            return 0.0
        there = after if before == length else self._near(stepper, t, begin, before)
        error = self._error_by_rates(stepper, begin, there, before, theta)
        if not (control.is_adaptive and error > 1 and error * control.tolerance <= ROUNDED):
            return error
        middle = self._near(stepper, t, begin, before / 2)
        of_half = self._error_by_rates(stepper, begin, middle, before / 2, theta)
        return 1.0 if of_half > math.ldexp(error, -(self.order // 2)) else error

    def _error_by_rates(self, stepper: Stepper, begin: Series, after: Series, h: float, theta: Array) -> float:
        """Return the norm, relative to the tolerances, of h/N times the difference between the rates at a length and
        the rates of the series."""
        control, n, part = stepper.control, len(begin.v[0]), h / self.order
        (of_q, of_v), (q_1, v_1) = begin.rates(h), after.first_rates()
        scale = control.atol[:n] + control.rtol[:n] * np.abs(theta)
        stored = stepper.stored_size(part * (of_q - q_1), scale)
        scale = control.atol[n:] + control.rtol[n:] * np.maximum(np.abs(begin.v[0]), np.abs(after.v[0]))
        velocity = part * (of_v - v_1) / scale
        return max(stored, float(np.sqrt(np.sum(control.weight[n:] * velocity**2))))
