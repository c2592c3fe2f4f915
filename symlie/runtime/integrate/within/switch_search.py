"""Switches within an accepted step in NumPy; see ``switches.h``.

Accelerations may jump where a branch condition of forces or constraints changes its sign. The method history then
belongs to another motion: multipliers of generalized-α oscillate about the new ones. Therefore the step ends there, as
at a jump of an input, and the method restarts with the accelerations of the new branch. If accelerations do not jump,
for example where a body touches a spring, the step remains unchanged, except for multistep methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import (
    DERIVATIVE_STEP,
    JUMP_OF_RATES,
    SHORTEST_SWITCH,
    SLOW_RATE,
    SWITCH_HALVINGS,
    ZERO_WIDTH,
)
from symlie.errors import IntegrationError
from symlie.runtime.kernels.unwrapped import turned_angles
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.stepper import State, Stepper, Trial

Signs: TypeAlias = NDArray[np.bool_]


def searches_switches(layout: Layout, method: Method) -> bool:
    """Return whether steps may end at switches."""
    return method.restarts_at_switches and any(e.switches for e in layout.elements)


def find_switch(
    stepper: Stepper, state: State, trial: Trial, h: float, end: float, step_of: Callable[[float], Trial]
) -> Switch | None:
    """Return the step up to the first switch within an accepted step, if there is one; arguments as of `StepInside`."""
    search = _SwitchSearch(stepper, state, h, end, step_of)
    last = search.signs(search.end, trial.q, trial.v)
    if np.array_equal(search.before, last):
        return None
    try:
        with np.errstate(all="ignore"):
            return search.found(trial) if search.is_worth_search(last) else None
    except (IntegrationError, np.linalg.LinAlgError):
        return None


class Side(NamedTuple):
    """A state on one side of a switch."""

    t: float
    q: Array
    v: Array
    multipliers: Array


@dataclass(frozen=True)
class Switch:
    """A switch that ends a step: the step up to it, its length, and the states on both sides."""

    trial: Trial
    length: float
    sides: tuple[Side, ...]


@dataclass
class _Moving:
    """A state that can be extrapolated with its rates and acceleration."""

    stepper: Stepper
    t: float
    q: Array
    v: Array
    acceleration: Array = field(init=False)
    multipliers: Array = field(init=False)

    def __post_init__(self) -> None:
        self.acceleration, self.multipliers = self.stepper.mechanics.index1(self.t, self.q, self.v)

    def at(self, to: float) -> tuple[Array, Array]:
        """The state at another time, to second order."""
        m, t, q, v, a, x = self.stepper.mechanics, self.t, self.q, self.v, self.acceleration, to - self.t
        rate = self.stepper.moving(m.rate(t, q, v + 0.5 * x * a, a, self.multipliers))
        moved, moved_v = m.kernels.normalize(m.kernels.advance(q, x * rate)), v + x * a
        m.prescribe(to, moved, moved_v)
        return turned_angles(m.kernels, m.layout, m.p, (t, q, v), (to, moved, moved_v)), moved_v

    def moved(self, to: float) -> _Moving:
        """The extrapolated state, with its rates."""
        return _Moving(self.stepper, to, *self.at(to))


class _SwitchSearch:
    def __init__(self, stepper: Stepper, state: State, h: float, end: float, step_of: Callable[[float], Trial]) -> None:
        # A step evaluates its end at t + h, which rounding may move beyond a switch.
        self.end = max(end, state.t + h)
        self.stepper, self.state, self.h, self.step_of = stepper, state, h, step_of
        self.before = self.signs(state.t, state.q, state.v)

    def signs(self, t: float, q: Array, v: Array) -> Signs:
        """Signs of the branch conditions."""
        mechanics = self.stepper.mechanics
        with np.errstate(all="ignore"):
            return np.asarray(mechanics.kernels.switches(mechanics.p, t, q, v)) > 0

    def is_worth_search(self, last: Signs) -> bool:
        """Return whether to search for a switch, judged by states extrapolated from the start of the step.

        The search is unnecessary if accelerations do not jump, or if they reverse the motion at once.
        """
        t = self.state.t
        try:
            start = _Moving(self.stepper, t, self.state.q, self.state.v)
            low, high = self._halved(lambda x: self._has(self.before, start, t + x))
            if not high < self.h:
                return True
            below, above = start.moved(t + low), start.moved(t + high)
        except (IntegrationError, np.linalg.LinAlgError):
            return True
        first = self.signs(above.t, above.q, above.v)
        if not self._has(first, above, above.t + 2 * DERIVATIVE_STEP * self.h):
            return False
        has_jump = self._jump(below, above, self._size(start.acceleration, above.v))
        return self.stepper.method.restarts_at_kinks or has_jump or not np.array_equal(first, last)

    def found(self, trial: Trial) -> Switch | None:
        """Step up to the switch."""
        stepper, state, h, t = self.stepper, self.state, self.h, self.state.t
        low, high = self._halved(self._is_before)
        size = self._size(stepper.mechanics.index1(self.end, trial.q, trial.v)[0], trial.v)
        # Much shorter steps would be inaccurate.
        begin = 0.0 if high < SHORTEST_SWITCH * h else low
        there = self.step_of(begin) if begin > 0 else None
        begun = state if there is None else there
        base = _Moving(stepper, t + begin, begun.q, begun.v)
        below = base.moved(t + low)
        # The step up to this point uses the branch before the switch; the rest is extrapolated with the rates at this
        # point.
        reached, at = high, self.end
        for _ in range(SWITCH_HALVINGS):
            at = t + reached if reached < h else self.end
            if not self._has(self.before, base, at):
                break
            if not reached < h:
                return None
            reached = min(h, low + 2 * (reached - low))
        else:
            return None
        above = base.moved(at)
        if not stepper.method.restarts_at_kinks and not self._jump(below, above, size):
            return None
        # A chattering force permits no motion beyond this point.
        if not self._has(self.signs(above.t, above.q, above.v), above, at + 2 * DERIVATIVE_STEP * h):
            return None
        increment = stepper.moving((reached - begin) * above.v)
        increment = increment if there is None else there.increment + increment
        sides = [Side(t + low, below.q, below.v, below.multipliers)] if low > 0 else []
        is_late = reached < h and h - reached < SHORTEST_SWITCH * h
        last = above
        if is_late:
            sides.append(Side(at, above.q, above.v, above.multipliers))
            last = above.moved(self.end)
            increment = increment + stepper.moving((self.end - at) * last.v)
        found = replace(
            trial,
            q=last.q,
            v=last.v,
            multipliers=last.multipliers if stepper.rows else trial.multipliers,
            acceleration=None,
            increment=increment,
            largest_constraint=0.0,
            largest_velocity=0.0,
        )
        return Switch(found, h if is_late else reached, tuple(sides))

    def _halved(self, is_before: Callable[[float], bool]) -> tuple[float, float]:
        """Neighbouring step lengths on both sides of the switch, by bisection."""
        low, high, t = 0.0, self.h, self.state.t
        for _ in range(SWITCH_HALVINGS):
            if not high - low > ZERO_WIDTH * max(abs(t), abs(t + high)):
                break
            x = 0.5 * (low + high)
            low, high = (x, high) if is_before(x) else (low, x)
        return low, high

    def _is_before(self, x: float) -> bool:
        """Return whether a shorter step has the initial branches; an implicit step may have no solution close to a
        jump."""
        try:
            there = self.step_of(x)
        except (IntegrationError, np.linalg.LinAlgError):
            return False
        return np.array_equal(self.before, self.signs(self.state.t + x, there.q, there.v))

    def _has(self, signs: Signs, state: _Moving, to: float) -> bool:
        """Return whether a state extrapolated to a time has the given signs."""
        return np.array_equal(signs, self.signs(to, *state.at(to)))

    def _size(self, acceleration: Array, v: Array) -> float:
        """Size of accelerations in the step."""
        slow = SLOW_RATE * float(np.abs(v).max(initial=0)) / self.h
        return max(float(np.abs(acceleration).max(initial=0)), slow)

    @staticmethod
    def _jump(below: _Moving, above: _Moving, size: float) -> bool:
        """Return whether accelerations jump between two states."""
        before, after = below.acceleration, above.acceleration
        largest = max(size, float(np.abs(before).max(initial=0)), float(np.abs(after).max(initial=0)))
        return float(np.abs(after - before).max(initial=0)) > JUMP_OF_RATES * largest
