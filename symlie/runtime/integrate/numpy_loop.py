"""The time loop in NumPy, one step at a time, with the same decisions as ``driver.h``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from symlie.contract.constants import (
    ABRUPT_CONTRACTION,
    APPROACH,
    APPROACHED,
    BRANCH_CONTRACTION,
    FAILED_STEP,
    FLIGHTS,
    JUMP,
    REJECTED_STEP,
    STRETCH,
    SURPRISE,
    WATCH_EVERY,
    Status,
)
from symlie.errors import (
    AngleStepError,
    ChatteringError,
    ConstraintDriftError,
    ContactModeError,
    ContactParadoxError,
    DivergentSeriesError,
    FixedGapError,
    InconsistentResetError,
    IndefiniteMassMatrixError,
    IntegrationError,
    NotConvergedError,
    NotDifferentiableError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
    TooManyImpactsError,
)
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.monitors.rank_loss import (
    is_abrupt,
    is_between_branches,
    is_near_rank_loss,
    is_short,
)
from symlie.runtime.integrate.monitors.stiffness import look_at_step, looks_at_step
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.within.event_changes import change_state, time_goes_on
from symlie.runtime.integrate.within.event_search import AT_START, EventSearch, SeriesSearch
from symlie.runtime.integrate.within.step_interpolation import StepInside
from symlie.runtime.integrate.within.switch_search import Switch, find_switch, searches_switches
from symlie.runtime.kernels.carried import carried_after
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.step_checks import check_drift
from symlie.runtime.methods.stepper import State, Stepper, Trial
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.start import Start, first_step
from symlie.runtime.steps.program import features_of
from symlie.runtime.system.contacts.slip_directions import Motion, follow_slip, turning_error
from symlie.runtime.system.system import System

STATUS_OF: dict[type[IntegrationError], Status] = {
    NotFiniteError: Status.NOT_FINITE,
    NotDifferentiableError: Status.NOT_FINITE,
    SingularSystemError: Status.SINGULAR,
    OutsideChartError: Status.OUTSIDE_CHART,
    AngleStepError: Status.TURNED_TOO_FAR,
    NotConvergedError: Status.NOT_CONVERGED,
    IndefiniteMassMatrixError: Status.INDEFINITE_MASS,
    ConstraintDriftError: Status.CONSTRAINT_DRIFT,
    ChatteringError: Status.CHATTERING,
    DivergentSeriesError: Status.DIVERGING,
    InconsistentResetError: Status.INCONSISTENT_RESET,
    ContactModeError: Status.NO_CONTACT_MODE,
    ContactParadoxError: Status.CONTACT_PARADOX,
    FixedGapError: Status.NO_CONTACT_MODE,
    TooManyImpactsError: Status.TOO_MANY_IMPACTS,
}
"""Status of the compiled loop for each exception of a step."""


@dataclass
class TimeLoop:
    """An integration in NumPy that can be continued until it is done."""

    system: System
    method: Method
    plan: Plan
    control: StepControl
    begin: LoopState
    record_every: int
    with_trace: bool
    recorder: Recorder = field(init=False)
    compile_seconds: float = 0.0
    steps_per_second: float = 0.0
    pause: int = 0

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.system.layout)
        layout, self.steps_over = self.system.layout, self.method.steps_over(self.system.layout)
        self.event_values = layout.events if self.method.locates_events(layout) else []
        features = features_of(self.system.mechanics, compiled=False)
        self._starts_from_multipliers = self.method.starts_from_multipliers(features)
        self.changes_state = bool(len(layout.changes)) if self.steps_over else layout.changes_state
        self.turns_slip = bool(layout.ends_slip.any()) and not self.steps_over
        self.put(self.begin)

    def put(self, state: LoopState) -> None:
        """Replace the current state."""
        at = state.at
        self.counters: Counters = replace(state.counters)
        self.stepper = Stepper(self.system, self.method, self.control)
        acceleration = None if at.acceleration is None else at.acceleration.copy()
        self.state = State(state.t, at.q.copy(), at.v.copy(), at.multipliers.copy(), acceleration, at.own)
        self.searches_switches = searches_switches(self.system.layout, self.stepper.method)
        self.carried = at.carried
        self.h = at.h
        self.event, self.begins_run = at.event, at.event is None

    def replan(self, plan: Plan, segment: int, step: int) -> None:
        """Go on with another step schedule, at a step of one of its segments."""
        self.plan, self.counters.segment, self.counters.step = plan, segment, step

    @property
    def t(self) -> float:
        return self.state.t

    @property
    def steps(self) -> int:
        return self.counters.steps

    @property
    def step(self) -> int:
        return self.counters.step

    @property
    def segment(self) -> int:
        return self.counters.segment

    @property
    def new_events(self) -> int:
        return len(self.recorder.events)

    def parts(self) -> tuple[Array, Array, Array, Array]:
        s = self.state
        return s.q.copy(), s.v.copy(), s.multipliers.copy(), self.carried.copy()

    def _begin_events(self) -> None:
        """Evaluate the events at the start of a run."""
        if self.event is not None:
            return
        values = self._events(self.state.t, self.state.q, self.state.v, self.state.multipliers)
        directions = np.array([value.direction for value in self.event_values], dtype=float)
        self.event = np.where(values == 0, -AT_START * directions, values)

    def advance(self, budget: int) -> Status:
        plan, counters = self.plan, self.counters
        self._begin_events()
        while counters.segment < len(plan.end):
            if 0 < self.pause == counters.segment:
                break
            start, end = plan.start[counters.segment], plan.end[counters.segment]
            # After a jump of an input, steps start slightly later.
            self.state.t = max(self.state.t, start)
            if not start < end and plan.record_end[counters.segment]:
                self._record()
            while self.state.t < end if self.control.is_adaptive else counters.step < plan.steps[counters.segment]:
                if self.control.is_adaptive and not self.h > 0:
                    self.h = self._first_step(end)
                    self._limit_first_step()
                if counters.step >= self.control.max_steps:
                    return Status.TOO_MANY_STEPS
                if budget <= 0:
                    return Status.BUDGET
                budget -= 1
                known = counters.rank_changes
                status = self._step(end)
                if status is not Status.DONE:
                    return status
                if counters.rank_changes != known:
                    budget = 0
            self._enter_segment(counters.segment + 1)
        return Status.DONE

    def drain(self, recorder: Recorder) -> None:
        recorder.take(self.recorder)

    def captured(self, cpu_seconds: float = 0.0, is_done: bool = False) -> LoopState:
        s = self.state
        event = self.event if self.event_values else None
        own = s.own if self.method.own else None
        at = Start(s.q, s.v, s.multipliers, self.carried, self.h, s.acceleration, event, own)
        return LoopState(s.t, at, replace(self.counters), cpu_seconds, is_done)

    def _enter_segment(self, segment: int) -> None:
        self.counters.segment, self.counters.step = segment, 0
        restart = self.plan.restarts[segment] if segment < len(self.plan.end) else 0
        if restart == JUMP:
            # Values from before a jump are invalid.
            self.state.acceleration = None
            self.counters.is_after_jump = int(self._starts_from_multipliers)
        if restart == JUMP or (restart and self.method.restarts_at_kinks):
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Discard the method history and the next step size, which are invalid after a jump."""
        self.state.own = None
        if self.method.restarts_at_kinks:
            self.h = 0.0

    def _go_on_from_switch(self, *, is_part: bool) -> None:
        """Restart after a step that ended at a switch, which with fixed steps may be only a part of a step."""
        self.state.acceleration = None
        self._begin_anew()
        if is_part:
            self.counters.step -= 1
            self.counters.steps -= 1

    def _record_sides(self, switch: Switch, trial: Trial, end: float) -> None:
        """Record the states on both sides of a switch before the end of the step."""
        for side in switch.sides:
            if side.t < end:
                self.recorder.add_state(*side, self._carried(side.t, replace(trial, q=side.q)))

    def _first_step(self, end: float) -> float:
        """Estimate the initial step size, in s."""
        control, s = self.control, self.state
        longest, at = min(end - s.t, control.h_max), Start(s.q, s.v, s.multipliers, self.carried)
        found = first_step(self.system, s.t, at, control, self.method.first_order, longest)
        return max(found, control.smallest_step(s.t, self.plan.span))

    def _record(self) -> None:
        s = self.state
        self.recorder.add_state(s.t, s.q, s.v, s.multipliers, self.carried)

    def _step(self, end: float) -> Status:
        """Attempt one step; `Status.DONE` also after a rejection."""
        plan, counters, state, control = self.plan, self.counters, self.state, self.control
        start, is_cut, whole = plan.start[counters.segment], False, end
        if control.is_adaptive:
            h = min(self.h, control.h_max)
            is_last = not state.t + STRETCH * h < end
            if is_last:
                h = end - state.t
            elif h < control.smallest_step(state.t, plan.span):
                return Status.STEP_UNDERFLOW
            end_of_step = end if is_last else state.t + h
        else:
            h = (end - start) / plan.steps[counters.segment]
            begin = start + counters.step * h
            is_last = counters.step + 1 == plan.steps[counters.segment]
            end_of_step = whole = end if is_last else start + (counters.step + 1) * h
            if (self.searches_switches or self.changes_state) and state.t > begin:
                # Continue with the remainder of a step that ended at a switch or at a change of the state.
                begin, h = state.t, end_of_step - state.t
                if 0 < (cut := self._time_to_next_impact()) < h:
                    end_of_step, h, is_last, is_cut = begin + cut, cut, False, True
            state.t = begin
        begin = state.t
        if self.method.is_polynomial:
            # Use the step length as rounded in t instead of h: fast motions are sensitive to the difference.
            h = end_of_step - state.t
        state.planned = min(self.h, control.h_max) if control.is_adaptive else 0.0
        is_looked_at = looks_at_step(control.stiffness_limit, counters)
        begins = state.own is None
        self.stepper.ends_run = is_last and counters.segment + 1 == len(plan.steps)
        self.stepper.may_be_rough = self.searches_switches
        try:
            self._start_after_jump()
        except IntegrationError as error:
            return STATUS_OF[type(error)]
        trial, status = self._tried(h)
        if trial is not None and control.is_adaptive and self.turns_slip and trial.error <= 1:
            trial.error = max(trial.error, self._turning_error(trial, end_of_step))
        is_settled = trial is not None and trial.error <= 1
        if control.is_adaptive and status is not Status.CHATTERING and not is_settled:
            failed = trial is None or not trial.error <= np.inf
            factor = FAILED_STEP if failed or trial is None else min(self._factor(trial), REJECTED_STEP)
            is_tried = trial is None or failed or not trial.is_untried
            if is_tried:
                order = 0 if trial is None else trial.order
                self._trace(h, trial.error if trial is not None and not failed else np.nan, 0, order)
            if h * factor < control.smallest_step(state.t, plan.span):
                return status if status is not Status.DONE else Status.STEP_UNDERFLOW
            if trial is not None and not failed:
                state.acceleration = trial.first_acceleration
            if begins:
                # The starting values of a method depend on the length of its first step.
                state.own = None
            self.h = h * factor
            counters.rejected += is_tried
            counters.surprises += is_tried and (trial is None or not trial.error <= SURPRISE)
            return Status.DONE
        if trial is None:
            return status
        switch, reached = None, 0.0
        if self.searches_switches:
            switch = find_switch(self.stepper, state, trial, h, end_of_step, self._step_of)
            self.stepper.may_be_rough = False
            if switch is None and trial.is_rough:
                trial, status = self._tried(h)
                if trial is None:
                    return status
        if switch is not None:
            trial, reached = switch.trial, switch.length
        is_part = 0 < reached < h
        if is_part:
            end_of_step, is_last = state.t + reached, False
        try:
            is_moved = self._follow_branch(trial, reached or h, end_of_step)
        except np.linalg.LinAlgError:
            return Status.SINGULAR
        except IntegrationError as error:
            return STATUS_OF[type(error)]
        if trial.largest_constraint > counters.drift_bound:
            try:
                check_drift(self.system, self.method, trial, end_of_step)
            except ConstraintDriftError:
                return Status.CONSTRAINT_DRIFT
            counters.drift_bound = 2 * trial.largest_constraint
        if is_looked_at:
            look_at_step(self.stepper, counters, state, trial, end_of_step, h)
        self._trace(h, trial.error if control.with_estimate else np.nan, 1, trial.order)
        is_end, attempted, known_events = False, end_of_step, len(self.recorder.events)
        planned = whole if is_cut else attempted
        if self.event_values:
            try:
                found = self._find_events(reached or h, end_of_step, trial)
            except IntegrationError as error:
                return STATUS_OF[type(error)]
            if found is None:
                return Status.EVENT_NOT_A_NUMBER
            trial, end_of_step, is_end = found
            if not is_end and end_of_step < attempted:
                is_cut, is_last = True, False
        # A step shortened at a switch gives no information on the admissible step size.
        if control.is_adaptive and not reached:
            proposed = h * self._factor(trial)
            self.h = max(proposed, self.h) if is_last and not self.method.is_polynomial else proposed
        if switch is not None and self.record_every == 1:
            self._record_sides(switch, trial, end_of_step)
        self.carried = self._carried(end_of_step, trial)
        state.t, state.q, state.v, state.multipliers = end_of_step, trial.q, trial.v, trial.multipliers
        state.acceleration, state.own = trial.acceleration, trial.own
        if self.event is not None and self.turns_slip and not is_end:
            mechanics = self.system.mechanics
            state.q, self.event = follow_slip(mechanics, state.t, state.q, state.v, state.multipliers, self.event)
        counters.step += 1
        counters.steps += 1
        counters.count_order(trial.order)
        counters.largest_constraint = max(counters.largest_constraint, trial.largest_constraint)
        counters.largest_velocity = max(counters.largest_velocity, trial.largest_velocity)
        if trial.dependent_rows != counters.dependent_rows:
            counters.dependent_rows = trial.dependent_rows
            counters.rank_changes += 1
        counters.surprises = int(is_moved)
        if (reached or is_cut) and not is_end:
            self._go_on_from_switch(is_part=(is_part or is_cut) and not control.is_adaptive)
            if (is_part or is_cut) and not control.is_adaptive:
                if self.record_every == 1:
                    self._record()
                return Status.DONE
        every = self.record_every and counters.steps % self.record_every == 0
        if is_end and (at_end := self._changing_events(known_events, end_of_step)):
            return self._change(
                at_end, begins_there=not end_of_step > begin, is_early=end_of_step < planned, planned=planned
            )
        # The state at the start of a run is already recorded.
        is_recorded = is_end and self.record_every and not end_of_step > begin
        if not is_recorded and ((is_last and plan.record_end[counters.segment]) or is_end or every):
            self._record()
        return Status.EVENT if is_end else Status.DONE

    def _changing_events(self, first: int, t: float) -> list[int]:
        """Indices of the events at time t, among those recorded from index `first` on, if one changes the state."""
        layout = self.system.layout
        index = {(value.name, value.instance): k for k, value in enumerate(self.event_values)}
        at_end = [index[e.name, e.instance] for e in self.recorder.events[first:] if e.t == t]
        return at_end if self.changes_state and layout.event_changes[at_end].any() else []

    def _change(self, events: list[int], *, begins_there: bool, is_early: bool, planned: float) -> Status:
        """Apply the changes of events at the end of a step, which `is_early` if it ended before the planned time."""
        plan, counters, state, control = self.plan, self.counters, self.state, self.control
        is_last = not is_early and (
            not state.t < plan.end[counters.segment]
            if control.is_adaptive
            else counters.step == plan.steps[counters.segment]
        )
        is_terminal = any(self.event_values[k].is_terminal for k in events)
        if self.record_every and not begins_there:
            self._record()
        try:
            before = plan.end[counters.segment] if control.is_adaptive else planned
            self.event, flight = change_state(self.stepper, state, events, counters, before)
        except (IntegrationError, np.linalg.LinAlgError) as error:
            return Status.SINGULAR if isinstance(error, np.linalg.LinAlgError) else STATUS_OF[type(error)]
        if np.isnan(self.event).any():
            return Status.EVENT_NOT_A_NUMBER
        if not time_goes_on(counters, state.t, len(self.event_values), flight):
            self._record()
            return Status.ACCUMULATION
        self._go_on_from_switch(is_part=is_early and not control.is_adaptive)
        self._limit_first_step()
        if is_terminal or self.record_every or (is_last and plan.record_end[counters.segment]):
            self._record()
        return Status.EVENT if is_terminal else Status.DONE

    def _turning_error(self, trial: Trial, end: float) -> float:
        """Error of a step in which slow slip turns."""
        start = Motion(self.state.q, self.state.v, self.state.multipliers)
        return turning_error(
            self.system.mechanics, (self.state.t, end), start, Motion(trial.q, trial.v, trial.multipliers)
        )

    def _time_to_next_impact(self) -> float:
        """Length of a part of a fixed step in which a contact that an impact has opened closes again; 0 if unknown."""
        if self.steps_over or not len(self.system.layout.contacts) or self.state.t != self.counters.changed_at:
            return 0.0
        return FLIGHTS * self.counters.flight

    def _limit_first_step(self) -> None:
        """Limit the first step after a change of the state."""
        control, counters, t = self.control, self.counters, self.state.t
        if control.is_adaptive and counters.flight > 0 and t == counters.changed_at:
            self.h = min(self.h, max(FLIGHTS * counters.flight, control.smallest_step(t, self.plan.span)))

    def _follow_branch(self, trial: Trial, h: float, end: float) -> bool:
        """Detect singular configurations after an accepted step; return whether the state was projected
        (``rank_loss.h``)."""
        watch, counters, state, m = self.control.watches_rank, self.counters, self.state, self.system.mechanics
        if not watch or m.takes_redundant_rows:
            return False
        is_regular = False
        if self.control.is_adaptive:
            is_suspicious, counters.watch_reference = is_short(self.h, counters.watch_reference)
            is_suspicious |= counters.surprises > 0
        else:
            is_suspicious, counters.watch_reference = is_abrupt(state.v, trial.v, counters.watch_reference)
            is_regular = counters.steps % WATCH_EVERY == 0
        if not is_suspicious and not is_regular:
            return False
        is_abrupt_step = is_suspicious and not self.control.is_adaptive
        contraction = ABRUPT_CONTRACTION if is_abrupt_step else BRANCH_CONTRACTION
        with np.errstate(all="ignore"):
            is_near = is_between_branches(m, end, trial.q, trial.v, contraction) or (
                is_suspicious and is_near_rank_loss(m, (state.t, state.q, state.v), (end, trial.q, trial.v))
            )
            if not is_near:
                return False
            counters.rank_changes += 1
            if watch > 1:
                self.stepper.project(state, h, trial, position=True, velocity=True)
        return watch > 1

    def _factor(self, trial: Trial) -> float:
        """Ratio of the next step size to the present one."""
        return trial.factor if self.method.chooses_length else self.control.factor(trial.error)

    def _carried(self, end: float, trial: Trial) -> Array:
        """Auxiliary integrator state at the end of a step."""
        system, state = self.system, self.state
        begin, after = (np.array([state.t]), state.q[None]), (np.array([end]), trial.q[None])
        turned, known = self.stepper.turned(trial)[None], (system.kernels, system.layout, system.prepared)
        carried = carried_after(*known, self.carried[None], begin, after, turned)
        return np.asarray(carried[0], dtype=float)

    def _start_after_jump(self) -> None:
        """Compute v' and λ after a jump, from which the next step starts."""
        if self.counters.is_after_jump:
            state = self.state
            state.acceleration, state.multipliers = self.system.mechanics.index1(state.t, state.q, state.v)
            self.counters.is_after_jump = 0

    def _tried(self, h: float) -> tuple[Trial | None, Status]:
        try:
            return self._step_of(h), Status.DONE
        except IntegrationError as error:
            return None, STATUS_OF[type(error)]

    def _step_of(self, h: float) -> Trial:
        """Attempt a step of the given size, and count it even if it fails."""
        try:
            trial = self.stepper.step(self.state, h)
        except IntegrationError:
            self._count(self.stepper.newton.evaluations)
            raise
        self._count(trial.rhs_evaluations)
        return trial

    def _count(self, evaluations: int) -> None:
        self.counters.rhs_evaluations += evaluations
        self.counters.count_newton(self.state.t, self.stepper.newton)

    def _trace(self, h: float, error: float, accepted: int, order: int) -> None:
        if self.with_trace:
            newton = self.stepper.newton
            counts = (newton.iterations, newton.jacobians, newton.halvings, newton.slowest)
            self.recorder.add_trace(np.array([self.state.t, h, error, accepted, *counts, order]))

    def _events(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        if not self.event_values:
            return np.zeros(0)
        return self.stepper.events(t, q, v, multipliers)

    def _find_events(self, h: float, end: float, trial: Trial) -> tuple[Trial, float, bool] | None:
        """Record the events of a step; return the trial step, its end, and whether an event ended it, or None
        if an event function is NaN."""
        assert self.event is not None
        inside = StepInside(self.stepper, self.state, trial, h, end, self._step_of)
        after = inside.events(end, trial)
        if np.isnan(self.event).any() or np.isnan(after).any():
            return None
        counters = self.counters
        begins = self.begins_run or (counters.changes_at_once > 0 and self.state.t == counters.changed_at)
        has_series = self.method.event_piece(self.stepper, self.state, h) is not None
        search = (SeriesSearch if has_series else EventSearch)(inside, self.event, after, begins=begins)
        found, values = search.found(), self.event_values
        ends = self.system.layout.event_changes | np.array([value.is_terminal for value in values])
        first = min((t for index, t, _ in found if ends[index]), default=np.inf)
        is_approach = any(self.system.layout.ends_slip[index] for index, t, _ in found if t == first)
        if is_approach and first - self.state.t > APPROACH * h:
            part = APPROACHED * (first - self.state.t)
            (at, self.event), end = inside.step_to(part), self.state.t + part
            for index, t, there in found:
                if t <= end:
                    carried = self._carried(t, there)
                    self.recorder.add_event(index, t, there.q, there.v, there.multipliers, carried, there.own)
            self.begins_run = False
            return replace(trial, q=at.q, v=at.v, multipliers=at.multipliers, acceleration=None, own=at.own), end, False
        for index, t, at in found:
            if t <= first:
                self.recorder.add_event(index, t, at.q, at.v, at.multipliers, self._carried(t, at), at.own)
            if ends[index] and t == first:
                trial, end = at, t
        self.event, self.begins_run = search.after, False
        if first < np.inf:
            trial.acceleration = None
            self.event = inside.events(end, trial)
        return trial, end, first < np.inf
