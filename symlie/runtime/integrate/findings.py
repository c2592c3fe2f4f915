"""What a run finds that its user should know although it did not fail: each a sentence, given once as a notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import IntegrationError
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.rotation_parameters import regularities
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.library import method
from symlie.runtime.solution.recorder import RankChange, Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.solvability import rank_of_rows

if TYPE_CHECKING:
    from symlie.runtime.integrate.run import Run

MANY_BYTES = 2**30
"""Size of records from which on their number may be a surprise."""

ENERGY_LIMIT = 0.5
"""Of a change of energy relative to its scale, from which on states have nothing to do with the model."""

REACH = 1e-3
"""Share of what the forces of the start could do in the whole time that counts as scale of the energy: for runs that
are at rest whenever they are looked at."""

ROUNDING = 1e-12
"""Share of what the forces of the start do over a length of one, or of the coordinates, that is round-off: for systems
that constraints hold at rest."""

MANY_STEPS = 10**6
"""Adaptive steps from which on kernels for series pay that take some seconds to derive and compile."""

MANY_DIGITS = 1e-8
"""Relative tolerance from which on down series take a tenth of the steps and less."""

LARGEST_CHANGE = 0.2
"""Change within a step of what vanishes at the singularity of coordinates, relative to it, from which on that is told:
explicit methods of order four to six lose two digits there."""

MOST_RANK_CHANGES = 4
"""Changes of the rank of the constraints that are told one by one."""

MOST_LOOKED_AT = 64
"""Recorded states whose kinetic energy is looked at."""


def findings_on_the_way(run: Run, counters: Counters, recorder: Recorder) -> list[str]:
    """What is known while a run goes on; each sentence stays as it is."""
    found = _ranks(run, counters, recorder)
    if counters.stiff_step > 0:
        found.append(
            f"This looks stiff: from t = {counters.stiff_since:.6g} s on an explicit method takes steps of "
            f"{counters.stiff_step:.2g} s to stay stable, however smooth the motion is. "
            f"{remedy_of_stiffness(run.system.layout)}"
        )
    if counters.chattering_step > 0:
        found.append(
            f"A force jumps to and fro from t = {counters.chattering_since:.6g} s on: velocities change sign with it, "
            f"in steps of {counters.chattering_step:.2g} s. Smooth the jump, as tanh(v/ε) does for sign(v), or let an "
            "event end the motion there."
        )
    if counters.steps >= MANY_STEPS and not counters.stiff_step > 0 and _asks_for_series(run):
        found.append(
            f"This run takes more than {MANY_STEPS:,} steps for many digits; where forces are smooth, method='taylor' "
            "takes a tenth of them and less, each to a higher order."
        )
    if recorder.nbytes >= MANY_BYTES:
        found.append("More than 1 GB is recorded; t_eval, or record_every in Python, records fewer states.")
    return found


def _asks_for_series(run: Run) -> bool:
    """Whether an explicit method works for many digits on a model that series take."""
    control, others = run.control, isinstance(run.method, Implicit) or run.method.is_polynomial
    asks = control.is_adaptive and not others and float(np.min(control.rtol)) <= MANY_DIGITS
    return asks and method("taylor").refusal(run.system.layout) is None


def keep_rank_change(state: LoopState, recorder: Recorder) -> None:
    """Note where the rank of the constraints has changed, so that it can be told what depends on what there."""
    if len(recorder.rank_changes) < min(state.counters.rank_changes, MOST_RANK_CHANGES):
        recorder.rank_changes.append(RankChange(state.t, state.at.q.copy()))


def _ranks(run: Run, counters: Counters, recorder: Recorder) -> list[str]:
    """The rank of constraint rows that may depend on each other: at the start if some do, and where it changed."""
    mechanics, begin = run.system.mechanics, run.begin
    if not mechanics.takes_redundant_rows:
        return []
    found = []
    if begin.counters.dependent_rows:
        found.append(f"{_rank(run, begin.t, begin.at.q)} Multipliers are those of minimal norm.")
    found += [f"At t = {t:.6g} s the rank has changed. {_rank(run, t, q)}" for t, q in recorder.rank_changes]
    if counters.rank_changes > MOST_RANK_CHANGES:
        found.append("The rank of the constraints goes on changing; further changes are not told.")
    return found


def _rank(run: Run, t: float, q: Array) -> str:
    if t not in run.ranks:
        mechanics = run.system.mechanics
        jacobian = mechanics.jacobian(t, q)
        dependent = mechanics.dependent_rows(jacobian)
        if dependent is not None:
            run.ranks[t] = rank_of_rows(mechanics.algebra, jacobian, dependent)
    return run.ranks.get(t, "")


def remedy_of_stiffness(layout: Layout) -> str:
    """What helps where a motion is stiff.

    Parameters
    ----------
    layout
        The model; an implicit method is named where it takes the model.
    """
    if layout.is_hamiltonian:
        return "Use method='symplectic_theta' with fixed steps, which is implicit."
    if method("generalized_alpha").refusal(layout) is None:
        return (
            "Use method='generalized_alpha', which is implicit, with a step size h as long as that motion allows; or "
            "less damping or a softer spring there, or a constraint in place of what is nearly rigid."
        )
    return "Use less damping or a softer spring there, or a constraint in place of what is nearly rigid."


def findings_at_the_end(run: Run, solution: Solution) -> list[str]:
    """What only the whole solution of a run tells that reached its end."""
    if not len(solution.t):
        return []
    with np.errstate(all="ignore"):
        found = _near_singular_coordinates(run, solution)
        return found + (_energy_lost(run, solution) if run.system.layout.conserves_energy else [])


def _near_singular_coordinates(run: Run, solution: Solution) -> list[str]:
    """Classical coordinates that a step of one length brings much nearer to their singularity, or farther from it."""
    found: list[str] = []
    if run.control.is_adaptive:
        return found
    for near in regularities(run.system.layout, solution.q, solution.v):
        changes = np.abs(near.rate) * run.plan.step_size(0)
        k = int(np.argmin(np.abs(near.value) / np.maximum(changes, np.finfo(float).tiny)))
        if changes[k] > LARGEST_CHANGE * abs(near.value[k]):
            found.append(
                f"The coordinates of node '{near.node}' came near to their singularity: {near.expression} is "
                f"{near.value[k]:.2g} at t = {solution.t[k]:.6g} and changes by {changes[k]:.1g} in a step there, so "
                "that digits are lost; take smaller steps, or coordinates without singularity such as quaternion."
            )
    return found


def _energy_lost(run: Run, solution: Solution) -> list[str]:
    system, begin = run.system, run.begin
    energies = system.mechanics.energy
    first = energies(begin.t, begin.at.q, begin.at.v)
    last = energies(solution.t[-1], solution.q[-1], solution.v[-1])
    change = abs(float(last.sum() - first.sum()))
    if change <= ENERGY_LIMIT * max(first[0], last[0]) < np.inf or not np.isfinite(first.sum()):
        return []
    some = np.unique(np.linspace(0, len(solution.t) - 1, MOST_LOOKED_AT).astype(int))
    kinetic = [energies(solution.t[k], solution.q[k], solution.v[k])[0] for k in some]
    weight = float(np.abs(system.mechanics.force(begin.t, begin.at.q, np.zeros_like(begin.at.v))).max(initial=0))
    still = ROUNDING * weight * max(1.0, float(np.abs(begin.at.q).max(initial=0)))
    scale = max(ENERGY_LIMIT * max(kinetic), REACH * _work_of_start(run, solution.t[-1] - begin.t), still)
    if change <= scale < np.inf:
        return []
    return [
        f"The energy of '{system.name}', which the model conserves, went from {first.sum():.6g} to {last.sum():.6g}: "
        "steps were too long for the fastest motion, or it came near a singularity, and the states are wrong; take "
        "smaller steps."
    ]


def _work_of_start(run: Run, time: float) -> float:
    """½ v'·M v' time² at the start."""
    q, t, mechanics = run.begin.at.q, run.begin.t, run.system.mechanics
    still = np.zeros_like(run.begin.at.v)
    try:
        acceleration, multipliers = mechanics.index1(t, q, still)
    except (np.linalg.LinAlgError, IntegrationError):
        return 0.0
    force = -mechanics.force(t, q, still)
    if mechanics.layout.rows:
        force = force - mechanics.algebra.pull(mechanics.jacobian(t, q), multipliers)
    return abs(float(acceleration @ force)) * time**2 / 2
