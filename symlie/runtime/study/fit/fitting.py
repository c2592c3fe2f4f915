"""`fit`: parameters and initial values from measured outputs, by least squares with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError, UnknownNameError
from symlie.options import Measured
from symlie.runtime.integrate.run_options import RunOptions, SolveOptions
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.fit.charts import Charts, charts_of
from symlie.runtime.study.fit.equilibria import Equilibria, EquilibriumProblem
from symlie.runtime.study.fit.information import Information, combination_names, held, information
from symlie.runtime.study.fit.problem import Problem, RunProblem
from symlie.runtime.study.fit.records import RecordLike, check_output, read_record
from symlie.runtime.study.fit.result import Fit
from symlie.runtime.study.fit.statements import (
    Pairs,
    even_weights,
    stated_bounds,
    stated_priors,
    stated_weights,
)
from symlie.runtime.study.fit.unknowns import Unknowns
from symlie.runtime.system.system import System
from symlie.utilities.stated_names import stated_names
from symlie.warnings import warn

LEAST_NOISE = 1e-9
"""Smallest standard deviation of the noise of an output, relative to its spread: about the accuracy of runs."""

DETERMINED = ("t_span", "t_eval", "record_every")
"""Arguments of runs that follow from the records."""

TOLERANCE = 1e-10
"""Relative change of values, and of the sum of squares, at which the optimiser stops."""

ON_BOUNDARY = 1e-6
"""The same for the sum of squares with inertias on the boundary, where convergence is slow: for some hundred data,
values change by a few hundredths of their standard errors."""


def fit(
    system: System | Sequence[System],
    data: RecordLike | Sequence[RecordLike],
    parameters: str | Sequence[str],
    *,
    outputs: str | Sequence[str] | None = None,
    weights: Mapping[str, ArrayLike] | None = None,
    bounds: Pairs | None = None,
    priors: Pairs | None = None,
    physical: bool = True,
    of: Measured = "motion",
    start: float = 0.0,
    max_evaluations: int = 100,
    **options: Unpack[SolveOptions],
) -> Fit:
    """Fit parameters and initial values of a system to records of measured outputs.

    The sum of the squares of all weighted residuals is minimised by SciPy's `scipy.optimize.least_squares`, with
    derivatives from `sensitivity`. Unknowns are scaled, so that results do not depend on units. A `SymlieWarning` names
    combinations of values that the data do not determine. Source: [Seber1989]; [Wensing2018] for inertias.

    Parameters
    ----------
    system
        The system, with the values at which the fit starts; or one system for each record, with other inputs, initial
        values or parameters.
    data
        One record or several. A record has times ``t`` (or ``time``), in s, which increase, and values of outputs,
        shape (n,) or (n, components): a mapping of names to arrays, a dataset of xarray, a data frame of pandas, or the
        path of a .csv or .nc file. Columns of tables are names of outputs, with ``[0]``, ``[1]``, … for components.
    parameters
        Names as in `sensitivity`: parameters, or initial values NODE.FIELD and JOINT.COORDINATE. ``lever[1]`` names one
        component. A 3 × 3 inertia has six unknowns, the entries of its upper triangle.
    outputs
        Names of the outputs to be fitted; default: all names in the records.
    weights
        Reciprocals of the standard deviations of the noise by name of the output: one number, or an array that
        broadcasts to the data of each record. Default: the noise of each output is estimated from the residuals.
    bounds
        Lower and upper bounds by name, None if there is none.
    priors
        Expected values and standard deviations by name.
    physical
        True: parameters ``mass`` and ``inertia``, or with names that end in ``_mass`` and ``_inertia``, remain those of
        bodies: no mass is negative, and principal moments of inertia are positive and satisfy the triangle inequality.
        Stated bounds of a name replace this condition.
    of
        ``"motion"``: data of runs. ``"equilibrium"``: data of static equilibria at the times of the record, at which
        loads and inputs are evaluated; records without times, shape () or (components,), belong to the time ``start``.
    start
        Time of the initial values, in s.
    max_evaluations
        Largest number of runs for each record, without those for derivatives.
    **options
        Options of `solve` for the method, steps and tolerances; runs reach all times of the records exactly.

    Returns
    -------
    Fit
        Fitted values with standard errors, correlation and residuals.

    Raises
    ------
    UnknownNameError
        If a parameter, an output or an option does not exist, or weights, bounds or priors have other names.
    ModelError
        If data have a wrong shape or unit, are not finite, precede the start, or are fewer than the unknowns; if bounds
        exclude the start; if a parameter is a compiled constant; or if the data determine none of the unknowns.
    FormatError
        If a file cannot be read.
    EquilibriumError, UnsupportedFeatureError
        As in `static_sensitivity`, for equilibria with the values at the start.
    UnsupportedMethodError
        If steps of the method, or for the system, have no derivatives.
    IntegrationError
        If the run with the values at the start fails.

    Examples
    --------
    >>> import numpy as np, symlie as sl
    >>> model = sl.Model("oscillator")
    >>> k, x = model.parameter("stiffness", 4.0, unit="N/m"), model.node("x", "R1")
    >>> model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    >>> model.potential_energy(k * x.x[0] ** 2 / 2)
    >>> model.output("position", x.x[0], unit="m")
    >>> model.initial(x, x=[1.0])
    >>> times = np.linspace(0.1, 2.0, 20)
    >>> found = sl.fit(model.derive().compile(), {"t": times, "position": np.cos(3 * times)}, "stiffness", rtol=1e-9)
    >>> round(found["stiffness"], 6)
    9.0
    """
    if of not in get_args(Measured):
        raise UnknownNameError(f"Data of a fit belong to a motion or an equilibrium, not to {of!r}.")
    if of == "equilibrium" and options:
        raise ModelError(f"{next(iter(options))} is an option of runs; leave it out, because equilibria have no steps.")
    for name in DETERMINED:
        if name in options:
            raise ModelError(f"{name} follows from start and the times of the data; leave it out.")
    run_options = RunOptions.of(dict(options))
    problem = _problem(system, data, parameters, outputs, priors or {}, start, of, run_options)
    unknowns = problem.unknowns
    lower, upper = stated_bounds(unknowns, bounds or {})
    charts = charts_of(unknowns.groups, unknowns.start, lower, upper, physical=physical)
    if problem.size < unknowns.count:
        raise ModelError(f"{problem.size} data cannot determine {unknowns.count} values; give more data or priors.")
    is_known = weights is not None
    chosen = even_weights(problem.records) if weights is None else stated_weights(problem.records, weights)
    found = _minimum(problem, charts, unknowns.start, chosen, max_evaluations)
    count = found.evaluations
    if not is_known:
        noise = _noise(problem, found, chosen)
        chosen = [{name: np.full(w.shape, 1 / noise[name]) for name, w in part.items()} for part in chosen]
        if len(noise) > 1 or len(problem.priors.means):
            found = _minimum(problem, charts, found.x, chosen, max_evaluations)
            count += found.evaluations
    return _result(problem, found, chosen, count)


@dataclass(frozen=True, eq=False)
class _Minimum:
    """Values of the unknowns at a minimum."""

    x: Array
    evaluations: int
    has_converged: bool


def _problem(
    system: System | Sequence[System],
    data: RecordLike | Sequence[RecordLike],
    parameters: str | Sequence[str],
    outputs: str | Sequence[str] | None,
    priors: Pairs,
    start: float,
    of: Measured,
    options: RunOptions,
) -> Problem:
    sources = list(data) if isinstance(data, list | tuple) else [data]
    systems = [system] * len(sources) if isinstance(system, System) else list(system)
    if not sources or len(systems) != len(sources):
        raise ModelError(f"{len(systems)} systems do not belong to {len(sources)} records; give one for each record.")
    names = stated_names("parameters", parameters, "mass")
    chosen = None if outputs is None else stated_names("outputs", outputs, "height")
    layout = systems[0].layout
    if any(s.layout.interface_hash != layout.interface_hash for s in systems):
        raise ModelError("The systems of all records must be compiled from one model.")
    for name in chosen or ():
        check_output(layout, name, "outputs")
    unknowns = Unknowns(systems[0], names)
    labels = ["the record"] if len(sources) == 1 else [f"record {k}" for k in range(len(sources))]
    at_rest = of == "equilibrium"
    records = [
        read_record(s, layout, chosen, start, label, at_rest=at_rest) for s, label in zip(sources, labels, strict=True)
    ]
    parts = (systems, records, unknowns, stated_priors(unknowns, priors), start)
    return EquilibriumProblem(*parts) if at_rest else RunProblem(*parts, options=options)


def _minimum(problem: Problem, charts: Charts, x: Array, weights: Sequence[Mapping[str, Array]], most: int) -> _Minimum:
    """Return the nearest minimum of the sum of squares within the bounds.

    Entries of inertia matrices converge faster than their factors, which are needed if the minimum is on the boundary.
    """
    # The run at the start is not caught, so that its error explains a failure.
    problem.results(x)
    if not problem.derivative(x, weights).any():
        raise ModelError("The data do not depend on any of the fitted values; fit others, or other outputs.")
    found = _nearest(problem, charts.without_factors, x, weights, most)
    if charts.accepts(found.x):
        return found
    bounded = _nearest(problem, charts, found.x, weights, most, ON_BOUNDARY)
    return _Minimum(bounded.x, found.evaluations + bounded.evaluations, bounded.has_converged)


def _nearest(
    problem: Problem,
    charts: Charts,
    x: Array,
    weights: Sequence[Mapping[str, Array]],
    most: int,
    tolerance: float = TOLERANCE,
) -> _Minimum:
    """Return the minimum that the optimiser finds in some coordinates."""
    from scipy.optimize import least_squares

    z, outputs = charts.coordinates(x), _size(problem, weights)

    def along(z: Array) -> Array:
        at = charts.values(z)
        derivative = problem.derivative(at, weights)
        curvature = charts.curvature(problem.residuals(at, weights) @ derivative)
        return np.concatenate([charts.along(held(derivative, _sizes(problem, at), outputs), z), curvature])

    first = along(z)
    scale, nothing = 1 / np.linalg.norm(first, axis=0), np.zeros(len(first) - problem.size)

    def residuals(y: Array) -> Array:
        return np.concatenate([problem.residuals(charts.values(scale * y), weights), nothing])

    def derivative(y: Array) -> Array:
        return np.asarray(along(scale * y) * scale)

    found = least_squares(
        residuals,
        np.clip(z, charts.lower, charts.upper) / scale,
        derivative,
        bounds=(charts.lower / scale, charts.upper / scale),
        x_scale="jac",
        xtol=TOLERANCE,
        ftol=tolerance,
        gtol=TOLERANCE,
        max_nfev=most,
    )
    return _Minimum(charts.values(scale * found.x), int(found.nfev), bool(found.status > 0))


def _noise(problem: Problem, found: _Minimum, weights: Sequence[Mapping[str, Array]]) -> dict[str, float]:
    """Return the standard deviation of the residuals of each output, at least that of rounding."""
    squares: dict[str, float] = {}
    counts: dict[str, int] = {}
    spreads = {name: 1 / float(w.max()) for part in weights for name, w in part.items() if w.any()}
    differences = problem.differences(problem.results(found.x))
    total = sum(values.size for _, _, values in differences)
    freedom = max(total - problem.unknowns.count, 1) / total
    for _, name, values in differences:
        squares[name] = squares.get(name, 0.0) + float((values**2).sum())
        counts[name] = counts.get(name, 0) + values.size
    return {
        name: max(float(np.sqrt(squares[name] / counts[name] / freedom)), LEAST_NOISE * spreads.get(name, 0.0))
        for name in squares
    }


def _result(problem: Problem, found: _Minimum, weights: Sequence[Mapping[str, Array]], evaluations: int) -> Fit:
    unknowns = problem.unknowns
    results = problem.results(found.x)
    sizes, outputs = _sizes(problem, found.x), _size(problem, weights)
    known = information(problem.derivative(found.x, weights), sizes, outputs)
    names = combination_names(known.combinations, unknowns.labels)
    _report(known, names, found)
    return Fit(
        unknowns.labels,
        unknowns.consistent(results[0].system, found.x),
        unknowns.units,
        unknowns.start,
        known.covariance,
        known.singular_values,
        known.rank,
        names,
        tuple(result.system for result in results),
        tuple(r for r in results if isinstance(r, Solution)),
        tuple(r for r in results if isinstance(r, Equilibria)),
        tuple(problem.records),
        _noise(problem, found, weights),
        evaluations,
        found.has_converged,
    )


def _size(problem: Problem, weights: Sequence[Mapping[str, Array]]) -> float:
    """Return the norm of all weighted data."""
    weighted = [r.outputs[name] * weights[k][name] for k, r in enumerate(problem.records) for name in r.outputs]
    return float(np.sqrt(sum(float((values**2).sum()) for values in weighted)))


def _sizes(problem: Problem, x: Array) -> Array:
    """Return the sizes of the values of each unknown: the largest component with its name."""
    found = np.ones_like(x)
    for part in problem.unknowns.slices.values():
        largest = max(float(np.abs(x[part]).max()), float(np.abs(problem.unknowns.start[part]).max()))
        found[part] = largest or 1.0
    return found


def _report(known: Information, names: Sequence[str], found: _Minimum) -> None:
    if known.rank == 0:
        raise ModelError("The data do not depend on any of the fitted values; fit others, or other outputs.")
    if names:
        warn(
            f"The data do not determine {'; '.join(names)}: changes of these values, or of several in these ratios, "
            "hardly change the outputs, so that the values have no standard errors."
        )
    if not found.has_converged:
        warn("The fit did not converge; increase max_evaluations, or start nearer to the data.")
