"""Dense output on the group: quintic Hermite interpolation in the local coordinates of a step.

Between two recorded states q₀, q₁ at distance h, q(t) = q₀∘exp(θ(t)) with θ(t₀) = 0 and

    θ' = T⁻¹(θ) v,   θ'' = T⁻¹(θ) v' + (d/dt T⁻¹(θ)) v

at both ends, where v' solves the acceleration-level (index-1) system; v(t) = T(θ) θ'. The error of q is O(h⁶).

Where nodes have no velocity there is no θ₁; the state at t is then the result of a shorter step of the method itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.angles import WHOLE_TURN
from symlie.runtime.carried import carried_after
from symlie.runtime.controllers import FIXED_STEPS
from symlie.runtime.initial import index1_multipliers
from symlie.runtime.layout import Array
from symlie.runtime.own_methods import recorded_method
from symlie.runtime.steppers import State, Stepper

if TYPE_CHECKING:
    from symlie.runtime.solution import Solution
    from symlie.runtime.system import System

BERNOULLI_TERMS = 60
"""Terms of T⁻¹(θ) = Σ (-1)^k B_k/k! ad_θ^k at most; the series converges for rotations below 2π."""


@dataclass(frozen=True, eq=False)
class _Interval:
    """Two neighbouring states with what the interpolation needs of them."""

    t0: float
    h: float
    q: Array
    coefficients: Array
    """Of the polynomial θ in s = (t - t₀)/h, shape (6, dimension)."""


def rate_derivative(system: System, theta: Array, theta_dot: Array, v: Array) -> Array:
    """(d/dt T⁻¹(θ)) v along θ', by the Bernoulli series of T⁻¹ and the product rule."""
    bracket = system.kernels.bracket
    x, dx, total = v, np.zeros_like(v), np.zeros_like(v)
    for k in range(1, BERNOULLI_TERMS):
        x, dx = bracket(theta, x), bracket(theta_dot, x) + bracket(theta, dx)
        if k > 1 and k % 2:
            continue
        term = _WEIGHTS[k] * dx
        total = total + term
        if k > 1 and not np.abs(term).max(initial=0.0) > 1e-17 * np.abs(total).max(initial=0.0):
            break
    return total


def _series_of_inverse(terms: int) -> list[float]:
    """Coefficients of λ/(1 - e^-λ), by exact division of power series."""
    divisor = [Fraction((-1) ** k, math.factorial(k + 1)) for k in range(terms)]
    series: list[Fraction] = []
    for k in range(terms):
        series.append(int(k == 0) - sum((series[j] * divisor[k - j] for j in range(k)), Fraction(0)))
    return [float(c) for c in series]


_WEIGHTS = _series_of_inverse(BERNOULLI_TERMS)


