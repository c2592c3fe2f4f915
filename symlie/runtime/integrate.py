"""`solve`: integrate a system with a method, in compiled code or in NumPy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np

from symlie.errors import (
    IntegrationError,
    InterruptedIntegrationError,
    ModelError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
    UnknownNameError,
    UnsupportedMethodError,
)
from symlie.runtime.drive import CompiledIntegration, Status
from symlie.runtime.initial import InitialState
from symlie.runtime.layout import Array, Layout
from symlie.runtime.methods import Method
from symlie.runtime.methods import method as method_of_name
from symlie.runtime.plan import Plan, fixed_step_plan
from symlie.runtime.solution import Solution, Statistics
from symlie.runtime.steppers import State, Stepper
from symlie.runtime.system import System

RETURN_SECONDS = 0.05
"""The compiled loop returns at least this often, for progress and interruption."""

Progress = Callable[[float], None]
"""Called with the fraction done, between 0 and 1."""

_FAILURES: dict[Status, tuple[type[IntegrationError], str]] = {
    Status.NOT_FINITE: (
        NotFiniteError,
        "A state became infinite or NaN in the step after t = {t:.9g}; take a smaller step.",
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
}


def _failure(status: Status, t: float) -> IntegrationError:
    kind, sentence = _FAILURES[status]
    return kind(sentence.format(t=t))


@dataclass
class _Recorder:
    layout: Layout
    t: list[Array] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    v: list[Array] = field(default_factory=list)
    multipliers: list[Array] = field(default_factory=list)

    def add(self, t: Array, q: Array, v: Array, multipliers: Array) -> None:
        n = len(t)
        self.t.append(np.array(t))
        self.q.append(np.array(q).reshape(n, self.layout.storage))
        self.v.append(np.array(v).reshape(n, self.layout.dimension))
        self.multipliers.append(np.array(multipliers).reshape(n, self.layout.rows))

    def add_last(self, t: float, q: Array, v: Array, multipliers: Array) -> None:
        """Record where an integration stopped, unless it is there already."""
        if t not in (times[-1] for times in self.t[-2:] if len(times)):
            self.add(np.array([t]), q, v, multipliers)

    def solution(self, system: System, method: Method, statistics: Statistics, status: str) -> Solution:
        return Solution(
            system,
            method.name,
            np.concatenate([np.atleast_1d(t) for t in self.t]) if self.t else np.zeros(0),
            np.concatenate(self.q) if self.q else np.zeros((0, self.layout.storage)),
            np.concatenate(self.v) if self.v else np.zeros((0, self.layout.dimension)),
            np.concatenate(self.multipliers) if self.multipliers else np.zeros((0, self.layout.rows)),
            statistics,
            status,
        )


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
    h: float,
    t_eval: Sequence[float] | None = None,
    record_every: int = 1,
    multipliers: str = "stage",
    progress: Progress | None = None,
) -> Solution:
    """Integrate a system with fixed steps.

    Parameters
    ----------
    system
        The system, from `Equations.compile` or `symlie.load`.
    t_span
        (t₀, t_end), or t_end with t₀ = 0; in s.
    method
        Name of a method; see ``symlie list``.
    h
        Step size, in s.
    t_eval
        Times to record, hit exactly by shortening steps; default: every step.
    record_every
        Without ``t_eval``: record each n-th step, and the end; 0 records the start and the end alone.
    multipliers
        ``"stage"``: λ as the method gives it. ``"index1"``: recomputed from the acceleration-level system at each
        recorded state; the integration is the same.
    progress
        Called with the fraction done, at most every 50 ms or so.

    Returns
    -------
    Solution

    Raises
    ------
    UnsupportedMethodError
        The method can not integrate this model.
    ModelError
        The interval, the step size or the times to record are not usable.
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
    t0, t_end = _interval(t_span)
    plan = fixed_step_plan(t0, t_end, h, t_eval, system.breakpoints)
    initial = system.initial_state if t0 == 0 else system.consistent_state(t0)
    recorder = _Recorder(system.layout)
    if t_eval is None or (len(t_eval) and t_eval[0] == t0):
        recorder.add(np.array([t0]), initial.q, initial.v, initial.multipliers)
    every = record_every if t_eval is None else 0
    run = _run_c if system.backend == "c" else _run_numpy
    failure, statistics = run(system, chosen, plan, initial, recorder, every, progress)
    status = "ok" if failure is None else type(failure).__name__
    solution = recorder.solution(system, chosen, statistics, status)
    if multipliers == "index1" and system.layout.rows:
        solution = solution.with_index1_multipliers()
    if failure is not None:
        failure.solution = solution
        raise failure
    return solution


