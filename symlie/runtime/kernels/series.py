"""Taylor series of a motion from one of its states."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from symlie.runtime.layout.layout import Array


@dataclass
class Reach:
    """Up to where pieces hold that were chosen at the begin of a series, each a length in s."""

    searched: float = 0.0
    """Up to where it was sought."""
    before: float = math.inf
    """Where they surely hold, if that ends."""
    beyond: float = math.inf
    """Where they surely do not hold any more."""


@dataclass(frozen=True)
class EventPiece:
    """Coefficients of event functions from a state on, over a length in s.

    So many of the last terms tell how exact they are.
    """

    length: float
    unit: float
    """Of time in which coefficients are, in s."""
    coefficients: Array
    last_terms: int
    state_at: Callable[[float], tuple[Array, Array, Array]]
    """q, v and λ after a length."""


@dataclass(frozen=True)
class Series:
    """Coefficients of the stored components, of velocities, of these with fields, and of multipliers, by order.

    Those of order k are multiplied by the k-th power of a unit of time, so that all stay within the range of doubles.
    The unit is a power of two, whose products are exact: no result depends on it.
    """

    unit: float
    """In s."""
    q: Array
    v: Array
    w: Array
    """Of the first order alone, where fields have no series of their own, since no angles follow them."""
    multipliers: Array
    sizes: Array
    """Sizes of functions that choose pieces, before terms cancel, shape (conditions,)."""
    conditions: Array
    """Coefficients of these functions."""
    events: Array | None = None
    """Those of event functions, where they have series."""
    reach: Reach = field(default_factory=Reach)

    def sums(self, h: float) -> tuple[Array, Array, Array]:
        """q, v and λ after a time h, in s."""
        s = h / self.unit
        return _sum(self.q, s), _sum(self.v, s), _sum(self.multipliers, s)

    def first_rates(self) -> tuple[Array, Array]:
        """Rates of q and v where the series begins, per second."""
        return self.q[1] / self.unit, self.v[1] / self.unit

    def rates(self, h: float) -> tuple[Array, Array]:
        """Rates of q and v after a time h, per second."""
        orders, s = np.arange(len(self.q))[:, None], h / self.unit
        return _sum((orders * self.q)[1:], s) / self.unit, _sum((orders * self.v)[1:], s) / self.unit

    def moved(self, h: float, after: Series, has_angles: bool) -> Array:
        """∫ v over a time h, or of fields: by both ends, which tells sizes, and by the mean where angles follow it."""
        if not has_angles:
            return np.asarray(h * (self.w[0] + after.w[0]) / 2)
        return h * _sum(self.w / np.arange(1, len(self.w) + 1)[:, None], h / self.unit)

    def conditions_at(self, h: float) -> Array:
        """Functions that choose pieces, after a time h."""
        return _sum(self.conditions, h / self.unit)


def _sum(coefficients: Array, s: float) -> Array:
    total = coefficients[-1]
    for row in coefficients[-2::-1]:
        total = total * s + row
    return np.asarray(total)
