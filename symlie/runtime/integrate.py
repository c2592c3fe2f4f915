"""`solve`: integrate a system with a method, in compiled code or in NumPy."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from symlie.errors import (
    IntegrationError,
    InterruptedIntegrationError,
    ModelError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
    StepUnderflowError,
    UnknownNameError,
    UnsupportedMethodError,
)
from symlie.runtime.controllers import Controller, StepControl, controller_by_name, tolerances
from symlie.runtime.drive import CompiledIntegration, Status
from symlie.runtime.layout import Array, Layout
from symlie.runtime.methods import Method, method_names
from symlie.runtime.methods import method as method_of_name
from symlie.runtime.plan import Plan, step_plan
from symlie.runtime.recorder import Recorder
from symlie.runtime.solution import Solution, Statistics
from symlie.runtime.stabilisation import stabilisation
from symlie.runtime.start import Start, continuation_of, first_step, start_of
from symlie.runtime.steppers import State, explained
from symlie.runtime.system import System
from symlie.runtime.time_loop import TimeLoop

RETURN_SECONDS = 0.05
"""The compiled loop returns at least this often, for progress and interruption."""

Progress = Callable[[float], None]
"""Called with the fraction done, between 0 and 1."""

_FAILURES: dict[Status, tuple[type[IntegrationError], str]] = {
    Status.NOT_FINITE: (
        NotFiniteError,
        "A state became infinite or NaN in the step after t = {t:.9g}{where}; take a smaller step.",
    ),
    Status.SINGULAR: (
        SingularSystemError,
        "The linear system of a stage is singular in the step after t = {t:.9g}: constraints became dependent, or a "
        "direction lost its mass.",
    ),
    Status.OUTSIDE_CHART: (
        OutsideChartError,
        "A rotation increment reached 2π in the step after t = {t:.9g}, where T⁻¹ is singular; take a smaller step.",
    ),
    Status.STEP_UNDERFLOW: (
        StepUnderflowError,
        "The tolerances ask for steps that time can not resolve after t = {t:.9g}; the solution may have a "
        "singularity there, or the tolerances are below round-off: loosen rtol and atol.",
    ),
}


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that one integration is told."""

    system: System
    method: Method
    plan: Plan
    control: StepControl
    start: Start
    record_every: int

    def failure(self, status: Status, state: State, h: float) -> IntegrationError:
        """The exception for a status of the loop."""
        kind, sentence = _FAILURES[status]
        where = ""
        if status is Status.NOT_FINITE:
            found = explained(self.system, self.method, self.control, state, h)
            where = f" ({found[0].lower()}{found[1:]})" if found else ""
        return kind(sentence.format(t=state.t, where=where))


def check_method(layout: Layout, method: Method) -> None:
    """Check that a method can integrate a model.

    Raises
    ------
    UnsupportedMethodError
        It can not; the message names methods that can.
    """
    if layout.rows and method.family == "rkmk":
        raise UnsupportedMethodError(
            f"Method '{method.name}' integrates systems without constraints, but '{layout.name}' has {layout.rows} "
            "constraint rows; use half_explicit_2, …, half_explicit_5."
        )


