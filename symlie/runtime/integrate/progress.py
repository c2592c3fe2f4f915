"""How far a run is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from symlie.runtime.integrate.loop_state import LoopState


class Done(float):
    """The fraction of a run that is done, between 0 and 1.

    Attributes
    ----------
    t
        Time that is reached, in s.
    h
        Mean length of the steps since the last call, in s.
    iterations
        Newton iterations per step since then; 0 for explicit methods.
    """

    t: float
    h: float
    iterations: float

    @classmethod
    def between(cls, fraction: float, before: LoopState, now: LoopState) -> Self:
        """The fraction that is done now, with what went on since a state of the loop before.

        Parameters
        ----------
        fraction
            Between 0 and 1.
        before, now
            States of the loop.
        """
        steps = max(now.counters.steps - before.counters.steps, 1)
        done = cls(fraction)
        done.t, done.h = now.t, (now.t - before.t) / steps
        done.iterations = (now.counters.newton_iterations - before.counters.newton_iterations) / steps
        return done


Progress = Callable[[Done], None]
"""Called with the fraction done, which is a number."""
