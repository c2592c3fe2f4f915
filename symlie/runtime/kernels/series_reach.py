"""Length on which a series is valid: up to its accuracy and to the first sign change of a branch condition.

The decisions equal those of ``taylor_pieces.h``. A step passes the sign change by no more than the rounding error of
the condition, so that the forces at its end and the next series use the same branch. If the condition changes back at
once, for example if a force drives a velocity to zero from both sides, steps have too many branches and fail.
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
"""Branch conditions at the state that a series reaches after a given time."""


def find_reach(series: Series, length: float, conditions_of: Conditions) -> None:
    """Find the time in s up to which the branches remain valid; no search for an infinite time.

    Near a zero of a condition its value at the state corrects the last term, since a series is as accurate as the step
    while a sign must be exact. The series stores the result.
    """
    rows, reach = series.conditions, series.reach
    # The result depends on the length by rounding, and resumed runs must reproduce it.
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
    """End of the next step from a series, in s; a branch change shortly after the end is included in the step."""
    return min(reach.beyond, longest) if reach.beyond > SOON * reach.searched else longest


def _piece_end(row: Array, length: float, sign: float, above: float, shift: float) -> float:
    """First point where an initially positive condition, multiplied by a sign and shifted, is no longer positive.

    The result is relative to a time in the unit; 2 if the condition stays positive. `shift` corrects the last term at
    the end.
    """
    with np.errstate(all="ignore"):
        rest = float(np.sum(np.abs(row[1:]) * length ** np.arange(1, len(row))))
    if not rest + abs(shift) + abs(row[0]) < math.inf or abs(row[0]) > rest + abs(shift) + abs(above):
        return 2.0
    b = bernstein_form(row, length)
    b[-1] += shift
    return first_fall(sign * b + above)
