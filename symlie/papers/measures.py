"""Curves and numbers that are read from the results of studies."""

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
"""Value drawn instead of zero on a logarithmic axis."""

ROUND_OFF = 2.0**-53
"""Round-off of numbers of size one, drawn instead of smaller departures."""


def error(method: str, part: str) -> Callable[[Rungs], Points]:
    """Return a reader of the errors of a method versus step size."""

    def points(rungs: Rungs) -> Points:
        rows = rungs[method]
        return np.array([r.h for r in rows]), np.array([r.errors.get(part, np.nan) for r in rows])

    return points


def error_at(method: str, part: str, h: float) -> Callable[[Rungs], float]:
    """Return a reader of the error of a method at one step size."""
    return lambda rungs: next(r.errors.get(part, np.nan) for r in rungs[method] if r.h == h)


def order(method: str, part: str, *, above: float = 0.0) -> Callable[[Rungs], float]:
    """Return a reader of the order observed between the two finest steps whose errors exceed a bound, the round-off."""

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
    """Return the largest residual of the position constraints versus time, without the initial value."""
    residual = np.maximum(solution.outputs["constraint_residual"][1:], SMALLEST)
    return envelope(solution.t[1:], residual)


def largest_residual(since: float = 0.0, until: float = math.inf) -> Callable[[Solution], float]:
    """Return a reader of the largest residual of the position constraints between two times."""

    def largest(solution: Solution) -> float:
        kept = (solution.t >= since) & (solution.t <= until)
        return float(solution.outputs["constraint_residual"][kept].max())

    return largest


def estimates(solution: Solution) -> Points:
    """Return local error estimates of accepted steps relative to the tolerance, without the last step, which the end
    shortens."""
    trace = trace_of(solution)
    return trace.t[trace.accepted][:-1], np.maximum(trace.error[trace.accepted], SMALLEST)[:-1]


def step_sizes(solution: Solution) -> Points:
    """Return the sizes of accepted steps, without the last step, which the end shortens."""
    trace = trace_of(solution)
    return trace.t[trace.accepted][:-1], trace.h[trace.accepted][:-1]


def trace_of(solution: Solution) -> Trace:
    """Return the trace of a run that recorded one."""
    assert solution.trace is not None, "studies of steps require trace=True"
    return solution.trace


def median_ratio(coarse: Solution, fine: Solution) -> float:
    """Return the median ratio of the estimates of steps h to those of the steps h/2 that begin at the same times."""
    return float(np.median(trace_of(coarse).error / trace_of(fine).error[::2]))


def growth(solution: Solution) -> float:
    """Return the largest residual in the last tenth of a run relative to the first tenth."""
    end = float(solution.t[-1])
    return largest_residual(0.9 * end)(solution) / largest_residual(until=0.1 * end)(solution)


def accepted_steps(since: float, until: float) -> Callable[[Solution], float]:
    """Return a reader of the median size of accepted steps that begin between two times, in s."""

    def median(solution: Solution) -> float:
        t, h = step_sizes(solution)
        return float(np.median(h[(t >= since) & (t <= until)]))

    return median


def rejected(solution: Solution) -> float:
    """Return the number of rejected steps."""
    return float(solution.statistics.rejected)


def accepted(solution: Solution) -> float:
    """Return the number of accepted steps."""
    return float(solution.statistics.accepted)


def residual_at(method: str, h: float) -> Callable[[Rungs], float]:
    """Return a reader of the largest residual of the position constraints of a method at one step size."""
    return lambda rungs: next(r.residual for r in rungs[method] if r.h == h)


def largest_step(method: str) -> Callable[[Rungs], float]:
    """Return a reader of the largest step size of a ladder at which a method did not fail, in s."""
    return lambda rungs: max(r.h for r in rungs[method] if not r.failure)


def reduction(plain: Solution, other: Solution) -> float:
    """Return the largest residual of the position constraints of one run relative to another."""
    return largest_residual()(plain) / largest_residual()(other)


def order_of_residuals(coarse: Solution, fine: Solution) -> float:
    """Return the observed order of the largest residual of two runs, the second with half the step size."""
    return math.log2(reduction(coarse, fine))


def output(name: str, since: float = 0.0) -> Callable[[Solution], Points]:
    """Return a reader of a scalar output versus time."""

    def points(solution: Solution) -> Points:
        kept = solution.t >= since
        return solution.t[kept], solution.outputs[name][kept]

    return points


def spread(name: str, since: float = 0.0) -> Callable[[Solution], float]:
    """Return a reader of the difference between the largest and smallest value of an output."""
    return lambda solution: float(np.ptp(output(name, since)(solution)[1]))


def trend(name: str, since: float = 0.0) -> Callable[[Solution], float]:
    """Return a reader of the slope of the regression line of an output."""

    def slope(solution: Solution) -> float:
        t, values = output(name, since)(solution)
        return float(np.polyfit(t, values, 1)[0])

    return slope


def largest(reader: Callable[[Solution], Points]) -> Callable[[Solution], float]:
    """Return a reader of the largest value of a curve."""
    return lambda solution: float(reader(solution)[1].max())


def at_end(reader: Callable[[Solution], Points]) -> Callable[[Solution], float]:
    """Return a reader of the last value of a curve."""
    return lambda solution: float(reader(solution)[1][-1])
