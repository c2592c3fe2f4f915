"""Studies of one model in several formulations: errors of an output, Newton iterations and times over step sizes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

import numpy as np

from symlie.errors import IntegrationError, InterruptedIntegrationError, UnsupportedMethodError
from symlie.papers.items import Points
from symlie.papers.studies import Case, Course, Options, Session
from symlie.runtime.integrate.solve import solve
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.comparison import Measured
from symlie.runtime.study.convergence import ConvergenceRow, row_of

Found = Mapping[str, Sequence[ConvergenceRow]]
"""Rows over step sizes, by formulation."""


@dataclass(frozen=True)
class Formulations:
    """Runs of a method in several formulations; the result is a tuple of `ConvergenceRow` by formulation.

    Attributes
    ----------
    case
        The model and its options that all have.
    options
        Further options by the name of a formulation.
    method, method_options
        The method.
    steps
        Step sizes, in s.
    t_end
        End time, in s.
    output
        Output whose error at the end is taken, ‖y - y_ref‖, against the solution that is shipped beside the model.
    reference
        Method and step of the run that is compared with where no solution is shipped, with the first formulation.
    repetitions
        Runs of which the median time is taken.
    """

    case: Case
    options: tuple[tuple[str, Options], ...]
    method: str
    steps: tuple[float, ...]
    t_end: float
    output: str
    reference: tuple[str, float]
    method_options: Options = ()
    repetitions: int = 1

    def run(self, session: Session) -> dict[str, tuple[ConvergenceRow, ...]]:
        """Run all formulations with all steps.

        A user's model runs as it is in the place of the first formulation; of others, it may not have the options.
        """
        exact = self._exact(session)
        first, *_ = self.options
        return {
            name: tuple(self._row(session, name, h, exact) for h in self.steps)
            if (name, options) == first or session.takes(options)
            else tuple(self._missing(session, name, h) for h in self.steps)
            for name, options in self.options
        }

    def _missing(self, session: Session, name: str, h: float) -> ConvergenceRow:
        failure = f"{session.model} does not have the options of {name}."
        return row_of(self.method, h, None, Measured(), Measured(), np.nan, failure, name)

    def case_of(self, name: str) -> Case:
        """The case of a formulation."""
        return replace(self.case, options=tuple((dict(self.case.options) | dict(dict(self.options)[name])).items()))

    def _exact(self, session: Session) -> np.ndarray:
        first = self.case_of(self.options[0][0])
        known = session.known(first, self.t_end)
        if known is not None:
            return known.outputs[self.output]
        method, h = self.reference
        finest = cast(Solution, session.result(Course(first, self.t_end, method, h, record_every=0)))
        return np.ravel(finest.outputs[self.output][-1])

    def _row(self, session: Session, name: str, h: float, exact: np.ndarray) -> ConvergenceRow:
        session.progress(f"{self.case.model}, {name}, {self.method}, h = {h:g}")
        system, seconds = session.system(self.case_of(name)), []
        for _ in range(self.repetitions):
            try:
                run = solve(
                    system, self.t_end, method=self.method, h=h, method_options=dict(self.method_options),
                    t_eval=[self.t_end],
                )  # fmt: skip
            except InterruptedIntegrationError:
                raise
            except (IntegrationError, UnsupportedMethodError) as error:
                failure = f"{type(error).__name__}: {error}"
                return row_of(self.method, h, None, Measured(), Measured(), np.nan, failure, name)
            seconds.append(run.statistics.cpu_seconds)
        distance = float(np.linalg.norm(np.ravel(run.outputs[self.output][-1]) - exact))
        return row_of(self.method, h, run, Measured(outputs=distance), Measured(), statistics.median(seconds), "", name)


def errors(name: str) -> Callable[[Found], Points]:
    """Errors over step sizes; NaN of runs that failed."""
    return lambda found: _over_steps(found[name], lambda row: row.error.outputs)


def iterations(name: str) -> Callable[[Found], Points]:
    """Newton iterations per step over step sizes."""
    return lambda found: _over_steps(found[name], lambda row: row.newton_iterations_per_step)


def times(name: str, base: str) -> Callable[[Found], Points]:
    """Processor time over step sizes, in that of another formulation at the largest step where it ran."""
    return lambda found: _over_steps(found[name], lambda row: row.cpu_seconds / _first_time(found[base]))


def work(name: str, base: str) -> Callable[[Found], Points]:
    """Errors over processor times, in that of another formulation at the largest step where it ran."""

    def points(found: Found) -> Points:
        _, y = errors(name)(found)
        return times(name, base)(found)[1], y

    return points


def _first_time(rows: Sequence[ConvergenceRow]) -> float:
    return next((row.cpu_seconds for row in rows if not row.failure), np.nan)


def _over_steps(rows: Sequence[ConvergenceRow], value: Callable[[ConvergenceRow], float | None]) -> Points:
    values = [None if row.failure else value(row) for row in rows]
    return np.array([row.h for row in rows]), np.array([np.nan if x is None else x for x in values])


def error_at(name: str, h: float) -> Callable[[Found], float]:
    """The error of a formulation at one step size."""
    return lambda found: _at(errors(name)(found), h)


def iterations_at(name: str, h: float) -> Callable[[Found], float]:
    """Newton iterations per step of a formulation at one step size."""
    return lambda found: _at(iterations(name)(found), h)


def _at(points: Points, h: float) -> float:
    return float(points[1][int(np.argmin(np.abs(points[0] - h)))])


def corrections_for(name: str, error: float) -> Callable[[Found], float]:
    """Newton iterations of a run that reaches an error, by interpolation between the logarithms of the nearest two."""
    return _reaching(name, error, lambda row: row.steps * (row.newton_iterations_per_step or np.nan))


def step_for(name: str, error: float) -> Callable[[Found], float]:
    """Step size that leads to an error, in s, by interpolation between the logarithms of the two nearest runs."""
    return _reaching(name, error, lambda row: row.h)


def _reaching(name: str, error: float, value: Callable[[ConvergenceRow], float]) -> Callable[[Found], float]:
    def between(found: Found) -> float:
        rows = [row for row in found[name] if row.error.outputs and not row.failure]
        for before, row in pairwise(rows):
            coarse, fine = before.error.outputs or np.nan, row.error.outputs or np.nan
            if coarse >= error >= fine:
                part = np.log(coarse / error) / np.log(coarse / fine)
                return float(value(before) * (value(row) / value(before)) ** part)
        return np.nan

    return between


def ran(name: str, h: float) -> Callable[[Found], float]:
    """One if the run with a step size came to its end, and zero if it failed."""
    return lambda found: float(not min(found[name], key=lambda row: abs(row.h - h)).failure)
