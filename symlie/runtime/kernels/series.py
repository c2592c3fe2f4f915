"""Taylor series of a motion from one of its states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array


@dataclass(frozen=True)
class Series:
    """Coefficients of the stored components, of velocities, of these with fields, and of multipliers, by order."""

    q: Array
    v: Array
    w: Array
    multipliers: Array

    def sums(self, h: float) -> tuple[Array, Array, Array]:
        """q, v and λ after a time h, in s."""
        return _sum(self.q, h), _sum(self.v, h), _sum(self.multipliers, h)

    def rates(self, h: float) -> tuple[Array, Array]:
        """Rates of q and v after a time h."""
        orders = np.arange(len(self.q))[:, None]
        return _sum((orders * self.q)[1:], h), _sum((orders * self.v)[1:], h)

    def rotation(self, h: float) -> Array:
        """∫ v over a time h, or of fields."""
        return h * _sum(self.w / np.arange(1, len(self.w) + 1)[:, None], h)


def _sum(coefficients: Array, s: float) -> Array:
    total = coefficients[-1]
    for row in coefficients[-2::-1]:
        total = total * s + row
    return np.asarray(total)
