"""Observed order of a method on a system."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from symlie.errors import ConstraintDriftError, NotConvergedError, OutsideChartError
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

FIRST_HALVING, LAST_HALVING = 4, 9
"""Bounds of k in the step sizes T/2ᵏ."""

REFERENCES = {False: ("rkmk_rk67", 10), True: ("half_explicit_5", 11)}
"""Method and k of the reference, without and with constraints."""

STEP_TOO_LONG = (ConstraintDriftError, NotConvergedError, OutsideChartError)
"""Errors that a smaller step size may avoid."""

ROUNDING = 1e-11
"""Error, relative to the largest entry of the state, below which round-off dominates."""


@dataclass(frozen=True)
class Observation:
    """Step sizes in s, largest differences of the end state (q, v) from a reference, and the order observed at each
    halving."""

    h: tuple[float, ...]
    error: tuple[float, ...]
    order: tuple[float, ...]


def observed_orders(system: System, method: Method, t_end: float) -> Observation:
    """Halve the step size, starting at the largest one that reaches the end, until the error is near round-off."""
    best, halvings = REFERENCES[method.takes_constraints]
    exact = _end(solve(system, t_end, method=best, h=t_end / 2**halvings, record_every=0))
    size = float(np.abs(exact).max())
    steps: list[float] = []
    errors: list[float] = []
    for k in range(FIRST_HALVING, LAST_HALVING + 1):
        h = t_end / 2**k
        try:
            end = _end(solve(system, t_end, method=method, h=h, record_every=0))
        except STEP_TOO_LONG:
            if errors or k == LAST_HALVING:
                raise
            continue
        error = float(np.abs(end - exact).max())
        if (errors and error < ROUNDING * size) or not error > 0:
            break
        steps.append(h)
        errors.append(error)
    orders = tuple(math.log2(a / b) for a, b in pairwise(errors))
    return Observation(tuple(steps), tuple(errors), orders)


def _end(solution: Solution) -> Array:
    return np.concatenate([solution.q[-1], solution.v[-1]])
