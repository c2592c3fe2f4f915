"""Execution of a time loop, compiled or in NumPy: progress, Ctrl-C, checkpoints, failures."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, get_args

from symlie.contract.constants import Status
from symlie.errors import (
    AngleStepError,
    ChartSingularityError,
    ChatteringError,
    CheckpointError,
    ConstraintDriftError,
    ContactModeError,
    ContactParadoxError,
    ControllerError,
    DivergentSeriesError,
    FixedGapError,
    InconsistentResetError,
    IndefiniteMassMatrixError,
    IntegrationError,
    InterruptedIntegrationError,
    NotConvergedError,
    NotDifferentiableError,
    NotFiniteError,
    OutOfMemoryError,
    OutsideChartError,
    SingularSystemError,
    StepUnderflowError,
    TooManyImpactsError,
    TooManyStepsError,
)
from symlie.options import Multipliers
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import COUNTERS, LoopState
from symlie.runtime.integrate.monitors.accumulation import ACCUMULATION, accumulating_event
from symlie.runtime.integrate.monitors.findings import (
    findings_at_the_end,
    findings_at_the_start,
    findings_on_the_way,
    keep_rank_change,
)
from symlie.runtime.integrate.numpy_loop import TimeLoop
from symlie.runtime.integrate.progress import Done, Progress
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.simulation.controlled_loop import ControlledLoop
from symlie.runtime.integrate.simulation.sampling import Sampling
from symlie.runtime.integrate.time_loop import RunLoop, TimeLoopLike
from symlie.runtime.integrate.within.event_changes import violation
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.rotation_parameters import regularities
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.stepper import State, explained, possible_step
from symlie.runtime.solution.last_good import good_states
from symlie.runtime.solution.recorder import Recorder, Statistics
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start
from symlie.runtime.system.contacts.switching import found_failure, stepped_failure
from symlie.runtime.system.system import System
from symlie.runtime.system.values import Timings
from symlie.utilities.interruption import DeferredInterrupt
from symlie.warnings import warn

RETURN_SECONDS = 0.05
"""Approximate time between returns of a loop, for progress, interruption and checkpoints."""

GROWTH = 64
"""Largest ratio of successive step budgets of a loop."""

MOST_STEPS = 1 << 40
"""Largest step budget of a loop."""

MULTIPLIERS = get_args(Multipliers)
"""Sources of λ: the stages of the method, or the acceleration-level system."""

FAILURES: dict[Status, tuple[type[IntegrationError], str]] = {
    Status.NOT_FINITE: (
        NotFiniteError,
        "A state became infinite or NaN in the step after t = {t:.9g}{where}; take a smaller step.",
    ),
    Status.SINGULAR: (
        SingularSystemError,
        "The linear system of a stage is singular in the step after t = {t:.9g}{where}: constraints became "
        "dependent, or a direction lost its mass; redundant='minimal_norm' continues with dependent constraint "
        "equations.",
    ),
    Status.INDEFINITE_MASS: (
        IndefiniteMassMatrixError,
        "The mass matrix is no longer positive definite in the step after t = {t:.9g}{where}; the step may be too "
        "large, or masses and inertias of the model are not positive in all configurations.",
    ),
    Status.CONSTRAINT_DRIFT: (
        ConstraintDriftError,
        "The configuration has left the constraints in the step after t = {t:.9g}{where}; take a smaller step or "
        "tolerance, or stabilize='projection'. Possibly no configuration satisfies them from there on.",
    ),
    Status.INCONSISTENT_RESET: (
        InconsistentResetError,
        "The state after the event at t = {t:.9g} violates {where}; reset all velocities that it couples, or use "
        "minimal coordinates.",
    ),
    Status.NO_CONTACT_MODE: (
        ContactModeError,
        "The contact problem at t = {t:.9g} has no solution{where}; check masses and friction coefficients, or use "
        "smooth contact forces.",
    ),
    Status.CONTACT_PARADOX: (
        ContactParadoxError,
        "A contact has too much friction at t = {t:.9g}{where}; reduce the friction coefficient, or use smooth contact "
        "forces.",
    ),
    Status.TOO_MANY_IMPACTS: (
        TooManyImpactsError,
        "The run has more than {impacts} impacts of contacts until t = {t:.9g}, the last two {flight:.3g} s apart; "
        "reduce coefficients of restitution, or use method='rattlie' with a fixed step.",
    ),
    Status.OUTSIDE_CHART: (
        OutsideChartError,
        "A rotation increment reached 2π in the step after t = {t:.9g}, where T⁻¹ is singular; take a smaller step.",
    ),
    Status.TURNED_TOO_FAR: (
        AngleStepError,
        "The full turns of an angle cannot be counted in the step after t = {t:.9g}{where}; take a smaller step.",
    ),
    Status.NOT_CONVERGED: (
        NotConvergedError,
        "Newton's method finds no solution of the implicit step after t = {t:.9g}{where}; {advice}.",
    ),
    Status.EVENT_NOT_A_NUMBER: (
        NotFiniteError,
        "An event function is NaN in the step after t = {t:.9g}{where}; define it for all states of the motion, for "
        "instance by sl.select.",
    ),
    Status.TOO_MANY_STEPS: (
        TooManyStepsError,
        "{max_steps} steps reached only t = {t:.9g} of t = {end:.9g}. Increase rtol and atol if the steps are "
        "unnecessarily short, or increase max_steps.",
    ),
    Status.STEP_UNDERFLOW: (
        StepUnderflowError,
        "Step size underflow after t = {t:.9g}: the tolerances require steps below the resolution of t; the solution "
        "may have a singularity there, or the tolerances are below round-off: increase rtol and atol.",
    ),
    Status.CHATTERING: (
        ChatteringError,
        "A force chatters after t = {t:.9g}, faster than the resolution of t; smooth the jump, as tanh(v/ε) "
        "does for sign(v), end the motion there by an event, or use a smaller fixed step.",
    ),
    Status.DIVERGING: (
        DivergentSeriesError,
        "The step after t = {t:.9g} exceeds the radius of convergence of the Taylor series{where}; use a smaller "
        "step, or tolerances, from which steps are chosen by the series.",
    ),
}


ENDS = (Status.DONE, Status.EVENT, Status.ACCUMULATION)
"""Statuses after which a run is complete."""


_NOT_DIFFERENTIABLE = (
    "Newton's method needs a derivative that is infinite or NaN in the step after t = {t:.9g}{where}; define the law "
    "with finite derivatives for all states of the motion, for instance by sl.select, or use an explicit method."
)


_CHART_SINGULARITY = (
    "The step after t = {t:.9g} passes the singularity of the coordinates of {where}; take a smaller step, or "
    "coordinates without singularity such as quaternion."
)


STEP_FAILURES = {kind for kind, _ in FAILURES.values()} | {NotDifferentiableError, ChartSingularityError}
"""Exceptions of steps without a result."""


_COUNTED = {f.name for f in dataclasses.fields(Statistics)} & set(COUNTERS)
"""Counters of the loop that are statistics of the solution."""


class Keeper(Protocol):
    """Writer of loop states from which another process can resume."""

    def keep(self, state: LoopState, recorder: Recorder) -> None:
        """Write the state now."""

    def is_due(self) -> bool:
        """Return whether a write is due."""


@dataclass(frozen=True, eq=False)
class Run:
    """All data of one integration.

    ``settings`` are the arguments of `solve` in the types of JSON, for files and for display; ``begin`` is the state
    before the first step.
    """

    system: System
    method: Method
    plan: Plan
    control: StepControl
    record_every: int
    settings: Mapping[str, Any]
    timings: Timings
    begin: LoopState
    ranks: dict[float, str] = field(default_factory=dict)
    """Findings on the rank of the constraints, as sentences by time."""
    sampling: Sampling | None = None
    """Controllers of the run."""

    @cached_property
    def findings_at_the_start(self) -> list[str]:
        """Findings about the initial values."""
        return findings_at_the_start(self)

    @property
    def recorded_system(self) -> System:
        """The system with tables of the inputs that controllers set."""
        return self.system if self.sampling is None else self.sampling.held.with_history()

    def controlled_loop(self, begin: LoopState) -> RunLoop:
        """Loop of the run at a state, with its controllers."""
        loop = self.loop(begin)
        return loop if self.sampling is None else ControlledLoop(loop, self.plan, self.sampling)

    def loop(self, begin: LoopState) -> TimeLoopLike:
        """Loop of the backend of the system at a state."""
        kind = CompiledIntegration if self.system.backend == "c" else TimeLoop
        return kind(
            self.system,
            self.method,
            self.plan,
            self.control,
            begin,
            record_every=self.record_every,
            with_trace=bool(self.settings["trace"]),
        )

    def failure(self, status: Status, state: LoopState) -> IntegrationError:
        """Exception for a status of the loop."""
        kind, sentence = FAILURES[status]
        where, advice = "", "take a smaller step"
        if kind is InconsistentResetError:
            where = violation(self.system.mechanics, state.t, state.at.q, state.at.v)
        elif issubclass(kind, ContactModeError):
            cause = self._contact_failure(state)
            if isinstance(cause, FixedGapError):
                return cause
            where = f": {str(cause)[0].lower()}{str(cause)[1:]}" if cause else where
        elif "{where}" in sentence:
            at, segment = state.at, state.counters.segment
            h = at.h if self.control.is_adaptive else self.plan.step_size(segment)
            begin = State(state.t, at.q, at.v, at.multipliers, at.acceleration, at.own)
            found = explained(self.system, self.method, self.control, begin, h, kind)
            where = f" ({str(found)[0].lower()}{str(found)[1:]})" if found else ""
            if isinstance(found, NotDifferentiableError):
                kind, sentence = NotDifferentiableError, _NOT_DIFFERENTIABLE
            elif kind is NotConvergedError:
                possible = possible_step(self.system, self.method, self.control, begin, h)
                advice = f"steps of {possible:g} s can be taken there" if possible else advice
                advice += f"; {self.method.stability}" if self.method.stability else ""
        if kind is OutsideChartError:
            near = min(
                regularities(self.system.layout, state.at.q[None], state.at.v[None]),
                key=lambda found: abs(float(found.value[0])),
                default=None,
            )
            if near is not None:
                kind, sentence = ChartSingularityError, _CHART_SINGULARITY
                where = f"node '{near.node}', where {near.expression} is {near.value[0]:.2g}"
        end = self.plan.end[min(state.counters.segment, len(self.plan.end) - 1)]
        most = {"max_steps": self.control.max_steps, "impacts": self.control.most_impacts}
        flight = state.counters.flight
        return kind(sentence.format(t=state.t, where=where, end=end, advice=advice, flight=flight, **most))

    def _contact_failure(self, state: LoopState) -> ContactModeError | None:
        """Exception of the contact problem without solution, or None if it is not found."""
        mechanics, at = self.system.mechanics, state.at
        if self.method.steps_over(self.system.layout):
            h = self.plan.step_size(state.counters.segment)
            return stepped_failure(mechanics, state.t, at.q, at.v, h)
        return found_failure(mechanics, state.t, at.q, at.v, treatment=self.control.impacts)


def execute(
    run: Run,
    loop: RunLoop,
    begin: LoopState,
    recorder: Recorder,
    *,
    progress: Progress | None = None,
    keeper: Keeper | None = None,
) -> Solution:
    """Integrate from a state of the loop to the end.

    `keeper` writes the state when due, on Ctrl-C and at the end. An `IntegrationError` contains the ``solution`` up to
    the last valid step.
    """
    failure: IntegrationError | None = None
    budget = max(1, int(RETURN_SECONDS * loop.steps_per_second))
    state, cpu = begin, begin.cpu_seconds

    told: set[str] = set()

    def tell(found: list[str]) -> None:
        for sentence in found:
            if sentence not in told:
                told.add(sentence)
                warn(sentence)

    try:
        with DeferredInterrupt() as interrupt:
            while not state.is_done:
                start, start_cpu = time.perf_counter(), time.thread_time()
                status = loop.advance(budget)
                elapsed = time.perf_counter() - start
                cpu += time.thread_time() - start_cpu
                loop.drain(recorder)
                before, state = state, loop.captured(cpu, status in ENDS)
                keep_rank_change(state, recorder)
                if status in FAILURES:
                    failure = run.failure(status, state)
                    break
                tell(findings_on_the_way(run, state.counters, recorder))
                try:
                    interrupt.check()
                    if progress is not None:
                        fraction = run.plan.fraction(state.t) if status is not Status.DONE else 1.0
                        progress(Done.between(fraction, before, state))
                except KeyboardInterrupt:
                    if keeper is not None:
                        keeper.keep(state, recorder)
                    raise
                if keeper is not None and (state.is_done or keeper.is_due()):
                    keeper.keep(state, recorder)
                if status is Status.BUDGET:
                    # Aim at half the time, so that slower parts still return in time.
                    wanted = int(budget * RETURN_SECONDS / 2 / max(elapsed, 1e-9))
                    budget = max(1, min(GROWTH * budget, wanted, MOST_STEPS))
    except KeyboardInterrupt:
        loop.drain(recorder)
        state = loop.captured(cpu, state.is_done)
        failure = InterruptedIntegrationError(f"Interrupted at t = {state.t:.9g}; the solution so far is attached.")
    except CheckpointError as error:
        failure = error
    except ControllerError as error:
        loop.drain(recorder)
        state, failure = loop.captured(cpu), error
    except MemoryError:
        state = loop.captured(cpu)
        failure = OutOfMemoryError(
            f"Out of memory for records after t = {state.t:.9g}, with {len(recorder)} states recorded; the solution "
            "so far is attached. Record fewer with t_eval or record_every."
        )
    if failure is not None and not isinstance(failure, InconsistentResetError):
        recorder.add_last(state.t, state.at.q, state.at.v, state.at.multipliers, state.at.carried)
    # States of diverging series are wrong; the error replaces findings about them.
    found = [] if isinstance(failure, DivergentSeriesError) else findings_on_the_way(run, state.counters, recorder)
    solution = solution_of(run, state, recorder, failure)
    if failure is not None and type(failure) in STEP_FAILURES:
        solution = _before_it_went_wrong(solution, failure)
    if failure is None:
        found += findings_at_the_end(run, solution, state.counters)
    if found:
        solution = dataclasses.replace(solution, warnings=tuple(found))
    if run.settings["multipliers"] == "index1" and run.system.layout.rows:
        solution = solution.with_index1_multipliers()
    if failure is not None:
        failure.solution = solution
    tell(found)
    if failure is not None:
        raise failure
    return solution


def solution_of(run: Run, state: LoopState, recorder: Recorder, failure: IntegrationError | None) -> Solution:
    counters, timings = state.counters, run.timings
    t, q, v, rows, carried = recorder.taken_states()
    statistics = Statistics(
        **{name: count for name, count in vars(counters).items() if name in _COUNTED},
        accepted=counters.steps,
        slowest_row=run.system.layout.entry_name(counters.slowest_entry) if counters.most_newton_iterations else "",
        max_constraint_residual=counters.largest_constraint,
        max_velocity_residual=counters.largest_velocity,
        cpu_seconds=state.cpu_seconds,
        derive_seconds=timings.derive,
        emit_seconds=timings.emit,
        compile_seconds=timings.compile,
    )
    at = state.at
    status = type(failure).__name__ if failure is not None else "ok"
    if failure is None and accumulating_event(run, recorder.events, counters) is not None:
        status = ACCUMULATION
    elif failure is None and any(e.is_terminal and e.t == state.t for e in recorder.events):
        status = "event"
    return Solution(
        run.recorded_system,
        run.method.name,
        t,
        q,
        v,
        rows,
        carried,
        statistics,
        status,
        recorder.taken_trace(),
        tuple(sorted(recorder.events, key=lambda e: e.t)),
        at if at.event is None else dataclasses.replace(at, event=_after_events(recorder, state.t, at.event)),
        dict(run.settings),
    )


def _before_it_went_wrong(solution: Solution, failure: IntegrationError) -> Solution:
    """Solution up to the last valid step; if later steps are omitted, the error message names this step."""
    kept, recorded = good_states(solution.system, solution.t, solution.q, solution.v), len(solution.t)
    if kept == recorded:
        return solution
    t, last = float(solution.t[kept - 1]), kept - 1
    failure.args = (
        f"{failure} The solution so far ends at t = {t:.9g}: later steps do not conserve the energy of the model.",
    )
    parts = {name: getattr(solution, name)[:kept] for name in ("t", "q", "v", "multipliers", "carried")}
    statistics = solution.statistics
    if statistics.steps == recorded - 1:
        statistics = dataclasses.replace(statistics, steps=last, accepted=last)
    end = Start(*(parts[name][last] for name in ("q", "v", "multipliers", "carried")))
    events = tuple(e for e in solution.events if e.t <= t)
    return dataclasses.replace(solution, **parts, statistics=statistics, events=events, end=end)


def _after_events(recorder: Recorder, t: float, values: Array) -> Array:
    """Values of the event functions to continue with: zero for events that just occurred, so that they do not recur."""
    values = values.copy()
    happened = {(e.name, e.instance) for e in recorder.events if e.t == t}
    for k, value in enumerate(recorder.layout.events):
        if (value.name, value.instance) in happened:
            values[k] = 0.0
    return values
