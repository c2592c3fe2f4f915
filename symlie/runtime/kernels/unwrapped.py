"""Angles over turns that a model states, which are part of its configurations: the NumPy form of ``carried.h``.

An angle is φ + 2πn. The n of a configuration leads next to the angle that stands there already: of the last step that
was accepted. Within a step it must not turn by π, or stages would be on other turns than the end. Configurations do not
tell whether it did; the rates at both ends do.
"""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import LARGEST_TURN, WHOLE_TURN
from symlie.errors import AngleStepError
from symlie.runtime.kernels.protocol import Kernels, Prepared
from symlie.runtime.layout.layout import Array, Layout


def with_start_angles(kernels: Kernels, layout: Layout, p: Prepared, t: float, q: Array) -> Array:
    """A configuration with its angles next to where they are to begin.

    Parameters
    ----------
    kernels, layout, p
        The kernels of a system, its layout and prepared parameters.
    t, q
        Time, in s, and configuration, shape (storage,).
    """
    if not layout.has_unwrapped:
        return q
    begun = q.copy()
    begun[layout.unwrapped] = kernels.unwrapped_start(p, t, q)
    return with_angles(kernels, layout, p, t, begun)


def with_angles(kernels: Kernels, layout: Layout, p: Prepared, t: float | Array, q: Array) -> Array:
    """Configurations (…, storage) with their angles, next to those that stand there."""
    if not layout.has_unwrapped:
        return q
    kept = q.copy()
    kept[..., layout.unwrapped] = kernels.unwrapped(p, t, q)
    return kept


def turned_angles(
    kernels: Kernels, layout: Layout, p: Prepared, begin: tuple[float, Array, Array], end: tuple[float, Array, Array]
) -> Array:
    """The configuration at the end of a step with its angles.

    Parameters
    ----------
    kernels, layout, p
        The kernels of a system, its layout and prepared parameters.
    begin, end
        Time, in s, configuration and velocity.

    Raises
    ------
    AngleStepError
        How far an angle turned is not clear, or more than `LARGEST_TURN`.
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
            f"By its rate, {layout.angle_name(k)} turns by {expected[k]:.3g} rad, where {LARGEST_TURN:g} are allowed"
        )
    return q
