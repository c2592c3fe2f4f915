"""BDF on Lie groups of variable order and step size, in stabilised index-2 form.

A step of order k uses (1) to (4) of ``bdf.py`` with the actual step sizes. The method starts with order one;
q_0∘exp(-h v_0 + h² v̇_0/2) and v_0 - h v̇_0 replace the unknown previous point. The error that a step of order k adds
to θ, and likewise to v, is

    h Π_{i=1..k} (t_{n+1} - t_{n+1-i})

times the divided difference of order k + 1 of the θ_i over t_{n+1}, …, t_{n-k}: since T is 1, they are the same as in
vector spaces. This is the defect of (2) times h; the error at the end of the step itself is a fraction 1/α_0 of it. The
tolerances refer to the span of the formula instead of one step: θ_k contains the errors of k steps, so k times this
value is compared. Errors accumulate from step to step. From k + 2 previous configurations, the errors for any step size
and for orders k - 1, k and k + 1 are known, and the method chooses the order with the longest step. Order and step size
remain unchanged for k + 1 steps, unless the next step would be rejected, and also if the step size could grow by at
most a fifth, so that the formulas are stable and factorisations can be reused. The ratio of successive differences of
an oscillation gives its phase per step. An unresolved oscillation that limits the step size is damped with order two,
since orders above two may amplify it. Differences next to the start give no information on oscillations. There, errors
of order one are multiplied by `FIRST_ERRORS`, since they add up over several steps.

The start of a step that is shortened to reach a time is omitted from the history if two points would be closer than a
step.

Source: [HairerNorsettWanner1993], sections III.5 and III.7, for the errors and the choice of orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import CHART_LIMIT, CHART_PART, FIRST_ERRORS, NEAR_POINTS
from symlie.runtime.implicit.bdf_formula import BdfFormula, history_at
from symlie.runtime.implicit.implicit_step import without_traces
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.bdf.fixed import MOST_STEPS, REFUSED_STATES, no_elements, order_of_steps, refusal_of_states
from symlie.runtime.methods.bdf.orders import chosen, difference_weights, error_factor, shorter
from symlie.runtime.methods.family import Method, OwnArray
from symlie.runtime.methods.implicit import MATRIX_OPTIONS, NEWTON_OPTIONS, Implicit, ImplicitTableau
from symlie.runtime.methods.options import Bounded, Option
from symlie.runtime.methods.stepper import weighted
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.order_conditions import FoundOrder

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


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
class BdfVariable(Implicit):
    """BDF of variable order, from one to `max_order`."""

    tableau: VariableTableau
    max_order: int = MOST_STEPS
    """Largest order; 2 for fast undamped oscillations, since higher orders are not stable for them."""

    family: ClassVar[str] = "bdf_variable"
    header: ClassVar[str] = "bdf.h"
    stated_options: ClassVar[Mapping[str, Option]] = OPTIONS
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in OPTIONS.items()}
    members: ClassVar[str] = "bdf"
    refused: ClassVar[tuple[str, ...]] = (*Implicit.refused, REFUSED_STATES, "fixed steps")
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

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """Number of known points before q_n, order of the next step, steps since its last change; lengths, previous
        points relative to q_n, velocities, latest first; v̇_n."""
        return (
            OwnArray("count", 1),
            OwnArray("order", 1),
            OwnArray("equal", 1),
            OwnArray("lengths", self.max_order),
            OwnArray("increments", self.max_order, "dimension"),
            OwnArray("elements", self.max_order, "storage"),
            OwnArray("velocities", self.max_order + 1, "dimension"),
            OwnArray("acceleration", 1, "dimension"),
            *self.record_arrays,
        )

    def constants(self) -> list[str]:
        return ["#define CHOOSES_ORDER 1", f"#define STEPS {self.max_order}", *super().constants()]

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        assert stepper.further is not None
        own = super().begin(stepper, state, h)
        m, places = stepper.mechanics, self.own_parts(stepper.system.layout)
        acceleration, multipliers = stepper.acceleration(state.t, state.q, state.v, state.multipliers)
        rate, has_velocity = state.v, m.layout.has_velocity
        if m.layout.has_fields:
            rate = m.field(state.t, state.q, state.v, acceleration, multipliers)
        bend = np.where(has_velocity, acceleration, 0.0)
        own[:3] = 1, 1, 0
        own[places["lengths"].start] = h
        back = -stepper.moving(h * rate - h * h * bend / 2)
        own[places["increments"]][: len(bend)] = back
        own[places["elements"]] = no_elements(stepper, self.max_order)
        own[places["elements"]][: len(state.q)] = stepper.further.exponential(back)
        own[places["velocities"]][: 2 * len(bend)] = np.concatenate([state.v, state.v - h * bend])
        own[places["acceleration"]] = np.where(has_velocity, acceleration, rate)
        return own

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None and stepper.further is not None
        layout, most, control = stepper.system.layout, self.max_order, stepper.control
        places = self.own_parts(layout)
        count, order, equal = map(int, state.own[:3])
        lengths, before = state.own[places["lengths"]], state.own[places["acceleration"]]
        increments = state.own[places["increments"]].reshape(most, -1)
        elements = state.own[places["elements"]].reshape(most, -1)
        V = state.own[places["velocities"]].reshape(most + 1, -1)
        known = lengths[: order - 1], increments, elements, V, before
        formula = BdfFormula(layout, stepper.further, h, *known, most)
        step, at, trial = self.solved(
            stepper, state, h, formula, formula.predicted(), state.multipliers, formula.before
        )
        stepper.check_chart(state.q, trial.increment, times=2 * (most + 2))
        nodes = [0.0, -1.0]
        for length in lengths:
            nodes.append(nodes[-1] - float(length) / h)
        increments, elements = history_at(stepper.further, at.theta, elements)
        norms = {}
        for of in (order + 1, order - 2, order - 1, order):
            if 0 < of <= min(most, count):
                weights = difference_weights(nodes[: of + 2])
                theta = weighted(weights[1:], list(increments[: of + 1]))
                v = weighted(weights, [at.v, *V[: of + 1]])
                trial.estimate(control, at.theta, at.theta + theta, state.v, at.v, at.v + v)
                norms[of] = trial.error
        if count < most and 1 in norms:
            norms[1] *= FIRST_ERRORS
        distances = [-x - 1 for x in nodes[1 : order + 1]]
        trial.order, trial.error = order, norms[order] * error_factor(distances, 1.0)
        trial.factor = 1.0 if trial.error <= 1 else shorter(control, nodes, order, norms[order])

        is_cut = h < state.planned
        is_left_out = is_cut and lengths[0] + h <= NEAR_POINTS * state.planned
        following = order
        if trial.error <= 1 and not is_cut:
            points = [-x for x in nodes[:most]]
            following, trial.factor = chosen(control, points, order, norms, equal, is_known=count == most)
            angle = 4 * (most + 2) ** 2 * stepper.mechanics.kernels.chart(state.q, trial.increment)
            if angle > 0:
                trial.factor = min(trial.factor, CHART_PART * float(np.sqrt(CHART_LIMIT / angle)))
        equal = equal + 1 if following == order and trial.factor == 1 else 0
        if is_left_out:
            lengths = np.array([lengths[0] + h, *lengths[1:]])
            increments, elements = increments[1:], elements[1:]
            V = np.array([trial.v, *V[1:]])
        else:
            count = min(count + 1, most)
            lengths, V = (np.array([new, *old[:-1]]) for new, old in ((h, lengths), (trial.v, V)))
            increments, elements = increments[:most], elements[:most]
        record = step.record_after(stepper.newton.iterations, renews=self.renews_factors)
        acceleration = without_traces(at.acceleration)
        moved = lengths, increments.ravel(), elements.ravel(), V.ravel()
        trial.own = np.concatenate([[count, following, equal], *moved, acceleration, record])
        return trial
