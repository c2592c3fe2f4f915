"""Dense output on the group: quintic Hermite interpolation in the local coordinates of a step.

Between two recorded states q₀, q₁ at distance h, q(t) = q₀∘exp(θ(t)) with θ(t₀) = 0 and

    θ' = T⁻¹(θ) v,   θ'' = T⁻¹(θ) v' + (d/dt T⁻¹(θ)) v

at both ends, where v' solves the acceleration-level (index-1) system; v(t) = T(θ) θ'. The error of q is O(h⁶).

Where nodes have no velocity there is no θ₁; the state at t is then the result of a shorter step of the method itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.angles import WHOLE_TURN
from symlie.runtime.carried import carried_after
from symlie.runtime.controllers import FIXED_STEPS
from symlie.runtime.kernels import States
from symlie.runtime.layout import Array
from symlie.runtime.own_methods import recorded_method
from symlie.runtime.steppers import State, Stepper

if TYPE_CHECKING:
    from symlie.runtime.solution import Solution


class DenseOutput:
    """Interpolates the states of a solution.

    Parameters
    ----------
    solution
        A solution that recorded every step.
    """

    def __init__(self, solution: Solution) -> None:
        self.solution, self.system = solution, solution.system

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
        index = np.searchsorted(times, t)
        chosen, carried = self.solution.states[index], self.solution.carried[index]
        q, v, multipliers = chosen.q, chosen.v, chosen.multipliers
        inside = np.flatnonzero(chosen.t != t)
        before = index[inside] - 1
        turned = np.empty((len(inside), len(self.system.layout.angles)))
        if self.system.layout.has_fields:
            for k, place in enumerate(inside):
                q[place], v[place], multipliers[place], turned[k] = self._stepped(int(before[k]), float(t[place]))
        else:
            q[inside], v[inside], multipliers[inside], turned = self._interpolated(before, t[inside])
        carried[inside] = self._carried(before, t[inside], q[inside], turned)
        return q, v, multipliers, carried

    def _carried(self, before: NDArray[np.intp], t: Array, q: Array, turned: Array) -> Array:
        """What is carried at times after the recorded states ``before``."""
        s, after = self.solution, self.solution.carried[before]
        for k, start in enumerate(before if len(self.system.layout.angles) else ()):
            begin, end = (float(s.t[start]), s.q[start]), (float(t[k]), q[k])
            after[k] = carried_after(self.system, after[k], begin, end, turned[k])
        return after

    def _interpolated(self, before: NDArray[np.intp], t: Array) -> tuple[Array, Array, Array, Array]:
        """States at times that lie between the recorded states ``before`` and the next, and how far angles turned."""
        s, kernels, p = self.solution, self.system.kernels, self.system.prepared
        needed = np.unique(np.concatenate([before, before + 1]))
        recorded = s.states[needed]
        turns = np.diff(s.carried[needed][:, self.system.layout.carried["turns"]], axis=0)
        turned = WHOLE_TURN * turns + np.diff(self.system.layout.angles.principal(recorded.q), axis=0)
        acceleration = kernels.observe(p, recorded, ("acceleration",))["acceleration"]
        interval = np.searchsorted(needed, before)
        q, v, turning = kernels.interpolate(p, recorded, acceleration, turned, interval, t)
        found = States(t, q, v, np.zeros((len(t), self.system.layout.rows)))
        return q, v, kernels.observe(p, found, ("multipliers",))["multipliers"], turning

    def _stepped(self, index: int, t: float) -> tuple[Array, Array, Array, Array]:
        """The state after a step of the method from a recorded state, and how far angles turned."""
        s = self.solution
        begin = State(float(s.t[index]), s.q[index], s.v[index], s.multipliers[index])
        told = s.settings
        used = recorded_method(
            {"name": s.method, "entry": told.get("tableau"), "options": told.get("method_options", {})}
        )
        stepper = Stepper(self.system, used, FIXED_STEPS)
        trial = stepper.step(begin, t - begin.t)
        return trial.q, trial.v, trial.multipliers, stepper.turned(trial)
