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


def increment_between(mechanics: Mechanics, a: Array, b: Array) -> Array:
    """log(a⁻¹∘b); of nodes without velocity, which are in R(n), the difference."""
    found = mechanics.kernels.difference(a, b)
    for node in mechanics.layout.nodes:
        if not node.type.velocities:
            found[node.velocity] = b[node.storage] - a[node.storage]
    return found


class BdfFormula:
    """(2) to (4) from what a step begins with.

    Parameters
    ----------
    mechanics
        The equations of the system.
    h
        Length of the step, in s.
    lengths
        Those of the k - 1 steps before, the latest first; they say what k is.
    increments
        θ of the steps before, the latest first, at least k - 1 of them, (steps, dimension).
    velocities
        v_n, v_{n-1}, …, at least k of them, (steps, dimension).
    before
        v̇_n.
    span
        The largest k of the method.
    """

    sees_end: ClassVar[bool] = True

    def __init__(
        self,
        mechanics: Mechanics,
        h: float,
        lengths: Array,
        increments: Array,
        velocities: Array,
        before: Array,
        span: int,
    ) -> None:
        self.mechanics, self.has_velocity = mechanics, mechanics.layout.has_velocity
        self.h, self.before, self.velocities, self.span = h, before, velocities, span
        self.identity = mechanics.layout.identity
        # Differences of configurations would be rounded as configurations are; elements relative to q_n are small.
        self.elements: list[Array] = []
        for increment in increments:
            last = self.elements[-1] if self.elements else self.identity
            self.elements.append(mechanics.kernels.advance(last, -increment))
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

    def increments(self, theta: Array, count: int) -> list[Array]:
        """θ_2, …, θ_{count + 1} at the end of a step θ."""
        # (1)
        end = self.mechanics.kernels.advance(self.identity, theta)
        return [increment_between(self.mechanics, end, element) for element in self.elements[:count]]

    def predicted(self) -> Array:
        """A first θ: the polynomial through the increments to configurations before, with the slope v_n at q_n."""
        weights = extrapolation_weights([x + 1 for x in self.tau[2:]])
        slope = np.where(self.has_velocity, self.velocities[0], self.before)
        found = self.h * weights[0] * slope
        for weight, element in zip(weights[1:], self.elements, strict=False):
            found = found + weight * increment_between(self.mechanics, self.identity, element)
        return np.asarray(found)

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """v_{n+1} and v̇_{n+1}."""
        alpha = self.alpha
        # (2), (3)
        rate = self.alpha[0] * (w - theta) - alpha[1] * theta
        for weight, earlier in zip(alpha[2:], self.increments(theta, len(alpha) - 2), strict=True):
            rate = rate + weight * earlier
        rate = rate / self.h
        v = np.where(self.has_velocity, rate, 0.0)
        acceleration = alpha[0] * v
        for weight, earlier in zip(alpha[1:], self.velocities, strict=False):
            acceleration = acceleration + weight * earlier
        return v, np.where(self.has_velocity, acceleration / self.h, rate)
