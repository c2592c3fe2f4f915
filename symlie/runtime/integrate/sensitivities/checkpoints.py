"""Bounded memory for gradients in reverse: checkpoints between blocks of steps, in the binomial order of revolve.

All states of one block are stored at a time. With s checkpoints and at most r repetitions of any step,

    n = (s + r)!/(s! r!)  (1)

blocks can be processed from the last one to the first.

Source: [Griewank2008], chapter 12.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from symlie.contract.constants import STEP_WIDTH, Status
from symlie.errors import ModelError
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.run import Run, execute
from symlie.runtime.integrate.sensitivities.passages.movement import Movement, lengths_in_history
from symlie.runtime.integrate.sensitivities.trail import Start, Trail, TrailLoop, steps_end_at_events, trail_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start as StateStart

State = TypeVar("State")


class Take(Protocol):
    """Function of a block of steps."""

    def __call__(self, trail: Trail, anchors: Sequence[LoopState], settled: int | None) -> None:
        """Process a block, with states before its events; an event shortly before it moves the times of states up to a
        number of steps."""


OBJECT = 128
"""Bytes of an array object."""

GRID = math.sqrt(2)
"""Ratio of the sizes of blocks that are compared."""


@dataclass(frozen=True)
class Schedule:
    """Numbers of steps in a block, and of checkpoints, including that of the start."""

    block: int
    checkpoints: int


def most_blocks(checkpoints: int, repetitions: int) -> int:
    """Return the number (1) of blocks."""
    return math.comb(checkpoints + repetitions, repetitions)


def repetitions_of(blocks: int, checkpoints: int) -> int:
    """Return the smallest number of repetitions for some blocks."""
    found = 0
    while most_blocks(checkpoints, found) < blocks:
        found += 1
    return found


def schedule_of(steps: int, largest: int, memory: int, of_step: int, of_checkpoint: int, name: str) -> Schedule:
    """Return the schedule with the fewest repeated steps within a memory in bytes, for given sizes of the largest
    block, of a step and of a checkpoint; raise ModelError if not even one step fits."""
    # The state of the block in work is in memory together with the checkpoints.
    memory -= of_checkpoint
    if memory < of_step + of_checkpoint:
        raise ModelError(
            f"memory = {memory + of_checkpoint} bytes are not enough for even one checkpoint of '{name}', which needs "
            f"{of_step + 2 * of_checkpoint} bytes together with one step; allow more."
        )
    best, least = Schedule(1, 1), math.inf
    size = 1.0
    while size < GRID * steps:
        block = min(int(size), steps, largest)
        checkpoints = (memory - block * of_step) // of_checkpoint
        size *= GRID
        if checkpoints < 1:
            break
        blocks = -(-steps // block)
        r = repetitions_of(blocks, checkpoints)
        repeated = block * (r * blocks - (most_blocks(checkpoints + 1, r - 1) if r else 0))
        if repeated < least:
            best, least = Schedule(block, checkpoints), repeated
    return best


def revolve(
    blocks: range,
    state: State,
    checkpoints: int,
    advance: Callable[[State, int], State],
    take: Callable[[int, State], None],
) -> None:
    """Take consecutive blocks from the last to the first, each with the state at its start.

    The given state is that at the start of the first block, and one of the checkpoints. ``advance`` returns the state
    after some blocks.
    """
    first, last = blocks.start, blocks.stop
    while last - first > 1:
        middle = _next_checkpoint(first, last, checkpoints)
        if checkpoints > 1:
            revolve(range(middle, last), advance(state, middle - first), checkpoints - 1, advance, take)
        else:
            take(middle, advance(state, middle - first))
        last = middle
    take(first, state)


def first_sweep(blocks: int, checkpoints: int) -> list[int]:
    """Return the first blocks that `revolve` advances to, up to the last one."""
    found = [0]
    while found[-1] < blocks - 1:
        found.append(_next_checkpoint(found[-1], blocks, max(1, checkpoints - len(found) + 1)))
    return found[1:]


def _next_checkpoint(first: int, last: int, checkpoints: int) -> int:
    """Return the block in front of which the next checkpoint is, or the last block if there is only one checkpoint."""
    count = last - first
    if checkpoints == 1:
        return last - 1
    return first + min(count - 1, most_blocks(checkpoints, repetitions_of(count, checkpoints) - 1))


class NotingLoop(CompiledIntegration):
    """Time loop that notes events shortly before wanted numbers of steps.

    Attributes
    ----------
    settled
        Number of steps after which the time does not move with the last event, or None without an event in the last
        steps.
    """

    def __init__(self, run: Run, *, record_every: int, with_trace: bool) -> None:
        parts = run.system, run.method, run.plan, run.control, run.begin
        super().__init__(*parts, record_every=record_every, with_trace=with_trace)
        changes = steps_end_at_events(run.system.layout)
        self._margin = lengths_in_history(run.method) + 2 if changes else 0
        self.settled: int | None = None

    def toward(self, steps: int, budget: int) -> Status:
        """Integrate to some number of steps, or take a part of these steps."""
        rest = steps - self.steps
        if rest > self._margin:
            self.settled = None
            return self.advance_by(min(budget, rest - self._margin))
        before = self.state.changed_at, self.state.changes_at_once
        status = self.advance_by(min(budget, 1 if self._margin else rest))
        if before != (self.state.changed_at, self.state.changes_at_once):
            self.settled = self.steps + 1
        return status

    def advance_by(self, budget: int) -> Status:
        """Attempt some steps."""
        return CompiledIntegration.advance(self, budget)


class SweepLoop(NotingLoop):
    """Time loop of a run that passes the states after some numbers of steps to a function."""

    def __init__(self, run: Run, steps: Sequence[int], keep: Callable[[int, LoopState, int | None], None]) -> None:
        super().__init__(run, record_every=run.record_every, with_trace=bool(run.settings["trace"]))
        self._wanted, self._keep = list(reversed(steps)), keep

    def advance(self, budget: int) -> Status:
        if not self._wanted:
            return super().advance(budget)
        status = self.toward(self._wanted[-1], budget)
        if self.steps == self._wanted[-1]:
            self._keep(self._wanted.pop(), self.captured(), self.settled)
        return status


class Checkpoints:
    """States of a run, repeated from checkpoints."""

    def __init__(self, run: Run, start: Start, memory: int) -> None:
        self._run, self._start, self._memory, self._kept = run, start, memory, dict[int, Array]()
        self._lengths = lengths_in_history(run.method)
        self._loop = NotingLoop(run, record_every=0, with_trace=False)
        self._trail = TrailLoop(run, run.begin, start, with_trace=False)

    def run(self, recorder: Recorder) -> Solution:
        """Integrate to the end, with checkpoints on the way if the number of steps is known in advance; raise
        ModelError if not even one state fits into the memory, and the errors of `solve`."""
        run, total = self._run, self._run.plan.total_steps
        wanted: list[int] = []
        if total:
            self._schedule = self._scheduled(total)
            block = self._schedule.block
            wanted = [k * block for k in first_sweep(-(-total // block), self._schedule.checkpoints)]

        def keep(steps: int, state: LoopState, settled: int | None) -> None:
            self._kept[steps] = self._packed(state, settled)

        solution = execute(run, SweepLoop(run, wanted, keep), run.begin, recorder)
        self._steps, self._ends_at_event = solution.statistics.steps, solution.status == "event"
        self.movement = Movement(solution, self._lengths, is_adaptive=run.control.is_adaptive)
        if not total:
            self._schedule = self._scheduled(self._steps)
        return solution

    def _scheduled(self, steps: int) -> Schedule:
        layout, method = self._run.system.layout, self._run.method
        state = layout.storage + 2 * layout.dimension + layout.rows + layout.carried_size
        further = method.own_size(layout) + len(layout.events)
        of_step = 8 * (state + self._start.own + STEP_WIDTH + 6)
        of_checkpoint = 8 * (state + further + len(dataclasses.fields(Counters)) + 6) + OBJECT
        return schedule_of(steps, self._trail.capacity, self._memory, of_step, of_checkpoint, layout.name)

    def reverse(self, take: Take) -> None:
        """Pass all blocks of steps to a function, from the last to the first."""
        blocks, begin = max(1, -(-self._steps // self._schedule.block)), self._packed(self._run.begin)
        taken = functools.partial(self._take, take, blocks)
        revolve(range(blocks), begin, self._schedule.checkpoints, self._advanced, taken)

    def _advanced(self, state: Array, blocks: int) -> Array:
        """Return the state after some blocks."""
        loop, (begin, loop.settled) = self._loop, self._unpacked(state)
        wanted = begin.counters.steps + blocks * self._schedule.block
        if wanted in self._kept:
            return self._kept.pop(wanted)
        loop.put(begin)
        while loop.steps < wanted:
            loop.toward(wanted, wanted - loop.steps)
            loop.drain(Recorder(self._run.system.layout))
        return self._packed(loop.captured(), loop.settled)

    def _take(self, take: Take, blocks: int, block: int, state: Array) -> None:
        """Process one block, with the rest of a passage that begins in it."""
        begin, settled = self._unpacked(state)
        is_end = self._ends_at_event and block == blocks - 1
        wanted = None if is_end else min((block + 1) * self._schedule.block, self._steps)
        t, *states, records = self._trail.stretch(begin, wanted, self.movement.is_open)
        kinds = self._start.kinds(self._run.plan, records[1:], begin.at)
        trail = trail_of(begin, records[1:], kinds, t.ravel(), *states)
        take(trail, self._trail.anchors, settled)

    def _packed(self, state: LoopState, settled: int | None = None) -> Array:
        """Return a state and the last event before it as one array: all checkpoints of a run have the same entries."""
        at = state.at
        parts = at.acceleration, at.event, at.own
        sizes = self._sizes
        known = [np.zeros(n) if x is None else x for n, x in zip(sizes[4:], parts, strict=True)]
        last = -1 if settled is None else settled
        numbers = [last, state.t, at.h, *(x is not None for x in parts), *vars(state.counters).values()]
        return np.concatenate([numbers, at.q, at.v, at.multipliers, at.carried, *known])

    def _unpacked(self, packed: Array) -> tuple[LoopState, int | None]:
        names = dataclasses.fields(Counters)
        count = 6 + len(names)
        last, t, h, *flags = packed[:6].tolist()
        values = zip(names, packed[6:count].tolist(), strict=True)
        counters = Counters(**{f.name: x if f.type == "float" else int(x) for f, x in values})
        q, v, multipliers, carried, *known = np.split(packed[count:], np.cumsum(self._sizes)[:-1])
        acceleration, event, own = (x if flag else None for x, flag in zip(known, flags, strict=True))
        state = LoopState(t, StateStart(q, v, multipliers, carried, h, acceleration, event, own), counters)
        return state, None if last < 0 else int(last)

    @property
    def _sizes(self) -> tuple[int, ...]:
        layout = self._run.system.layout
        sizes = layout.storage, layout.dimension, layout.rows, layout.carried_size
        return (*sizes, layout.dimension, len(layout.events), self._run.method.own_size(layout))
