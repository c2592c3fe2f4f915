"""Taylor coefficients of a motion from one of its states, with a cache of the last two states.

The unit of time is a power of two near the length of the step, so that terms of all orders stay in the range of
doubles for any unit system of the model. ``taylor_numbers.h`` takes the same decisions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import LARGEST_COEFFICIENT, LARGEST_UNIT, UNIT_CHANGES
from symlie.runtime.kernels.series import Series
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


def series_of(stepper: Stepper, order: int, h: float, t: float, q: Array, v: Array, multipliers: Array) -> Series:
    """Return the series from a state, from the cache if possible; λ has one order less than q and v."""
    key = (t, q.tobytes(), v.tobytes())
    known = stepper.series.pop(key, None)
    if known is None:
        known = found_series(stepper, order, h, t, q, v, multipliers)
    stepper.series[key] = known
    while len(stepper.series) > 2:
        del stepper.series[next(iter(stepper.series))]
    return known


def found_series(stepper: Stepper, order: int, h: float, t: float, q: Array, v: Array, multipliers: Array) -> Series:
    """Compute the series in a unit near h, in s, or in another unit if coefficients are near the limits of doubles."""
    unit = unit_near(h, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(UNIT_CHANGES):
            found = _coefficients(stepper, order, unit, t, q, v, multipliers)
            growth = growth_beyond_range(found) if order > 1 else 0
            if not growth:
                return found
            unit = unit_near(math.ldexp(unit, -growth), unit)
        return _coefficients(stepper, order, unit, t, q, v, multipliers)


def _coefficients(
    stepper: Stepper, order: int, unit: float, t: float, q_0: Array, v_0: Array, multipliers: Array
) -> Series:
    """Compute the coefficients by (1) and (2) of `symlie.runtime.methods.taylor`."""
    m, rows = stepper.mechanics, stepper.rows
    jets = stepper.system.sets.jets(m.p, order)
    # (1)
    a, known = stepper.acceleration(t, q_0, v_0, multipliers)
    rate, prescribed = np.zeros_like(q_0), np.zeros_like(v_0)
    jets.rate(0, q_0, v_0, rate)
    jets.begin_motion(t)
    a = a.copy()
    jets.motion(1, unit, 1.0 / unit, rate, a, of_v=1.0 / unit)
    w = [m.field(t, q_0, v_0, a, known)]
    jets.field(0, t, q_0, v_0, a, known, rate)
    q, v, found = [q_0, unit * rate], [v_0, unit * a], [known]
    jets.begin_dependent(t, q_0, v_0)
    jets.dependent(1, unit, q[1], v[1])
    events = [jets.begin_events(t, q_0, v_0, known)]
    mass, B, c = m.mass(t, q_0), m.jacobian(t, q_0, v_0), np.zeros(0)
    if rows:
        jets.begin_index1(t, q_0, v_0, a)
        jets.begin_hidden(t, q_0, v_0)
    jets.begin_force(t, q_0, v_0, a, known)
    if rows:
        jets.hidden(1, unit, q[1])
    # (2)
    for k in range(1, order):
        of_t, rate_of_next = unit * (k == 1), (k + 1) / unit
        jets.rate(k, q[k], v[k], rate)
        jets.motion(k + 1, 0.0, rate_of_next, rate, prescribed)
        r = -jets.force(k, of_t, q[k], v[k])
        if rows:
            jets.end_hidden(k, v[k])
            c = jets.hidden(k + 1, 0.0, rate / rate_of_next) + m.algebra.multiply(B, prescribed)
            a, known = m.saddle(mass, B, B, r, -rate_of_next * c - jets.index1(k, of_t, q[k], v[k]))
        else:
            a = m.solver.solve_mass(mass, r)
        a = a + rate_of_next * prescribed
        jets.end_force(k, a, known)
        jets.end_index1(k, a)
        moved = jets.field(k, of_t, q[k], v[k], a, known, rate)
        if jets.follows_fields:
            w.append(moved)
        q.append(rate / rate_of_next)
        v.append(a / rate_of_next)
        jets.dependent(k + 1, 0.0, q[k + 1], v[k + 1])
        found.append(known)
        if events[0] is not None:
            events.append(jets.events(k, of_t, q[k], v[k], known))
    sizes, *conditions = jets.conditions(order)
    of_events = None if events[0] is None else np.array(events)
    return Series(unit, np.array(q), np.array(v), np.array(w), np.array(found), sizes, np.array(conditions), of_events)


def unit_near(length: float, otherwise: float) -> float:
    """Return the largest power of two below a length, both in s; an arbitrary one for an invalid length."""
    if not 1 / LARGEST_UNIT <= length <= LARGEST_UNIT:
        return otherwise
    return math.ldexp(1.0, math.frexp(length)[1] - 1)


def growth_beyond_range(series: Series) -> int:
    """Return the binary exponent of the growth of nonzero coefficients per order; zero if the last one is in range."""
    overflows = False
    for k in range(len(series.q) - 1, 0, -1):
        size = float(max(np.abs(series.q[k]).max(initial=0.0), np.abs(series.v[k]).max(initial=0.0)))
        if size == 0:
            continue
        if not size < math.inf:
            overflows = True
            continue
        if not overflows and 1 / LARGEST_COEFFICIENT <= size <= LARGEST_COEFFICIENT:
            return 0
        return int(math.frexp(size)[1] / k)
    return 0


def root_in_seconds(x: float, n: int, unit: float) -> float:
    """Return x^(-1/n) units of time, in s; the result is bitwise independent of the unit."""
    if not x < math.inf:
        return unit * float(x ** (-1 / n))
    part, power = math.frexp(x)
    whole, rest = divmod(power - (math.frexp(unit)[1] - 1) * n, n)
    root: float = math.ldexp(part, rest) ** (-1 / n)
    return math.ldexp(root, -whole)
