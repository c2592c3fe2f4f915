"""States within an accepted step in NumPy, for the event search; see ``step_interpolation.h``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import INCREMENT_ENOUGH, INCREMENT_STEPS, SHORT_PART
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


class StepInside:
    """An accepted step with access to its interior.

    Parameters
    ----------
    stepper
        Integrator of steps; `Stepper.step` projects if requested.
    state, trial
        Start and result of the step.
    h, end
        Length, and time at the end, in s.
    step_of
        Takes a step of a given length from the same start.

    Attributes
    ----------
    is_by_steps
        True if events inside come from shorter steps instead of interpolation.
    """

    def __init__(
        self, stepper: Stepper, state: State, trial: Trial, h: float, end: float, step_of: Callable[[float], Trial]
    ) -> None:
        self.stepper, self.state, self.trial, self.h, self.end = stepper, state, trial, h, end
        self._step_of = step_of
        self._theta = trial.increment
        self.is_by_steps = stepper.system.layout.has_rates or stepper.method.is_polynomial
        if self.is_by_steps:
            return
        kernels = stepper.mechanics.kernels
        for _ in range(INCREMENT_STEPS):
            apart = kernels.difference(kernels.advance(state.q, self._theta), trial.q)
            if np.abs(apart).max(initial=0.0) <= INCREMENT_ENOUGH:
                break
            self._theta = self._theta + kernels.inverse_tangent_operator(self._theta, apart)
        self._rate = kernels.inverse_tangent_operator(self._theta, trial.v)

    def at_start(self) -> Trial:
        """Start of the step, represented as a trial step that ends there."""
        s, increment = self.state, np.zeros_like(self.trial.increment)
        own = self.trial.own if s.own is None else s.own
        return replace(self.trial, q=s.q, v=s.v, multipliers=s.multipliers, own=own, increment=increment)

    def events(self, t: float, trial: Trial) -> Array:
        """Event functions at the end of a trial step."""
        return self.stepper.events(t, trial.q, trial.v, trial.multipliers)

    def step_to(self, x: float) -> tuple[Trial, Array]:
        """Result of a step of length x, and the event functions at its end."""
        trial = self._step_of(x)
        if x < SHORT_PART * self.h:
            self.stepper.renew_velocities(self.state, x, trial)
        self.stepper.renew_multipliers(self.state.t + x, trial)
        return trial, self.events(self.state.t + x, trial)

    def events_inside(self, s: float) -> Array:
        """Event functions at the fraction s of the step."""
        h, state, t = self.h, self.state, self.state.t + s * self.h
        if self.is_by_steps:
            return self.step_to(s * h)[1]
        ends, first, last = s * s * (3 - 2 * s), s * (1 - s) * (1 - s), s * s * (s - 1)
        theta = ends * self._theta + h * (first * state.v + last * self._rate)
        ends, first, last = 6 * s * (1 - s) / h, (1 - s) * (1 - 3 * s), s * (3 * s - 2)
        rate = ends * self._theta + first * state.v + last * self._rate
        mechanics, kernels = self.stepper.mechanics, self.stepper.mechanics.kernels
        q, v = kernels.advance(state.q, theta), kernels.tangent_operator(theta, rate)
        mechanics.prescribe(t, q, v)
        multipliers = self.trial.multipliers
        if self.stepper.rows and not self.stepper.steps_over:
            multipliers = mechanics.index1(t, q, v)[1]
        return self.stepper.events(t, q, v, multipliers)
