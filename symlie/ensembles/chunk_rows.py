"""Intermediate results of the members of a chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symlie.ensembles.design import Design
from symlie.ensembles.quantities import MemberRecords
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.errors import SymlieError, TimeLimitError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Event
from symlie.runtime.solution.solution import Solution


class StoppedError(Exception):
    """A check stopped the chunk; unfinished members are skipped."""


class ChunkRows:
    """Status, statistics, events and recorded states of the members of a chunk, one row for each member."""

    def __init__(self, design: Design, records: int) -> None:
        count, layout = len(design), design.system.layout
        sizes = (layout.storage, layout.dimension, layout.rows, layout.carried_size)
        self.status = np.full(count, MemberStatus.NOT_RUN, dtype=np.int8)
        self.sentences, self.kinds = [""] * count, [""] * count
        self.steps, self.rejected = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self.end_time, self.cpu_seconds = np.full(count, np.nan), np.zeros(count)
        self.events: list[Sequence[Event]] = [()] * count
        self.states = MemberRecords(
            np.full((count, records), np.nan), *(np.full((count, records, n), np.nan) for n in sizes)
        )
        for row, error in design.refused.items():
            self.fail(row, error)

    def fail(self, row: int, error: SymlieError) -> None:
        """Record the error that ended a member."""
        is_late = isinstance(error, TimeLimitError)
        self.status[row] = MemberStatus.TIME_LIMIT if is_late else MemberStatus.FAILED
        self.sentences[row], self.kinds[row] = str(error), type(error).__name__

    def put(self, row: int, solution: Solution, times: Array) -> None:
        """Store the states of a solution at the recorded times of the histories."""
        statistics = solution.statistics
        self.steps[row], self.rejected[row] = statistics.steps, statistics.rejected
        self.cpu_seconds[row] = statistics.cpu_seconds
        self.events[row] = solution.events
        if solution.end is not None and len(solution.t):
            self.end_time[row] = solution.t[-1]
        found = (solution.t, solution.q, solution.v, solution.multipliers, solution.carried)
        if not len(times):
            for rows, values in zip(self.states.parts, found, strict=True):
                rows[row, -1] = values[-1]
            return
        place = np.searchsorted(times, solution.t)
        kept = np.flatnonzero(times[np.minimum(place, len(times) - 1)] == solution.t)
        for rows, values in zip(self.states.parts, found, strict=True):
            rows[row, place[kept]] = values[kept]

    def results(self, design: Design, values: Mapping[str, Array]) -> MemberResults:
        """Return the results with values of quantities."""
        names = tuple(dict.fromkeys(e.name for e in design.system.layout.events))
        events = [(design.first + row, e) for row, found in enumerate(self.events) for e in found]
        return MemberResults(
            design.first + np.arange(len(design)),
            values,
            self.status,
            tuple(self.sentences),
            tuple(self.kinds),
            self.steps,
            self.rejected,
            self.end_time,
            self.cpu_seconds,
            names,
            np.array([member for member, _ in events], dtype=np.int64),
            np.array([names.index(e.name) for _, e in events], dtype=np.int64),
            np.array([e.instance for _, e in events], dtype=np.int64),
            np.array([e.t for _, e in events]),
        )
