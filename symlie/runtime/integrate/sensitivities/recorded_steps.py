"""Steps of a run, with all data that each of them starts from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import JUMP, Status
from symlie.errors import ModelError
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import FAILURES, Run, solution_of
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class RecordedSteps:
    """States between n accepted steps, with leading axis n + 1, and the steps.

    Attributes
    ----------
    run
        The run.
    solution
        Its solution, with the states that `solve` records.
    method, control
        Method and step control.
    t
        Times, in s.
    q, v, multipliers, acceleration
        Configurations, velocities, λ, and v' for the first stage of the next step.
    knows_acceleration
        Flags of steps whose first stage has this v', shape (n,).
    own, knows_own
        Method history, shape (n + 1, size), and flags of steps that start from it, shape (n,).
    follows_jump
        Flags of steps that start after a jump of an input, shape (n,).
    begin
        Start times of the steps, after jumps of inputs, in s, shape (n,).
    """

    run: Run
    solution: Solution
    method: Method
    control: StepControl
    t: Array
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array
    knows_acceleration: NDArray[np.bool_]
    own: Array
    knows_own: NDArray[np.bool_]
    follows_jump: NDArray[np.bool_]
    begin: Array

    @property
    def count(self) -> int:
        """Number of steps."""
        return len(self.begin)

    @property
    def lengths(self) -> Array:
        """Lengths of the steps, in s, shape (n,)."""
        return np.asarray(self.t[1:] - self.begin)

    def chunks(self, size: int) -> Iterator[slice]:
        """Yield ranges of at most ``size`` steps, in order."""
        for first in range(0, self.count, size):
            yield slice(first, min(first + size, self.count))


def recorded_steps(
    system: System, t_span: tuple[float, float] | float, options: RunOptions, start: Start | None = None
) -> RecordedSteps:
    """Return the steps of a run, from the initial state or from a consistent one; raise ModelError if a terminal event
    ends it, and the errors of `solve`."""
    request = requested(system, t_span, options)
    begin, recorder = beginning(system, request, start), Recorder(system.layout)
    at = begin.at
    if request.records_start:
        recorder.add_state(request.t0, at.q, at.v, at.multipliers, at.carried)
    parts = request.method, request.plan, request.control, request.record_every, request.settings
    run = Run(system, *parts, system.timings, begin)
    loop, states = run.loop(begin), [begin]
    status = Status.BUDGET
    while status in (Status.BUDGET, Status.BUFFER_FULL):
        before = loop.steps
        status = loop.advance(1)
        if status is Status.BUFFER_FULL:
            loop.drain(recorder)
        if loop.steps > before:
            states.append(loop.captured())
    loop.drain(recorder)
    if status in FAILURES:
        failure = run.failure(status, loop.captured())
        failure.solution = solution_of(run, loop.captured(), recorder, failure)
        raise failure
    if status is Status.EVENT:
        raise ModelError(
            f"A terminal event ends the run at t = {loop.t:.9g}; choose an end before it, or make it non-terminal."
        )
    return _joined(solution_of(run, loop.captured(), recorder, None), run, states)


def _joined(solution: Solution, run: Run, states: list[LoopState]) -> RecordedSteps:
    plan = run.plan
    # A loop that arrives at a jump has already passed it.
    arrivals = dict(zip(plan.start[1:], plan.end[:-1], strict=True))
    t = np.array([arrivals.get(state.t, state.t) for state in states])
    starts = dict(zip(plan.end[:-1], zip(plan.start[1:], plan.restarts[1:], strict=True), strict=True))
    departures = [starts.get(float(time), (float(time), 0)) for time in t[:-1]]
    goes_on = [restart != JUMP for _, restart in departures]
    nothing = np.zeros_like(states[0].at.v)
    empty = next((np.zeros_like(s.at.own) for s in states if s.at.own is not None), np.zeros(0))
    return RecordedSteps(
        run,
        solution,
        run.method,
        run.control,
        t,
        np.array([s.at.q for s in states]),
        np.array([s.at.v for s in states]),
        np.array([s.at.multipliers for s in states]),
        np.array([nothing if s.at.acceleration is None else s.at.acceleration for s in states]),
        np.array([s.at.acceleration is not None and on for s, on in zip(states, goes_on, strict=False)], dtype=bool),
        np.array([empty if s.at.own is None else s.at.own for s in states]),
        np.array([s.at.own is not None and on for s, on in zip(states, goes_on, strict=False)], dtype=bool),
        ~np.array(goes_on, dtype=bool),
        np.array([max(begin, float(time)) for (begin, _), time in zip(departures, t[:-1], strict=True)]),
    )


def recorded_states(recorded: RecordedSteps) -> NDArray[np.intp]:
    """Return the indices of the states between steps that the solution contains."""
    return np.searchsorted(recorded.t, recorded.solution.t)
