"""`ensemble`: many runs of one system, with other parameters, initial states or inputs."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symlie.ensembles.chunk import Task, prepared_members, runs_together
from symlie.ensembles.chunk_rows import ChunkRows
from symlie.ensembles.design import Design, stated_design
from symlie.ensembles.dispatch import Dispatch
from symlie.ensembles.executors import workers_of
from symlie.ensembles.outcome import Ensemble
from symlie.ensembles.quantities import dimensions_of, recorded_quantities
from symlie.ensembles.results import MemberResults, MemberStatus, joined
from symlie.ensembles.statistics import RunningStatistics, check_statistics
from symlie.ensembles.store import EnsembleStore, begin_store
from symlie.ensembles.store_index import Quantity, StoreIndex
from symlie.errors import InterruptedEnsembleError, MemberFailedError, ModelError, WorkerLostError
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.driver_library import kernel_sets
from symlie.runtime.integrate.request import Request, RunWords, requested
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import MethodLike
from symlie.runtime.methods.controllers import Controller
from symlie.runtime.system.record import model_hash
from symlie.runtime.system.system import System

WAIT = 30.0
"""Time in which a cluster must have a worker, in s."""


def ensemble(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    parameters: Mapping[str, object] | None = None,
    initial: Mapping[str, Mapping[str, object]] | None = None,
    inputs: Mapping[str, object] | None = None,
    combine: str = "zip",
    record: Sequence[str] | None = None,
    statistics: Sequence[str] | None = None,
    store: str | Path | None = None,
    executor: object = None,
    workers: int | None = None,
    on_failure: str = "keep",
    member_seconds: float | None = None,
    wait: float = WAIT,
    progress: Callable[[int, int], None] | None = None,
    method: MethodLike | None = None,
    method_options: Mapping[str, object] | None = None,
    h: float | None = None,
    rtol: float | Array | None = None,
    atol: float | Array | None = None,
    h0: float | None = None,
    controller: str | Controller = "tumiotto2024",
    controller_options: Mapping[str, float] | None = None,
    t_eval: Sequence[float] | Array | None = None,
    record_every: int = 1,
    multipliers: str = "stage",
    stabilize: str = "none",
    redundant: str | None = None,
    max_steps: int | None = None,
) -> Ensemble:
    """Integrate members of an ensemble: one system with other parameters, initial states or inputs.

    Each member has the bits that `solve` gives it alone, whatever executes it, in whatever order. Members that fail
    have a status and a sentence, and NaN after the failure; the others go on.

    Parameters
    ----------
    system
        The system.
    t_span
        As in `solve`.
    parameters
        Values by name of the parameter, as in `System.with_parameters`, members first: shape (n,) of numbers, (n, size)
        of vectors; `samples` draws them.
    initial
        Initial values by node and field, as in `System.with_initial`, members first.
    inputs
        By input a list of tables (times, values) or (times, values, interpolation), one for each member.
    combine
        ``"zip"``: row k of everything belongs to member k. ``"grid"``: all combinations, in the order in which names
        are given, the last one changing first.
    record
        Names of outputs, ``NODE.FIELD``, nodes, or ``multipliers_CONSTRAINT``. Default: all outputs. Histories are
        recorded at ``t_eval`` or with fixed steps; adaptive members without ``t_eval`` keep their end.
    statistics
        Some of ``"mean"``, ``"std"``, ``"min"``, ``"max"``: what is kept of the recorded quantities in place of the
        values of members. Members are added in their order, so bits do not depend on chunks.
    store
        A folder for the results, one file for each finished chunk; needed where results do not fit into memory. A
        folder of the same ensemble is continued.
    executor
        None: threads of this process. Any executor of `concurrent.futures`, or a client of Dask.
    workers
        Number of threads; default: one for each processor.
    on_failure
        ``"keep"``, or ``"raise"``: stop at the first member that fails.
    member_seconds
        Time that a member may take, in s.
    wait
        Time in which a cluster of Dask must have a worker, in s.
    progress
        Called with the number of members that are done and that of all.
    method, method_options, h, rtol, atol, h0, controller, controller_options
        As in `solve`.
    t_eval, record_every, multipliers, stabilize, redundant, max_steps
        As in `solve`.

    Returns
    -------
    Ensemble
        The results.

    Raises
    ------
    ModelError, UnknownNameError, UnsupportedMethodError
        Something stated can not be used by any member.
    FormatError
        The store is another one, damaged, or can not be written.
    ExecutorError
        The executor takes no work.
    InterruptedEnsembleError
        Ctrl-C; its ``result`` has the members that were done.
    """
    if on_failure not in ("keep", "raise"):
        raise ModelError(f"on_failure is 'keep' or 'raise', not {on_failure!r}.")
    if not isinstance(system, System):
        raise ModelError(f"A {type(system).__name__} has no members; take the system of model.derive().compile().")
    if redundant is not None:
        system = system.with_redundant(redundant)
    design = stated_design(system, parameters, initial, inputs, combine, is_stored=store is not None)
    words: RunWords = {
        "method": method,
        "method_options": method_options,
        "h": h,
        "rtol": rtol,
        "atol": atol,
        "h0": h0,
        "controller": controller,
        "controller_options": controller_options,
        "t_eval": None if t_eval is None else [float(t) for t in t_eval],
        "record_every": record_every if h is not None or t_eval is not None else 0,
        "multipliers": multipliers,
        "stabilize": stabilize,
        "max_steps": max_steps,
    }
    if record is not None and h is None and t_eval is None:
        raise ModelError(
            "Adaptive members have times of their own, so what is recorded of them needs t_eval; without record their "
            "ends are kept."
        )
    request = requested(system, t_span, **words)
    wanted = recorded_quantities(system.layout, record)
    if statistics is not None:
        check_statistics(system.layout, statistics, wanted)
        if store is not None:
            raise ModelError("A store keeps the values of members, of which statistics= keeps none; give one of them.")
    times = times_of(request, t_eval)
    task = Task(design, t_span, words, wanted, times, member_seconds)
    for name in kernel_sets(request.method, system.layout):
        system.sets.files(name)  # which workers can not derive
    if system.backend == "c":
        CompiledMethod(system, request.method, request.control)
    dimensions = dimensions_of(design, wanted, prepared_members if runs_together(design) else None, len(times))
    quantities = tuple(Quantity(x.name, x.unit, dimensions[x.name]) for x in wanted)
    kept: EnsembleStore | None = None
    if store is not None:
        index = StoreIndex(
            hashlib.sha256(f"{design.digest} {json.dumps(request.settings, default=str)}".encode()).hexdigest(),
            model_hash(system),
            len(design),
            quantities,
            tuple(Quantity(name, "", _components(values)) for name, values in design.stated.items()),
            tuple(dict.fromkeys(e.name for e in system.layout.events)),
            {"solve": dict(request.settings), "shape": dict(design.shape), "model": system.name},
        )
        kept = begin_store(store, index, design.stated, times if len(times) else None)
    results: list[MemberResults] = []
    sums = None if statistics is None else RunningStatistics({q.name: q.shape for q in quantities})

    def keep(found: MemberResults) -> None:
        if kept is not None:
            kept.write(found)
        elif sums is not None:
            sums.add(found)
            results.append(dataclasses.replace(found, values={}))
        else:
            results.append(found)

    done = np.zeros(0, dtype=np.int64) if kept is None else kept.finished()
    hands = workers_of(executor, workers, wait)
    try:
        lost = functools.partial(_without_values, quantities)
        dispatch = Dispatch(task, _open_ranges(len(design), done), hands, lambda part: lost(part.design))
        is_interrupted = _run(dispatch, task, keep, on_failure, progress, len(done))
    finally:
        hands.close()
    if kept is None:
        there = quantities if sums is None else ()
        nothing = _without_values(there, design.part(0, 0))
        found = {} if sums is None or statistics is None else sums.values(statistics)
        outcome = Ensemble(task, there, joined([nothing, *results]), found)
    else:
        outcome = Ensemble(task, quantities, kept)
    if is_interrupted:
        count = int((outcome.arrays["status"] != MemberStatus.NOT_RUN).sum())
        how = f"call it again with store={str(store)!r}" if store is not None else "give a store to go on from there"
        raise InterruptedEnsembleError(f"Interrupted after {count} of {len(design)} members; {how}.", outcome)
    return outcome


def _run(
    dispatch: Dispatch,
    task: Task,
    keep: Callable[[MemberResults], None],
    on_failure: str,
    progress: Callable[[int, int], None] | None,
    done: int,
) -> bool:
    """Take results until all are there, and whether that was interrupted."""
    try:
        for found in dispatch.results():
            finished = _finished(found)
            keep(finished)
            done += len(finished)
            if progress is not None:
                progress(done, len(task.design))
            failed = np.flatnonzero(finished.status > MemberStatus.EVENT)
            if on_failure == "raise" and len(failed):
                row = failed[0]
                raise MemberFailedError(
                    f"Member {finished.members[row]} failed ({finished.kinds[row]}): {finished.sentences[row]}"
                )
    except KeyboardInterrupt:
        for found in dispatch.finish():
            keep(_finished(found))
        return True
    return False


def _finished(found: MemberResults) -> MemberResults:
    return found.rows(np.flatnonzero(found.status != MemberStatus.NOT_RUN))


def _without_values(quantities: Sequence[Quantity], design: Design) -> MemberResults:
    """Results of members of which nothing is known but that workers died with them."""
    rows = ChunkRows(design, 1)
    error = WorkerLostError("The worker that integrated this member died, also when it had nothing else to do.")
    for row in range(len(design)):
        rows.fail(row, error)
    return rows.results(design, {q.name: np.full((len(design), *q.shape), np.nan) for q in quantities})


def _components(values: Array) -> dict[str, int]:
    """Dimensions of values of a parameter."""
    return {f"component_{size}": size for size in values.shape[1:]}


def _open_ranges(count: int, done: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of rows that are not done."""
    is_open = np.ones(count + 2, dtype=bool)
    is_open[[0, -1]] = False
    is_open[done + 1] = False
    edges = np.flatnonzero(np.diff(is_open.astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def times_of(request: Request, t_eval: Sequence[float] | Array | None) -> Array:
    """Times that all members record, in s; none where steps are adaptive and ``t_eval`` is not given."""
    if t_eval is not None:
        return np.array(t_eval, dtype=float)
    plan, every = request.plan, request.record_every
    if request.control.is_adaptive:
        return np.zeros(0)
    times, step = [np.array([request.t0])], 0
    for start, end, steps, recorded in zip(plan.start, plan.end, plan.steps, plan.record_end, strict=True):
        at = start + np.arange(1, steps + 1) * ((end - start) / steps)
        at[-1] = end
        kept = (step + np.arange(1, steps + 1)) % every == 0 if every else np.zeros(steps, dtype=bool)
        kept[-1] |= recorded
        times.append(at[kept])
        step += steps
    return np.concatenate(times)
