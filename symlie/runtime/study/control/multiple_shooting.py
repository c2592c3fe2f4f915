"""Direct multiple shooting: runs over several intervals, whose initial states are unknowns, too.

The state at the start of an interval is q = q₀∘exp(θ) with the guess q₀. The end φ of the interval before it satisfies

    e = log(q⁻¹∘φ) = 0,  δe = T⁻¹(e) δφ - T⁻¹(-e) T(θ) δθ  (1)

and the same equation for velocities. A running cost starts from zero in each interval, and the loss is the sum.
Source: [Bock1984].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import COST, RUNNING_COST
from symlie.errors import ModelError
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.forward import DifferentiatedStart, ForwardRun, forward_tangents
from symlie.runtime.integrate.sensitivities.second_order.second_order_run import SecondOrderRun
from symlie.runtime.integrate.sensitivities.trail import check_end
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.start import Start, start_of
from symlie.runtime.study.control.control_tables import ControlTables
from symlie.runtime.study.control.evaluation import Evaluation
from symlie.runtime.study.control.local_operators import LocalOperators
from symlie.runtime.study.control.second_derivatives import IntervalHessian, UnknownStart
from symlie.runtime.study.control.single_shooting import at_end, at_times
from symlie.runtime.study.control.target import (
    EndWeights,
    Target,
    difference,
    has_curved_states,
    has_running_cost,
    images,
    state_components,
)
from symlie.runtime.system.system import System


@dataclass(frozen=True)
class StateVariable(Variable):
    """Component of the state from which a run starts, on which parameters and inputs do not depend."""

    def moved(self, system: System, change: float) -> System:
        return system

    def size(self, system: System) -> float:
        return 1.0


class MultipleShooting:
    """Loss and equations of consecutive runs.

    Parameters
    ----------
    tables
        Tables of the controls.
    t_span, options
        As in `solve`.
    target
        Target at the end.
    loss
        Name of an output, whose value at the end is the loss, or None.
    intervals
        Number of equal intervals.
    """

    def __init__(
        self,
        tables: ControlTables,
        t_span: tuple[float, float],
        options: RunOptions,
        target: Target,
        loss: str | None,
        intervals: int,
    ) -> None:
        system = tables.system
        check_states(system)
        self._tables, self._target, self._loss = tables, target, loss
        self._times = np.linspace(*t_span, intervals + 1)
        self._options = [at_end(options, float(t)) for t in self._times[1:]]
        self._of_q, self._of_v = state_components(system.layout)
        self._adds_up = loss == COST and has_running_cost(system.layout)
        names = dict.fromkeys(name for name in (loss, *target.outputs) if name is not None)
        sizes = [system.layout.outputs[name][0] for name in names]
        ends = np.cumsum([0, *(part.stop - part.start for part in sizes)])
        self._columns = {name: slice(a, b) for name, a, b in zip(names, ends[:-1], ends[1:], strict=True)}
        self._guess = self._guessed(start_of(system, t_span[0]), options)

    @property
    def _width(self) -> int:
        """Number of unknowns of a state."""
        return len(self._of_q) + len(self._of_v)

    @property
    def start(self) -> Array:
        """Guess of the unknowns: values of the controls, then local coordinates and velocities of each state."""
        nothing = np.zeros(len(self._of_q))
        states = [np.concatenate([nothing, start.v[self._of_v]]) for start in self._guess]
        return np.concatenate([self._tables.start, *states])

    @property
    def groups(self) -> list[list[NDArray[np.intp]]]:
        """Numbers of the unknowns of each input, by component, and of each component of the states."""
        places = len(self._tables.start) + np.arange(len(self._guess) * self._width).reshape(-1, self._width)
        return [*self._tables.components, *([part] for part in places.T)]

    def evaluation(self, unknowns: Array) -> Evaluation:
        """Return loss and equations; raise the errors of `solve`."""
        values, states = np.split(unknowns, [len(self._tables.start)])
        system = self._tables.system_with(values)
        ends = [self._start(*given) for given in zip(self._guess, states.reshape(-1, self._width), strict=True)]
        loss, by_loss = 0.0, np.zeros(len(unknowns))
        rows = [np.zeros(0), np.zeros((0, len(unknowns)))]
        parts = [rows[:1], rows[1:]]
        for k in range(len(self._times) - 1):
            is_last = k == len(self._times) - 2
            columns, run = self._interval(system, k, None if k == 0 else ends[k - 1], len(values), is_last)
            derivatives = np.zeros((self._target.size if is_last else self._width, len(unknowns)))
            if is_last:
                value = self._target.deviation(run.solution)
                derivatives[:, columns] = self._target.along(run.solution, run.states, self._columns)
            else:
                value, along_end, along_next = self._joint(system, run, ends[k])
                derivatives[:, columns] = along_end
                derivatives[:, len(values) + k * self._width :][:, : self._width] = along_next
            parts[0].append(value)
            parts[1].append(derivatives)
            if self._adds_up and not is_last:
                loss += float(run.solution.field(RUNNING_COST, "x")[-1].item())
                by_loss[columns] += run.states.q[-1][system.layout.node(RUNNING_COST).velocity][0]
            elif is_last and self._loss is not None:
                loss += np.asarray(run.solution.outputs[self._loss][-1]).item()
                by_loss[columns] += run.states.outputs[-1][self._columns[self._loss]][0]
        return Evaluation(loss, by_loss, np.concatenate(parts[0]), np.vstack(parts[1]))

    def hessian(self, unknowns: Array, multipliers: Array, of_loss: float) -> Array:
        """Return the second derivatives of the weighted sum of loss and equations; raise UnsupportedMethodError if runs
        have none, and the errors of `solve`."""
        values, states = np.split(unknowns, [len(self._tables.start)])
        system, count = self._tables.system_with(values), len(values)
        operators, states = LocalOperators(system), states.reshape(-1, self._width)
        starts = [self._unknown_start(*given) for given in zip(self._guess, states, strict=True)]
        found = np.zeros((len(unknowns), len(unknowns)))
        for k in range(len(self._times) - 1):
            begin, start = (None, None) if k == 0 else starts[k - 1]
            span = float(self._times[k]), float(self._times[k + 1])
            inputs = self._tables.within(*span)
            before, following = (count + number * self._width + np.arange(self._width) for number in (k - 1, k))
            columns = np.concatenate([np.array(inputs, dtype=np.intp), before[: self._width if k else 0]])
            run = SecondOrderRun.of(system, span, self._options[k], begin)
            own = multipliers[k * self._width :]
            is_last = k == len(starts)
            weights = (
                self._target.weighted(own, self._loss, of_loss)
                if is_last
                else self._weighted(starts[k][0], own[: self._width], of_loss)
            )
            variables = [self._tables.variables[c] for c in inputs]
            interval = IntervalHessian.of(operators, run, variables, start, weights)
            found[np.ix_(columns, columns)] += interval.by_run
            if not is_last:
                following = following[: len(self._of_q)]
                mixed, alone = interval.by_end(starts[k][1].theta, self._of_q)
                found[np.ix_(columns, following)] += mixed
                found[np.ix_(following, columns)] += mixed.T
                found[np.ix_(following, following)] += alone
        return found

    def _interval(
        self, system: System, k: int, start: DifferentiatedStart | None, values: int, is_last: bool
    ) -> tuple[list[int], ForwardRun]:
        """Return the run of an interval, and the numbers of the unknowns on which it depends."""
        span = float(self._times[k]), float(self._times[k + 1])
        columns = self._tables.within(*span)
        variables = [self._tables.variables[c] for c in columns]
        if start is not None:
            before = np.zeros((len(variables), system.layout.dimension))
            dq, dv = (np.vstack([before, x]) for x in start.tangents)
            start = DifferentiatedStart(start.state, (dq, dv))
            variables += [StateVariable("state", (c,)) for c in range(self._width)]
            columns += range(values + (k - 1) * self._width, values + k * self._width)
        names = list(self._columns) if is_last else []
        run = forward_tangents(system, span, self._options[k], variables, names, start)
        check_end(run.solution)
        return columns, run

    def _start(self, guess: Start, state: Array) -> DifferentiatedStart:
        """Return the state of an interval with its tangents."""
        kernels, layout = self._tables.system.kernels, self._tables.system.layout
        theta, v, units = np.zeros(layout.dimension), guess.v.copy(), np.eye(layout.dimension)
        theta[self._of_q], v[self._of_v] = np.split(state, [len(self._of_q)])
        turned = images(kernels.tangent_operator, theta, units[:, self._of_q]).T
        at_rest = np.zeros((len(self._of_v), layout.dimension))
        tangents = np.vstack([turned, at_rest]), np.vstack([np.zeros_like(turned), units[self._of_v]])
        return DifferentiatedStart(_resting(kernels.advance(guess.q, theta), v, layout), tangents)

    def _unknown_start(self, guess: Start, state: Array) -> tuple[Start, UnknownStart]:
        start, theta = self._start(guess, state), np.zeros(self._tables.system.layout.dimension)
        theta[self._of_q] = state[: len(self._of_q)]
        return start.state, UnknownStart(theta, start.tangents, (self._of_q, self._of_v))

    def _weighted(self, following: Start, multipliers: Array, of_loss: float) -> EndWeights:
        """Return weights of the equations of a joint, and of a running cost that adds up."""
        layout = self._tables.system.layout
        q, v = np.zeros(layout.dimension), np.zeros(layout.dimension)
        q[self._of_q], v[self._of_v] = np.split(multipliers, [len(self._of_q)])
        if self._adds_up:
            q[layout.node(RUNNING_COST).velocity] = of_loss
        return EndWeights(following.q, q, v, np.zeros(layout.outputs_size))

    def _joint(self, system: System, run: ForwardRun, following: DifferentiatedStart) -> tuple[Array, Array, Array]:
        """Return the difference of the end of an interval and the following state, with its derivatives (1)."""
        kernels, solution, of_q, of_v = system.kernels, run.solution, self._of_q, self._of_v
        apart = difference(system, following.state.q, solution.q[-1])
        inverse, (dq, dv) = kernels.inverse_tangent_operator, following.tangents
        value = np.concatenate([apart[of_q], (solution.v[-1] - following.state.v)[of_v]])
        along_end = np.vstack([images(inverse, apart, run.states.q[-1])[of_q], run.states.v[-1][of_v]])
        return value, along_end, -np.vstack([images(inverse, -apart, dq.T)[of_q], dv.T[of_v]])

    def _guessed(self, begin: Start, options: RunOptions) -> Sequence[Start]:
        """Return the guess of all states but the first one: on the way to the target state, or on the run with the
        guess of the controls."""
        system, layout, inner = self._tables.system, self._tables.system.layout, self._times[1:-1]
        if self._target.state is not None:
            apart = np.zeros(layout.dimension)
            apart[self._of_q] = difference(system, begin.q, self._target.state.q)[self._of_q]
            span, v = self._times[-1] - self._times[0], begin.v.copy()
            v[self._of_v] = apart[self._of_v] / span
            along = [system.kernels.advance(begin.q, (t - self._times[0]) / span * apart) for t in inner]
            return [_resting(q, v, layout) for q in along]
        found = solve(system, (float(self._times[0]), float(self._times[-1])), **at_times(options, inner).arguments)
        check_end(found)
        states = [_resting(q.copy(), v, layout) for q, v in zip(found.q, found.v, strict=True)]
        for start in states if has_running_cost(layout) else ():
            start.q[layout.node(RUNNING_COST).storage] = 0.0
        return states


def _resting(q: Array, v: Array, layout: Layout) -> Start:
    """Return a start without multipliers and history."""
    return Start(q, v, np.zeros(0), np.zeros(layout.carried_size))


def check_states(system: System) -> None:
    """Raise ModelError for models whose states have no independent local coordinates."""
    layout, reason = system.layout, ""
    if layout.rows:
        reason = "it has constraints; use minimal coordinates"
    elif layout.has_dependents or len(layout.motion_storage):
        reason = "it has dependent or prescribed nodes"
    elif has_curved_states(system):
        reason = "it has first-order states on manifolds"
    elif layout.has_unwrapped or layout.changes_state or layout.has_activities:
        reason = "it has unwrapped angles, or events that change its state"
    if reason:
        raise ModelError(
            f"Multiple shooting does not support '{layout.name}': {reason}, or single shooting with intervals=1."
        )