def solve(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    method: str = "half_explicit_5",
    h: float | None = None,
    rtol: float | Array | None = None,
    atol: float | Array | None = None,
    h0: float | None = None,
    controller: str | Controller = "tumiotto2024",
    controller_options: Mapping[str, float] | None = None,
    t_eval: Sequence[float] | None = None,
    record_every: int = 1,
    multipliers: str = "stage",
    stabilize: str = "none",
    trace: bool = False,
    start: Solution | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Integrate a system with fixed or adaptive steps.

    Parameters
    ----------
    system
        The system, from `Equations.compile` or `symlie.load`.
    t_span
        (t₀, t_end), or t_end with t₀ = 0, or the end of ``start``; in s.
    method
        Name of a method; see ``symlie list``.
    h
        Size of fixed steps, in s. Without it steps are adaptive, for methods with an embedded formula.
    rtol, atol
        Tolerances of the local error: a number, or one for each velocity component, or one for each entry of (θ, v).
        Default: 1e-6 and rtol/100; with ``atol`` alone the tolerance is absolute. With ``h`` they scale the errors of
        the trace.
    h0
        First adaptive step, in s; default: estimated.
    controller, controller_options
        Step size controller by name, and factors to change: ``safety, exponent, fac_min, fac_max, h_min, h_max``.
    t_eval
        Times to record, hit exactly by shortening steps; default: every step.
    record_every
        Without ``t_eval``: record each n-th step, and the end; 0 records the start and the end alone.
    multipliers
        ``"stage"``: λ as the method gives it. ``"index1"``: recomputed from the acceleration-level system at each
        recorded state; the integration is the same.
    stabilize
        ``"none"``, ``"baumgarte:ALPHA"`` (α in 1/s, added in the stages of half-explicit methods), ``"projection"`` (of
        the configuration after each step), ``"projection+velocity"`` or ``"velocity"``.
    trace
        Whether all tried steps with their error estimates are kept, also of fixed steps.
    start
        A solution to continue, of this system or of one with other parameters.
    progress
        Called with the fraction done, at most every 50 ms or so.

    Returns
    -------
    Solution
        Ended early by a terminal event, its last state is that at the event.

    Raises
    ------
    UnsupportedMethodError
        The method can not integrate this model, or has no error estimate for adaptive steps.
    ModelError
        The interval, the step size, the tolerances or the times to record are not usable.
    InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
        The initial values are not usable.
    IntegrationError
        The integration failed or was interrupted; its ``solution`` holds what was done, up to the last good step.
    """
    chosen = method_of_name(method)
    check_method(system.layout, chosen)
    if multipliers not in ("stage", "index1"):
        raise UnknownNameError(f"Unknown multipliers '{multipliers}'; use stage or index1.")
    if not isinstance(record_every, Integral) or record_every < 0:
        raise ModelError(f"record_every must be a whole number of steps, 0 for the end alone, not {record_every!r}.")
    t0, t_end = _interval(t_span, start)
    plan = step_plan(t0, t_end, h, t_eval, system.breakpoints)
    control = _step_control(system, chosen, h, rtol, atol, controller, controller_options, stabilize, trace)
    begin = start_of(system, t0) if start is None else continuation_of(start, system)
    if plan.start[0] > t0:
        begin = dataclasses.replace(begin, acceleration=None)
    if control.is_adaptive:
        begin = dataclasses.replace(begin, h=_first_step(system, plan, begin, control, chosen, h0))
    elif h0 is not None:
        raise ModelError("h0 is the first of adaptive steps; it can not be given together with h.")
    recorder = Recorder(system.layout)
    if t_eval is None or (len(t_eval) and t_eval[0] == t0):
        recorder.add_state(t0, begin.q, begin.v, begin.multipliers)
    run = Run(system, chosen, plan, control, begin, record_every if t_eval is None else 0)
    integrate = _run_c if system.backend == "c" else _run_numpy
    failure, statistics, end = integrate(run, recorder, progress)
    t, q, v, rows = recorder.states()
    solution = Solution(
        system,
        chosen.name,
        t,
        q,
        v,
        rows,
        statistics,
        "ok" if failure is None else type(failure).__name__,
        recorder.tried() if trace else None,
        tuple(sorted(recorder.events, key=lambda e: e.t)),
        end,
    )
    if multipliers == "index1" and system.layout.rows:
        solution = solution.with_index1_multipliers()
    if failure is not None:
        failure.solution = solution
        raise failure
    return solution


def _interval(t_span: tuple[float, float] | float, start: Solution | None) -> tuple[float, float]:
    begin = 0.0 if start is None or not len(start.t) else float(start.t[-1])
    ends = (begin, t_span) if np.ndim(t_span) == 0 else tuple(t_span)  # type: ignore[arg-type]
    if len(ends) != 2:
        raise ModelError(f"The time interval must be t_end or (t0, t_end), not {t_span!r}.")
    if start is not None and ends[0] != begin:
        raise ModelError(f"The solution to continue ends at t = {begin:.9g}, but the interval starts at {ends[0]}.")
    return float(ends[0]), float(ends[1])  # type: ignore[arg-type]


def _step_control(
    system: System,
    method: Method,
    h: float | None,
    rtol: float | Array | None,
    atol: float | Array | None,
    name: str | Controller,
    options: Mapping[str, float] | None,
    stabilize: str,
    trace: bool,
) -> StepControl:
    """How steps are taken, from the words of `solve`."""
    layout = system.layout
    kept = stabilisation(stabilize)
    if kept.baumgarte and method.family != "half_explicit":
        raise UnsupportedMethodError(f"Baumgarte's term belongs to half-explicit methods; '{method.name}' has none.")
    is_adaptive = h is None
    if not (is_adaptive or trace or (rtol is None and atol is None)):
        raise ModelError(
            "Give a step size h, or tolerances rtol and atol for adaptive steps, not both; fixed steps use tolerances "
            "for the errors of a trace only."
        )
    if (is_adaptive or trace) and not method.has_estimate:
        known = ", ".join(
            n
            for n in method_names()
            if method_of_name(n).has_estimate and not (layout.rows and method_of_name(n).family == "rkmk")
        )
        wanted = "adaptive steps need" if is_adaptive else "a trace needs"
        raise UnsupportedMethodError(
            f"Method '{method.name}' has no error estimate, which {wanted}; give a step size h and no trace, or use "
            f"one of: {known}."
        )
    if rtol is None:
        rtol = 1e-6 if atol is None else 0.0
    relative = tolerances("rtol", rtol, layout.dimension)
    absolute = tolerances("atol", 0.01 * relative if atol is None else atol, layout.dimension)
    if not np.all(absolute > 0):
        raise ModelError("atol must be positive: entries that pass through zero have no relative accuracy.")
    chosen = controller_by_name(name, options)
    mobile = np.tile(layout.free.astype(float), 2)
    return StepControl(
        is_adaptive,
        is_adaptive or trace,
        relative,
        absolute,
        mobile / max(mobile.sum(), 1.0) if chosen.is_mean else mobile,
        chosen.safety,
        chosen.exponent_of(method),
        chosen.fac_min,
        chosen.fac_max,
        chosen.h_min,
        chosen.h_max,
        kept.baumgarte,
        kept.project_position,
        kept.project_velocity,
    )


def _first_step(
    system: System, plan: Plan, start: Start, control: StepControl, method: Method, h0: float | None
) -> float:
    if h0 is not None:
        if not (np.isfinite(h0) and h0 > 0):
            raise ModelError(f"The first step must be positive, not {h0}.")
        return min(float(h0), control.h_max)
    if start.h > 0:
        return min(start.h, control.h_max)
    return first_step(system, plan.start[0], start, control, method.order, plan.end[0] - plan.start[0])


def _run_c(
    run: Run, recorder: Recorder, progress: Progress | None
) -> tuple[IntegrationError | None, Statistics, Start | None]:
    system, plan = run.system, run.plan
    loop = CompiledIntegration(system, run.method, plan, run.control, run.start, record_every=run.record_every)
    state, rows = loop.state, system.layout.rows
    failure: IntegrationError | None = None
    cpu = 0.0
    budget = 64
    try:
        while True:
            start, start_cpu = time.perf_counter(), time.thread_time()
            status = loop.advance(budget)
            elapsed = time.perf_counter() - start
            cpu += time.thread_time() - start_cpu
            loop.drain(recorder)
            if progress is not None:
                progress(plan.fraction(state.t))
            if status in (Status.DONE, Status.EVENT):
                break
            if status in _FAILURES:
                acceleration = loop.acceleration if state.acceleration_is_valid else None
                at = State(state.t, loop.q, loop.v, loop.multipliers[:rows], acceleration)
                h = state.h if run.control.is_adaptive else plan.step_size(state.segment)
                failure = run.failure(status, at, h)
                break
            if status is Status.BUDGET:
                # Aim at half the time so that a slower stretch still returns in time.
                budget = max(1, min(4 * budget, int(budget * RETURN_SECONDS / 2 / max(elapsed, 1e-9))))
    except KeyboardInterrupt:
        loop.drain(recorder)
        failure = InterruptedIntegrationError(f"Interrupted at t = {state.t:.9g}; the solution so far is attached.")
    multipliers = loop.multipliers[:rows]
    if failure is not None:
        recorder.add_last(state.t, loop.q, loop.v, multipliers)
    statistics = Statistics(
        steps=state.steps,
        accepted=state.steps,
        rejected=state.rejected,
        rhs_evaluations=state.rhs_evaluations,
        max_constraint_residual=state.largest_constraint,
        max_velocity_residual=state.largest_velocity,
        cpu_seconds=cpu,
        derive_seconds=system.timings.derive,
        compile_seconds=system.timings.compile + loop.compile_seconds,
    )
    acceleration = loop.acceleration if state.acceleration_is_valid else None
    event = loop.event[: len(system.layout.events)]
    end = Start(loop.q, loop.v, multipliers, state.h, acceleration, _after_events(recorder, state.t, event))
    return failure, statistics, end


def _run_numpy(
    run: Run, recorder: Recorder, progress: Progress | None
) -> tuple[IntegrationError | None, Statistics, Start | None]:
    system = run.system
    loop = TimeLoop(system, run.method, run.plan, run.control, run.start, recorder, run.record_every)
    state, counters = loop.state, loop.counters
    failure: IntegrationError | None = None
    start_cpu, reported = time.thread_time(), time.perf_counter()

    def report() -> None:
        nonlocal reported
        if progress is not None and time.perf_counter() - reported > RETURN_SECONDS:
            reported = time.perf_counter()
            progress(run.plan.fraction(state.t))

    try:
        status = loop.run(report)
        if status in _FAILURES:
            h = loop.h if run.control.is_adaptive else run.plan.step_size(counters.segment)
            failure = run.failure(status, state, h)
    except KeyboardInterrupt:
        failure = InterruptedIntegrationError(f"Interrupted at t = {state.t:.9g}; the solution so far is attached.")
    if failure is not None:
        recorder.add_last(state.t, state.q, state.v, state.multipliers)
    elif progress is not None:
        progress(1.0)
    statistics = Statistics(
        steps=counters.steps,
        accepted=counters.steps,
        rejected=counters.rejected,
        rhs_evaluations=counters.rhs_evaluations,
        max_constraint_residual=counters.largest_constraint,
        max_velocity_residual=counters.largest_velocity,
        cpu_seconds=time.thread_time() - start_cpu,
        derive_seconds=system.timings.derive,
        compile_seconds=system.timings.compile,
    )
    event = _after_events(recorder, state.t, loop.event)
    end = Start(state.q, state.v, state.multipliers, loop.h, state.acceleration, event)
    return failure, statistics, end


def _after_events(recorder: Recorder, t: float, values: Array | None) -> Array | None:
    """Values of the event functions to go on with: zero for those that just happened, so that they do not again."""
    if values is None:
        return None
    values = values.copy()
    happened = {(e.name, e.instance) for e in recorder.events if e.t == t}
    for k, value in enumerate(recorder.layout.events):
        if (value.name, value.instance) in happened:
            values[k] = 0.0
    return values
