"""Adams–Bashforth–Munthe-Kaas k-step methods with one evaluation per step, for velocities on Lie groups.

    σ_j = log(q_n⁻¹∘q_{n-j}),  j = 0, …, k-1                                  (1)
    σ̇_j = T⁻¹(σ_j) v_{n-j}                                                    (2)
    M v̇_n = -g(t_n, q_n, v_n)                                                 (3)
    β_j = ∫₀¹ Π_{i≠j} (s - τ_i)/(τ_j - τ_i) ds,  τ_j = (t_{n-j} - t_n)/h      (4)
    q_{n+1} = q_n∘exp(h Σ β_j σ̇_j),  v_{n+1} = v_n + h Σ β_j v̇_{n-j}         (5)

In local coordinates at q_n this is the Adams–Bashforth method for variable step sizes. The method history contains the
previous states. The classical Runge–Kutta–Munthe-Kaas method of order four takes the first k-1 steps and those after a
jump. All rotations from q_{n-k+1} on must stay below π, the limit of log; each step is restricted to a fraction of it.
Equation numbers refer to ``adams_bashforth.h``.

Source: [Faltinsen2001], with the increments from q_n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.family import Method, OwnArray
from symlie.runtime.methods.rkmk import Rkmk
from symlie.runtime.methods.stepper import weighted
from symlie.runtime.steps.program import Features
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder, count_order
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial

MOST_STEPS = 4
"""Largest number of steps, equal to the order of the starting method."""

Number = TypeVar("Number", float, Fraction)

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
class AdamsBashforth(Method):
    """Adams–Bashforth method in local coordinates, whose order is the number of steps."""

    tableau: AdamsTableau

    family: ClassVar[str] = "adams_bashforth"
    header: ClassVar[str] = "adams_bashforth.h"
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
        beta = weights(tau)
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
    def own(self) -> tuple[OwnArray, ...]:
        """Number of known steps, their lengths, and the states before them with v̇, latest first."""
        before = self.tableau.steps - 1
        return (
            OwnArray("count", 1),
            OwnArray("lengths", before),
            OwnArray("configurations", before, "storage"),
            OwnArray("velocities", before, "dimension"),
            OwnArray("accelerations", before, "dimension"),
        )

    def constants(self) -> list[str]:
        return [f"#define STEPS {self.tableau.steps}"]

    def step_files(self, features: Features) -> dict[str, str]:
        return _BEGIN.step_files(features)

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None
        m, k, t, q, v = stepper.mechanics, stepper.mechanics.kernels, state.t, state.q, state.v
        before = self.tableau.steps - 1
        parts = self.own_parts(m.layout)
        count, lengths = int(state.own[0]), state.own[parts["lengths"]]
        Q, V, V_dot = (
            state.own[parts[name]].reshape(before, -1) for name in ("configurations", "velocities", "accelerations")
        )
        # (3)
        acceleration, _ = stepper.stage(state, 0, t, q, v)
        if count < before:
            trial = _BEGIN.step(stepper, replace(state, acceleration=acceleration), h)
            trial.rhs_evaluations += int(state.acceleration is None)
        else:
            # (4)
            tau = [0.0]
            for length in lengths:
                tau.append(tau[-1] - float(length) / h)
            beta = np.array(weights(tau))
            # (1), (2)
            rates = [stepper.moving(m.coordinate_rate(q, v))]
            rates += [
                stepper.moving(k.inverse_tangent_operator(k.difference(q, Q[j]), m.coordinate_rate(Q[j], V[j])))
                for j in range(before)
            ]
            # (5)
            theta = h * weighted(beta, rates)
            end_v = v + h * weighted(beta, [acceleration, *V_dot])
            end_q = stepper.advance(q, theta)
            m.prescribe(t + h, end_q, end_v)
            trial = stepper.trial(state, end_q, end_v, [acceleration], 1, theta)
        stepper.check_chart(q, trial.increment, times=2 * before)
        head = np.array([min(count + 1, before), h])
        rows = [part for new, old in ((q, Q), (v, V), (acceleration, V_dot)) for part in (new, old[:-1].ravel())]
        trial.own = np.concatenate([head, lengths[:-1], *rows])
        return trial


def weights(tau: Sequence[Number]) -> list[Number]:
    """Return the weights (4): integrals of the Lagrange polynomials of the nodes τ over [0, 1]."""
    found = []
    for j, own in enumerate(tau):
        coefficients: list[Any] = [1 + 0 * own]
        for i, other in enumerate(tau):
            if i == j:
                continue
            scale = 1 / (own - other)
            shifted = [0 * own, *coefficients]
            for n, c in enumerate(coefficients):
                shifted[n] = shifted[n] - other * c
            coefficients = [scale * c for c in shifted]
        total = 0 * own
        for n, c in enumerate(coefficients):
            total = total + c / (n + 1)
        found.append(total)
    return found
