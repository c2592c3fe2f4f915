"""Stop times and step lengths of a simulation whose end is unknown, one segment at a time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import replace

from symlie.contract.constants import JUMP, KINK, TIME_RESOLUTION
from symlie.errors import ModelError
from symlie.runtime.integrate.segments import Plan, steps_between
from symlie.runtime.system.inputs import check_range, tables_in_use
from symlie.runtime.system.system import System

MOST_DOUBLINGS = 62
"""Largest exponent of the number of steps of a segment without end, which is a long long in C."""

FEWEST_DOUBLINGS = 20
"""Smallest exponent of the number of steps of a segment without end."""


class Schedule:
    """Breakpoints of a system, except for those of inputs that are held, and segments between them.

    Parameters
    ----------
    system, held
        The system, and the names of the held inputs.
    h
        Fixed step size, in s; None for adaptive steps.
    """

    def __init__(self, system: System, held: Collection[str], h: float | None) -> None:
        self._system = replace(system, inputs={k: table for k, table in system.inputs.items() if k not in held})
        of_time = [table for table in tables_in_use(system.layout, self._system.inputs).values() if table.is_of_time]
        self._is_periodic = any(table.is_periodic for table in of_time)
        self._refuses = any(table.outside == "refuse" for table in of_time)
        self._h = h
        self._times: list[float] = []
        self._starts: list[float] = []
        self._take(self._system.breakpoints)

    def _take(self, breakpoints: dict[float, float]) -> None:
        self._times, self._starts = [*breakpoints], [*breakpoints.values()]

    def departure(self, t: float) -> tuple[float, int]:
        """Return the start of the step after t, in s, and `JUMP` or `KINK` where t is at one of them, else 0."""
        if self._is_periodic:
            self._take(self._system.breakpoints_between(t, math.nextafter(t, math.inf)))
        k = bisect_right(self._times, t) - 1
        if k >= 0 and self._starts[k] > t:
            return self._starts[k], JUMP
        return t, KINK if k >= 0 and self._times[k] == t else 0

    def stop_after(self, t: float) -> float:
        """Return the first breakpoint after t, for which `departure` was called, or infinity."""
        k = bisect_right(self._times, t)
        return self._times[k] if k < len(self._times) else math.inf

    def segment(self, t: float, begin: float, end: float, *, restart: int, steps: int = 0) -> Plan:
        """Plan with a segment from ``begin`` to ``end`` between two empty ones: a jump of the state of the method is
        possible at the start, and further steps follow after the end. ``steps`` overrides their number. Records of ends
        are not in plans, because every step is recorded or none."""
        begin = begin if end - begin >= TIME_RESOLUTION * max(abs(begin), abs(end)) else end
        if self._refuses:
            check_range(self._system.layout, self._system.inputs, t, end)
        count = steps or steps_between(begin, end, self._h)
        return Plan((t, begin, end), (t, end, end), (0, count, 0), (False, False, False), (0, restart, 0))


def endless(begin: float, h: float) -> tuple[float, int]:
    """Return the end and the number of steps of a segment that is never reached, such that its step size is exactly h.

    Raises
    ------
    ModelError
        If times near ``begin`` do not resolve h.
    """
    if h < TIME_RESOLUTION * abs(begin):
        raise ModelError(f"A step of {h:g} s is below the resolution of times near {begin:g} s; use longer steps.")
    for doublings in range(FEWEST_DOUBLINGS, MOST_DOUBLINGS + 1):
        end = begin + math.ldexp(h, doublings)
        if math.ldexp(end - begin, -doublings) == h:
            return end, 1 << doublings
    return end, 1 << MOST_DOUBLINGS
