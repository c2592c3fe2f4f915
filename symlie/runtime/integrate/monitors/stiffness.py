"""Detection of stiffness and of chattering forces, which limit the adaptive step size; see ``stiffness.h``."""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import CALM_STEPS, STIFF_STEPS, STIFFNESS_EVERY, UNNOTICED
from symlie.errors import IntegrationError
from symlie.runtime.integrate.loop_state import Counters
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method, ScalarStages
from symlie.runtime.methods.stepper import State, Stepper, Trial

NEAR_LIMIT = 0.75
"""Share of the stability interval above which steps are suspicious."""

LONGEST_INTERVAL = 100.0
"""Largest stability interval that is searched."""


def stiffness_limit(method: Method) -> float:
    """h |λ| above which steps of a method are suspicious; 0 for methods that are not explicit."""
    stages = method.scalar_stages()
    if stages is None:
        return 0.0
    z = -np.arange(0.01, LONGEST_INTERVAL, 0.01)
    unstable = np.flatnonzero(np.abs(_amplified(stages, z)) > 1)
    return NEAR_LIMIT * float(-z[unstable[0]] if len(unstable) else LONGEST_INTERVAL)


def _amplified(stages: ScalarStages, z: Array) -> Array:
    """Stability function of a step at z = h λ."""
    values = [np.ones_like(z)]
    slopes: list[Array] = []
    for k, (start, weights) in enumerate(zip(*stages, strict=True)):
        reached = values[start] + sum(w * slope for w, slope in zip(weights, slopes, strict=False) if w)
        values[k:] = [reached]
        slopes.append(z * reached)
    return values[-1]


def looks_at_step(limit: float, counters: Counters) -> bool:
    """Return whether the next step is to be checked for stiffness."""
    if not limit > 0 or counters.stiff_step > 0 or counters.chattering_step > 0:
        return False
    return counters.suspicious_steps > 0 or (counters.steps + 1) % STIFFNESS_EVERY == 0


def look_at_step(stepper: Stepper, counters: Counters, state: State, trial: Trial, t: float, h: float) -> None:
    """Check an accepted step of length h that ends at time t."""
    control, mechanics = stepper.control, stepper.mechanics
    assert trial.difference is not None
    counters.rhs_evaluations += 2
    delta, delta_v = np.split(trial.difference, 2)
    weight, weight_v = np.split(control.weight, 2)
    q, v = mechanics.kernels.advance(trial.q, delta), trial.v + delta_v
    mechanics.prescribe(t, q, v)
    try:
        with np.errstate(all="ignore"):
            (rate, a), (other_rate, other_a) = (
                _rates(stepper, t, *at, trial.multipliers) for at in ((trial.q, trial.v), (q, v))
            )
    except (np.linalg.LinAlgError, IntegrationError):
        return
    fast = []
    for size, part, change in ((weight, delta, other_rate - rate), (weight_v, delta_v, other_a - a)):
        moved = float(np.sum(size * part**2))
        if moved > 0:
            fast.append(float(np.sum(size * change**2)) > (control.stiffness_limit / h) ** 2 * moved)
    found = np.abs((other_a - a) * (trial.v - state.v))
    expected = np.abs(delta_v * (a - trial.first_acceleration))
    flipped = (weight_v > 0) & (state.v * trial.v < 0) & (trial.first_acceleration * a < 0)
    flipped &= np.abs(trial.v - state.v) > UNNOTICED * np.split(control.atol, 2)[1]
    flipped &= ~((found >= 0.5 * expected) & (found <= 2 * expected))
    _count(counters, t, h, bool(fast) and all(fast), bool(flipped.any()))


def _rates(stepper: Stepper, t: float, q: Array, v: Array, multipliers: Array) -> tuple[Array, Array]:
    a, multipliers = stepper.acceleration(t, q, v, multipliers)
    return stepper.mechanics.rate(t, q, v, a, multipliers), a


def _count(counters: Counters, t: float, h: float, is_fast: bool, is_flipped: bool) -> None:
    if not is_fast and not is_flipped:
        counters.calm_steps += 1
        if counters.calm_steps >= CALM_STEPS:
            counters.suspicious_steps = counters.flipped_steps = counters.calm_steps = 0
        return
    counters.calm_steps = 0
    counters.suspicious_steps += 1
    counters.flipped_steps += int(is_flipped)
    if counters.suspicious_steps < STIFF_STEPS:
        return
    if 3 * counters.flipped_steps >= STIFF_STEPS:
        counters.chattering_since, counters.chattering_step = t, h
    else:
        counters.stiff_since, counters.stiff_step = t, h
