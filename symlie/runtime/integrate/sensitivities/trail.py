"""States of a run in compiled code, with its steps, from which cotangents are propagated in reverse."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import JUMP, KINK, STEP_WIDTH, Status
from symlie.errors import ModelError
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.compiled_method import Compiled
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.run import MOST_STEPS, Run, execute
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.solution.recorder import Event, Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start as StateStart
from symlie.runtime.steps.program import features_of, passes_acceleration

COMPUTED, KNOWN, AFTER_JUMP, BEGUN, TO_SWITCH, ASIDE, ACROSS = 0, 1, 2, 4, 8, 16, 32
"""Kinds of steps, which are added as in ``symlie_trail``: v' of the first stage is computed, known from the previous
step, or computed with λ after a jump; the method history begins; the step ends before a switch, or the state before or
behind it is extrapolated."""

BEGIN, LENGTH, KIND, NUMBER = range(STEP_WIDTH)
"""Columns of records of steps: start time, length, kind, and number of steps up to the end, or -1 within a step."""


ANCHORED = 256
"""Number of attempted steps after which a loop with events stores its state."""


def steps_end_at_events(layout: Layout) -> bool:
    """Return whether steps may end at events."""
    return bool(layout.event_changes.any()) or any(e.is_terminal for e in layout.events)


@dataclass(frozen=True, eq=False)
class Trail:
    """States between n consecutive accepted steps, with leading axis n + 1, and the steps.

    Attributes
    ----------
    begin, length
        Start times and lengths of the steps, in s, shape (n,).
    kind
        `COMPUTED`, `KNOWN` or `AFTER_JUMP`, and possibly `BEGUN` and `TO_SWITCH`; or `ASIDE` or `ACROSS`, shape (n,).
    number
        Numbers of steps of the run up to the states, or -1 within a step.
    t, q, v, multipliers, acceleration, own
        Times, in s, configurations, velocities, λ, v' for the first stage of the next step, and the method history.
    """

    begin: Array
    length: Array
    kind: NDArray[np.uint8]
    number: NDArray[np.int64]
    t: Array
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array
    own: Array

    def part(self, first: int, last: int) -> Trail:
        """Return the steps between two states."""
        of_steps = {"begin", "length", "kind"}
        return Trail(**{k: x[first : last + (k not in of_steps)] for k, x in vars(self).items()})


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
    def of(cls, method: ProgrammedMethod, run: Run) -> Start:
        """Return that of the steps of a run."""
        system = run.system
        features = features_of(system.mechanics, compiled=True)
        program, own = method.known_program(features), method.own_size(system.layout)
        restarts = (JUMP, KINK) if method.restarts_at_kinks else (JUMP,)
        from_acceleration = passes_acceleration(program, method.substeps(features))
        is_passed_on = from_acceleration and bool(program.results("acceleration")) and not run.control.is_projected
        return cls(from_acceleration, is_passed_on, own, restarts, method.starts_from_multipliers(features))

    def kinds(self, plan: Plan, steps: Array, first: StateStart) -> NDArray[np.uint8]:
        """Return the kinds of consecutive steps from their records, the first of which starts from a state."""
        begin, recorded = steps[:, BEGIN], steps[:, KIND].astype(np.uint8)
        is_step, follows_switch = recorded <= TO_SWITCH, np.append(False, recorded[:-1] == ACROSS)
        begun, jumped = (
            np.isin(begin, [t for t, restart in zip(plan.start, plan.restarts, strict=True) if restart in of])
            for of in (self.restarts, (JUMP,))
        )
        found = np.full(len(begin), KNOWN if self.is_passed_on else COMPUTED, dtype=np.uint8)
        found[0] = KNOWN if self.from_acceleration and first.acceleration is not None else COMPUTED
        found[follows_switch] = COMPUTED
        found[jumped] = AFTER_JUMP if self.after_jumps else COMPUTED
        if self.own:
            begun[0] |= first.own is None
            found[begun | follows_switch] += BEGUN
        return np.where(is_step, found + recorded, recorded)


class TrailLoop(CompiledIntegration):
    """Time loop that records all states from a given one on, with v' for the following step if it is a value of the
    state, and with the method history.

    Attributes
    ----------
    anchors
        Some states before events, from which the loop can repeat steps that end at them.
    """

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
        self.anchors: list[LoopState] = []
        self._ends_at_events = width == 1 and steps_end_at_events(run.system.layout)
        dimension = run.system.layout.dimension if start.from_acceleration else 0
        self._widths = {"acceleration": width * dimension, "own": width * start.own, "step": STEP_WIDTH}
        self._further = {name: np.zeros(self._record.capacity * size) for name, size in self._widths.items()}
        self._taken: dict[str, list[Array]] = {name: [] for name in self._widths}
        for name, size in self._widths.items():
            if size:
                setattr(self._record, name, self.library.pointer(self._further[name]))

    def advance(self, budget: int) -> Status:
        if not self._ends_at_events:
            return super().advance(budget)
        status = Status.BUDGET
        while status is Status.BUDGET and budget > 0:
            anchor, known = self.captured(), self.new_events
            status = super().advance(min(budget, ANCHORED))
            if self.new_events > known:
                self.anchors.append(anchor)
            budget -= ANCHORED
        return status

    def drain(self, recorder: Recorder) -> None:
        for name, size in self._widths.items():
            self._taken[name].append(self._further[name][: self._record.count * size].copy())
        super().drain(recorder)

    @property
    def capacity(self) -> int:
        """Largest number of steps of `stretch`."""
        return int(self._record.capacity) - 2

    def stretch(
        self, begin: LoopState, wanted: int | None, is_open: Callable[[Array, NDArray[np.int64]], bool]
    ) -> tuple[Array, ...]:
        """Integrate from a state to some number of steps, or to the end of the run; return t, q, v, λ, v', the method
        history and the step of all states, with leading axis n + 1, in memory that the next call overwrites.

        The loop continues while a passage is open, for the times of states and the numbers of steps up to them.
        """
        self.put(begin)
        self.anchors[:] = [begin]
        widths = dict(zip(("t", "q", "v", "lambda"), (1, *self._sizes[:3]), strict=True)) | self._widths
        buffers, at, parts = {**self._buffers, **self._further}, begin.at, list[list[Array]]()
        first = np.array([begin.t]), at.q, at.v, at.multipliers, at.acceleration, at.own
        for name, values in zip(widths, first, strict=False):
            if values is not None and widths[name]:
                buffers[name][: len(values)] = values
        buffers["step"][NUMBER] = begin.counters.steps
        record = self._record
        record.count = 1
        while True:
            status = self.advance(MOST_STEPS if wanted is None else max(1, wanted - self.steps))
            record.events = 0
            count, is_full = int(record.count), status is Status.BUFFER_FULL
            found = [buffers[name][: count * width].reshape(count, width) for name, width in widths.items()]
            is_done = status not in (Status.BUDGET, Status.BUFFER_FULL)
            if wanted is not None and self.steps >= wanted and not is_done:
                t, steps = (np.concatenate([part[k] for part in (*parts, found)]) for k in (0, -1))
                is_done = not is_open(t.ravel(), steps[:, NUMBER].astype(np.int64))
            if is_full or is_done:
                parts.append([x.copy() for x in found] if is_full else found)
                record.count = 0
            if is_done:
                return tuple(x[0] if len(x) == 1 else np.concatenate(x) for x in zip(*parts, strict=True))

    def further(self, name: str) -> Array:
        """Return v' (``acceleration``), the method history (``own``) or the ``step`` of all recorded states, shape
        (n, ...)."""
        return np.concatenate(self._taken[name]).reshape(-1, self._widths[name] or 1)


class TrailOfRun(NamedTuple):
    """All states of a run, its solution, the indices of the states that the solution contains, and states before
    events from which the run can be repeated."""

    trail: Trail
    solution: Solution
    recorded: NDArray[np.int64]
    anchors: list[LoopState]


def trail_of_run(run: Run, start: Start, *, records_start: bool) -> TrailOfRun:
    """Return all states of a run; raise the errors of `solve`."""
    begin, keeps_trace = run.begin.at, bool(run.settings["trace"])
    loop = TrailLoop(run, run.begin, start, with_trace=keeps_trace)
    recorder = Recorder(run.system.layout)
    recorder.add_state(float(run.settings["t_span"][0]), begin.q, begin.v, begin.multipliers, begin.carried)
    found = execute(run, loop, run.begin, recorder)
    steps = loop.further("step")
    first = np.zeros(run.system.layout.dimension) if begin.acceleration is None else begin.acceleration
    accelerations = np.zeros((len(steps) + 1, 0))
    if start.from_acceleration:
        accelerations = np.concatenate([first[None], loop.further("acceleration")])
    histories = np.zeros((len(steps) + 1, 0))
    if start.own:
        first = np.zeros(start.own) if begin.own is None else begin.own
        histories = np.concatenate([first[None], loop.further("own")])
    states = found.t, found.q, found.v, found.multipliers
    trail = trail_of(run.begin, steps, start.kinds(run.plan, steps, begin), *states, accelerations, histories)
    chosen = _recorded(run, found, steps[:, NUMBER], records_start=records_start)
    return TrailOfRun(trail, _only(found, chosen), chosen, [run.begin, *loop.anchors])


def trail_of(begin: LoopState, steps: Array, kinds: NDArray[np.uint8], *states: Array) -> Trail:
    """Return the trail from a state with records of steps, their kinds and the states between them."""
    number = np.append(begin.counters.steps, steps[:, NUMBER]).astype(np.int64)
    return Trail(np.ascontiguousarray(steps[:, BEGIN]), np.ascontiguousarray(steps[:, LENGTH]), kinds, number, *states)


def changing_events(solution: Solution) -> list[Event]:
    """Return the events of a run that end it or change the state."""
    layout = solution.system.layout
    changes = {(layout.events[k].name, layout.events[k].instance) for k in np.flatnonzero(layout.event_changes)}
    return [e for e in solution.events if e.is_terminal or (e.name, e.instance) in changes]


def check_end(solution: Solution) -> None:
    """Raise ModelError if a terminal event ends a run."""
    if solution.status == "event":
        raise ModelError(
            f"A terminal event ends the run at t = {solution.t[-1]:.9g}; choose an end before it, or make it "
            "non-terminal."
        )


def _recorded(run: Run, solution: Solution, number: Array, *, records_start: bool) -> NDArray[np.int64]:
    """Return the indices of the states that `solve` records, for the numbers of steps up to the states after the
    first."""
    plan, every, is_end, t = run.plan, run.record_every, number > 0, solution.t[1:]
    ends = [end for end, is_recorded in zip(plan.end, plan.record_end, strict=True) if is_recorded]
    chosen = np.isin(t, ends) & is_end
    at_event = np.isin(t, [e.t for e in changing_events(solution)])
    if every:
        chosen |= is_end & (number % every == 0) | (every == 1) | at_event
    elif at_event.any():
        chosen[:-1] &= ~(at_event[:-1] & (t[1:] == t[:-1]))
        chosen[-1] |= at_event[-1]
    return np.flatnonzero(np.append(records_start, chosen))


def _only(solution: Solution, chosen: NDArray[np.int64]) -> Solution:
    """Return a solution with chosen states."""
    parts = {name: getattr(solution, name)[chosen] for name in ("t", "q", "v", "multipliers", "carried")}
    return dataclasses.replace(solution, **parts)
