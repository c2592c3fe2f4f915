"""States of a run in compiled code, with its steps, from which cotangents are propagated in reverse."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import JUMP, KINK, TRACE_WIDTH
from symlie.errors import ModelError
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.compiled_method import Compiled
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.run import Run, execute
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start as StateStart
from symlie.runtime.steps.program import features_of, passes_acceleration
from symlie.runtime.system.system import System

COMPUTED, KNOWN, AFTER_JUMP, BEGUN = 0, 1, 2, 4
"""Kinds of steps, which are added as in ``symlie_trail``: v' of the first stage is computed, known from the previous
step, or computed with λ after a jump; the method history begins."""


@dataclass(frozen=True, eq=False)
class Trail:
    """States between n consecutive accepted steps, with leading axis n + 1, and the steps.

    Attributes
    ----------
    begin, length
        Start times and lengths of the steps, in s, shape (n,).
    kind
        `COMPUTED`, `KNOWN` or `AFTER_JUMP`, and possibly `BEGUN`, shape (n,).
    t, q, v, multipliers, acceleration, own
        Times, in s, configurations, velocities, λ, v' for the first stage of the next step, and the method history.
    """

    begin: Array
    length: Array
    kind: NDArray[np.uint8]
    t: Array
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array
    own: Array


@dataclass(frozen=True, eq=False)
class Start:
    """What the first stages of steps start from.

    Attributes
    ----------
    from_acceleration
        True if v' is a value of the state; other first stages depend on q and v alone, and are repeated.
    is_passed_on
        True if steps pass v' to the next step.
    own
        Size of the method history.
    restarts
        Restarts of segments after which the method history begins.
    after_jumps
        True if v' and λ are computed anew after a jump, before the method history begins.
    """

    from_acceleration: bool
    is_passed_on: bool
    own: int
    restarts: tuple[int, ...]
    after_jumps: bool

    @classmethod
    def of(cls, method: ProgrammedMethod, system: System) -> Start:
        """Return that of the steps of a method."""
        features = features_of(system.mechanics, compiled=True)
        program, own = method.known_program(features), method.own_size(system.layout)
        restarts = (JUMP, KINK) if method.restarts_at_kinks else (JUMP,)
        from_acceleration = passes_acceleration(program, method.substeps(features))
        is_passed_on = from_acceleration and bool(program.results("acceleration"))
        return cls(from_acceleration, is_passed_on, own, restarts, method.starts_from_multipliers(features))

    def kinds(self, plan: Plan, begin: Array, first: StateStart) -> NDArray[np.uint8]:
        """Return the kinds of consecutive steps with given start times, the first of which starts from a state."""
        begun, jumped = (
            np.isin(begin, [t for t, restart in zip(plan.start, plan.restarts, strict=True) if restart in of])
            for of in (self.restarts, (JUMP,))
        )
        found = np.full(len(begin), KNOWN if self.is_passed_on else COMPUTED, dtype=np.uint8)
        found[0] = KNOWN if self.from_acceleration and first.acceleration is not None else COMPUTED
        found[jumped] = AFTER_JUMP if self.after_jumps else COMPUTED
        if self.own:
            begun[0] |= first.own is None
            found[begun] += BEGUN
        return found


class TrailLoop(CompiledIntegration):
    """Time loop that records all states from a given one on, with v' for the following step if it is a value of the
    state, and with the method history."""

    def __init__(
        self,
        run: Run,
        begin: LoopState,
        start: Start,
        *,
        with_trace: bool,
        compiled: Compiled | None = None,
        width: int = 1,
    ) -> None:
        parts = run.system, run.method, run.plan, run.control, begin
        super().__init__(*parts, record_every=1, with_trace=with_trace, compiled=compiled, width=width)
        dimension = run.system.layout.dimension if start.from_acceleration else 0
        self._dimension, self._taken = width * dimension, list[Array]()
        self._accelerations = np.empty(self._record.capacity * self._dimension)
        if self._dimension:
            self._record.acceleration = self.library.pointer(self._accelerations)
        self._own, self._taken_own = width * start.own, list[Array]()
        self._histories = np.empty(self._record.capacity * self._own)
        if self._own:
            self._record.own = self.library.pointer(self._histories)

    def drain(self, recorder: Recorder) -> None:
        self._taken.append(self._accelerations[: self._record.count * self._dimension].copy())
        self._taken_own.append(self._histories[: self._record.count * self._own].copy())
        super().drain(recorder)

    @property
    def capacity(self) -> int:
        """Largest number of steps of `stretch`."""
        return int(self._record.capacity) - 2

    def stretch(self, begin: LoopState, steps: int) -> tuple[Array, ...]:
        """Integrate some steps from a state; return t, q, v, λ, v' and the method history of all states, each of shape
        (steps + 1, ...), and the trace, in memory that the next call overwrites."""
        self.put(begin)
        widths = (1, *self._sizes[:3])
        names = "t", "q", "v", "lambda"
        first = np.array([begin.t]), begin.at.q, begin.at.v, begin.at.multipliers
        for name, values in zip(names, first, strict=True):
            self._buffers[name][: len(values)] = values
        if self._dimension and begin.at.acceleration is not None:
            self._accelerations[: self._dimension] = begin.at.acceleration
        if self._own and begin.at.own is not None:
            self._histories[: self._own] = begin.at.own
        record, wanted = self._record, self.steps + steps
        record.count = 1
        while self.steps < wanted:
            self.advance(wanted - self.steps)
            record.events = 0
        found = [self._buffers[name][: (steps + 1) * width] for name, width in zip(names, widths, strict=True)]
        trace = self._buffers["trace"][: TRACE_WIDTH * record.tried].reshape(-1, TRACE_WIDTH)
        record.count = record.tried = 0
        states = (x.reshape(steps + 1, width) for x, width in zip(found, widths, strict=True))
        return (
            *states,
            self._accelerations[: (steps + 1) * self._dimension].reshape(steps + 1, self._dimension),
            self._histories[: (steps + 1) * self._own].reshape(steps + 1, self._own),
            trace,
        )

    @property
    def accelerations(self) -> Array:
        """v' at the recorded states, shape (n, dimension), or (n, 0)."""
        return np.concatenate(self._taken).reshape(-1, self._dimension) if self._dimension else np.zeros((0, 0))

    @property
    def histories(self) -> Array:
        """Method history at the recorded states, shape (n, own), or (n, 0)."""
        return np.concatenate(self._taken_own).reshape(-1, self._own) if self._own else np.zeros((0, 0))


