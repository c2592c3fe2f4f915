"""Convergence: errors over methods and step sizes, with observed orders."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from symlie.errors import FormatError
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.comparison import (
    Comparison,
    EndState,
    Measured,
    Seen,
    check_norm,
    courses,
    end_state,
    error_against,
    points_of,
)
from symlie.runtime.study.reference import TIME_TOLERANCE
from symlie.runtime.system.system import System
from symlie.showing import Brief


@dataclass(frozen=True, repr=False)
class ConvergenceRow(Brief):
    """One run: its errors, and the orders observed from the run before it with the same method."""

    method: str
    h: float
    error: Measured
    order: Measured
    max_constraint_residual: float
    steps: int
    cpu_seconds: float

    def to_json(self) -> dict[str, object]:
        """The row as a JSON object."""
        return asdict(self)


def convergence(
    system: System,
    t_end: float,
    methods: Sequence[str | Path | Method],
    steps: Sequence[float],
    *,
    reference: EndState | Solution | None = None,
    norm: str = "largest",
    at: Sequence[float] | None = None,
    method_options: Mapping[str, object] | None = None,
    multipliers: str = "stage",
    stabilize: str = "none",
    progress: Callable[[str], Progress | None] = lambda label: None,
) -> Iterator[ConvergenceRow]:
    """Run each method with each step size and compare the states at the end time, or over the run.

    Parameters
    ----------
    system
        The system.
    t_end
        End time, in s.
    methods
        Names of methods, or files with tableaux.
    steps
        Step sizes, in s; orders are observed between one and the next.
    reference
        A solution to compare with, or a state at the end; default: a run of the method of highest order with half of
        the smallest step.
    norm
        ``"largest"``: at the end time, of q the largest of a node. ``"l2"``: √(Σ‖q - Q‖²/n) with n stored components
        of all nodes, and that of v, the largest over multiples of the longest step.
    at
        With ``"l2"``: arc lengths, in m, at which rods and other curves are compared in place of nodes.
    method_options, multipliers, stabilize
        As in `solve`.
    progress
        Gives the progress function of the run with a label.

    Raises
    ------
    UnknownNameError, ModelError
        There is no such norm or method, or these do not fit to the system.

    Yields
    ------
    ConvergenceRow
    """
    check_norm(norm, at)
    chosen = [chosen_method(stated, method_options) for stated in methods]

    def run(method: Method, h: float, times: Sequence[float]) -> Solution:
        return solve(
            system,
            t_end,
            method=method,
            h=h,
            t_eval=times,
            multipliers=multipliers,
            stabilize=stabilize,
            progress=progress(f"{method.name}, h = {h:g}"),
        )

    if norm == "l2":
        points = None if at is None else points_of(system.layout, at)
        yield from _rows(run, chosen, steps, courses(t_end, max(steps), points), reference)
        return
    ends = Comparison([t_end], lambda found, _: end_state(found), functools.partial(error_against, system))
    yield from _rows(run, chosen, steps, ends, reference)


def _rows(
    run: Callable[[Method, float, Sequence[float]], Solution],
    methods: Sequence[Method],
    steps: Sequence[float],
    comparison: Comparison[Seen],
    reference: EndState | Solution | None,
) -> Iterator[ConvergenceRow]:
    times = comparison.times
    if reference is None:
        reference = run(max(methods, key=lambda method: method.order), min(steps) / 2, times)
    best = comparison.seen(reference, 1.0)
    for method in methods:
        before: tuple[float, Measured] | None = None
        for h in steps:
            solution = run(method, h, times)
            error = comparison.error(comparison.seen(solution, 1.0), best)
            order = error.order_against(before[1], before[0] / h) if before and before[0] != h else Measured()
            before = h, error
            done = solution.statistics
            residual = done.max_constraint_residual
            yield ConvergenceRow(method.name, h, error, order, residual, done.steps, done.cpu_seconds)


def read_end_state(path: Path, layout: Layout, t: float) -> EndState:
    """The state at a time in a file written by ``symlie run --json``.

    Raises
    ------
    FormatError
        The file can not be read, is of another model, or does not hold this time.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        index = _index(data["t"], t)
        if index is None:
            raise FormatError(
                f"{path} holds no state at t = {t:g}; write one with 'symlie run … --t-end {t:g} --json'."
            )
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
        raise FormatError(f"The reference {path} can not be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise FormatError(f"{path} is not the output of 'symlie run {layout.name} --json' ({error!r}).") from error
    is_stored = np.concatenate([np.full(n.count * n.type.storage, n.is_state) for n in layout.nodes])
    is_moving = np.concatenate([np.full(n.count * n.type.dimension, n.is_state) for n in layout.nodes])
    is_moving &= layout.has_velocity
    if (stored.size, moving.size, multipliers.size) != (is_stored.sum(), is_moving.sum(), layout.rows):
        raise FormatError(f"{path} is of a model or group other than {layout.name} {layout.options}.")
    # Nodes that others place are not in the file, and not compared.
    q, v = np.zeros(layout.storage), np.zeros(layout.dimension)
    q[: layout.node_storage][is_stored], v[is_moving] = stored, moving
    # In a file constraints follow each other; in the state those of an element type take turns, instance by instance.
    order = [row for part in layout.constraints.values() for row in part.rows.ravel()]
    return EndState(q, v, multipliers[np.argsort(order)])


def _index(times: Sequence[float], t: float) -> int | None:
    for k, time in enumerate(times):
        if abs(time - t) <= TIME_TOLERANCE * max(abs(t), 1.0):
            return k
    return None
