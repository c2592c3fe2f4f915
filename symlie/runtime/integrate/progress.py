"""Progress of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from symlie.runtime.integrate.loop_state import LoopState


class Done(float):
    """Completed fraction of a run, between 0 and 1, as the argument of ``progress`` in `solve`.

    Attributes
    ----------
    t
        Current time, in s.
    h
        Mean step size since the last call, in s.
    iterations
        Newton iterations per step since the last call; 0 for explicit methods.
    """

    t: float
    h: float
    iterations: float

    @classmethod
    def between(cls, fraction: float, before: LoopState, now: LoopState) -> Self:
        """Progress between two states of the loop, with the completed fraction between 0 and 1."""
        steps = max(now.counters.steps - before.counters.steps, 1)
        done = cls(fraction)
        done.t, done.h = now.t, (now.t - before.t) / steps
        done.iterations = (now.counters.newton_iterations - before.counters.newton_iterations) / steps
        return done


Progress = Callable[[Done], None]
"""Callback with the completed fraction, which is a number."""