class DenseOutput:
    """Interpolates the states of a solution.

    Parameters
    ----------
    solution
        A solution that recorded every step.
    """

    def __init__(self, solution: Solution) -> None:
        self.solution, self.system = solution, solution.system
        self._intervals: dict[int, _Interval] = {}

    def __call__(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """(q, v, λ, carried) at times, one row for each; λ from the acceleration-level system.

        Raises
        ------
        ModelError
            A time outside of the solution, or between recorded states that are more than a step apart.
        """
        times = self.solution.t
        if not len(times) or not (np.all(t >= times[0]) and np.all(t <= times[-1])):
            span = f"from {times[0]:.9g} to {times[-1]:.9g}" if len(times) else "empty"
            raise ModelError(f"The solution is {span}; it can not be evaluated outside of it.")
        if len(times) - 1 < self.solution.statistics.steps and not np.all(np.isin(t, times)):
            raise ModelError(
                f"The solution has {len(times)} recorded states of {self.solution.statistics.steps} steps, too few to "
                "evaluate between them; solve without t_eval and with record_every=1."
            )
        rows = [self._state(float(time)) for time in t]
        layout = self.system.layout
        q, v, multipliers, carried = ([row[k] for row in rows] for k in range(4))
        return (
            np.array(q).reshape(len(t), layout.storage),
            np.array(v).reshape(len(t), layout.dimension),
            np.array(multipliers).reshape(len(t), layout.rows),
            np.array(carried).reshape(len(t), layout.carried_size),
        )

    def _state(self, t: float) -> tuple[Array, Array, Array, Array]:
        solution, system = self.solution, self.system
        index = int(np.searchsorted(solution.t, t))
        if solution.t[index] == t:
            return solution.q[index], solution.v[index], solution.multipliers[index], solution.carried[index]
        if system.layout.has_fields:
            return self._stepped(index - 1, t)
        interval = self._interval(index - 1)
        s = (t - interval.t0) / interval.h
        powers = s ** np.arange(6)
        theta = powers @ interval.coefficients
        theta_dot = (np.arange(1, 6) * powers[:5]) @ interval.coefficients[1:] / interval.h
        q = system.kernels.normalize(system.kernels.advance(interval.q, theta))
        v = system.kernels.transport(theta, theta_dot)
        system.kernels.prescribe(system.prepared, t, q, v)
        _, multipliers = index1_multipliers(system.kernels, system.algebra, system.prepared, t, q, v)
        return q, v, multipliers, self._carried(index - 1, t, q, theta[system.layout.angles.component])

    def _carried(self, index: int, t: float, q: Array, turned: Array) -> Array:
        """What is carried at a time after a recorded state."""
        s = self.solution
        return carried_after(self.system, s.carried[index], (float(s.t[index]), s.q[index]), (t, q), turned)

    def _stepped(self, index: int, t: float) -> tuple[Array, Array, Array, Array]:
        """The state after a step of the method from a recorded state."""
        s = self.solution
        begin = State(float(s.t[index]), s.q[index], s.v[index], s.multipliers[index])
        told = s.settings
        used = recorded_method(
            {"name": s.method, "entry": told.get("tableau"), "options": told.get("method_options", {})}
        )
        trial = Stepper(self.system, used, FIXED_STEPS).step(begin, t - begin.t)
        return trial.q, trial.v, trial.multipliers, self._carried(index, t, trial.q, trial.turned)

    def _acceleration(self, index: int) -> Array:
        s = self.solution
        t, q, v = float(s.t[index]), s.q[index], s.v[index]
        return index1_multipliers(self.system.kernels, self.system.algebra, self.system.prepared, t, q, v)[0]

    def _increment(self, index: int) -> Array:
        """θ of a step, on the branch of log that turns as far as the step did."""
        s, kernels, angles = self.solution, self.system.kernels, self.system.layout.angles
        q, later = s.q[index], s.q[index + 1]
        theta = kernels.difference(q, later)
        turns = (s.carried[index + 1] - s.carried[index])[self.system.layout.carried["turns"]]
        turned = WHOLE_TURN * turns + angles.principal(later) - angles.principal(q)
        if np.all((np.abs(turned - theta[angles.component]) < 1) | angles.is_prescribed):
            return theta
        theta[angles.component] = turned
        # Translations are linear in theirs at a given rotation: one step of Newton's method.
        return theta + kernels.rate(theta, kernels.difference(kernels.advance(q, theta), later))

    def _interval(self, index: int) -> _Interval:
        if index in self._intervals:
            return self._intervals[index]
        s, kernels = self.solution, self.system.kernels
        h = float(s.t[index + 1] - s.t[index])
        q, v, later = s.q[index], s.v[index], s.v[index + 1]
        theta = self._increment(index)
        theta_dot = kernels.rate(theta, later)
        second = kernels.rate(theta, self._acceleration(index + 1))
        second = second + rate_derivative(self.system, theta, theta_dot, later)
        coefficients = _QUINTIC @ np.array(
            [h * v, h * h * self._acceleration(index), theta, h * theta_dot, h * h * second]
        )
        self._intervals[index] = _Interval(float(s.t[index]), h, q, np.vstack([np.zeros_like(v), coefficients]))
        return self._intervals[index]


_QUINTIC = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.0, 0.0],
        [-6.0, -1.5, 10.0, -4.0, 0.5],
        [8.0, 1.5, -15.0, 7.0, -1.0],
        [-3.0, -0.5, 6.0, -3.0, 0.5],
    ]
)
"""Coefficients of s … s⁵ of the quintic with value 0 at s = 0, from (θ'₀, θ''₀, θ₁, θ'₁, θ''₁) in units of s."""
