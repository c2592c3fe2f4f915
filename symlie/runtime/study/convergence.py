"""Convergence studies: errors of several methods and step sizes, with observed orders."""

from __future__ import annotations

import functools
import itertools
import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from symlie.errors import (
    FormatError,
    IntegrationError,
    InterruptedIntegrationError,
    SingularMassMatrixError,
    UnsupportedMethodError,
)
from symlie.options import Multipliers, Norm, Stabilization
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.recorder import Statistics
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.comparison import (
    Comparison,
    EndState,
    Measured,
    Seen,
    check_norm,
    check_outputs,
    courses,
    end_state,
    error_against,
    outputs_over_time,
    points_of,
    states_over_time,
)
from symlie.runtime.study.reference import TIME_TOLERANCE
from symlie.runtime.system.system import System
from symlie.utilities.showing import Brief


@dataclass(frozen=True, repr=False)
class ConvergenceRow(Brief):
    """Errors and cost of one run of a convergence study, from `convergence`."""

    method: str
    """Name of the method."""
    h: float
    """Step size, in s."""
    error: Measured
    """Errors ``error.q``, ``error.v`` and ``error.multipliers`` (relative), or ``error.outputs``; None without such a
    quantity."""
    order: Measured
    """Observed orders with the same attributes, dimensionless, relative to the previous run of the method; None for its
    first run."""
    max_constraint_residual: float
    """Largest component of Φ over all steps."""
    steps: int
    """Number of steps."""
    cpu_seconds: float
    """Processor time of the time loop, in s: median of the repetitions."""
    newton_iterations_per_step: float | None
    """Mean number of Newton iterations per step; None for explicit methods."""
    factorisations: int
    """Number of matrix factorisations."""
    failure: str
    """Name and message of the exception of a failed run, which has no errors; empty if the run succeeded."""
    coordinates: str
    """Name of the system if several are compared; otherwise empty."""

    def to_json(self) -> dict[str, object]:
        """Return the row as a JSON object."""
        return asdict(self) | {"error": self.error.to_json(), "order": self.order.to_json()}


def convergence(
    system: System | Mapping[str, System],
    t_end: float,
    methods: Sequence[str | Path | Method],
    steps: Sequence[float],
    *,
    reference: EndState | Solution | None = None,
    norm: Norm = "end",
    at: Sequence[float] | None = None,
    outputs: Sequence[str] | None = None,
    repetitions: int = 1,
    method_options: Mapping[str, object] | None = None,
    multipliers: Multipliers = "stage",
    stabilize: Stabilization = "none",
    progress: Callable[[str], Progress | None] = lambda label: None,
) -> Iterator[ConvergenceRow]:
    """Integrate a system with several methods and fixed step sizes, and compare the results with a reference.

    The function is a generator: it starts a run, and raises exceptions, when the next row is requested. A run that
    fails gives a row with the reason.

    Source: [Hante2022], section 5.2, for ``norm="l2"``.

    Parameters
    ----------
    system
        The system, or several systems by name: the same model in different coordinates, compared by their outputs.
    t_end
        End time, in s.
    methods
        Names of methods, `Method` objects, or TOML files with tableaux.
    steps
        Step sizes, in s; each observed order refers to two consecutive ones.
    reference
        Solution or end state to compare with. Default: a run of the first system with the method of highest order and
        half of the smallest step size.
    norm
        ``"end"``: error at the end time; for configurations, the largest ‖log(q_ref⁻¹∘q)‖ of a node. ``"max"``: maximum
        of this error over at most 100 multiples of the largest step size and the end time. ``"l2"``: maximum of
        √(Σ‖q - q_ref‖²/n) over these times, with the n stored components of all nodes, and the same for v.
    at
        For ``norm="l2"``: arc lengths, in m, at which rods and other curves are compared instead of nodes.
    outputs
        Names of outputs to compare instead of states. Default: states of one system, all outputs of several systems.
    repetitions
        Number of repetitions of each run; the processor time is their median.
    method_options, multipliers, stabilize
        As in `solve`.
    progress
        Function of the label of a run that returns its ``progress`` function, as in `solve`, or None.

    Yields
    ------
    ConvergenceRow
        One row for each method, system and step size.

    Raises
    ------
    UnknownNameError
        If the norm, a method or an output does not exist.
    ModelError
        If an argument is invalid, or the reference is an end state although trajectories or outputs are compared.
    FormatError
        If the file of a method cannot be read.
    IntegrationError, UnsupportedMethodError
        If the reference run fails.
    """
    check_norm(norm, at)
    systems = system if isinstance(system, Mapping) else {"": system}
    first = next(iter(systems.values()))
    if outputs is None and isinstance(system, Mapping):
        outputs = list(first.layout.outputs)
    chosen = [chosen_method(stated, method_options) for stated in methods]

    def run(label: str, method: Method, h: float, times: Sequence[float]) -> Solution:
        return solve(
            systems[label],
            t_end,
            method=method,
            h=h,
            t_eval=times,
            multipliers=multipliers,
            stabilize=stabilize,
            progress=progress(", ".join(filter(None, [method.name, label, f"h = {h:g}"]))),
        )

    study = _Study(run, list(systems), chosen, steps, repetitions)
    if outputs is not None:
        check_outputs(first.layout, outputs)
        yield from study.rows(outputs_over_time(outputs, t_end, max(steps), norm), reference)
    elif norm == "l2":
        points = None if at is None else points_of(first.layout, at)
        yield from study.rows(courses(t_end, max(steps), points), reference)
    elif norm == "max":
        yield from study.rows(states_over_time(first, t_end, max(steps)), reference)
    else:
        ends = Comparison([t_end], lambda found, _: end_state(found), functools.partial(error_against, first))
        yield from study.rows(ends, reference)


