"""Residuals of a fit to runs with their derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.errors import (
    EquilibriumError,
    InconsistentInitialValuesError,
    IntegrationError,
    InterruptedIntegrationError,
    RedundantConstraintsError,
    SingularMassMatrixError,
)
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.integrate.sensitivities.sensitivity import sensitivity
from symlie.runtime.integrate.sensitivities.start import consistent_start
from symlie.runtime.integrate.sensitivities.trail import check_end
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.fit.records import Record
from symlie.runtime.study.fit.unknowns import Unknowns
from symlie.runtime.system.system import System

FAILURES = (
    IntegrationError,
    EquilibriumError,
    InconsistentInitialValuesError,
    RedundantConstraintsError,
    SingularMassMatrixError,
)
"""Errors of runs and equilibria with values far from those of the data, from which the optimiser retreats."""


@dataclass(frozen=True, eq=False)
class Priors:
    """Prior knowledge of some unknowns: expected values and standard deviations, shape (priors,)."""

    places: NDArray[np.intp]
    means: Array
    deviations: Array

    def residuals(self, x: Array) -> Array:
        """Return their residuals."""
        return np.asarray((x[self.places] - self.means) / self.deviations)

    def derivative(self, count: int) -> Array:
        """Return the derivatives of the residuals, shape (priors, count)."""
        return np.asarray(np.eye(count)[self.places] / self.deviations[:, None])


class Computed(Protocol):
    """Outputs of a system at the times of a record."""

    @property
    def system(self) -> System: ...

    @property
    def t(self) -> Array: ...

    @property
    def outputs(self) -> Mapping[str, Array]: ...


@dataclass(eq=False)
class Problem(ABC):
    """Computed outputs of several systems, one for each record, and their residuals.

    Attributes
    ----------
    systems, records
        Systems with the start values, and their records.
    unknowns, priors
        Unknowns and their priors.
    start
        Start time of the runs, in s.
    """

    systems: Sequence[System]
    records: Sequence[Record]
    unknowns: Unknowns
    priors: Priors
    start: float
    _results: tuple[bytes, tuple[Computed, ...]] = (b"", ())
    _derivatives: tuple[bytes, Sequence[Mapping[str, Array]]] = (b"", ())

    @abstractmethod
    def computed(self, x: Array) -> tuple[Computed, ...]:
        """Return the results with values of the unknowns."""

    @abstractmethod
    def differentiated(self, x: Array) -> Sequence[Mapping[str, Array]]:
        """Return the derivatives of the outputs of each record, shape (n, components, unknowns)."""

    def results(self, x: Array) -> tuple[Computed, ...]:
        """Return the results with values of the unknowns; the last ones are remembered."""
        if self._results[0] != x.tobytes():
            self._results = x.tobytes(), self.computed(x)
        return self._results[1]

    def residuals(self, x: Array, weights: Sequence[Mapping[str, Array]]) -> Array:
        """Return the weighted differences of model and data, and those of the priors; NaN if a run fails."""
        try:
            found = self.results(x)
        except InterruptedIntegrationError:
            raise
        except FAILURES:
            return np.full(self.size, np.nan)
        parts = [(difference * weights[k][name]).ravel() for k, name, difference in self.differences(found)]
        return np.concatenate([*parts, self.priors.residuals(x)])

    @property
    def size(self) -> int:
        """Number of data and priors."""
        return sum(values.size for r in self.records for values in r.outputs.values()) + len(self.priors.means)

    def differences(self, results: Sequence[Computed]) -> list[tuple[int, str, Array]]:
        """Return model minus data, shape (n, components), for each record and output."""
        return [
            (k, name, result.outputs[name].reshape(values.shape) - values)
            for k, (result, record) in enumerate(zip(results, self.records, strict=True))
            for name, values in record.outputs.items()
        ]

    def derivative(self, x: Array, weights: Sequence[Mapping[str, Array]]) -> Array:
        """Return the derivatives of the residuals by the unknowns, shape (residuals, unknowns)."""
        if self._derivatives[0] != x.tobytes():
            self._derivatives = x.tobytes(), self.differentiated(x)
        parts = [
            (rows[name] * weights[k][name][..., None]).reshape(-1, self.unknowns.count)
            for k, rows in enumerate(self._derivatives[1])
            for name in self.records[k].outputs
        ]
        return np.concatenate([*parts, self.priors.derivative(self.unknowns.count)])


@dataclass(eq=False)
class RunProblem(Problem):
    """The same for runs.

    Attributes
    ----------
    options
        Options of `solve`.
    """

    options: RunOptions = field(default_factory=RunOptions)

    def computed(self, x: Array) -> tuple[Solution, ...]:
        runs = zip(self._fitted(x), self.records, strict=True)
        return tuple(solve(system, (self.start, float(r.t[-1])), **self._options_of(r)) for system, r in runs)

    def differentiated(self, x: Array) -> Sequence[Mapping[str, Array]]:
        found = []
        for system, record in zip(self._fitted(x), self.records, strict=True):
            span, of = (self.start, float(record.t[-1])), list(record.outputs)
            run = sensitivity(system, span, wrt=self.unknowns.names, of=of, **self._options_of(record))
            check_end(run.solution)
            found.append({name: self.unknowns.derivative(run[name]) for name in of})
        return found

    def _fitted(self, x: Array) -> tuple[System, ...]:
        """Return the systems with values of the unknowns."""
        return tuple(consistent_start(self.unknowns.moved(s, x), self.start)[0] for s in self.systems)

    def _options_of(self, record: Record) -> SolveOptions:
        return replace(self.options, t_eval=record.t, record_every=1).arguments
