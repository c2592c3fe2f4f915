"""Convergence: errors at the end time over methods and step sizes, with observed orders."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from symlie.errors import FormatError
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.solve import solve
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.reference import TIME_TOLERANCE
from symlie.runtime.system.system import System
from symlie.showing import Brief


@dataclass(frozen=True, repr=False)
class Measured(Brief):
    """One number for each kind of variable; ``None`` where there is none."""

    q: float | None = None
    """Largest ‖log(q_ref⁻¹∘q)‖ of a node, or ‖q - q_ref‖ of stored components where it is on no group."""
    v: float | None = None
    """‖v - v_ref‖; ``None`` without velocities."""
    multipliers: float | None = None
    """‖λ - λ_ref‖ / ‖λ_ref‖; ``None`` without constraints."""

    def order_against(self, coarser: Measured, ratio: float) -> Measured:
        """Observed orders from a coarser step that is ``ratio`` times as long."""

        def order(fine: float | None, coarse: float | None) -> float | None:
            return math.log(coarse / fine) / math.log(ratio) if fine and coarse else None

        return Measured(
            order(self.q, coarser.q), order(self.v, coarser.v), order(self.multipliers, coarser.multipliers)
        )


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


@dataclass(frozen=True, eq=False, repr=False)
class EndState(Brief):
    """State at the end time."""

    q: Array
    v: Array
    multipliers: Array

    @classmethod
    def of(cls, solution: Solution) -> EndState:
        """Last record of a solution."""
        return cls(solution.q[-1], solution.v[-1], solution.multipliers[-1])


def error_against(system: System, state: EndState, reference: EndState) -> Measured:
    """Errors of a state."""
    layout = system.layout
    difference = system.kernels.difference(reference.q, state.q)
    largest = max(float(np.linalg.norm(difference[node.velocity])) for node in layout.nodes if node.is_state)
    relative = None
    if system.layout.rows:
        size = float(np.linalg.norm(reference.multipliers))
        relative = float(np.linalg.norm(state.multipliers - reference.multipliers)) / (size or 1.0)
    own = layout.has_velocity & layout.integrated
    faster = float(np.linalg.norm((state.v - reference.v)[own])) if own.any() else None
    return Measured(largest, faster, relative)


def convergence(
    system: System,
    t_end: float,
    methods: Sequence[str | Path | Method],
    steps: Sequence[float],
    *,
    reference: EndState | None = None,
    method_options: Mapping[str, object] | None = None,
    multipliers: str = "stage",
    stabilize: str = "none",
    progress: Callable[[str], Progress | None] = lambda label: None,
) -> Iterator[ConvergenceRow]:
    """Run each method with each step size and compare the states at the end time.

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
        State to compare with; default: a run of the method of highest order with half of the smallest step.
    method_options, multipliers, stabilize
        As in `solve`.
    progress
        Gives the progress function of the run with a label.

    Yields
    ------
    ConvergenceRow
    """

    def run(method: Method, h: float) -> Solution:
        return solve(
            system,
            t_end,
            method=method,
            h=h,
            t_eval=[t_end],
            multipliers=multipliers,
            stabilize=stabilize,
            progress=progress(f"{method.name}, h = {h:g}"),
        )

    chosen = [chosen_method(stated, method_options) for stated in methods]
    if reference is None:
        best = max(chosen, key=lambda method: method.order)
        reference = EndState.of(run(best, min(steps) / 2))
    for method in chosen:
        before: tuple[float, Measured] | None = None
        for h in steps:
            solution = run(method, h)
            error = error_against(system, EndState.of(solution), reference)
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