def _interval(t_span: tuple[float, float] | float) -> tuple[float, float]:
    ends = (0.0, t_span) if np.ndim(t_span) == 0 else tuple(t_span)  # type: ignore[arg-type]
    if len(ends) != 2:
        raise ModelError(f"The time interval must be t_end or (t0, t_end), not {t_span!r}.")
    return float(ends[0]), float(ends[1])  # type: ignore[arg-type]


def _run_c(
    system: System,
    method: Method,
    plan: Plan,
    initial: InitialState,
    recorder: _Recorder,
    record_every: int,
    progress: Progress | None,
) -> tuple[IntegrationError | None, Statistics]:
    loop = CompiledIntegration(system, method, plan, initial, record_every=record_every)
    state = loop.state
    failure: IntegrationError | None = None
    cpu = 0.0
    budget = 64
    try:
        while True:
            start, start_cpu = time.perf_counter(), time.thread_time()
            status = loop.advance(budget)
            elapsed = time.perf_counter() - start
            cpu += time.thread_time() - start_cpu
            recorder.add(*loop.drain())
            if progress is not None:
                progress(state.steps / plan.total_steps)
            if status is Status.DONE:
                break
            if status in _FAILURES:
                failure = _failure(status, state.t)
                break
            if status is Status.BUDGET:
                # Aim at half the time so that a slower stretch still returns in time.
                budget = max(1, min(4 * budget, int(budget * RETURN_SECONDS / 2 / max(elapsed, 1e-9))))
    except KeyboardInterrupt:
        recorder.add(*loop.drain())
        failure = InterruptedIntegrationError(f"Interrupted at t = {state.t:.9g}; the solution so far is attached.")
    if failure is not None:
        recorder.add_last(state.t, loop.q, loop.v, loop.multipliers[: system.layout.rows])
    statistics = Statistics(
        steps=state.steps,
        accepted=state.steps,
        rhs_evaluations=state.rhs_evaluations,
        max_constraint_residual=state.largest_constraint,
        max_velocity_residual=state.largest_velocity,
        cpu_seconds=cpu,
        derive_seconds=system.timings.derive,
        compile_seconds=system.timings.compile + loop.compile_seconds,
    )
    return failure, statistics


def _run_numpy(
    system: System,
    method: Method,
    plan: Plan,
    initial: InitialState,
    recorder: _Recorder,
    record_every: int,
    progress: Progress | None,
) -> tuple[IntegrationError | None, Statistics]:
    stepper = Stepper(system.kernels, system.algebra, system.prepared, method, system.layout.rows)
    state = State(plan.start[0], initial.q.copy(), initial.v.copy(), initial.multipliers.copy())
    failure: IntegrationError | None = None
    start_cpu, reported = time.thread_time(), time.perf_counter()
    try:
        for start, end, steps, record_end in zip(plan.start, plan.end, plan.steps, plan.record_end, strict=True):
            h = (end - start) / steps
            for n in range(steps):
                state.t = start + n * h
                with np.errstate(all="ignore"):
                    stepper.step(state, h)
                state.t = end if n + 1 == steps else start + (n + 1) * h
                if (record_end and n + 1 == steps) or (record_every and state.steps % record_every == 0):
                    recorder.add(np.array([state.t]), state.q, state.v, state.multipliers)
                if progress is not None and time.perf_counter() - reported > RETURN_SECONDS:
                    reported = time.perf_counter()
                    progress(state.steps / plan.total_steps)
    except IntegrationError as error:
        failure = _failure(next(s for s, (kind, _) in _FAILURES.items() if kind is type(error)), state.t)
    except KeyboardInterrupt:
        failure = InterruptedIntegrationError(f"Interrupted at t = {state.t:.9g}; the solution so far is attached.")
    if failure is not None:
        recorder.add_last(state.t, state.q, state.v, state.multipliers)
    elif progress is not None:
        progress(1.0)
    statistics = Statistics(
        steps=state.steps,
        accepted=state.steps,
        rhs_evaluations=state.rhs_evaluations,
        max_constraint_residual=state.largest_constraint,
        max_velocity_residual=state.largest_velocity,
        cpu_seconds=time.thread_time() - start_cpu,
        derive_seconds=system.timings.derive,
        compile_seconds=system.timings.compile,
    )
    return failure, statistics
