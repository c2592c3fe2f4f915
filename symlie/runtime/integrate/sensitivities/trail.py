"""All states of a run in compiled code, with its steps, from which cotangents are propagated in reverse."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import JUMP
from symlie.errors import ModelError
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.run import Run, execute
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.steps.instructions import NextStage
from symlie.runtime.steps.program import Program
from symlie.runtime.steps.stage_instructions import StageWithMultipliers

COMPUTED, KNOWN, AFTER_JUMP = 0, 1, 2
"""How the first stage of a step begins, as in ``symlie_trail``."""


@dataclass(frozen=True, eq=False)
class Trail:
    """States between n accepted steps, with leading axis n + 1, and the steps.

    Attributes
    ----------
    solution
        Solution of the run, with the states that `solve` records.
    recorded
        Indices of these states.
    begin, length
        Start times and lengths of the steps, in s, shape (n,).
    kind
        `COMPUTED`, `KNOWN` or `AFTER_JUMP`, shape (n,).
    t, q, v, multipliers, acceleration
        Times, in s, configurations, velocities, λ, and v' for the first stage of the next step.
    """

    solution: Solution
    recorded: NDArray[np.int64]
    begin: Array
    length: Array
    kind: NDArray[np.uint8]
    t: Array
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array


class _Loop(CompiledIntegration):
    """Time loop that records all states, with v' for the following step."""

    def __init__(self, run: Run, *, keeps_acceleration: bool) -> None:
        is_adaptive = run.control.is_adaptive
        parts = run.system, run.method, run.plan, run.control, run.begin
        super().__init__(*parts, record_every=1, with_trace=is_adaptive or bool(run.settings["trace"]))
        self._dimension, self._taken = run.system.layout.dimension if keeps_acceleration else 0, list[Array]()
        self._accelerations = np.empty(self._record.capacity * self._dimension)
        if keeps_acceleration:
            self._record.acceleration = self.library.pointer(self._accelerations)

    def drain(self, recorder: Recorder) -> None:
        self._taken.append(self._accelerations[: self._record.count * self._dimension].copy())
        super().drain(recorder)

    @property
    def accelerations(self) -> Array:
        """v' at the recorded states, shape (n, dimension)."""
        return np.concatenate(self._taken).reshape(-1, self._dimension)


def trail_of(run: Run, program: Program, *, records_start: bool) -> Trail:
    """Return all states of a run with a step program; raise ModelError if a terminal event ends the run, and the errors
    of `solve`."""
    # Other first stages depend on q and v alone, and are repeated.
    keeps_acceleration = program.has(StageWithMultipliers)
    loop, recorder, begin = _Loop(run, keeps_acceleration=keeps_acceleration), Recorder(run.system.layout), run.begin.at
    t0 = float(run.settings["t_span"][0])
    recorder.add_state(t0, begin.q, begin.v, begin.multipliers, begin.carried)
    all_states = execute(run, loop, run.begin, recorder)
    if all_states.status == "event":
        raise ModelError(
            f"A terminal event ends the run at t = {all_states.t[-1]:.9g}; choose an end before it, or make it "
            "non-terminal."
        )
    begins, lengths = _steps(run, all_states)
    first = np.zeros(run.system.layout.dimension) if begin.acceleration is None else begin.acceleration
    kind = np.full(len(begins), COMPUTED, dtype=np.uint8)
    if keeps_acceleration:
        usual = KNOWN if program.has(NextStage) else COMPUTED
        kind[:] = np.where(_jumps(run.plan, begins), AFTER_JUMP, usual)
        kind[0] = COMPUTED if begin.acceleration is None else KNOWN
    chosen = _recorded(run, all_states.t, records_start=records_start)
    return Trail(
        _only(all_states, chosen, keeps_trace=bool(run.settings["trace"])),
        chosen,
        begins,
        lengths,
        kind,
        all_states.t,
        all_states.q,
        all_states.v,
        all_states.multipliers,
        np.concatenate([first[None], loop.accelerations]) if keeps_acceleration else np.zeros((len(begins) + 1, 0)),
    )


def _steps(run: Run, solution: Solution) -> tuple[Array, Array]:
    """Return the start times and lengths of the steps, with the bits of the time loop."""
    plan, trace = run.plan, solution.trace
    if run.control.is_adaptive:
        assert trace is not None
        return trace.t[trace.accepted], trace.h[trace.accepted]
    parts = list(zip(plan.start, plan.steps, (plan.step_size(k) for k in range(len(plan.end))), strict=True))
    begins = [start + np.arange(steps) * h for start, steps, h in parts]
    return np.concatenate(begins), np.concatenate([np.full(steps, h) for _, steps, h in parts])


def _jumps(plan: Plan, begin: Array) -> NDArray[np.bool_]:
    """Return which steps, with given start times, follow a jump of an input."""
    jumps = [t for t, restart in zip(plan.start, plan.restarts, strict=True) if restart == JUMP]
    return np.isin(begin, jumps)


def _recorded(run: Run, t: Array, *, records_start: bool) -> NDArray[np.int64]:
    """Return the indices of the states that `solve` records."""
    plan, number = run.plan, np.arange(len(t))
    ends = [end for end, is_recorded in zip(plan.end, plan.record_end, strict=True) if is_recorded]
    chosen = np.isin(t, ends) & (number > 0)
    if run.record_every:
        chosen |= (number > 0) & (number % run.record_every == 0)
    chosen[0] = records_start
    return np.flatnonzero(chosen)


def _only(solution: Solution, chosen: NDArray[np.int64], *, keeps_trace: bool) -> Solution:
    """Return a solution with chosen states."""
    parts = {name: getattr(solution, name)[chosen] for name in ("t", "q", "v", "multipliers", "carried")}
    return dataclasses.replace(solution, **parts, trace=solution.trace if keeps_trace else None)
