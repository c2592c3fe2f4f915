"""Passages: parts of a run with events that end steps, from a state at a constant time to the next one.

The times of states at events move with the variables. A step after an event ends at a constant time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.integrate.sensitivities.trail import Trail, changing_events
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.solution import Solution

LENGTH_NAME = "length"
"""Beginning of the names of step lengths in the method history."""


class Passage(NamedTuple):
    """Indices of the first and the last state of a passage.

    Attributes
    ----------
    first, last
        The indices.
    is_open
        True if it does not end at the last state, unless the run ends there.
    begins_before
        True if it begins before the first state.
    """

    first: int
    last: int
    is_open: bool
    begins_before: bool = False


class Movement:
    """Movement of times with events that end steps of a run.

    Parameters
    ----------
    solution
        The run.
    is_adaptive
        True for adaptive steps.
    lengths
        Number of earlier step lengths in the method history, which move with an event as well.

    Attributes
    ----------
    times
        Times of the events, in s, increasing.
    """

    def __init__(self, solution: Solution, lengths: int, *, is_adaptive: bool) -> None:
        self.times = np.array(sorted(e.t for e in changing_events(solution)))
        self._lengths, self._is_adaptive = lengths, is_adaptive

    @property
    def coincides(self) -> bool:
        """True if two events are at the same time."""
        return bool((np.diff(self.times) == 0).any())

    def is_open(self, t: Array, number: NDArray[np.int64]) -> bool:
        """Return whether a passage is open after some states, for their times and the numbers of steps up to them."""
        moving = np.isin(t, self.times) if len(self.times) else np.zeros(0, dtype=bool)
        return bool(moving.any()) and self._end(moving, number, int(number[np.flatnonzero(moving)[-1]]))[1]

    def passages(self, trail: Trail, settled: int | None) -> list[Passage]:
        """Return the passages in a trail; the first one begins before it if an event before it moves the times of
        states up to step ``settled``."""
        moving, number, found = np.isin(trail.t, self.times), trail.number, list[Passage]()
        begin = int(number[0])
        moving[0] = False
        if settled is not None and settled + self._lengths > begin:
            end = self._end(moving, number, begin + 1, max(0, begin + 1 - settled))
            found.append(Passage(0, *end, begins_before=True))
        for k in np.flatnonzero(moving).tolist():
            if not found or k > found[-1].last:
                before = np.flatnonzero((number[:k] >= 0) & (number[:k] < number[k]))
                found.append(Passage(int(before[-1]), *self._end(moving, number, int(number[k]))))
        return found

    def _end(
        self, moving: NDArray[np.bool_], number: NDArray[np.int64], step: int, constant: int = 0
    ) -> tuple[int, bool]:
        """Return the last state of a passage, for flags of states that move with events, from a step on before which a
        number of states are at constant times, and whether the passage is open."""
        last = 0
        while constant <= self._lengths:
            states = np.flatnonzero(number == step)
            if not len(states):
                return len(number) - 1, True
            if moving[states].any():
                # An event ends an adaptive step, and a part of a fixed one.
                constant = 0 if self._is_adaptive or moving[states[-1]] else 1
            else:
                constant += 1
            last, step = int(states[-1]), step + 1
        return last, False


def lengths_in_history(method: Method) -> int:
    """Return the number of earlier step lengths that a method carries."""
    return sum(not array.of and array.name.startswith(LENGTH_NAME) for array in method.own)
