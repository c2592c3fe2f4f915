"""Times of kinks and jumps that must be ends of steps, each with the time at which steps after it begin."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from symlie.contract.constants import TIME_RESOLUTION
from symlie.runtime.layout.layout import Array


def merged_breakpoints(breakpoints: Mapping[float, float]) -> dict[float, float]:
    """Breakpoints in order, of which those at the start of steps after an earlier one are part of that one.

    Parameters
    ----------
    breakpoints
        Times that are hit exactly, each with the time at which steps after it begin.
    """
    found: dict[float, float] = {}
    last = -math.inf
    for t, start in sorted(breakpoints.items()):
        # Time does not resolve steps between breakpoints that are nearer than that.
        is_part = bool(found) and t - found[last] < TIME_RESOLUTION * max(abs(t), abs(last))
        last = last if is_part else t
        found[last] = max(start, found.get(last, start))
    return found


def starts_after(breakpoints: Mapping[float, float], times: Array, shortest: float = 0.0) -> Array:
    """Times at which steps after some times begin, shape (n,): later ones at jumps and until steps after them begin.

    Parameters
    ----------
    breakpoints
        Merged breakpoints.
    times
        Times, shape (n,), in s.
    shortest
        Length of the shortest step, in s: breakpoints that are nearer to the start of steps after an earlier one have
        no step between them.
    """
    known = np.array([*breakpoints.items()]).reshape(-1, 2)
    for k in range(len(known) - 2, -1, -1):
        if known[k + 1, 0] - known[k, 1] < shortest:
            known[k, 1] = max(known[k, 1], known[k + 1, 1])
    place = np.searchsorted(known[:, 0], times, side="right") - 1
    return np.where(place < 0, times, np.maximum(times, np.concatenate([known[:, 1], [-np.inf]])[place]))
