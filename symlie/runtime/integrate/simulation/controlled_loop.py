"""Time loop of a run with sampled controllers."""

from __future__ import annotations

from bisect import bisect_left

from symlie.contract.constants import Status
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.simulation.sampling import Sampling
from symlie.runtime.integrate.time_loop import TimeLoopLike
from symlie.runtime.solution.recorder import Recorder


class ControlledLoop:
    """Time loop that pauses between segments to call controllers.

    Attributes
    ----------
    loop
        The loop of the segments.
    """

    steps_per_second = 0.0
    """The duration of calls is unknown."""

    def __init__(self, loop: TimeLoopLike, plan: Plan, sampling: Sampling) -> None:
        self.loop, self._plan, self._sampling = loop, plan, sampling
        self.compile_seconds = loop.compile_seconds

    def advance(self, budget: int) -> Status:
        """Attempt about ``budget`` steps; raise ControllerError if a controller fails."""
        loop, ends, sampling = self.loop, self._plan.end, self._sampling
        if sampling.failure is not None:
            raise sampling.failure
        while budget > 0:
            t = loop.t
            if t >= sampling.clock.next and loop.segment < len(ends):
                for name in sampling.act(t, loop.parts):
                    sampling.held.keep(name, t)
            loop.pause = bisect_left(ends, sampling.clock.next) + 1
            before = loop.steps
            status = loop.advance(budget)
            if status is not Status.DONE or loop.segment >= len(ends):
                return status
            budget -= max(1, loop.steps - before)
        return Status.BUDGET

    def drain(self, recorder: Recorder) -> None:
        """Move the records to a recorder."""
        self.loop.drain(recorder)

    def captured(self, cpu_seconds: float = 0.0, is_done: bool = False) -> LoopState:
        """State between two steps."""
        return self.loop.captured(cpu_seconds, is_done)
