"""The order that a method shows on a system."""

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
"""Steps are T/2ᵏ with k between these."""

REFERENCES = {False: ("rkmk_rk67", 10), True: ("half_explicit_5", 11)}
"""Method and k of the reference, without and with constraints."""

STEP_TOO_LONG = (ConstraintDriftError, NotConvergedError, OutsideChartError)
"""Failures of runs that shorter steps may cure."""

ROUNDING = 1e-11
"""Errors below this, relative to the largest entry of the state, are mostly rounding."""


@dataclass(frozen=True)
class Observation:
    """Errors of a method at the end of an interval.

    Attributes
    ----------
    h
        Step sizes, in s.
    error
        Largest |difference| of components of (q, v) to a reference.
    order
        Observed order of each halving of the step.
    """

    h: tuple[float, ...]
    error: tuple[float, ...]
    order: tuple[float, ...]


def observed_orders(system: System, method: Method, t_end: float) -> Observation:
    """Halve the step of a method until its error is near rounding, from the longest with which it gets to the end.

    Parameters
    ----------
    system
        A system that the method can integrate.
    method
        The method.
    t_end
        End time, in s.

    Raises
    ------
    IntegrationError
        The method does not get to the end with the shortest of the steps, or its failure is none of long steps.
    """
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
