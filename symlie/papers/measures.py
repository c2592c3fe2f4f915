"""What curves and numbers read from the results of studies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from symlie.papers.items import Points
from symlie.papers.studies import Rung
from symlie.runtime.plot.figures import envelope
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trace import Trace

Rungs = Mapping[str, Sequence[Rung]]

SMALLEST = 1e-17
"""What is drawn instead of zero on a logarithmic axis."""


def error(method: str, part: str) -> Callable[[Rungs], Points]:
    """Errors of a method over the step sizes."""

    def points(rungs: Rungs) -> Points:
        rows = rungs[method]
        return np.array([r.h for r in rows]), np.array([r.errors.get(part, np.nan) for r in rows])

    return points


def order(method: str, part: str, *, above: float = 0.0) -> Callable[[Rungs], float]:
    """The observed order between the two finest steps whose errors are above a bound: that of round-off."""

    def observed(rungs: Rungs) -> float:
        errors = [(r.h, r.errors.get(part, np.nan)) for r in rungs[method]]
        clear = [(h, e) for h, e in errors if e > above]
        pairs = list(pairwise(clear))
        if not pairs:
            return np.nan
        (h, e), (fine_h, fine_e) = pairs[-1]
        return math.log(e / fine_e) / math.log(h / fine_h)

    return observed


def residuals(solution: Solution) -> Points:
    """The largest residual of the position constraints over time, without the start."""
    residual = np.maximum(solution.outputs["constraint_residual"][1:], SMALLEST)
    return envelope(solution.t[1:], residual)


def largest_residual(since: float = 0.0, until: float = math.inf) -> Callable[[Solution], float]:
    """The largest residual of the position constraints between two times."""

    def largest(solution: Solution) -> float:
        kept = (solution.t >= since) & (solution.t <= until)
        return float(solution.outputs["constraint_residual"][kept].max())

    return largest


def estimates(solution: Solution) -> Points:
    """Estimates of the local error of accepted steps over the tolerance."""
    trace = trace_of(solution)
    return trace.t[trace.accepted], np.maximum(trace.error[trace.accepted], SMALLEST)


def step_sizes(solution: Solution) -> Points:
    """Sizes of the accepted steps; the last one, which the end cuts, is left out."""
    trace = trace_of(solution)
    return trace.t[trace.accepted][:-1], trace.h[trace.accepted][:-1]


def trace_of(solution: Solution) -> Trace:
    """The steps of a run that kept them."""
    assert solution.trace is not None, "studies that look at steps have trace=True"
    return solution.trace
