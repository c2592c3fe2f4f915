"""Step schedule of an integration: segments between stop times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from symlie.contract.constants import JUMP, KINK, TIME_RESOLUTION
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.breakpoints import starts_after
from symlie.utilities.number_checks import is_number

GRID_TOLERANCE = 1e-9
"""Deviation from an integer number of steps in a segment, as a fraction of a step, that is ignored."""

LARGEST_STEPS = int(2 / TIME_RESOLUTION)
"""Largest number of steps for which this tolerance is resolved, in the longest interval, from -t to t."""


class Plan(NamedTuple):
    """Segments of the time interval, each with equal steps; ``record_end`` marks recorded ends.

    A segment of length zero has no steps: it only records its time. ``restarts`` has `KINK` or `JUMP` where a segment
    starts at one of them, else 0.
    """

    start: tuple[float, ...]
    end: tuple[float, ...]
    steps: tuple[int, ...]
    record_end: tuple[bool, ...]
    restarts: tuple[int, ...]

    @property
    def total_steps(self) -> int:
        """Number of steps of all segments; zero for adaptive steps."""
        return sum(self.steps)

    @property
    def span(self) -> float:
        """Length of the whole interval, in s."""
        return self.end[-1] - self.start[0]

    def step_size(self, segment: int) -> float:
        """Size of the equal steps of a segment, in s."""
        return (self.end[segment] - self.start[segment]) / max(1, self.steps[segment])

    def step_end(self, segment: int, step: int) -> float:
        """End of one of the equal steps of a segment, in s."""
        if step + 1 == self.steps[segment]:
            return self.end[segment]
        return self.start[segment] + (step + 1) * self.step_size(segment)

    def only(self, segment: int) -> Plan:
        """Return the schedule of one segment alone."""
        only = slice(segment, segment + 1)
        return Plan(self.start[only], self.end[only], self.steps[only], self.record_end[only], self.restarts[only])

    def fraction(self, t: float) -> float:
        """Completed part of the interval at t, between 0 and 1."""
        return (t - self.start[0]) / self.span


def interval(t_span: tuple[float, float] | float, continued: float | None) -> tuple[float, float]:
    """Start and end time from (t₀, t_end) or t_end; t₀ defaults to zero or to the end of the continued solution.

    `ModelError` if it is not an interval or does not start where the continued solution ends.
    """
    begin = 0.0 if continued is None else continued
    ends = [begin, t_span] if isinstance(t_span, str) or not isinstance(t_span, Iterable) else list(t_span)
    if len(ends) != 2:
        raise ModelError(f"The time interval must be t_end or (t0, t_end), not {t_span!r}.")
    if not all(is_number(t) for t in ends):
        raise ModelError(f"The time interval must consist of numbers, not {t_span!r}.")
    if continued is not None and ends[0] != begin:
        raise ModelError(f"The solution to continue ends at t = {begin:.9g}, but the interval starts at {ends[0]}.")
    return float(ends[0]), float(ends[1])


def step_plan(
    t0: float,
    t_end: float,
    h: float | None,
    t_eval: Sequence[float] | Array | None,
    breakpoints: Mapping[float, float] | None = None,
    others: Sequence[float] = (),
) -> Plan:
    """Segments from t₀ to t_end with steps of length h, shortened only where a time of ``t_eval`` requires it.

    The number of adaptive steps is not known in advance; their segments have none.

    Parameters
    ----------
    t0, t_end
        Interval, in s.
    h
        Step size, in s; ``None`` for adaptive steps.
    t_eval
        Increasing output times in (t₀, t_end]; t₀ itself may be the first.
    breakpoints
        Other stop times, such as kinks and jumps of loads, each with the start time of the next step, see
        `System.breakpoints`. Times between the two have the state at the jump.
    others
        Further stop times, which are not recorded.

    Raises
    ------
    ModelError
        Times out of order or outside of the interval; a step size that is not positive.
    """
    if h is not None and not is_number(h):
        raise ModelError(f"The step size must be a number, not {h!r}.")
    if h is not None and not (math.isfinite(h) and h > 0):
        raise ModelError(f"The step size must be positive, not {h}.")
    if not (math.isfinite(t_end) and t_end > t0):
        raise ModelError(f"The end time {t_end} must be after the start {t0}.")
    shortest = TIME_RESOLUTION * max(abs(t0), abs(t_end))
    if (t_end - t0 if h is None else h) < shortest:
        what = "An interval" if h is None else "A step"
        raise ModelError(
            f"{what} of {t_end - t0 if h is None else h:g} s is below the resolution of times near {t_end:g} "
            f"s; use steps of at least {shortest:.2g} s, or an origin of time closer to the interval."
        )
    try:
        stops = [float(t) for t in (t_eval if t_eval is not None else []) if t != t0]
    except (TypeError, ValueError) as error:
        raise ModelError(f"The output times must be numbers, not {t_eval!r}.") from error
    if not all(b > a for a, b in zip([t0, *stops], stops, strict=False)) or (stops and not stops[-1] <= t_end):
        raise ModelError(f"The output times must increase and lie between {t0} and {t_end}.")
    recorded = set(stops) if t_eval is not None else {t_end}
    after = breakpoints or {}
    stops = sorted({*stops, t_end, *(t for t in (*after, *others) if t0 < t < t_end)})
    starts, restarts = [], []
    begin, restart = float(starts_after(after, np.array([t0]))[0]), 0
    for stop in stops:
        # The state is constant up to the start of the steps after a jump, and where time cannot resolve a step.
        moves = stop - begin >= shortest
        starts.append(begin if moves else stop)
        restarts.append(restart if moves else 0)
        begin, restart = max(stop, begin), 0 if moves else restart
        if stop in after:
            restart = max(restart, JUMP if after[stop] > stop else KINK)
            begin = max(begin, after[stop])
    counts = [steps_between(a, b, h) for a, b in zip(starts, stops, strict=True)] if h is not None else [0] * len(stops)
    return Plan(tuple(starts), tuple(stops), tuple(counts), tuple(s in recorded for s in stops), tuple(restarts))


def steps_between(a: float, b: float, h: float | None) -> int:
    """Number of equal steps of at most the length h from a to b; 0 if h is None or the interval is empty."""
    if h is None or not a < b:
        return 0
    ratio = (b - a) / h
    nearest = round(ratio)
    on_grid = nearest >= 1 and abs(ratio - nearest) <= GRID_TOLERANCE * ratio
    return nearest if on_grid else max(1, math.ceil(ratio))
