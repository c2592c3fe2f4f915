"""Suspicious properties of a run that did not fail. Each is a sentence, reported once as a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import SymlieError
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.monitors.accumulation import accumulating_event
from symlie.runtime.integrate.monitors.deviation import deviation
from symlie.runtime.integrate.monitors.energy_change import energy_changes
from symlie.runtime.integrate.monitors.rank_loss import weak_constraints
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.rotation_parameters import regularities
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.library import method
from symlie.runtime.solution.recorder import RankChange, Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.undetermined import undetermined_at
from symlie.runtime.system.solvability import rank_of_rows

if TYPE_CHECKING:
    from symlie.runtime.integrate.run import Run

MANY_BYTES = 2**30
"""Size of the records, in bytes, above which a warning is issued."""

MANY_STEPS = 10**6
"""Number of adaptive steps above which Taylor kernels, which take seconds to derive and compile, save time."""

MANY_DIGITS = 1e-8
"""Relative tolerance below which Taylor series need at most a tenth of the steps."""

LARGEST_CHANGE = 0.2
"""Reported relative change, within a step, of the quantity that vanishes at a coordinate singularity: explicit methods
of order four to six lose two digits there."""

REDUNDANT_PAGE = "docs/statement.md#redundant-constraints"
"""Page of the manual on redundant constraints."""

MOST_OUTPUTS = 4
"""Largest number of undetermined outputs that a warning lists."""

MOST_RANK_CHANGES = 4
"""Largest number of changes of the constraint rank that are reported individually."""


MOST_VELOCITIES = 6
"""Largest number of velocities that a warning lists."""


def findings_on_the_way(run: Run, counters: Counters, recorder: Recorder) -> list[str]:
    """Findings during a run; the text of a reported finding never changes."""
    found = [*run.findings_at_the_start, *_ranks(run, counters, recorder)]
    if counters.stiff_step > 0:
        found.append(
            f"The problem looks stiff: from t = {counters.stiff_since:.6g} s on an explicit method needs steps of "
            f"{counters.stiff_step:.2g} s for stability, although the motion is smooth. "
            f"{remedy_of_stiffness(run.system.layout, is_adaptive=run.control.is_adaptive)}"
        )
    if counters.chattering_step > 0:
        found.append(
            f"A force chatters from t = {counters.chattering_since:.6g} s on: velocities change sign with it, at "
            f"steps of {counters.chattering_step:.2g} s. Smooth the jump, as tanh(v/ε) does for sign(v), or end the "
            "motion there by an event."
        )
    if counters.steps >= MANY_STEPS and not counters.stiff_step > 0 and _asks_for_series(run):
        found.append(
            f"This run takes more than {MANY_STEPS:,} steps for high accuracy; for smooth forces, method='taylor' "
            "needs at most a tenth as many steps of higher order."
        )
    if recorder.nbytes >= MANY_BYTES:
        found.append("More than 1 GB is recorded; t_eval, or record_every in Python, records fewer states.")
    return found


def _asks_for_series(run: Run) -> bool:
    """Return whether a run combines tight tolerances with an explicit method for a model that supports Taylor
    series."""
    control, others = run.control, isinstance(run.method, Implicit) or run.method.is_polynomial
    asks = control.is_adaptive and not others and float(np.min(control.rtol)) <= MANY_DIGITS
    return asks and method("taylor").refusal(run.system.layout) is None


def keep_rank_change(state: LoopState, recorder: Recorder) -> None:
    """Record a change, or near change, of the rank of the constraint equations."""
    if len(recorder.rank_changes) < min(state.counters.rank_changes, MOST_RANK_CHANGES):
        recorder.rank_changes.append(RankChange(state.t, state.at.q.copy(), state.at.v.copy()))


def findings_at_the_start(run: Run) -> list[str]:
    """Undetermined initial velocities that completion made nonzero."""
    system, at = run.system, run.begin.at
    _, v, given = system.stated_values()
    known = given & system.layout.free & system.layout.integrated
    is_complete = np.all(given | ~system.layout.free) and not system.layout.state_rates
    if is_complete or not np.array_equal(v[known], at.v[known]):
        return []
    try:
        steps_contacts = run.method.steps_over(system.layout)
        is_stated = run.begin.t == 0 and not steps_contacts
        state = (
            system.initial_state if is_stated else system.consistent_state(run.begin.t, steps_contacts=steps_contacts)
        )
    except SymlieError:  # The run continues another one.
        return []
    names = state.chosen
    if not names or not (np.array_equal(state.q, at.q) and np.array_equal(state.v, at.v)):
        return []
    shown = ", ".join(names[:MOST_VELOCITIES])
    more = f" and {len(names) - MOST_VELOCITIES} more" if len(names) > MOST_VELOCITIES else ""
    return [
        "Initial velocities that are not given and not determined by constraints minimise the kinetic energy of the "
        f"change and are not zero: {shown}{more}. Give them, if the motion depends on them."
    ]


def _ranks(run: Run, counters: Counters, recorder: Recorder) -> list[str]:
    """Initial rank and its changes for redundant constraint equations, or the first singularity."""
    mechanics, begin = run.system.mechanics, run.begin
    if not mechanics.takes_redundant_rows:
        return [_near_singularity(run, change) for change in recorder.rank_changes[:1]]
    found = []
    if begin.counters.dependent_rows:
        found.append(f"{_rank(run, begin.t, begin.at.q, begin.at.v)} {_not_unique(run)}")
    found += [f"At t = {t:.6g} s the rank has changed. {_rank(run, t, q, v)}" for t, q, v in recorder.rank_changes]
    if counters.rank_changes > MOST_RANK_CHANGES:
        found.append("The rank of the constraints keeps changing; further changes are not reported.")
    return found


def _not_unique(run: Run) -> str:
    """Results at the start that redundant constraint equations leave undetermined, with the page of the manual."""
    at = run.begin.at
    found = undetermined_at(run.system, run.begin.t, at.q, at.v, at.multipliers)
    names = found.outputs
    if not names:
        choice = "of minimal norm" if found.constraints else "determined by compliances"
        return f"Multipliers are {choice} ({REDUNDANT_PAGE})."
    listed = ", ".join(names[:MOST_OUTPUTS]) + (
        f" and {len(names) - MOST_OUTPUTS} more" if len(names) > MOST_OUTPUTS else ""
    )
    return f"Not unique: {listed} ({REDUNDANT_PAGE})."


def _near_singularity(run: Run, change: RankChange) -> str:
    """Warning about a configuration at which branches of the motion meet."""
    t, q, v = change
    names = " and ".join(weak_constraints(run.system.mechanics, t, q, v))
    remedy = (
        "The state was projected onto the constraints to follow the smooth branch; repeat with smaller tolerances to "
        "check that the motion does not depend on it."
        if run.control.watches_rank > 1
        else "The run may have left the smooth branch; repeat with smaller steps to check it."
    )
    return (
        f"Near t = {t:.6g} s the constraint equations of {names} become dependent: branches of the motion meet "
        f"there. {remedy}"
    )


def _rank(run: Run, t: float, q: Array, v: Array) -> str:
    if t not in run.ranks:
        mechanics = run.system.mechanics
        jacobian = mechanics.jacobian(t, q, v)
        dependent = mechanics.dependent_rows(jacobian)
        if dependent is not None:
            run.ranks[t] = rank_of_rows(mechanics.algebra, jacobian, dependent)
    return run.ranks.get(t, "")


def remedy_of_stiffness(layout: Layout, *, is_adaptive: bool = False) -> str:
    """Advice for stiff motions: adaptive runs get an adaptive implicit method first, if it supports the model."""
    if turning := layout.turning_contacts:
        slides = f"Contact '{turning[0]}' slides" if len(turning) == 1 else f"Contacts {', '.join(turning)} slide"
        return (
            f"{slides} in two directions: where slip is slow, its direction turns within such times, and the steps "
            "have to resolve these turns. If slip is not slow there, reduce the damping or stiffness."
        )
    if layout.is_hamiltonian:
        return "Use method='symplectic_theta' with fixed steps, which is implicit."
    if is_adaptive and method("bdf").refusal(layout) is None:
        return (
            "Use method='bdf', which is implicit with adaptive steps; or reduce the damping or stiffness there, or "
            "replace a nearly rigid part by a constraint."
        )
    if method("generalized_alpha").refusal(layout) is None:
        return (
            "Use method='generalized_alpha', which is implicit, with a step size h that resolves the motion; or "
            "reduce the damping or stiffness there, or replace a nearly rigid part by a constraint."
        )
    return "Reduce the damping or stiffness there, or replace a nearly rigid part by a constraint."


def findings_at_the_end(run: Run, solution: Solution, counters: Counters) -> list[str]:
    """Findings that require the complete solution of a run."""
    if not len(solution.t):
        return []
    found = []
    if (event := accumulating_event(run, solution.events, counters)) is not None:
        kind = "Terminal events accumulate" if event.is_terminal else "Events accumulate"
        found.append(
            f"{kind} at t = {event.t:.9g} s: '{event.name}' recurs within the resolution of time. Continue without "
            "impacts, with a contact force or a constraint."
        )
    with np.errstate(all="ignore"):
        found += _near_singular_coordinates(run, solution) + deviation(run.system, solution)
        return found + energy_changes(run.system, run.control, run.begin, solution)


def _near_singular_coordinates(run: Run, solution: Solution) -> list[str]:
    """Rotation parameters whose distance to their singularity changes strongly in a single fixed step."""
    found: list[str] = []
    if run.control.is_adaptive:
        return found
    for near in regularities(run.system.layout, solution.q, solution.v):
        changes = np.abs(near.rate) * run.plan.step_size(0)
        k = int(np.argmin(np.abs(near.value) / np.maximum(changes, np.finfo(float).tiny)))
        if changes[k] > LARGEST_CHANGE * abs(near.value[k]):
            found.append(
                f"The coordinates of node '{near.node}' are nearly singular: {near.expression} is "
                f"{near.value[k]:.2g} at t = {solution.t[k]:.6g} and changes by {changes[k]:.1g} in a step there, so "
                "accuracy is lost; use smaller steps, or coordinates without singularity such as quaternion."
            )
    return found
