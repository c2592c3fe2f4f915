"""Breakpoints: times of kinks and jumps that must end a step, each with the start time of the next step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from symlie.contract.constants import TIME_RESOLUTION
from symlie.runtime.layout.layout import Array


def merged_breakpoints(breakpoints: Mapping[float, float]) -> dict[float, float]:
    """Sort breakpoints, and merge each that lies before the start of the step after its predecessor."""
    times = np.array(sorted(breakpoints))
    ends = np.array([breakpoints[t] for t in times.tolist()])
    resolution = TIME_RESOLUTION * np.maximum(np.abs(times[1:]), np.abs(times[:-1]))
    if np.all(times[1:] - ends[:-1] >= resolution):
        return dict(zip(times.tolist(), ends.tolist(), strict=True))
    found: dict[float, float] = {}
    last = -math.inf
    for t, start in sorted(breakpoints.items()):
        # Breakpoints closer than the resolution of t leave no room for a step.
        is_part = bool(found) and t - found[last] < TIME_RESOLUTION * max(abs(t), abs(last))
        last = last if is_part else t
        found[last] = max(start, found.get(last, start))
    return found


def starts_after(breakpoints: Mapping[float, float], times: Array, shortest: float = 0.0) -> Array:
    """Return the start times of the steps that follow given times, shape (n,). In the gap after a jump they are later
    than these times; gaps closer than ``shortest`` (in s) are joined."""
    known = np.array([*breakpoints.items()]).reshape(-1, 2)
    for k in np.flatnonzero(known[1:, 0] - known[:-1, 1] < shortest)[::-1]:
        known[k, 1] = max(known[k, 1], known[k + 1, 1])
    place = np.searchsorted(known[:, 0], times, side="right") - 1
    return np.where(place < 0, times, np.maximum(times, np.concatenate([known[:, 1], [-np.inf]])[place]))