@dataclass(frozen=True)
class _Study:
    """Runs of all methods with all step sizes."""

    run: Callable[[str, Method, float, Sequence[float]], Solution]
    systems: Sequence[str]
    methods: Sequence[Method]
    steps: Sequence[float]
    repetitions: int

    def rows(self, comparison: Comparison[Seen], reference: EndState | Solution | None) -> Iterator[ConvergenceRow]:
        """Yield the row of each run as soon as the run has finished."""
        times = comparison.times
        if reference is None:
            best_method = max(self.methods, key=lambda method: method.order)
            reference = self.run(self.systems[0], best_method, min(self.steps) / 2, times)
        best = comparison.seen(reference, 1.0)
        for method, label in itertools.product(self.methods, self.systems):
            before: tuple[float, Measured] | None = None
            for h in self.steps:
                solution, failure, seconds = self._repeated(label, method, h, times)
                error = (
                    Measured()
                    if failure or solution is None
                    else comparison.error(comparison.seen(solution, 1.0), best)
                )
                order = error.order_against(before[1], before[0] / h) if before and before[0] != h else Measured()
                before = (h, error) if error.has_errors else None
                yield row_of(method.name, h, solution, error, order, seconds, failure, label)

    def _repeated(
        self, label: str, method: Method, h: float, times: Sequence[float]
    ) -> tuple[Solution | None, str, float]:
        """Return a run or its completed part, the reason for a failure, and the median processor time in s."""
        seconds: list[float] = []
        solution: Solution | None = None
        for _ in range(self.repetitions):
            try:
                solution = self.run(label, method, h, times)
            except InterruptedIntegrationError:
                raise
            except (IntegrationError, UnsupportedMethodError, SingularMassMatrixError) as error:
                found = getattr(error, "solution", None)
                return found if isinstance(found, Solution) else None, f"{type(error).__name__}: {error}", 0.0
            seconds.append(solution.statistics.cpu_seconds)
        return solution, "", statistics.median(seconds)


def row_of(
    method: str,
    h: float,
    solution: Solution | None,
    error: Measured,
    order: Measured,
    cpu_seconds: float,
    failure: str = "",
    coordinates: str = "",
) -> ConvergenceRow:
    """Return the row of a run, complete or not; ``solution`` is None if the run did not begin."""
    done = Statistics() if solution is None else solution.statistics
    iterations = done.newton_iterations / done.steps if done.newton_iterations and done.steps else None
    residual, matrices = done.max_constraint_residual, done.factorisations
    how = residual, done.steps, cpu_seconds, iterations, matrices, failure, coordinates
    return ConvergenceRow(method, h, error, order, *how)


def read_end_state(path: Path, layout: Layout, t: float) -> EndState:
    """Read the state at a time from a file written by ``symlie run --json``."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        index = _index(data["t"], t)
        if index is None:
            raise FormatError(f"{path} has no state at t = {t:g}; write one with 'symlie run … --t-end {t:g} --json'.")
        values = [
            np.concatenate([np.ravel(data[part][name][index]) for name in names] or [np.zeros(0)])
            for part, names in (
                ("q", [n.name for n in layout.nodes if n.is_state]),
                ("v", [n.name for n in layout.nodes if n.is_state]),
                ("multipliers", list(layout.constraints)),
            )
        ]
        stored, moving, multipliers = (np.asarray(value, dtype=float) for value in values)
    except OSError as error:
        raise FormatError(f"The reference {path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise FormatError(f"{path} is not the output of 'symlie run {layout.name} --json' ({error!r}).") from error
    is_stored = np.concatenate([np.full(n.count * n.type.storage, n.is_state) for n in layout.nodes])
    is_moving = np.concatenate([np.full(n.count * n.type.dimension, n.is_state) for n in layout.nodes])
    is_moving &= layout.has_velocity
    if (stored.size, moving.size, multipliers.size) != (is_stored.sum(), is_moving.sum(), layout.rows):
        raise FormatError(f"{path} belongs to a model or group other than {layout.name} {layout.options}.")
    # The file does not contain dependent nodes; they are not compared.
    q, v = np.zeros(layout.storage), np.zeros(layout.dimension)
    q[: layout.node_storage][is_stored], v[is_moving] = stored, moving
    # The file groups multipliers by constraint; the state groups those of an element type by element.
    order = [row for part in layout.constraints.values() for row in part.rows.ravel()]
    return EndState(q, v, multipliers[np.argsort(order)])


def _index(times: Sequence[float], t: float) -> int | None:
    for k, time in enumerate(times):
        if abs(time - t) <= TIME_TOLERANCE * max(abs(t), 1.0):
            return k
    return None