class TrailOfRun(NamedTuple):
    """All states of a run, its solution, and the indices of the states that the solution contains."""

    trail: Trail
    solution: Solution
    recorded: NDArray[np.int64]


def trail_of_run(run: Run, start: Start, *, records_start: bool) -> TrailOfRun | None:
    """Return all states of a run, or None if a terminal event ends it; raise the errors of `solve`."""
    begin, keeps_trace = run.begin.at, bool(run.settings["trace"])
    loop = TrailLoop(run, run.begin, start, with_trace=keeps_trace or run.control.is_adaptive)
    recorder = Recorder(run.system.layout)
    recorder.add_state(float(run.settings["t_span"][0]), begin.q, begin.v, begin.multipliers, begin.carried)
    found = execute(run, loop, run.begin, recorder)
    if found.status == "event":
        return None
    begins, lengths = _steps(run, found)
    first = np.zeros(run.system.layout.dimension) if begin.acceleration is None else begin.acceleration
    accelerations = np.zeros((len(begins) + 1, 0))
    if start.from_acceleration:
        accelerations = np.concatenate([first[None], loop.accelerations])
    histories = np.zeros((len(begins) + 1, 0))
    if start.own:
        first = np.zeros(start.own) if begin.own is None else begin.own
        histories = np.concatenate([first[None], loop.histories])
    kinds = start.kinds(run.plan, begins, begin)
    trail = Trail(begins, lengths, kinds, found.t, found.q, found.v, found.multipliers, accelerations, histories)
    chosen = _recorded(run, found.t, records_start=records_start)
    return TrailOfRun(trail, _only(found, chosen, keeps_trace=keeps_trace), chosen)


def check_end(solution: Solution) -> None:
    """Raise ModelError if a terminal event ends a run."""
    if solution.status == "event":
        raise ModelError(
            f"A terminal event ends the run at t = {solution.t[-1]:.9g}; choose an end before it, or make it "
            "non-terminal."
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
