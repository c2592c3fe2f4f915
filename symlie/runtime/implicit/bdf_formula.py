"""The formulas of BDF for a step, with the numbers of equations of ``bdf.py``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from symlie.runtime.implicit.iteration_matrix import Slopes
from symlie.runtime.layout.layout import Array

Number = TypeVar("Number", float, Fraction)

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


def derivative_weights(tau: Sequence[Number]) -> list[Number]:
    """Derivatives at the first node of Lagrange's polynomials of nodes τ.

    Parameters
    ----------
    tau
        Nodes; the first is zero.
    """
    found: list[Number] = [0 * tau[0]]
    for i in range(1, len(tau)):
        weight = 1 / tau[i]
        for j in range(1, len(tau)):
            if j != i:
                weight = weight * (tau[j] / (tau[j] - tau[i]))
        found[0] = found[0] - weight
        found.append(weight)
    return found


def extrapolation_weights(tau: Sequence[float]) -> list[float]:
    """Values at 1 of the polynomials of p(0) = 0, p'(0), and p(τ) at nodes τ < 0: the weights of p'(0) and of p(τ).

    Parameters
    ----------
    tau
        Nodes other than 0.
    """
    found = [math.prod((1 - x) / -x for x in tau)]
    for i, x in enumerate(tau):
        found.append(math.prod(((1 - y) / (x - y) for j, y in enumerate(tau) if j != i), start=1 / (x * x)))
    return found


class BdfFormula:
    """(2) to (4) from what a step begins with.

    Parameters
    ----------
    mechanics
        The equations of the system.
    q
        q_n.
    h
        Length of the step, in s.
    lengths
        Those of the k - 1 steps before, the latest first.
    configurations
        q_{n-1}, …, q_{n-k+1}, (k - 1, storage).
    velocities
        v_n, …, v_{n-k+1}, (k, dimension).
    before
        v̇_n.
    """

    sees_end: ClassVar[bool] = True

    def __init__(
        self,
        mechanics: Mechanics,
        q: Array,
        h: float,
        lengths: Array,
        configurations: Array,
        velocities: Array,
        before: Array,
    ) -> None:
        self.mechanics, self.has_velocity = mechanics, mechanics.layout.has_velocity
        self.q, self.h, self.before = q, h, before
        self.configurations, self.velocities = configurations, velocities
        # (4)
        self.tau = [0.0, -1.0]
        for length in lengths:
            self.tau.append(self.tau[-1] - float(length) / h)
        self.alpha = derivative_weights(self.tau)

    @property
    def slopes(self) -> Slopes:
        """γ', β' and δ'."""
        slope = self.alpha[0] / self.h
        return Slopes(slope, slope * slope, slope)

    def _increment(self, q: Array, earlier: Array) -> Array:
        """Of nodes without velocity, which are in R(n), the difference."""
        # (1)
        found = self.mechanics.kernels.difference(q, earlier)
        for node in self.mechanics.layout.nodes:
            if not node.type.velocities:
                found[node.velocity] = earlier[node.storage] - q[node.storage]
        return found

    def predicted(self) -> Array:
        """A first θ: the polynomial through the increments to configurations before, with the slope v_n at q_n."""
        weights = extrapolation_weights([x + 1 for x in self.tau[2:]])
        slope = np.where(self.has_velocity, self.velocities[0], self.before)
        found = self.h * weights[0] * slope
        for weight, earlier in zip(weights[1:], self.configurations, strict=True):
            found = found + weight * self._increment(self.q, earlier)
        return np.asarray(found)

    def at(self, q: Array, theta: Array, w: Array) -> tuple[Array, Array]:
        """v_{n+1} and v̇_{n+1}."""
        alpha = self.alpha
        # (2), (3)
        rate = self.alpha[0] * (w - theta) - alpha[1] * theta
        for weight, earlier in zip(alpha[2:], self.configurations, strict=True):
            rate = rate + weight * self._increment(q, earlier)
        rate = rate / self.h
        v = np.where(self.has_velocity, rate, 0.0)
        acceleration = alpha[0] * v
        for weight, earlier in zip(alpha[1:], self.velocities, strict=True):
            acceleration = acceleration + weight * earlier
        return v, np.where(self.has_velocity, acceleration / self.h, rate)
