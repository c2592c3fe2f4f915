"""The time loop in NumPy: the same decisions as ``driver.h`` and ``events.h``, one step at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from symlie.errors import (
    ConstraintDriftError,
    IndefiniteMassMatrixError,
    IntegrationError,
    NotConvergedError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
)
from symlie.runtime.carried import carried_after
from symlie.runtime.controllers import StepControl
from symlie.runtime.drive import Status
from symlie.runtime.layout import Array
from symlie.runtime.loop_state import Counters, LoopState
from symlie.runtime.methods import Method
from symlie.runtime.plan import Plan
from symlie.runtime.recorder import Recorder
from symlie.runtime.start import Start
from symlie.runtime.step_checks import check_drift
from symlie.runtime.steppers import State, Stepper, Trial
from symlie.runtime.system import System

EVENT_ITERATIONS = 200
"""Steps taken at most to locate one event."""

STATUS_OF: dict[type[IntegrationError], Status] = {
    NotFiniteError: Status.NOT_FINITE,
    SingularSystemError: Status.SINGULAR,
    OutsideChartError: Status.OUTSIDE_CHART,
    NotConvergedError: Status.NOT_CONVERGED,
    IndefiniteMassMatrixError: Status.INDEFINITE_MASS,
    ConstraintDriftError: Status.CONSTRAINT_DRIFT,
}
"""What the compiled loop reports where a step raises."""


@dataclass
class TimeLoop:
    """An integration in NumPy that can be continued until it is done."""

    system: System
    method: Method
    plan: Plan
    control: StepControl
    begin: LoopState
    record_every: int
    recorder: Recorder = field(init=False)
    compile_seconds: float = 0.0

    def __post_init__(self) -> None:
        begin, at = self.begin, self.begin.at
        self.recorder = Recorder(self.system.layout)
        self.counters: Counters = replace(begin.counters)
        self.stepper = Stepper(self.system, self.method, self.control)
        acceleration = None if at.acceleration is None else at.acceleration.copy()
        self.state = State(begin.t, at.q.copy(), at.v.copy(), at.multipliers.copy(), acceleration)
        self.carried = at.carried
        self.h = at.h
        self.event_values = self.system.layout.events
        self.event = at.event
        if self.event is None:
            self.event = self._events(self.state.t, self.state.q, self.state.v, self.state.multipliers)

    def advance(self, budget: int) -> Status:
        """Try up to ``budget`` steps."""
        plan, counters = self.plan, self.counters
        while counters.segment < len(plan.end):
            start, end = plan.start[counters.segment], plan.end[counters.segment]
            if self.state.t < start:
                # After a jump of an input steps begin a little later, and v' before it is of no use.
                self.state.t, self.state.acceleration = start, None
            while self.state.t < end if self.control.is_adaptive else counters.step < plan.steps[counters.segment]:
                if budget <= 0:
                    return Status.BUDGET
                budget -= 1
                status = self._step(end)
                if status is not Status.DONE:
                    return status
            counters.segment, counters.step = counters.segment + 1, 0
        return Status.DONE

    def drain(self, recorder: Recorder) -> None:
        """Move what was recorded to a recorder."""
        recorder.take(self.recorder)

    def captured(self) -> LoopState:
        """The state between two steps."""
        s = self.state
        event = self.event if self.event_values else None
        at = Start(s.q, s.v, s.multipliers, self.carried, self.h, s.acceleration, event)
        return LoopState(s.t, at, replace(self.counters))

    def _step(self, end: float) -> Status:
        """Try one step; `Status.DONE` also if it was rejected."""
        plan, counters, state, control = self.plan, self.counters, self.state, self.control
        start = plan.start[counters.segment]
        if control.is_adaptive:
            h = min(self.h, control.h_max)
            is_last = not state.t + 1.01 * h < end
            if is_last:
                h = end - state.t
            elif h < control.smallest_step(state.t, plan.span):
                return Status.STEP_UNDERFLOW
            end_of_step = end if is_last else state.t + h
        else:
            h = (end - start) / plan.steps[counters.segment]
            state.t = start + counters.step * h
            is_last = counters.step + 1 == plan.steps[counters.segment]
            end_of_step = end if is_last else start + (counters.step + 1) * h
        trial, status = self._tried(h)
        if control.is_adaptive and not (trial is not None and trial.error <= 1):
            failed = trial is None or not trial.error <= np.inf
            factor = 0.2 if failed or trial is None else min(control.factor(trial.error), 0.9)
            self._trace(h, trial.error if trial is not None and not failed else np.nan, 0)
            if h * factor < control.smallest_step(state.t, plan.span):
                return status if status is not Status.DONE else Status.STEP_UNDERFLOW
            if trial is not None and not failed:
                state.acceleration = trial.first_acceleration
            self.h = h * factor
            counters.rejected += 1
            return Status.DONE
        if trial is None:
            return status
        if trial.largest_constraint > counters.drift_bound:
            try:
                check_drift(self.system, trial, end_of_step)
            except ConstraintDriftError:
                return Status.CONSTRAINT_DRIFT
            counters.drift_bound = 2 * trial.largest_constraint
        self._trace(h, trial.error, 1)
        is_terminal = False
        if self.event_values:
            trial, end_of_step, is_terminal = self._find_events(h, end_of_step, trial)
        if control.is_adaptive:
            proposed = h * control.factor(trial.error)
            self.h = max(proposed, self.h) if is_last else proposed
        self.carried = self._carried(end_of_step, trial)
        state.t, state.q, state.v, state.multipliers = end_of_step, trial.q, trial.v, trial.multipliers
        state.acceleration = trial.acceleration
        counters.step += 1
        counters.steps += 1
        counters.largest_constraint = max(counters.largest_constraint, trial.largest_constraint)
        counters.largest_velocity = max(counters.largest_velocity, trial.largest_velocity)
        every = self.record_every and counters.steps % self.record_every == 0
        if (is_last and plan.record_end[counters.segment]) or is_terminal or every:
            self.recorder.add_state(state.t, state.q, state.v, state.multipliers, self.carried)
        return Status.EVENT if is_terminal else Status.DONE

    def _carried(self, end: float, trial: Trial) -> Array:
        """What is carried at the end of a step."""
        begin = self.state.t, self.state.q
        return carried_after(self.system, self.carried, begin, (end, trial.q), trial.turned)

    def _tried(self, h: float) -> tuple[Trial | None, Status]:
        try:
            trial = self.stepper.step(self.state, h)
        except IntegrationError as error:
            return None, STATUS_OF[type(error)]
        self.counters.rhs_evaluations += trial.rhs_evaluations
        self.counters.newton_iterations += trial.newton_iterations
        return trial, Status.DONE

    def _trace(self, h: float, error: float, accepted: int) -> None:
        if self.control.with_estimate:
            self.recorder.add_trace(np.array([self.state.t, h, error, accepted]))

    def _events(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        if not self.event_values:
            return np.zeros(0)
        return self.system.kernels.events(self.system.prepared, t, q, v, multipliers)

    def _find_events(self, h: float, end: float, trial: Trial) -> tuple[Trial, float, bool]:
        """Record the events of a step; the trial, the end of the step, and whether a terminal event ended it."""
        assert self.event is not None
        after = self._events(end, trial.q, trial.v, trial.multipliers)
        found = []
        for index, value in enumerate(self.event_values):
            if is_crossing(self.event[index], after[index], value.direction):
                found.append((index, value, *self._located(index, h, end, trial, after[index])))
        terminal = [t for _, value, t, _ in found if value.is_terminal]
        first = min(terminal, default=np.inf)
        for index, value, t, at in found:
            if t <= first:
                self.recorder.add_event(index, t, at.q, at.v, at.multipliers, self._carried(t, at))
            if value.is_terminal and t == first:
                trial, end = at, t
        if terminal:
            trial.acceleration = None
            after = self._events(end, trial.q, trial.v, trial.multipliers)
        self.event = after
        return trial, end, bool(terminal)

    def _located(self, index: int, h: float, end: float, trial: Trial, after: float) -> tuple[float, Trial]:
        """Time just behind the first zero within a step and the trial that ends there; see ``events.h``."""
        assert self.event is not None
        t = self.state.t
        before = float(self.event[index])
        low, high, a, b, side = 0.0, h, before, float(after), 0
        width = 4.5e-16 * max(abs(t), abs(t + h))
        behind, at = high, trial
        for n in range(EVENT_ITERATIONS):
            if not high - low > width or b == 0:
                break
            x = high - b * (high - low) / (b - a)
            if not low < x < high or n % 4 == 3:
                x = low + 0.5 * (high - low)
            if not low < x < high:
                break
            at, behind = self._step_to(x), x
            c = float(self._events(t + x, at.q, at.v, at.multipliers)[index])
            if (c < 0) == (before < 0) and c != 0:
                low, a = x, c
                b *= 0.5 if side == -1 else 1.0
                side = -1
            else:
                high, b = x, c
                a *= 0.5 if side == 1 else 1.0
                side = 1
        if behind != high:
            at = self._step_to(high)
        return (end if high == h else t + high), at

    def _step_to(self, h: float) -> Trial:
        trial = self.stepper.step(self.state, h)
        self.counters.rhs_evaluations += trial.rhs_evaluations
        self.counters.newton_iterations += trial.newton_iterations
        return trial


def is_crossing(before: float, after: float, direction: int) -> bool:
    """Whether a function crossed zero in the direction that is asked for.

    A function that starts at zero has not crossed it: this is where an integration goes on after an event.
    """
    return (before < 0 <= after and direction >= 0) or (before > 0 >= after and direction <= 0)
