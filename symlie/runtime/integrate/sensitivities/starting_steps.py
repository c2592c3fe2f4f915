"""Derivatives of starting steps, which consist of substeps of another method.

The number of substeps of a run is not recorded: it is the first power of two with which the substeps lead to the
recorded end of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import MOST_PARTS
from symlie.errors import UnsupportedMethodError

if TYPE_CHECKING:
    from symlie.runtime.integrate.sensitivities.differentiated_steps import StepBatch

REACHED = 1e-11
"""Largest distance from the recorded end, relative to the largest value: rounding of the substeps. Half as many
substeps differ by more than `START_TOLERANCE`, or by less than the resolution of the configurations."""


def starting_steps(execute: Callable[[StepBatch], StepBatch], batch: StepBatch) -> StepBatch:
    """Return the ends of starting steps with their tangents."""
    ends = [_starting_step(execute, batch.only(k)) for k in range(len(batch.h))]
    return ends[0].joined(ends)


def _starting_step(execute: Callable[[StepBatch], StepBatch], step: StepBatch) -> StepBatch:
    """Return the end of one step."""
    parts = 1
    while parts < MOST_PARTS:
        parts *= 2
        found = _in_parts(execute, step, parts)
        wanted = step.end
        if all(
            np.abs(found.values[name] - wanted[name]).max(initial=0)
            <= REACHED * max(1.0, float(np.abs(wanted[name]).max(initial=0)))
            for name in ("q", "v")
        ):
            return found
    raise UnsupportedMethodError(
        f"The starting step at t = {float(step.t[0]):.9g} is not reproduced in up to {MOST_PARTS} substeps, so that "
        "it has no derivatives; use a method without starting steps."
    )


def _in_parts(execute: Callable[[StepBatch], StepBatch], step: StepBatch, parts: int) -> StepBatch:
    """Return the end of a step in equal substeps."""
    length, at = step.h / parts, step
    for part in range(parts):
        found = execute(at.moved(step.t + part * length, length))
        # Without constraints, steps do not return the empty vector of multipliers.
        found.values.setdefault("multipliers", at.values["multipliers"])
        found.tangents.setdefault("multipliers", at.tangents["multipliers"])
        at = found
    return at
