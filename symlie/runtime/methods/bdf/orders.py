"""Error estimates of methods of variable order, and the choice of order and step size; see ``order_choice.h``.

The error that a step of order k adds is h Π_{i=1..k} (t_{n+1} - t_{n+1-i}) times a divided difference of order k + 1.
This is the defect of the formula for velocities times h; the error at the end of the step itself is a fraction of it.
The tolerances refer to the span of the formula instead of one step: the increment over k steps contains their errors,
so k times this value is compared. Errors accumulate from step to step. From k + 2 previous configurations, the errors
for any step size and for orders k - 1, k and k + 1 are known, and the method chooses the order with the longest step.
Order and step size remain unchanged for k + 1 steps, unless the next step would be rejected, and also if the step size
could grow by at most a fifth, so that the formulas are stable and factorisations can be reused. The ratio of successive
differences of an oscillation gives its phase per step. An unresolved oscillation that limits the step size is damped
with order two, since orders above two may amplify it. Differences next to the start give no information on
oscillations. There, errors of order one are multiplied by `FIRST_ERRORS`, since they add up over several steps.

Source: [HairerNorsettWanner1993], sections III.5 and III.7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symlie.contract.constants import (
    CHART_LIMIT,
    CHART_PART,
    FIRST_ERRORS,
    LENGTH_ROOTS,
    NEAR_POINTS,
    ORDER_GROWTH,
    SHORTENED_STEP,
    UNRESOLVED,
)
from symlie.runtime.methods.controllers import StepControl


class StepSizes(NamedTuple):
    """Size of a step, of the step that was planned, and of earlier steps, latest first."""

    h: float
    planned: float
    earlier: Sequence[float]


class NextOrder(NamedTuple):
    """Order of the next step, and the result of the current one."""

    known: int
    """Number of known points before the end of the step."""
    order: int
    equal: int
    """Number of steps since the last change of order or step size."""
    is_omitted: bool
    """True if the history omits the start of the step, which would be too close to another point."""
    order_of_step: int
    error: float
    factor: float
    """Factor of the next step size."""


def next_order(
    control: StepControl, sizes: StepSizes, known: Sequence[int], norms: Sequence[float], rotation: float
) -> NextOrder:
    """Return the error of a step, and the order and size of the next one, from norms of divided differences.

    ``known`` contains the number of known points, the order and the number of steps since its last change; ``norms``
    has entries for the orders one, two, …; ``rotation`` is the square of the bound of the rotation over all points.
    """
    (count, order, equal), (h, planned, lengths), most = known, sizes, len(norms)
    nodes = [0.0, -1.0]
    for length in lengths:
        nodes.append(nodes[-1] - length / h)
    differences = {of: norms[of - 1] for of in range(max(order - 2, 1), min(order + 1, most, count) + 1)}
    if count < most and 1 in differences:
        differences[1] *= FIRST_ERRORS
    distances = [-x - 1 for x in nodes[1 : order + 1]]
    error = differences[order] * error_factor(distances, 1.0)
    factor = 1.0 if error <= 1 else shorter(control, nodes, order, differences[order])
    is_cut, following = h < planned, order
    is_omitted = is_cut and lengths[0] + h <= NEAR_POINTS * planned
    if error <= 1 and not is_cut:
        points = [-x for x in nodes[:most]]
        following, factor = chosen(control, points, order, differences, equal, is_known=count == most)
        if rotation > 0:
            factor = min(factor, CHART_PART * math.sqrt(CHART_LIMIT / rotation))
    count = count if is_omitted else min(count + 1, most)
    equal = equal + 1 if following == order and factor == 1 else 0
    return NextOrder(count, following, equal, is_omitted, order, error, factor)


def error_factor(distances: Sequence[float], length: float) -> float:
    """Return the error constant for k distances: the error that k steps of order k add is this factor times the divided
    difference of order k + 1."""
    product = len(distances) * length
    for distance in distances:
        product *= distance + length
    return product


def longest(distances: Sequence[float], difference: float, shortest: float, bound: float) -> float:
    """Return the longest step size between two bounds for which k steps of order k add at most an error of norm one."""
    if difference * error_factor(distances, bound) <= 1:
        return bound
    low, high = shortest, bound
    for _ in range(LENGTH_ROOTS):
        middle = math.sqrt(low * high)
        if difference * error_factor(distances, middle) <= 1:
            low = middle
        else:
            high = middle
    return low


def shorter(control: StepControl, nodes: Sequence[float], order: int, difference: float) -> float:
    """Return the step size factor after a rejected step; nodes are times relative to its end, latest first, starting
    with 0."""
    distances = [-x - 1 for x in nodes[1 : order + 1]]
    found = control.safety * longest(distances, difference, SHORTENED_STEP, 1.0)
    return max(control.fac_min, found)


def phase(order: int, difference: float, before: float) -> float:
    """Return the phase per unit step of an oscillation with these divided differences of orders k + 1 and k - 1."""
    return math.sqrt(order * (order + 1) * difference / before) if before > 0 else 0.0


def chosen(
    control: StepControl,
    points: Sequence[float],
    order: int,
    differences: Mapping[int, float],
    equal: int,
    *,
    is_known: bool,
) -> tuple[int, float]:
    """Return the order after an accepted step and the step size factor, from divided differences by order."""
    is_free = equal >= order or not is_known

    def factor(of: int, difference: float) -> float:
        bound = control.fac_max if of <= 2 else min(control.fac_max, ORDER_GROWTH)
        return longest(points[:of], difference, SHORTENED_STEP, bound / control.safety)

    best, found = order, factor(order, differences[order])
    # Orders above two amplify unresolved oscillations until these limit the step size; order two damps them.
    is_held = is_known and control.safety * found <= control.hold
    if order > 2 and is_held and equal >= order:
        turn = phase(order, differences[order], differences[order - 2])
        if turn >= UNRESOLVED:
            second = differences[order] * math.factorial(order + 1) / (6 * turn ** (order - 2))
            return 2, min(1.0, max(control.fac_min, control.safety * factor(2, second)))
    if not is_free and found >= 1:
        return order, 1.0
    for of in (order - 1, order + 1):
        if of not in differences or not (is_free or of < order):
            continue
        if of > max(order, 2) and is_held and phase(of, differences[of], differences[order - 1]) >= UNRESOLVED:
            continue
        if (reached := factor(of, differences[of])) > found:
            best, found = of, reached
    found = max(control.fac_min, control.safety * found)
    return best, 1.0 if 1 <= found <= control.hold else found
