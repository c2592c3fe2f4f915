"""Formulas of a BDF step; equation numbers refer to ``bdf.py``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, TypeVar

import numpy as np

from symlie.runtime.implicit.iteration_matrix import Slopes
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.layout.layout import Array, Layout

Number = TypeVar("Number", float, Fraction)


def derivative_weights(tau: Sequence[Number]) -> list[Number]:
    """Return the derivatives at the first node, which is zero, of the Lagrange polynomials of the nodes τ."""
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
    """Return the weights of p'(0) and of p(τ) in p(1), for polynomials with p(0) = 0 and nodes τ < 0."""
    found = [math.prod((1 - x) / -x for x in tau)]
    for i, x in enumerate(tau):
        found.append(math.prod(((1 - y) / (x - y) for j, y in enumerate(tau) if j != i), start=1 / (x * x)))
    return found


def history_at(kernels: StepKernels, theta: Array, elements: Array) -> tuple[Array, Array]:
    """Return logarithms and values of q_{n+1}⁻¹∘q_n and q_{n+1}⁻¹∘q_{n-i} after a step θ, from elements q_n⁻¹∘q_{n-i},
    shape (points, storage)."""
    end = kernels.exponential(theta)
    back = kernels.inverse(end)
    increments = [-theta, *(kernels.increment(end, element) for element in elements)]
    return np.array(increments), np.array([back, *(kernels.compose(back, element) for element in elements)])


class BdfFormula:
    """Equations (2) to (4) from the method history, the latest step first; ``span`` is the largest k of the method."""

    sees_end: ClassVar[bool] = True

    def __init__(
        self,
        layout: Layout,
        kernels: StepKernels,
        h: float,
        lengths: Array,
        increments: Array,
        elements: Array,
        velocities: Array,
        before: Array,
        span: int,
    ) -> None:
        self.kernels, self.has_velocity = kernels, layout.has_velocity
        self.h, self.before, self.velocities = h, before, velocities
        # log(q_n⁻¹∘q_{n-i}) and q_n⁻¹∘q_{n-i}, at least k - 1 of each; the velocities are v_n, v_{n-1}, …, at least k.
        self.earlier, self.elements = increments, elements
        # (4): k - 1 earlier step lengths determine the order k.
        self.tau = [0.0, -1.0]
        for length in lengths:
            self.tau.append(self.tau[-1] - float(length) / h)
        self.alpha = derivative_weights(self.tau)
        # Closely spaced earlier points have large weights.
        self.span = max(float(span), 0.5 * sum(map(abs, self.alpha[1:])) / self.alpha[0])
        # Up to brackets, θ_i is the increment to the same point in the previous step minus θ.
        self.offset: Array | float = np.zeros(layout.dimension)
        for weight, earlier in zip(self.alpha[2:], increments, strict=False):
            self.offset = self.offset + weight / self.alpha[0] * earlier

    @property
    def slopes(self) -> Slopes:
        """γ', β' and δ'."""
        slope = self.alpha[0] / self.h
        return Slopes(slope, slope * slope, slope)

    def increments(self, theta: Array, count: int) -> list[Array]:
        """Return θ_2, …, θ_{count + 1} at the end of a step θ."""
        # (1)
        end = self.kernels.exponential(theta)
        return [self.kernels.increment(end, element) for element in self.elements[:count]]

    def predicted(self) -> Array:
        """Return an initial guess of θ by extrapolating the increments to earlier configurations, with the slope v_n at
        q_n."""
        weights = extrapolation_weights([x + 1 for x in self.tau[2:]])
        slope = np.where(self.has_velocity, self.velocities[0], self.before)
        found = self.h * weights[0] * slope
        for weight, earlier in zip(weights[1:], self.earlier, strict=False):
            found = found + weight * earlier
        return np.asarray(found)

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """Return v_{n+1} and v̇_{n+1}."""
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
