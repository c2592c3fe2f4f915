"""Starting steps in NumPy: the starting method in substeps so short that halving them changes velocities by at most
`START_TOLERANCE`, or by less than the resolution of configuration differences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import MOST_PARTS, ROUGH_PARTS, ROUGH_START, ROUNDING, START_TOLERANCE
from symlie.errors import NotConvergedError, NotFiniteError, OutsideChartError
from symlie.runtime.methods.family import Method

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


def starting_step(stepper: Stepper, starter: Method, state: State, h: float) -> Trial:
    """Take a step by the starting method; a step across a switch may be inaccurate."""
    parts, coarse = 1, _in_parts(stepper, starter, state, h, 1)
    while parts < MOST_PARTS:
        parts *= 2
        fine = _in_parts(stepper, starter, state, h, parts)
        if fine is not None and coarse is not None:
            largest = max(float(np.abs(trial.v).max(initial=0)) for trial in (coarse, fine))
            unseen = ROUNDING * float(np.abs(fine.q).max(initial=0)) / h
            is_rough = stepper.may_be_rough and parts >= ROUGH_PARTS and _is_over_switch(stepper, state, h, fine)
            tolerance = ROUGH_START if is_rough else START_TOLERANCE
            if float(np.abs(fine.v - coarse.v).max(initial=0)) <= max(tolerance * largest, unseen):
                fine.is_rough = is_rough
                return fine
        coarse = fine
    raise NotConvergedError(
        f"The first step of {stepper.method.name} in {MOST_PARTS} parts, by {starter.name}, does not agree with that "
        "in half as many"
    )


def _in_parts(stepper: Stepper, starter: Method, state: State, h: float, parts: int) -> Trial | None:
    """Take the step in equal substeps; return None if shorter substeps may avoid the failure."""
    at, length, trials = state, h / parts, []
    for part in range(parts):
        try:
            trial = starter.step(stepper, at, length)
        except (NotFiniteError, OutsideChartError):
            return None
        if not np.isfinite(np.concatenate([trial.q, trial.v, trial.multipliers])).all():
            return None
        trials.append(trial)
        t = state.t + (part + 1) * length
        at = replace(at, t=t, q=trial.q, v=trial.v, multipliers=trial.multipliers, acceleration=trial.acceleration)
    trial.increment = stepper.mechanics.kernels.difference(state.q, trial.q)
    trial.first_acceleration = trials[0].first_acceleration
    trial.rhs_evaluations = sum(trial.rhs_evaluations for trial in trials)
    return trial


def _is_over_switch(stepper: Stepper, state: State, h: float, trial: Trial) -> bool:
    """Return whether a switching function has a different sign at the end of a step."""
    m = stepper.mechanics
    before, after = (
        m.kernels.switches(m.p, t, q, v) > 0
        for t, q, v in ((state.t, state.q, state.v), (state.t + h, trial.q, trial.v))
    )
    return not np.array_equal(before, after)
