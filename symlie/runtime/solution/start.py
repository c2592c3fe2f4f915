"""Start of an integration: the state, and data of the first step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import RESTING_SIZE, SMALL_STEP, TELLING_SIZE
from symlie.errors import IntegrationError, ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False, repr=False)
class Start(Brief):
    """State from which an integration starts or continues."""

    q: Array
    v: Array
    multipliers: Array
    carried: Array
    """Auxiliary integrator state; `Layout.carried` names its parts."""
    h: float = 0.0
    """Size of the first adaptive step, in s; 0 if unknown."""
    acceleration: Array | None = None
    """v' from a previous step."""
    event: Array | None = None
    """Event functions from a previous step; zero for an event at this state."""
    own: Array | None = None
    """Method history from a previous step."""


def start_of(system: System, t: float, *, steps_contacts: bool = False) -> Start:
    """Return the consistent initial state at time t, with open contacts if steps contain their impacts."""
    if steps_contacts:
        state = system.consistent_state(t, steps_contacts=True)
    else:
        state = system.initial_state if t == 0 else system.consistent_state(t)
    return Start(state.q, state.v, state.multipliers, np.zeros(system.layout.carried_size))


def continuation_of(solution: Solution, system: System) -> Start:
    """Return the end of a solution as the start of the same model, possibly with other parameters."""
    layout = solution.system.layout
    if not len(solution.t):
        raise ModelError("A solution without states cannot be continued.")
    if layout.interface_hash != system.layout.interface_hash:
        raise ModelError(
            f"The solution belongs to '{layout.name}' with other equations; it cannot be continued. To start another "
            "model from its final state, use system.with_state(solution)."
        )
    start = solution.end or Start(solution.q[-1], solution.v[-1], solution.multipliers[-1], solution.carried[-1])
    if solution.system is system:
        return start
    # Accelerations, multipliers and event values depend on the parameters.
    t, multipliers, event = float(solution.t[-1]), start.multipliers, None
    if layout.rows:
        _, multipliers = system.mechanics.index1(t, start.q, start.v)
    if layout.events and start.event is not None:
        # Events at the end of the solution are not repeated.
        event = np.where(start.event == 0, 0.0, system.mechanics.events(t, start.q, start.v, multipliers))
    return Start(start.q, start.v, multipliers, start.carried, start.h, event=event)


def first_step(system: System, t: float, start: Start, control: StepControl, order: int, longest: float) -> float:
    """Choose the first step size from error norms of y, y', y''. Source: [HairerNorsettWanner1993], section II.4."""
    try:
        with np.errstate(all="ignore"):
            h = _estimated_step(system, t, start, control, order, longest)
    except (np.linalg.LinAlgError, IntegrationError):
        h = 0.0
    return h if h > 0 else min(SMALL_STEP, longest)


def _estimated_step(system: System, t: float, start: Start, control: StepControl, order: int, longest: float) -> float:
    mechanics = system.mechanics

    def moving(at: float, q: Array, v: Array) -> tuple[Array, Array]:
        a, multipliers = mechanics.index1(at, q, v)
        return mechanics.rate(at, q, v, a, multipliers), a

    q, v = start.q, start.v
    scale = control.atol + control.rtol * np.concatenate([np.zeros_like(v), np.abs(v)])

    def size(theta: Array, velocity: Array) -> float:
        return float(np.sqrt(np.sum(control.weight * (np.concatenate([theta, velocity]) / scale) ** 2)))

    rate, a = moving(t, q, v)
    d0, d1 = size(np.zeros_like(v), v), size(rate, a)
    h0 = min(0.01 * d0 / d1 if all(TELLING_SIZE <= d < np.inf for d in (d0, d1)) else SMALL_STEP, longest)
    later_rate, later = moving(t + h0, mechanics.kernels.advance(q, h0 * rate), v + h0 * a)
    d2 = size(later_rate - rate, later - a) / h0
    if not (d1 < np.inf and d2 < np.inf):
        return 0.0
    largest = max(d1, d2)
    h1 = SMALL_STEP if largest <= RESTING_SIZE else (0.01 / largest) ** (1 / (order + 1))
    return min(100 * h0, h1, longest)
