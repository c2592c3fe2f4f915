"""Dense output on the group: quintic Hermite interpolation in the local coordinates of a step.

Between two recorded states q₀, q₁ at distance h, q(t) = q₀∘exp(θ(t)) with θ(t₀) = 0 and

    θ' = T⁻¹(θ) v,   θ'' = T⁻¹(θ) v' + (d/dt T⁻¹(θ)) v

at both ends, where v' solves the acceleration-level (index-1) system; v(t) = T(θ) θ'. The error of q is O(h⁶).

Nodes without velocities have no θ₁, some nodes are stepped in stored coordinates, and steps of some methods are
polynomials. In these cases the state at t is that of a shorter step of the method itself.

After a jump of an input, steps start a few units in the last place later, where forces have their right-hand values.
The recorded state at the jump serves twice: as the end of the previous step and, at that later time, as the start of
the next one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import TIME_RESOLUTION
from symlie.errors import ModelError
from symlie.runtime.integrate.shorter_steps import ShorterSteps
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import method_of_run
from symlie.runtime.solution.state import StateAt
from symlie.runtime.system.breakpoints import starts_after

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution


DRAWN_POINTS = 96
"""Plotted points per long step: 24 per turn, since the longest steps of series of order sixty contain four turns."""


def densely(solution: Solution) -> Solution:
    """Solution for plots, in which long polynomial steps are evaluated at many times.

    The result contains the recorded states and the events. A solution without long polynomials, or with unrecorded
    steps, is returned unchanged.
    """
    is_polynomial = bool(solution.settings) and method_of_run(solution.method, solution.settings).is_polynomial
    steps = len(solution.t) - 1
    if not is_polynomial or not 0 < solution.statistics.steps <= steps:
        return solution
    parts = np.arange(DRAWN_POINTS) / DRAWN_POINTS
    within = solution.t[:-1, None] + np.diff(solution.t)[:, None] * parts
    times = np.unique(np.concatenate([within.ravel(), solution.t[-1:], [e.t for e in solution.events]]))
    found = solution(times)
    assert not isinstance(found, StateAt)
    # States before changes at events, where the solution has two states at one time.
    first = np.flatnonzero(np.diff(solution.t) == 0)
    places = np.searchsorted(times, solution.t[first])
    sides = {
        name: np.insert(getattr(found, name), places, getattr(solution, name)[first], axis=0)
        for name in ("t", "q", "v", "multipliers", "carried")
    }
    return replace(found, **sides, events=solution.events)


class DenseOutput:
    """Interpolant of a solution with all steps recorded."""

    def __init__(self, solution: Solution) -> None:
        self.solution, self.system = solution, solution.system

    def __call__(self, t: Array) -> States:
        """States at times, with λ from the acceleration-level system.

        `ModelError` for a time outside of the solution, or between recorded states that are more than a step apart.
        """
        recorded = self.solution.states
        times = recorded.t
        if not len(times) or not (times[0] <= t.min(initial=times[0]) and t.max(initial=times[0]) <= times[-1]):
            span = f"from {times[0]:.9g} to {times[-1]:.9g}" if len(times) else "empty"
            raise ModelError(f"The solution is {span}; it cannot be evaluated outside this interval.")
        before = np.searchsorted(times, t, side="right") - 1
        inside = t > self._begins[before]
        if not inside.any():
            return replace(recorded[before], t=t.copy())
        steps = self.solution.statistics.steps
        if len(times) - 1 < steps:
            raise ModelError(
                f"The solution has {len(times)} recorded states of {steps} steps, too few for dense output; "
                "solve without t_eval and with record_every=1."
            )
        if inside.all():
            return self._between(before, t)
        # The state is constant between a jump and the start of the next step.
        found, between = replace(recorded[before], t=t.copy()), self._between(before[inside], t[inside])
        for name in ("q", "v", "multipliers", "carried"):
            getattr(found, name)[inside] = getattr(between, name)
        return found

    def _between(self, interval: NDArray[np.intp], t: Array) -> States:
        """States at times within the steps that follow the recorded states ``interval``."""
        ends, first = self._ends_of_steps
        interval = first[interval]
        if self._shorter_steps is not None:
            return self._shorter_steps(ends, interval, t)
        return self.system.mechanics.observer.interpolate(self.system.prepared, ends, interval, t)

    @cached_property
    def _begins(self) -> Array:
        """Start times of the steps after recorded states, in s, shape (n,)."""
        times = self.solution.states.t
        return starts_after(self.system.breakpoints, times, TIME_RESOLUTION * max(abs(times[0]), abs(times[-1])))

    @cached_property
    def _ends_of_steps(self) -> tuple[States, NDArray[np.intp]]:
        """Recorded states, duplicated at jumps for the start of the next step, and the index where each step starts."""
        recorded = self.solution.states
        begins = self._begins
        is_jump = np.append((recorded.t < begins)[:-1] & (begins[:-1] < recorded.t[1:]), False)
        first = np.arange(len(begins)) + np.cumsum(is_jump)
        ends = recorded[np.repeat(np.arange(len(begins)), 1 + is_jump)]
        ends.t[first[is_jump]] = begins[is_jump]
        return ends, first

    @cached_property
    def _shorter_steps(self) -> ShorterSteps | None:
        told = self.solution
        is_by_steps = self.system.layout.has_rates or method_of_run(told.method, told.settings).is_polynomial
        return ShorterSteps(told) if is_by_steps else None
