"""Times at which controllers are called, and at which their values are applied."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symlie.errors import ModelError
from symlie.runtime.integrate.segments import GRID_TOLERANCE
from symlie.runtime.integrate.simulation.sampled import Sampled

MOST_TIMES = 10**7
"""Largest number of sample times of a run whose end is known."""


_FIRST = [0]


class Clock:
    """Sample times of controllers from counts, so that they do not depend on the course of a run.

    Attributes
    ----------
    next
        The next time, in s; infinite without controllers.
    """

    def __init__(self, controllers: Sequence[Sampled], start: float) -> None:
        self._controllers, self._start = controllers, start
        self._samples, self._applications = [0] * len(controllers), [0] * len(controllers)
        # Times that differ by rounding are one time.
        self._near = GRID_TOLERANCE * min((c.period for c in controllers), default=0.0)
        self._is_single = len(controllers) == 1 and not controllers[0].delay
        self.next = self._next()

    @property
    def counts(self) -> tuple[list[int], list[int]]:
        """Numbers of samples and of applied values of each controller."""
        return [*self._samples], [*self._applications]

    @counts.setter
    def counts(self, counts: tuple[list[int], list[int]]) -> None:
        self._samples, self._applications = [*counts[0]], [*counts[1]]
        self.next = self._next()

    def advance(self) -> tuple[list[int], list[int]]:
        """Go on to the time after the next one, and return the indices of the controllers that are called at the next
        one, and of those whose values are applied."""
        if self._is_single:
            self._samples[0] = self._applications[0] = count = self._samples[0] + 1
            self.next = self._start + count * self._controllers[0].period
            return _FIRST, _FIRST
        limit, nearest = self.next + self._near, math.inf
        sampled, applied, start = [], [], self._start
        for k, controller in enumerate(self._controllers):
            count = self._samples[k]
            t = start + count * controller.period
            if t <= limit:
                sampled.append(k)
                count = self._samples[k] = count + 1
                t = start + count * controller.period
                if not controller.delay:
                    applied.append(k)
                    self._applications[k] = count
            if controller.delay and self._applications[k] < count:
                if self._application_time(k) <= limit:
                    applied.append(k)
                    self._applications[k] += 1
                if self._applications[k] < count:
                    t = min(t, self._application_time(k))
            if t < nearest:
                nearest = t
        self.next = nearest
        return sampled, applied

    def until(self, end: float) -> tuple[list[float], list[list[float]]]:
        """Return all times from now to the end, and those of each controller at which its values are applied.

        Raises
        ------
        ModelError
            If there are too many of them.
        """
        clock = Clock(self._controllers, self._start)
        clock.counts = self.counts
        shortest = min(c.period for c in self._controllers)
        if (end - self.next) / shortest > MOST_TIMES:
            raise ModelError(
                f"A run to t = {end:g} s has more than {MOST_TIMES} samples with the period {shortest:g} s; use a "
                "longer period."
            )
        times: list[float] = []
        applied: list[list[float]] = [[] for _ in self._controllers]
        while clock.next < end:
            times.append(clock.next)
            for k in clock.advance()[1]:
                applied[k].append(times[-1])
        return times, applied

    def _next(self) -> float:
        found = math.inf
        for k, controller in enumerate(self._controllers):
            found = min(found, self._start + self._samples[k] * controller.period)
            if self._applications[k] < self._samples[k]:
                found = min(found, self._application_time(k))
        return found

    def _application_time(self, k: int) -> float:
        """Time at which the next value of a controller is applied, in s: that of a sample if possible."""
        controller, periods = self._controllers[k], self._controllers[k].delay / self._controllers[k].period
        if abs(periods - round(periods)) <= GRID_TOLERANCE:
            return self._start + (self._applications[k] + round(periods)) * controller.period
        return self._start + self._applications[k] * controller.period + controller.delay
