"""Studies of one model in several formulations: output errors, Newton iterations and times versus step size."""

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
"""Rows by formulation, one for each step size."""


@dataclass(frozen=True)
class Formulations:
    """Runs of a method in several formulations; the result is a tuple of `ConvergenceRow` by formulation."""

    case: Case
    """Model and the options common to all formulations."""
    options: tuple[tuple[str, Options], ...]
    """Further options by name of the formulation."""
    method: str
    steps: tuple[float, ...]
    """Step sizes, in s."""
    t_end: float
    """End time, in s."""
    output: str
    """Output whose final error ‖y - y_ref‖ is measured, against the solution shipped with the model if one exists."""
    reference: tuple[str, float]
    """Method and step size, in s, of the reference run of the first formulation if no solution is shipped."""
    method_options: Options = ()
    repetitions: int = 1
    """Number of runs whose median time is taken."""

    def run(self, session: Session) -> dict[str, tuple[ConvergenceRow, ...]]:
        """Run all formulations with all step sizes; a user's model replaces the first one and may lack the options of
        others."""
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
        """Return the case of a formulation."""
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
    """Return a reader of errors versus step size, NaN for failed runs."""
    return lambda found: _over_steps(found[name], lambda row: row.error.outputs)


def iterations(name: str) -> Callable[[Found], Points]:
    """Return a reader of Newton iterations per step versus step size."""
    return lambda found: _over_steps(found[name], lambda row: row.newton_iterations_per_step)


def times(name: str, base: str) -> Callable[[Found], Points]:
    """Return a reader of processor time versus step size, relative to `base` at the largest step size where it ran."""
    return lambda found: _over_steps(found[name], lambda row: row.cpu_seconds / _first_time(found[base]))


def work(name: str, base: str) -> Callable[[Found], Points]:
    """Return a reader of errors versus processor time, relative to `base` at the largest step size where it ran."""

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
    """Return a reader of the error of a formulation at one step size."""
    return lambda found: _at(errors(name)(found), h)


def iterations_at(name: str, h: float) -> Callable[[Found], float]:
    """Return a reader of the Newton iterations per step of a formulation at one step size."""
    return lambda found: _at(iterations(name)(found), h)


def _at(points: Points, h: float) -> float:
    return float(points[1][int(np.argmin(np.abs(points[0] - h)))])


def corrections_for(name: str, error: float) -> Callable[[Found], float]:
    """Return a reader of the Newton iterations that lead to an error, by log-log interpolation between two runs."""
    return _reaching(name, error, lambda row: row.steps * (row.newton_iterations_per_step or np.nan))


def step_for(name: str, error: float) -> Callable[[Found], float]:
    """Return a reader of the step size that leads to an error, in s, by log-log interpolation between two runs."""
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
    """Return a reader that is 1 if the run with a step size succeeded and 0 if it failed."""
    return lambda found: float(not min(found[name], key=lambda row: abs(row.h - h)).failure)
