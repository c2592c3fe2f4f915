"""Course of a simulation: its time loop, and the segment of the step schedule that it follows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from dataclasses import dataclass

from symlie.contract.constants import JUMP, Status
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.request import Request, first_step_size
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.integrate.simulation.sampling import Sampling
from symlie.runtime.integrate.simulation.schedule import Schedule, endless
from symlie.runtime.integrate.time_loop import TimeLoopLike
from symlie.runtime.system.inputs import gap_after
from symlie.runtime.system.system import System

AHEAD = 1024
"""Length of a segment without end in adaptive steps: the resolution of time depends on it."""

FIRST_AHEAD = 1000.0
"""Largest length of the first adaptive step of `Course.step`, in s."""

NEAR = 2.0
"""Least distance from the end of a segment without end, in adaptive steps; the end does not shorten them."""


@dataclass
class Position:
    """Place in the step schedule between two steps."""

    set_at: dict[str, float]
    """Times at which inputs were set last, in s."""
    plan: Plan
    """Segment between two empty ones."""
    is_followed: bool = False
    """True if single steps go on in ``plan``."""
    grid: Plan | None = None
    """Segment of equal steps, for single fixed steps."""
    step_after: int | None = None
    """Number of the step in ``grid`` that follows ``plan``; None if they are the same."""
    is_endless: bool = False
    """True if no adaptive step may reach the end of ``plan``."""
    gap: float | None = None
    """Time from a change of an input at the current time to the next step, in s; None without a change."""
    is_fresh: bool = True
    """True before the first step."""


class Course:
    """Time loop of a simulation, one segment after the other.

    Parameters
    ----------
    system, request, schedule, loop
        Parts of the simulation.
    h
        Fixed step size, in s; None for adaptive steps.
    sampling
        The controllers, if there are any.

    Attributes
    ----------
    loop
        The time loop.
    position
        Its place in the step schedule.
    """

    def __init__(
        self,
        system: System,
        request: Request,
        schedule: Schedule,
        loop: TimeLoopLike,
        h: float | None,
        sampling: Sampling | None = None,
    ) -> None:
        self._system, self._request, self._schedule, self.loop, self._h = system, request, schedule, loop, h
        self._sampling = sampling
        self.position = Position({}, request.plan)

    def begin(self, state: LoopState, inputs: Collection[str]) -> None:
        """Start the method at a state."""
        self.loop.put(state)
        self.position = Position(dict.fromkeys(inputs, state.t), self._request.plan)

    def put(self, state: LoopState, position: Position) -> None:
        """Continue from a state at a place in the step schedule."""
        self.loop.put(state)
        self.position = position
        if position.is_followed:
            self.loop.replan(position.plan, state.counters.segment, state.counters.step)

    def jump(self, state: LoopState) -> None:
        """Continue from another state at the same time."""
        self.loop.put(state)
        self.position = dataclasses.replace(self.position, is_followed=False, grid=None, step_after=None)

    def change(self, name: str) -> None:
        """Begin the next step at a change of an input."""
        at, t = self.position, self.loop.t
        before = at.set_at[name]
        gap = gap_after(t, before) if t > before else 0.0
        at.gap, at.set_at[name] = max(at.gap or 0.0, gap), t

    def step(self) -> Status:
        """Attempt a single step, also as a part of an accepted one."""
        at = self.position
        if not at.is_followed or at.gap is not None or not self._is_inside():
            if self._h is None:
                self._plan_adaptive_step(self.loop.h)
            else:
                self._plan_fixed_step(self._h)
        return self.loop.advance(1)

    def head_for(self, until: float) -> None:
        """Begin a segment that ends at a time, or at the first breakpoint before it."""
        begin, restart = self._departure()
        stop = min(self._stop(), until)
        self.position.is_followed, self.position.grid = False, None
        self._enter(self._schedule.segment(self.loop.t, begin, stop, restart=restart), restart, 0)

    def _stop(self) -> float:
        """Time of the next breakpoint or sample, in s."""
        stop = self._schedule.stop_after(self.loop.t)
        return stop if self._sampling is None else min(stop, self._sampling.clock.next)

    def _departure(self) -> tuple[float, int]:
        """Start of the next step, in s, and restart there."""
        t, gap = self.loop.t, self.position.gap
        begin, restart = self._schedule.departure(t)
        return (max(begin, t + gap), JUMP) if gap else (begin, restart)

    def _is_inside(self) -> bool:
        """Return whether the segment contains the next step, and has a suitable length if it has no end."""
        left = self.position.plan.end[1] - self.loop.t
        if not self.position.is_endless:
            return left > 0
        h = self.loop.h
        return NEAR * h < left < AHEAD**2 * h

    def _plan_adaptive_step(self, h: float) -> None:
        at, t = self.position, self.loop.t
        begin, restart = self._departure()
        stop = self._stop()
        end = t + (AHEAD * h or FIRST_AHEAD)
        at.is_followed, at.is_endless = True, end < stop
        self._enter(self._schedule.segment(t, begin, min(end, stop), restart=restart), restart, 0)

    def _plan_fixed_step(self, h: float) -> None:
        at, t, restart, begins_sample = self.position, self.loop.t, 0, False
        if at.grid is not None and at.grid.end[1] > t:
            step = self.loop.step if at.step_after is None else at.step_after
        else:
            begins_sample = self._sampling is not None
            begin, restart = self._departure() if begins_sample else self._schedule.departure(t)
            stop = self._stop()
            end, steps = endless(begin, h) if stop == math.inf else (stop, 0)
            at.grid, step = self._schedule.segment(t, begin, end, restart=restart, steps=steps), 0
        at.is_followed, at.step_after = True, None
        if at.gap is None or begins_sample:
            self._enter(at.grid, restart, step)
            return
        # After a change of an input, a single step leads back to the times of the equal steps.
        begin, restart = self._departure()
        end, at.step_after = at.grid.step_end(1, step), step + 1
        self._enter(self._schedule.segment(t, begin, end, restart=restart, steps=1), restart, 0)

    def _enter(self, plan: Plan, restart: int, step: int) -> None:
        """Follow a segment from one of its steps; a restart takes place at its start."""
        self.loop.replan(plan, 0 if restart else 1, step)
        at = self.position
        if at.is_fresh and self._h is None:
            only = dataclasses.replace(self._request, plan=plan.only(1))
            self.loop.h = first_step_size(self._system, only, self.loop.captured().at)
        at.is_fresh, at.gap, at.plan = False, None, plan
