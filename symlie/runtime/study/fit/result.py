"""Result of a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.fit.equilibria import Equilibria
from symlie.runtime.study.fit.records import Record
from symlie.runtime.system.system import System
from symlie.utilities.showing import ListsPublicNames, line, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Fit(ListsPublicNames, Mapping[str, float]):
    """Parameters and initial values fitted to records, from `fit`; a mapping of names to fitted values.

    Attributes
    ----------
    names
        Names of the fitted values with their components, such as ``"mass"`` and ``"lever[1]"``.
    array
        Fitted values, in their units, shape (p,).
    units
        Units of the values; empty if unknown.
    start
        Values at the start, shape (p,).
    covariance
        Covariance matrix of the values, shape (p, p); NaN for values that the data do not determine.
    singular_values
        Singular values of the derivatives of the residuals with columns of length one, dimensionless, shape (p,); zero
        for combinations of values without effect.
    rank
        Number of combinations of values that the data determine.
    unidentifiable
        Names of the other combinations: one name, or several names whose values change with a ratio.
    systems
        Systems with the fitted values, one for each record.
    solutions
        Their runs, with the times of the records; empty for equilibria.
    equilibria
        Their equilibria at the times of the records; empty for runs.
    noise
        Standard deviations of the residuals by name of the output, in its unit.
    evaluations
        Number of runs for each record, without those for derivatives.
    has_converged
        True if the optimiser found a minimum.
    """

    INTERNAL = frozenset({"records", "results"})

    names: tuple[str, ...]
    array: Array
    units: tuple[str, ...]
    start: Array
    covariance: Array
    singular_values: Array
    rank: int
    unidentifiable: tuple[str, ...]
    systems: tuple[System, ...]
    solutions: tuple[Solution, ...]
    equilibria: tuple[Equilibria, ...]
    records: tuple[Record, ...]
    noise: Mapping[str, float]
    evaluations: int
    has_converged: bool

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise UnknownNameError(f"This fit has no value '{name}'; it has: {', '.join(self.names)}.")
        return float(self.array[self.names.index(name)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def system(self) -> System:
        """System of the first record with the fitted values."""
        return self.systems[0]

    @property
    def standard_errors(self) -> Array:
        """Standard errors of the values, in their units, shape (p,); NaN for values that the data do not determine."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlation(self) -> Array:
        """Correlation matrix of the values, shape (p, p); NaN for values that the data do not determine."""
        errors = self.standard_errors
        return np.asarray(self.covariance / np.outer(errors, errors))

    @property
    def data(self) -> tuple[Mapping[str, Array], ...]:
        """Measured outputs of each record by name, shape (n, components)."""
        return tuple(record.outputs for record in self.records)

    @property
    def results(self) -> tuple[Solution | Equilibria, ...]:
        """Runs or equilibria of each record."""
        return self.solutions or self.equilibria

    @property
    def residuals(self) -> tuple[Mapping[str, Array], ...]:
        """Differences of data and model by name for each record, in the units of the outputs, as ``data``."""
        return tuple(
            {name: values - run.outputs[name].reshape(values.shape) for name, values in record.outputs.items()}
            for run, record in zip(self.results, self.records, strict=True)
        )

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot data, model and residuals, with a row for each component of each output.

        Parameters
        ----------
        path
            Image file to write (``.png``, ``.pdf``, ``.svg``); default: none.

        Returns
        -------
        Figure
            The figure; a notebook displays it.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        FormatError
            If the file type is unknown, or the file cannot be written.
        """
        from symlie.runtime.plot.fit_figure import plot_fit

        return plot_fit(self, path)

    def __repr__(self) -> str:
        found = (f"{n} {v:.6g}{f' ± {e:.2g}' * bool(np.isfinite(e))}" for n, v, e, _ in self._rows())
        return line("Fit", [f"'{self.system.name}'", *found, *self._remarks()])

    def _repr_html_(self) -> str:
        rows = [(n, f"{v:.6g}", f"{e:.2g}" if np.isfinite(e) else "not determined", u) for n, v, e, u in self._rows()]
        noise = [(name, f"{value:.3g}", self.system.layout.outputs[name][1]) for name, value in self.noise.items()]
        return (
            table(f"{self.system.name}: fit", rows, ("name", "value", "standard error", "unit"))
            + table("residuals", noise, ("output", "standard deviation", "unit"))
            + table("remarks", [[remark] for remark in self._remarks()])
        )

    def _rows(self) -> Iterator[tuple[str, float, float, str]]:
        return zip(self.names, self.array.tolist(), self.standard_errors.tolist(), self.units, strict=True)

    def _remarks(self) -> list[str]:
        found = [f"not determined: {', '.join(self.unidentifiable)}"] if self.unidentifiable else []
        return [*found, *([] if self.has_converged else ["not converged"])]
