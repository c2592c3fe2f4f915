"""Taylor series of a motion from one state."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from symlie.runtime.layout.layout import Array


@dataclass
class Reach:
    """Interval in which the branches at the start of a series remain valid, in s."""

    searched: float = 0.0
    """End of the interval searched so far."""
    before: float = math.inf
    """Time up to which the branches are certainly valid, if their validity is limited."""
    beyond: float = math.inf
    """Time from which the branches are certainly invalid."""


@dataclass(frozen=True)
class EventPiece:
    """Coefficients of event functions about a state, valid over an interval in s.

    Some of the last terms serve as an error estimate.
    """

    length: float
    unit: float
    """Unit of time of the coefficients, in s."""
    coefficients: Array
    last_terms: int
    state_at: Callable[[float], tuple[Array, Array, Array]]
    """q, v and λ after a time."""


@dataclass(frozen=True)
class Series:
    """Taylor coefficients by order of stored components, velocities, vector fields and multipliers.

    Coefficients of order k are multiplied by the k-th power of a unit of time, which keeps them within the range of
    doubles. The unit is a power of two, so products with it are exact, and results do not depend on it.
    """

    unit: float
    """Unit of time, in s."""
    q: Array
    v: Array
    w: Array
    """Vector fields; first order only if they have no series, since no unwrapped angles depend on them."""
    multipliers: Array
    sizes: Array
    """Sizes of branch conditions before cancellation, shape (conditions,)."""
    conditions: Array
    """Coefficients of branch conditions."""
    events: Array | None = None
    """Coefficients of event functions, if they have series."""
    reach: Reach = field(default_factory=Reach)

    def sums(self, h: float) -> tuple[Array, Array, Array]:
        """q, v and λ after a time h, in s."""
        s = h / self.unit
        return _sum(self.q, s), _sum(self.v, s), _sum(self.multipliers, s)

    def first_rates(self) -> tuple[Array, Array]:
        """Rates of q and v at the start of the series, per second."""
        return self.q[1] / self.unit, self.v[1] / self.unit

    def rates(self, h: float) -> tuple[Array, Array]:
        """Rates of q and v after a time h, per second."""
        orders, s = np.arange(len(self.q))[:, None], h / self.unit
        return _sum((orders * self.q)[1:], s) / self.unit, _sum((orders * self.v)[1:], s) / self.unit

    def moved(self, h: float, after: Series, has_angles: bool) -> Array:
        """∫ v dt, or the integral of vector fields, over a time h: estimated from both ends as a measure of size, and
        computed from the mean for unwrapped angles."""
        if not has_angles:
            return np.asarray(h * (self.w[0] + after.w[0]) / 2)
        return h * _sum(self.w / np.arange(1, len(self.w) + 1)[:, None], h / self.unit)

    def conditions_at(self, h: float) -> Array:
        """Branch conditions after a time h."""
        return _sum(self.conditions, h / self.unit)


def _sum(coefficients: Array, s: float) -> Array:
    total = coefficients[-1]
    for row in coefficients[-2::-1]:
        total = total * s + row
    return np.asarray(total)
