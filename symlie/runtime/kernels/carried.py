"""Auxiliary integrator state after a step: the NumPy counterpart of ``carried.h``."""

from __future__ import annotations

import math

import numpy as np

from symlie.contract.constants import CLEAR_ANGLE, SMALLEST_PART
from symlie.runtime.kernels.protocol import Kernels, Prepared
from symlie.runtime.layout.layout import Array, Layout


def carried_after(
    kernels: Kernels,
    layout: Layout,
    p: Prepared,
    carried: Array,
    begin: tuple[Array, Array],
    end: tuple[Array, Array],
    turned: Array,
) -> Array:
    """Auxiliary state at the ends of n steps, shape (n, carried).

    `begin` and `end` are times (n,) in s with configurations (n, storage); `turned` are the rotation increments of the
    angles, shape (n, angles), in rad.
    """
    angles = layout.angles
    if not len(angles):
        return carried
    if angles.is_prescribed.any():
        spans = zip(begin[0].tolist(), end[0].tolist(), end[1], strict=True)
        known = np.array([_prescribed_rotation(kernels, layout, p, *span) for span in spans])
        turned = np.where(angles.is_prescribed, known.reshape(turned.shape), turned)
    after = carried.copy()
    after[:, layout.carried["turns"]] += angles.turns(begin[1], turned, end[1])
    return after


def _prescribed_rotation(kernels: Kernels, layout: Layout, p: Prepared, start: float, end: float, q: Array) -> Array:
    """Rotation of prescribed angles between two times, in rad, by Simpson's rule over sufficiently short parts.

    Other nodes keep their q, so the result is valid for prescribed angles only.
    """
    span, angles, q = end - start, layout.angles, q.copy()
    v = np.zeros(layout.dimension)

    def at(t: float) -> tuple[Array, Array]:
        kernels.prescribe(p, t, q, v)
        return angles.principal(q), v[angles.component]

    total, t, width = np.zeros(len(angles)), start, span
    angle, rate = at(start)
    while t < end:
        is_last = not t + width < end
        width = end - t if is_last else width
        middle, later = at(t + 0.5 * width)[1], at(end if is_last else t + width)
        turned = width * (rate + 4 * middle + later[1]) / 6
        apart = np.abs(_remainder(angle + turned - later[0])) + np.abs(width * (rate - 2 * middle + later[1])) / 12
        if apart[angles.is_prescribed].max() > CLEAR_ANGLE and width > SMALLEST_PART * span:
            width *= 0.5
            continue
        total += turned
        angle, rate = later
        if is_last:
            break
        t, width = t + width, 2 * width
    return total


def _remainder(x: Array) -> Array:
    """x minus the nearest multiple of 2π."""
    return np.asarray(x - 2 * math.pi * np.rint(x / (2 * math.pi)))
