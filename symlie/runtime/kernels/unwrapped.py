"""Unwrapped angles in configurations: the NumPy counterpart of ``carried.h``.

An angle is φ + 2πn. The n of a configuration is the nearest to the previous angle, that of the last accepted step.
Within a step the angle must turn by less than π, or stages would have other n than the end. Configurations alone do not
reveal a larger rotation; the rates at both ends do.
"""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import LARGEST_TURN, WHOLE_TURN
from symlie.errors import AngleStepError
from symlie.runtime.kernels.protocol import Kernels, Prepared
from symlie.runtime.layout.layout import Array, Layout


def with_start_angles(kernels: Kernels, layout: Layout, p: Prepared, t: float, q: Array) -> Array:
    """A configuration (storage,) at time t, in s, with angles nearest to their specified initial values."""
    if not layout.has_unwrapped:
        return q
    begun = q.copy()
    begun[layout.unwrapped] = kernels.unwrapped_start(p, t, q)
    return with_angles(kernels, layout, p, t, begun)


def with_angles(kernels: Kernels, layout: Layout, p: Prepared, t: float | Array, q: Array) -> Array:
    """Configurations (…, storage) with angles nearest to the previous ones."""
    if not layout.has_unwrapped:
        return q
    kept = q.copy()
    kept[..., layout.unwrapped] = kernels.unwrapped(p, t, q)
    return kept


def turned_angles(
    kernels: Kernels, layout: Layout, p: Prepared, begin: tuple[float, Array, Array], end: tuple[float, Array, Array]
) -> Array:
    """Configuration with its angles at the end of a step.

    `begin` and `end` are time in s, configuration and velocity; `AngleStepError` if the rotation of an angle is
    ambiguous or exceeds `LARGEST_TURN`.
    """
    if not layout.has_unwrapped:
        return end[1]
    q = with_angles(kernels, layout, p, end[0], end[1])
    turned = (q - begin[1])[layout.unwrapped]
    rates = kernels.unwrapped_rate(p, *begin) + kernels.unwrapped_rate(p, *end)
    expected = 0.5 * (end[0] - begin[0]) * rates
    is_clear = (np.abs(turned) <= LARGEST_TURN) & (np.abs(turned - expected) <= 0.5 * WHOLE_TURN)
    if not is_clear.all():
        k = int(np.flatnonzero(~is_clear)[0])
        raise AngleStepError(
            f"By its rate, {layout.angle_name(k)} turns by {expected[k]:.3g} rad, but at most "
            f"{LARGEST_TURN:g} rad are allowed"
        )
    return q
