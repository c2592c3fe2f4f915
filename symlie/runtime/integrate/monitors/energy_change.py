"""Change of an energy that the model conserves.

The change from the start to the end is relative to the mean kinetic energy over time, since potential energies have no
natural zero. It is acceptable below the limit of the tolerances, below the effect of absolute tolerances on forces, or
below the rounding error of the sum. A change within one step is an impact: at a corner of a constraint the reaction
removes a part of the velocity, and with it energy.

Contacts and friction reduce the energy: the losses of impacts and the work of friction are added to the energy at the
end. The trapezoidal rule is accurate enough in most runs; otherwise the dense output determines this work. If it is not
known, only an increase counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from symlie.errors import ContactModeError, IntegrationError
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import method_of_run
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.solution.contacts.friction_losses import has_all_steps, rough_friction_loss
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.mechanics import Mechanics
from symlie.runtime.system.system import System

LEAST_LIMIT = 0.02
"""Acceptable change relative to the mean kinetic energy in a run of many steps, for any tolerance."""

ERRORS_OF_STEPS = 300.0
"""Number of relative tolerances that may accumulate in a run."""

MOST_LIMIT = {True: 0.2, False: 0.5}
"""Change relative to the mean kinetic energy above which states do not represent the model, for adaptive and for fixed
steps. It is the only limit for fixed steps, since some methods damp fast modes."""

IMPACT = {True: 1e-3, False: 0.05}
"""Change within a step relative to the kinetic energy that counts as an impact, for adaptive and for fixed steps."""

ERRORS_OF_A_STEP = 100.0
"""Number of relative tolerances below which a change within a step is an integration error."""

SUDDEN = 0.5
"""Share of the largest change in the sum of all changes between samples that counts as an impact."""

UNSEEN = 1e-3
"""Share of the possible work of the initial forces over the whole time that replaces the kinetic energy as a scale if
all recorded states may be turning points."""

ROUNDING = 64 * 2.0**-52
"""Relative rounding error of the energy."""

AT_REST = 1e-12
"""Relative rounding error of the work of forces that are in equilibrium with reactions."""

ERRORS_OF_FORCES = 10.0
"""Number of absolute tolerances by which the point of application of a force may deviate."""

MOST_EVENTS_OF_IMPACTS = 1000
"""Number of events up to which the losses of impacts are computed."""

MOST_STATES_OF_FRICTION = 1000
"""Number of recorded states up to which the dense output determines the work of friction."""

SAMPLES = 64
"""Number of recorded states whose energy is computed."""


class _Samples(NamedTuple):
    """Energies at recorded states with approximately equal distances in time."""

    states: list[int]
    kinetic: Array
    total: Array


def energy_changes(system: System, control: StepControl, begin: LoopState, solution: Solution) -> list[str]:
    """Warnings about a change of a conserved energy in a complete run, given its step control and initial state."""
    layout, has_contacts = system.layout, system.layout.loses_energy_at_contacts
    if not (layout.conserves_energy or (has_contacts and _has_known_losses(solution))) or not len(solution.t):
        return []
    mechanics = system.mechanics
    first = mechanics.energy(begin.t, begin.at.q, begin.at.v)
    last = _energy(mechanics, solution, -1)
    lost = _losses(solution, is_exact=False)
    change = lost.change(first, last)
    unavoidable = _unavoidable(mechanics, control, begin, solution)
    if not np.isfinite(first.sum()) or not np.isfinite(lost.total) or change <= unavoidable < np.inf:
        return []
    if not has_contacts and (impact := _impact(system, control, solution, unavoidable)):
        return [impact]
    limit = MOST_LIMIT[control.is_adaptive]
    if control.is_adaptive:
        limit = min(limit, max(LEAST_LIMIT, ERRORS_OF_STEPS * float(np.max(control.rtol))))
    scale = _kinetic_scale(mechanics, begin, solution, max(float(first[0]), float(last[0])))
    if change > limit * scale and lost.has_friction:
        lost = _losses(solution, is_exact=True)
        change = lost.change(first, last)
    if change <= limit * scale < np.inf or change <= unavoidable < np.inf:
        return []
    share = (
        f", by {change / scale:.2g} of the mean kinetic energy" if 0 < scale < np.inf and np.isfinite(change) else ""
    )
    kinds = f" with the losses of impacts{' and friction' * lost.has_friction}" if has_contacts else ""
    law = "the model conserves" if lost.is_all else "only friction reduces"
    return [
        f"The energy of '{system.name}'{kinds}, which {law}, changed from {first.sum():.6g} to "
        f"{last.sum() + lost.total:.6g}{share}: take smaller {'tolerances' if control.is_adaptive else 'steps'}."
    ]


class _Losses(NamedTuple):
    """Losses of energy until the last state."""

    total: float
    """Sum of the losses; NaN if rounding prevents the repetition of impacts."""
    has_friction: bool
    """True if the work of friction is part of the sum."""
    is_all: bool
    """True if no other friction takes energy."""

    def change(self, first: Array, last: Array) -> float:
        """Change of the energy with all losses, or its increase if not all of them are known."""
        increase = float(last.sum() - first.sum()) + self.total
        return abs(increase) if self.is_all else max(increase, 0.0)


def _losses(solution: Solution, *, is_exact: bool) -> _Losses:
    """Losses of impacts and friction; the work of friction from the recorded states or from the dense output."""
    contacts = solution.system.layout.contacts
    if not len(contacts):
        return _Losses(0.0, has_friction=False, is_all=True)
    try:
        of_impacts = float(sum(impact.energy_loss for impact in solution.impacts if impact.t <= solution.t[-1]))
    except ContactModeError:
        return _Losses(math.nan, has_friction=False, is_all=False)
    if not (contacts[:, CONTACT_TABLE.index("slips")] > 0).any():
        return _Losses(of_impacts, has_friction=False, is_all=True)
    unknown = _Losses(of_impacts, has_friction=False, is_all=False)
    if not has_all_steps(solution):
        return unknown
    if not is_exact:
        return _Losses(of_impacts + rough_friction_loss(solution), has_friction=True, is_all=True)
    if len(solution.t) > MOST_STATES_OF_FRICTION:
        return unknown
    try:
        of_friction = sum(float(loss[-1]) for loss in solution.friction_losses.values())
    except IntegrationError:  # A part of a step has no solution.
        return unknown
    return _Losses(of_impacts + of_friction, has_friction=True, is_all=True)


def _has_known_losses(solution: Solution) -> bool:
    """Return whether the losses of impacts are known and few: impacts are events, and not steps of time stepping."""
    layout = solution.system.layout
    steps_over = method_of_run(solution.method, solution.settings).steps_over(layout)
    return not steps_over and len(solution.events) <= MOST_EVENTS_OF_IMPACTS


def _energy(mechanics: Mechanics, solution: Solution, k: int) -> Array:
    """Kinetic and potential energy of a recorded state."""
    return mechanics.energy(solution.t[k], solution.q[k], solution.v[k])


def _samples(mechanics: Mechanics, solution: Solution) -> _Samples:
    """Energies at the states nearest to equidistant times, which give fast parts of a motion little weight."""
    t = solution.t
    found = np.searchsorted(t, np.linspace(t[0], t[-1], SAMPLES))
    states = np.unique(np.minimum(found, len(t) - 1)).tolist()
    energies = np.array([_energy(mechanics, solution, k) for k in states])
    return _Samples(states, energies[:, 0], energies.sum(axis=1))


def _kinetic_scale(mechanics: Mechanics, begin: LoopState, solution: Solution, ends: float) -> float:
    """Largest of the mean kinetic energy over time and the initial and final kinetic energies."""
    kinetic = _samples(mechanics, solution).kinetic
    scale = max(ends, float(kinetic.mean()))
    has_all = len(solution.t) > solution.statistics.accepted
    if has_all or (len(kinetic) > 2 and 2 * kinetic.min() < kinetic.max()):
        return scale
    return max(scale, UNSEEN * _work_of_start(mechanics, begin, solution.t[-1] - begin.t) / MOST_LIMIT[False])


def _work_of_start(mechanics: Mechanics, begin: LoopState, time: float) -> float:
    """½ v'·M v' time² with the initial acceleration."""
    q, t, still = begin.at.q, begin.t, np.zeros_like(begin.at.v)
    try:
        acceleration, multipliers = mechanics.index1(t, q, still)
    except (np.linalg.LinAlgError, IntegrationError):
        return 0.0
    force = -mechanics.force(t, q, still)
    if mechanics.layout.rows:
        force = force - mechanics.algebra.pull(mechanics.jacobian(t, q, still), multipliers)
    return abs(float(acceleration @ force)) * time**2 / 2


def _unavoidable(mechanics: Mechanics, control: StepControl, begin: LoopState, solution: Solution) -> float:
    """Change explained by rounding and absolute tolerances."""
    at, still = begin.at, np.zeros_like(begin.at.v)
    first, last = (
        float(np.abs(e).sum()) for e in (mechanics.energy(begin.t, at.q, at.v), _energy(mechanics, solution, -1))
    )
    forces = np.abs(mechanics.force(begin.t, at.q, still))
    size = max(1.0, float(np.abs(at.q).max(initial=0)))
    rounding = ROUNDING * (max(first, last) + float(forces.sum()) * size)
    allowed = 0.0
    if control.is_adaptive:
        allowed = ERRORS_OF_FORCES * float(forces @ control.atol[: len(forces)])
    return max(rounding, AT_REST * float(forces.max(initial=0)) * size, allowed)


def _impact(system: System, control: StepControl, solution: Solution, unavoidable: float) -> str:
    """Warning about the step with most of the energy change; empty without such a step."""
    mechanics = system.mechanics
    states, _, total = _samples(mechanics, solution)
    if len(states) < 3 or len(solution.t) <= solution.statistics.accepted:
        return ""
    changes = np.abs(np.diff(total))
    k = int(np.argmax(changes))
    if not changes[k] > SUDDEN * changes.sum():
        return ""
    low, high = states[k], states[k + 1]
    before, after = _energy(mechanics, solution, low), _energy(mechanics, solution, high)
    while high - low > 1:
        middle = (low + high) // 2
        found = _energy(mechanics, solution, middle)
        if abs(found.sum() - before.sum()) > abs(after.sum() - found.sum()):
            high, after = middle, found
        else:
            low, before = middle, found
    lost = float(before.sum() - after.sum())
    limit = max(IMPACT[control.is_adaptive], ERRORS_OF_A_STEP * float(np.max(control.rtol)) * control.is_adaptive)
    if not (
        abs(lost) > SUDDEN * changes[k] and abs(lost) > unavoidable and abs(lost) > limit * max(before[0], after[0])
    ):
        return ""
    return (
        f"The energy of '{system.name}', which the model conserves, changed within one step, from {before.sum():.6g} "
        f"at t = {solution.t[low]:.6g} s to {after.sum():.6g}: the cause is an impact, for example at a corner of a "
        "constraint, or a step that was too long; use smooth constraints or smaller steps."
    )
