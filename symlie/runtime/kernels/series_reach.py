"""How far a series goes: to its state at a length, and up to where a function that chooses pieces changes its sign.

The same decisions as ``taylor_pieces.h``. A step goes beyond that place by no more than the rounding of the function,
so that forces at its end and the next step's series have the same pieces. Where a function comes back at once, as where
a force drives a velocity to zero from both sides, steps have too many pieces, and fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from symlie.contract.constants import CONDITION_ROUNDING, REACH_CORRECTIONS, REACH_ROOM, SOON
from symlie.runtime.kernels.bernstein import bernstein_form, first_fall
from symlie.runtime.kernels.series import Reach, Series
from symlie.runtime.layout.layout import Array

Conditions = Callable[[float], Array]
"""Functions that choose pieces, of the state that a series reaches after a length."""


def find_reach(series: Series, length: float, conditions_of: Conditions) -> None:
    """Find up to a length where pieces do not hold any more.

    Where a function vanishes, the state is looked at: its value is put right by its last term, since a series is as
    exact as the step while a sign is to be exact.

    Parameters
    ----------
    series
        The series, which keeps what is found.
    length
        How far is looked, in s; if it is infinite, nothing is found yet.
    conditions_of
        What the functions are at a state.
    """
    rows, reach = series.conditions, series.reach
    # What is found depends on the length by rounding: runs that are resumed are to find the same.
    if length == reach.searched or not length < math.inf:
        return
    last, count = rows.shape[0] - 1, rows.shape[1]
    with np.errstate(all="ignore"):
        powers = (length / series.unit) ** np.arange(last + 1)
        margin = CONDITION_ROUNDING * (series.sizes + (np.abs(rows) * powers[:, None]).sum(axis=0))
    sign, shift = np.where(rows[0] > 0, 1.0, -1.0), np.zeros(count)
    span = at = length
    first = -1
    reach.searched, reach.before, reach.beyond = length, math.inf, math.inf
    for _ in range(REACH_CORRECTIONS):
        missing = shift * (span / at) ** last
        ends = [_piece_end(rows[:, i], span / series.unit, sign[i], 2 * margin[i], missing[i]) for i in range(count)]
        first = int(np.argmin(ends)) if ends else -1
        if first < 0 or ends[first] > 1:
            return
        at = ends[first] * span
        with np.errstate(all="ignore"):
            found = conditions_of(at) - series.conditions_at(at)
        change = abs(found[first] - shift[first])
        shift = np.where(np.isfinite(found), found, 0.0)
        span = min(length, REACH_ROOM * at)
        if not change > margin[first]:
            break
    reach.beyond, reach.before = at, 0.0
    if abs(rows[0, first]) > margin[first]:
        place = _piece_end(rows[:, first], at / series.unit, sign[first], -margin[first], shift[first])
        reach.before = place * at if place <= 1 else at


def proposed_step(longest: float, reach: Reach) -> float:
    """Where a step from a series is to end, in s: pieces that change at once change within it."""
    return min(reach.beyond, longest) if reach.beyond > SOON * reach.searched else longest


def _piece_end(row: Array, length: float, sign: float, above: float, shift: float) -> float:
    """Where a function is not positive any more that is so at first, multiplied by a sign and with a number added.

    Relative to a length in the unit; 2 if it stays so. Its last term is more by ``shift`` at the end.
    """
    with np.errstate(all="ignore"):
        rest = float(np.sum(np.abs(row[1:]) * length ** np.arange(1, len(row))))
    if not rest + abs(shift) + abs(row[0]) < math.inf or abs(row[0]) > rest + abs(shift) + abs(above):
        return 2.0
    b = bernstein_form(row, length)
    b[-1] += shift
    return first_fall(sign * b + above)
