"""How BDF of variable order estimates errors, and chooses order and length of the next step; see ``bdf_orders.h``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from symlie.contract.constants import LENGTH_ROOTS, ORDER_GROWTH, SHORTENED_STEP, UNRESOLVED
from symlie.runtime.methods.controllers import StepControl


def difference_weights(nodes: Sequence[float]) -> list[float]:
    """Weights of values at some nodes in their divided difference.

    Parameters
    ----------
    nodes
        At least two.
    """
    found = []
    for i, x in enumerate(nodes):
        product = 1.0
        for j, y in enumerate(nodes):
            if j != i:
                product *= x - y
        found.append(1 / product)
    return found


def error_factor(distances: Sequence[float], length: float) -> float:
    """What the divided difference of order k + 1 is multiplied by in what k steps of order k add to the error.

    Parameters
    ----------
    distances
        From the start of the step back to the k points that the formula takes.
    length
        Of the step.
    """
    product = len(distances) * length
    for distance in distances:
        product *= distance + length
    return product


def longest(distances: Sequence[float], difference: float, shortest: float, bound: float) -> float:
    """The longest step between two bounds of which k add no more than one to the error.

    Parameters
    ----------
    distances
        As above.
    difference
        Norm of the divided difference, relative to the tolerances.
    shortest, bound
        The bounds.
    """
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
    """Factor of the length of a step that is rejected.

    Parameters
    ----------
    control
        How steps are taken.
    nodes
        Times of the points before the end of the step, the latest first, in lengths of the step from the end; of the
        end itself 0.
    order
        Its order.
    difference
        Norm of the divided difference.
    """
    distances = [-x - 1 for x in nodes[1 : order + 1]]
    found = control.safety * longest(distances, difference, SHORTENED_STEP, 1.0)
    return max(control.fac_min, found)


def phase(order: int, difference: float, before: float) -> float:
    """Phase per step of an oscillation with these divided differences, of order k + 1 and k - 1, over steps of one."""
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
    """Order of the step after one that is accepted, and the factor of its length.

    Parameters
    ----------
    control
        How steps are taken.
    points
        Distances back from its end to the points that are kept, that at the end first, in lengths of the step.
    order
        Its order.
    differences
        Norms of the divided differences that belong to its order, two below and one above.
    equal
        For how many steps nothing has changed.
    is_known
        Whether all points before are of this motion; else it has just begun, and order and length may change at each
        step.
    """
    is_free = equal >= order or not is_known

    def factor(of: int, difference: float) -> float:
        bound = control.fac_max if of <= 2 else min(control.fac_max, ORDER_GROWTH)
        return longest(points[:of], difference, SHORTENED_STEP, bound / control.safety)

    best, found = order, factor(order, differences[order])
    # Orders from three on amplify an oscillation that is not resolved until it limits the step; order two damps it.
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
