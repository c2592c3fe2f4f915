"""Formulas of a generalized-α step; equation numbers refer to ``generalized_alpha.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from symlie.runtime.implicit.alpha_parameters import Parameters
from symlie.runtime.implicit.iteration_matrix import Slopes
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


class AlphaFormula:
    """Equations (1), (2), (3), (8) and (9), with the initial values of the step modified by (6); ``is_off`` is True if
    v may violate hidden constraints (index 3)."""

    sees_end: ClassVar[bool] = False
    span = 1.0
    offset: Array | float = 0.0

    def __init__(
        self,
        parameters: Parameters[float],
        mechanics: Mechanics,
        t: float,
        q: Array,
        v: Array,
        carried: Mapping[str, Array],
        h: float,
        *,
        is_off: bool,
        with_estimate: bool,
    ) -> None:
        self.p, self.h, self.mechanics, self.has_velocity = parameters, h, mechanics, mechanics.layout.has_velocity
        self.before, self.a, self.length = carried["acceleration"], carried["algorithmic"], float(carried["length"][0])
        self.slope_n = carried["perturbation"]
        self.v = self._with_states(v + carried["perturbation"], 0 * v)
        self.off = np.zeros_like(self.v)
        ratio = h / self.length
        if is_off and (ratio != 1 or with_estimate):
            B = mechanics.jacobian(t, q, self.v)
            residual = mechanics.layout.holonomic * mechanics.hidden_residual(t, q, self.v, B)
            self.off = mechanics.along_constraints(t, q, B, residual)
        if ratio != 1:
            # (6)
            self.a = self.before + ratio * (self.a - self.before)
            self.v = self.v + (ratio**2 - 1) * self.off
            self.off = ratio**2 * self.off

    @property
    def slopes(self) -> Slopes:
        """γ', β' and δ'."""
        p, h = self.p, self.h
        return Slopes(
            p.gamma / (p.beta * h),
            (1 - p.alpha_m) / (p.beta * (1 - p.alpha_f) * h**2),
            (1 - p.rate_alpha_m) / (p.rate_gamma * (1 - p.alpha_f) * h),
        )

    def _with_states(self, of_velocities: Array, of_states: Array) -> Array:
        return np.where(self.has_velocity, of_velocities, of_states)

    def predicted(self, acceleration: Array) -> Array:
        """Return the increment for a given v̇."""
        p, h = self.p, self.h
        algorithmic = ((1 - p.alpha_f) * acceleration + p.alpha_f * self.before - p.alpha_m * self.a) / (1 - p.alpha_m)
        theta = h * (self.v + h * (0.5 - p.beta) * self.a + h * p.beta * algorithmic)
        zeta = (1 - p.alpha_f) * acceleration + p.alpha_f * self.before - p.rate_alpha_m * self.a
        zeta = zeta / (1 - p.rate_alpha_m)
        return self._with_states(theta, h * ((1 - p.rate_gamma) * self.a + p.rate_gamma * zeta))

    def algorithmic(self, w: Array) -> Array:
        """Return a_{n+1}."""
        p, h = self.p, self.h
        # (1)
        found = (w / h - self.v - h * (0.5 - p.beta) * self.a) / (h * p.beta)
        # (8)
        return self._with_states(found, (w / h - (1 - p.rate_gamma) * self.a) / p.rate_gamma)

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """Return v_{n+1} and v̇_{n+1}."""
        p, h, algorithmic = self.p, self.h, self.algorithmic(w)
        # (2), (3)
        v = self.v + h * (1 - p.gamma) * self.a + h * p.gamma * algorithmic
        acceleration = (1 - p.alpha_m) * algorithmic + p.alpha_m * self.a - p.alpha_f * self.before
        # (9)
        rate = (1 - p.rate_alpha_m) * algorithmic + p.rate_alpha_m * self.a - p.alpha_f * self.before
        return self._with_states(v, 0 * v), self._with_states(acceleration, rate) / (1 - p.alpha_f)

    def slope(self, acceleration: Array) -> Array:
        """Return D_{n+1} of first-order states, and zero for velocities."""
        return self._with_states(0 * acceleration, (acceleration - self.before) / self.h)

    def third_order(self, acceleration: Array) -> Array:
        """Return θ̂."""
        h, slope = self.h, (acceleration - self.before) / self.h
        rate, change = self._with_states(self.v, self.before), self._with_states(self.before, slope)
        bracket = self.mechanics.kernels.bracket(rate, change)
        # (7)
        found = h * (self.v - self.off) + h**2 * (self.before / 3 + acceleration / 6) + h**3 * bracket / 12
        # (10)
        bend = (slope - self.slope_n) / (h + self.length)
        return self._with_states(found, h * (self.before + acceleration) / 2 - h**3 * (bend / 6 - bracket / 12))
