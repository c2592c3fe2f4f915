"""Time loop of a run with sampled controllers."""

from __future__ import annotations

import dataclasses

from symlie.contract.constants import Status
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.simulation.sampling import Sampling
from symlie.runtime.integrate.time_loop import TimeLoopLike
from symlie.runtime.solution.recorder import Recorder

WINDOW = 3
"""Number of segments of the plans of the inner loop, of which one has steps."""


class ControlledLoop:
    """Time loop that takes one segment of a plan after the other, and calls controllers between them.

    Attributes
    ----------
    loop
        The loop of the segments.
    """

    steps_per_second = 0.0
    """The duration of calls is unknown."""

    def __init__(self, loop: TimeLoopLike, plan: Plan, sampling: Sampling, begin: LoopState) -> None:
        self.loop, self._plan, self._sampling = loop, plan, sampling
        self.compile_seconds = loop.compile_seconds
        self._segment = begin.counters.segment
        if self._segment < len(plan.end):
            window, place = self._window()
            loop.replan(window, place, begin.counters.step)

    def advance(self, budget: int) -> Status:
        """Attempt up to ``budget`` steps; raise ControllerError if a controller fails."""
        loop, left = self.loop, budget
        if self._sampling.failure is not None:
            raise self._sampling.failure
        while self._segment < len(self._plan.end):
            before = loop.steps
            status = loop.advance(max(left, 0))
            if status is not Status.DONE:
                return status
            left -= max(1, loop.steps - before)
            self._segment += 1
            if self._segment < len(self._plan.end):
                if loop.t >= self._sampling.clock.next:
                    for name in self._sampling.act(loop.t, loop.parts):
                        self._sampling.held.keep(name, loop.t)
                window, place = self._window()
                loop.replan(window, place - 1, 0)
        return Status.DONE

    def drain(self, recorder: Recorder) -> None:
        """Move the records to a recorder."""
        self.loop.drain(recorder)

    def captured(self, cpu_seconds: float = 0.0, is_done: bool = False) -> LoopState:
        """State between two steps."""
        state = self.loop.captured(cpu_seconds, is_done)
        return dataclasses.replace(state, counters=dataclasses.replace(state.counters, segment=self._segment))

    def _window(self) -> tuple[Plan, int]:
        """Return a plan with the current segment as its only one with steps, and the place of this segment: the last
        one if the run ends with it. Its length is that of the run, which determines the resolution of time."""
        plan, k = self._plan, self._segment
        begin, end, before = plan.start[k], plan.end[k], plan.end[k - 1] if k else plan.start[0]
        first = end - plan.span
        if k + 1 == len(plan.end):
            place, starts, ends = 2, (min(first, before), before, begin), (before, before, end)
        else:
            place, starts, ends = 1, (min(first, before), begin, end), (before, end, end)
        return _only(starts, ends, place, plan, k), place


def _only(starts: tuple[float, ...], ends: tuple[float, ...], place: int, plan: Plan, segment: int) -> Plan:
    """Return a plan whose segments other than the one at a place have no steps."""

    def at_place(value: int) -> tuple[int, ...]:
        return tuple(value if k == place else 0 for k in range(WINDOW))

    flags = tuple(bool(flag) for flag in at_place(plan.record_end[segment]))
    return Plan(starts, ends, at_place(plan.steps[segment]), flags, at_place(plan.restarts[segment]))
