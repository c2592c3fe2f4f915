"""What a run carries from step to step beside its state, after a step: the NumPy form of ``carried.h``."""

from __future__ import annotations

import math

import numpy as np

from symlie.runtime.layout import Array
from symlie.runtime.system import System

SMALLEST_PART = 2.0**-10
"""Smallest part of a step over which a prescribed rotation is followed."""

CLEAR = 0.5
"""Difference of angles, in rad, below which a part of a step is short enough to tell how far it turned."""


def carried_after(
    system: System, carried: Array, begin: tuple[float, Array], end: tuple[float, Array], turned: Array
) -> Array:
    """What is carried at the end of a step.

    Parameters
    ----------
    system
        The system.
    carried
        At the start of the step, shape (carried,).
    begin, end
        Time, in s, and configuration at the start and at the end.
    turned
        How far each angle turned by the increment of the step, in rad.
    """
    angles = system.layout.angles
    if not len(angles):
        return carried
    if angles.is_prescribed.any():
        turned = np.where(angles.is_prescribed, prescribed_rotation(system, begin[0], end[0], end[1]), turned)
    after = carried.copy()
    after[system.layout.carried["turns"]] += angles.turns(begin[1], turned, end[1])
    return after


def prescribed_rotation(system: System, start: float, end: float, q: Array) -> Array:
    """How far prescribed angles turn between two times: Simpson's rule over parts that are short enough.

    Parameters
    ----------
    system
        The system.
    start, end
        Times, in s.
    q
        Any configuration of the other nodes.

    Returns
    -------
    Array
        Shape (angles,), in rad; without meaning for angles that are not prescribed.
    """
    layout, span = system.layout, end - start
    angles, q = layout.angles, q.copy()
    v = np.zeros(layout.dimension)

    def at(t: float) -> tuple[Array, Array]:
        system.kernels.prescribe(system.prepared, t, q, v)
        return angles.principal(q), v[angles.component]

    total, t, width = np.zeros(len(angles)), start, span
    angle, rate = at(start)
    while t < end:
        is_last = not t + width < end
        width = end - t if is_last else width
        middle, later = at(t + 0.5 * width)[1], at(end if is_last else t + width)
        turned = width * (rate + 4 * middle + later[1]) / 6
        apart = np.abs(_remainder(angle + turned - later[0])) + np.abs(width * (rate - 2 * middle + later[1])) / 12
        if apart[angles.is_prescribed].max() > CLEAR and width > SMALLEST_PART * span:
            width *= 0.5
            continue
        total += turned
        angle, rate = later
        if is_last:
            break
        t, width = t + width, 2 * width
    return total


def _remainder(x: Array) -> Array:
    """x less the nearest multiple of 2π."""
    return np.asarray(x - 2 * math.pi * np.rint(x / (2 * math.pi)))
