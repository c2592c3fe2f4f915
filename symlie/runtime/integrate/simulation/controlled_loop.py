"""Time loop of a run with sampled controllers."""

from __future__ import annotations

from symlie.contract.constants import Status
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.simulation.sampling import Sampling
from symlie.runtime.integrate.time_loop import TimeLoopLike
from symlie.runtime.solution.recorder import Recorder

DONE = Status.DONE


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
        """Attempt up to ``budget`` steps between two of as many samples; raise ControllerError if a controller
        fails."""
        loop, ends, sampling = self.loop, self._plan.end, self._sampling
        if sampling.failure is not None:
            raise sampling.failure
        clock, history, step, parts = sampling.clock, sampling.held.history, loop.advance, loop.parts
        segment, count = loop.segment, len(ends)
        is_due = loop.t >= clock.next and segment < count
        for _ in range(budget):
            if is_due:
                t = clock.next
                for name, value in sampling.act(t, parts).items():
                    history[name][t] = value
            t = clock.next
            while segment < count and ends[segment] < t:
                segment += 1
            loop.pause = segment + 1
            status = step(budget)
            if status is not DONE or segment + 1 >= count:
                return status
            is_due = True
        return Status.BUDGET

    def drain(self, recorder: Recorder) -> None:
        """Move the records to a recorder."""
        self.loop.drain(recorder)

    def captured(self, cpu_seconds: float = 0.0, is_done: bool = False) -> LoopState:
        """State between two steps."""
        return self.loop.captured(cpu_seconds, is_done)
