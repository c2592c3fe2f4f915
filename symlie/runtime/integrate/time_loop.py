"""Interface of the time loops of both backends."""

from __future__ import annotations

from typing import Protocol

from symlie.contract.constants import Status
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder


class RunLoop(Protocol):
    """A loop that can be continued until it is done."""

    compile_seconds: float
    steps_per_second: float
    """Lower bound for any method, until the speed of this run is known."""

    def advance(self, budget: int) -> Status:
        """Attempt up to ``budget`` steps."""

    def drain(self, recorder: Recorder) -> None:
        """Move the records to a recorder."""

    def captured(self, cpu_seconds: float = 0.0, is_done: bool = False) -> LoopState:
        """State between two steps."""


class TimeLoopLike(RunLoop, Protocol):
    """A loop whose state and step schedule can be replaced."""

    def put(self, state: LoopState) -> None:
        """Replace the current state."""

    def replan(self, plan: Plan, segment: int, step: int) -> None:
        """Go on with another step schedule, at a step of one of its segments."""

    @property
    def t(self) -> float:
        """Current time, in s."""

    h: float
    """Size of the next adaptive step, in s; 0 if unknown."""

    @property
    def steps(self) -> int:
        """Number of accepted steps."""

    @property
    def step(self) -> int:
        """Number of the next step in its segment."""

    @property
    def segment(self) -> int:
        """Number of the current segment, which is that of segments at the end."""

    pause: int
    """Segment before which `advance` returns with `Status.DONE`; 0 for none."""

    @property
    def new_events(self) -> int:
        """Number of events to be drained."""

    def parts(self) -> tuple[Array, Array, Array, Array]:
        """Copies of configuration, velocity, multipliers and auxiliary state."""
