"""Error estimates of variable-order BDF, and the choice of order and step size; see ``bdf_orders.h``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from symlie.contract.constants import LENGTH_ROOTS, ORDER_GROWTH, SHORTENED_STEP, UNRESOLVED
from symlie.runtime.methods.controllers import StepControl


def difference_weights(nodes: Sequence[float]) -> list[float]:
    """Return the weights of the values at two or more nodes in their divided difference."""
    found = []
    for i, x in enumerate(nodes):
        product = 1.0
        for j, y in enumerate(nodes):
            if j != i:
                product *= x - y
        found.append(1 / product)
    return found


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
