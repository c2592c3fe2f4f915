"""Execution of an ensemble by workers, and collection of the results."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.ensembles.chunk_rows import ChunkRows
from symlie.ensembles.design import Design
from symlie.ensembles.dispatch import Dispatch
from symlie.ensembles.executors import workers_of
from symlie.ensembles.outcome import Ensemble, ensemble_of
from symlie.ensembles.plan import EnsemblePlan
from symlie.ensembles.results import MemberResults, MemberStatus, joined
from symlie.ensembles.statistics import RunningStatistics
from symlie.ensembles.store import EnsembleStore
from symlie.ensembles.store_index import Quantity
from symlie.errors import InterruptedEnsembleError, MemberFailedError, WorkerLostError
from symlie.options import OnFailure

ChunkDone: TypeAlias = Callable[[MemberResults, int], None]
"""Callback with the results of a chunk and the number of finished members."""


def run_members(
    plan: EnsemblePlan,
    store: EnsembleStore | None,
    *,
    executor: object,
    workers: int | None,
    on_failure: OnFailure,
    wait: float,
    chunk_done: ChunkDone,
) -> Ensemble:
    """Run all unfinished members of a plan; see `symlie.ensembles.ensemble.ensemble` for arguments and errors."""
    task, design, quantities = plan.task, plan.task.design, plan.quantities
    results: list[MemberResults] = []
    groups = plan.group_sums()
    shapes = {q.name: q.shape for q in quantities if q.name not in plan.on_groups}
    sums = None if plan.statistics is None else RunningStatistics(shapes, [*groups.values()])

    def keep(found: MemberResults) -> None:
        if store is not None:
            store.write(found)
        elif sums is not None:
            sums.add(found)
            results.append(dataclasses.replace(found, values={}))
        else:
            results.append(found)

    done = np.zeros(0, dtype=np.int64) if store is None else store.finished()
    hands = workers_of(executor, workers, wait)
    try:
        lost = functools.partial(_without_values, quantities)
        dispatch = Dispatch(task, _open_ranges(len(design), done), hands, lambda part: lost(part.design), task.line)
        is_interrupted = _run(dispatch, keep, on_failure, chunk_done, len(done))
    finally:
        hands.close()
    there = quantities if sums is None else ()
    nothing = _without_values(there, design.part(0, 0))
    found = {} if sums is None or plan.statistics is None else sums.values(plan.statistics)
    outcome = ensemble_of(task, there, joined([nothing, *results]) if store is None else store, found, groups)
    if is_interrupted:
        count = int((outcome.arrays["status"] != MemberStatus.NOT_RUN).sum())
        how = "give a store to be able to continue"
        if store is not None:
            how = f"call it again with store={str(store.folder)!r}"
        raise InterruptedEnsembleError(f"Interrupted after {count} of {len(design)} members; {how}.", outcome)
    return outcome


def _run(
    dispatch: Dispatch, keep: Callable[[MemberResults], None], on_failure: OnFailure, chunk_done: ChunkDone, done: int
) -> bool:
    """Collect all results, and return whether the run was interrupted."""
    try:
        for found in dispatch.results():
            finished = _finished(found)
            keep(finished)
            done += len(finished)
            chunk_done(finished, done)
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
    """Return the results of members that crash workers."""
    rows = ChunkRows(design, 1)
    error = WorkerLostError("The worker that integrated this member died, also when the member was run alone.")
    for row in range(len(design)):
        rows.fail(row, error)
    return rows.results(design, {q.name: np.full((len(design), *q.shape), np.nan) for q in quantities})


def _open_ranges(count: int, done: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the ranges of unfinished members."""
    is_open = np.ones(count + 2, dtype=bool)
    is_open[[0, -1]] = False
    is_open[done + 1] = False
    edges = np.flatnonzero(np.diff(is_open.astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
