"""Results of members: values, status and events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.runtime.layout.layout import Array
from symlie.utilities.showing import Brief

Columns: TypeAlias = dict[str, np.ndarray]
"""Arrays by the name of a field of `MemberResults`."""

MEMBER_COLUMNS = ("members", "status", "sentences", "kinds", "steps", "rejected", "end_time", "cpu_seconds")
"""Fields with an entry for each member, except values."""

EVENT_COLUMNS = ("event_member", "event_index", "event_instance", "event_time")
"""Fields with an entry for each event."""


class MemberStatus(IntEnum):
    """Final status of a member."""

    OK = 0
    """Completed."""
    EVENT = 1
    """Ended by a terminal event."""
    FAILED = 2
    """Ended by an exception, for example `WorkerLostError` if the worker died."""
    TIME_LIMIT = 3
    """Ended by ``member_seconds``."""
    NOT_RUN = 5
    """Not finished."""


@dataclass(frozen=True, eq=False, repr=False)
class MemberResults(Brief):
    """Results of n members, and the e events of their motions, in order of time for each member."""

    members: NDArray[np.int64]
    """Numbers of the members, shape (n,)."""
    values: Mapping[str, Array]
    """Values by quantity, shape (n, …); NaN at times that a member did not reach."""
    status: NDArray[np.int8]
    """Status codes, shape (n,); see `EnsembleArrays`."""
    sentences: tuple[str, ...]
    """Message of each member; empty without a message."""
    kinds: tuple[str, ...]
    """Name of the exception that ended each member; empty without an exception."""
    steps: NDArray[np.int64]
    """Number of accepted steps, shape (n,)."""
    rejected: NDArray[np.int64]
    """Number of rejected steps, shape (n,)."""
    end_time: Array
    """Final time, in s, shape (n,)."""
    cpu_seconds: Array
    """Processor time, in s, shape (n,)."""
    event_names: tuple[str, ...]
    """Names of all events of the system."""
    event_member: NDArray[np.int64]
    """Number of the member of each event, shape (e,)."""
    event_index: NDArray[np.int64]
    """Index of its name in `event_names`, shape (e,)."""
    event_instance: NDArray[np.int64]
    """Index of its element among those of the element type, shape (e,)."""
    event_time: Array
    """Time of each event, in s, shape (e,)."""

    def __len__(self) -> int:
        return len(self.members)

    @classmethod
    def of_columns(cls, columns: Columns, values: Mapping[str, Array], event_names: tuple[str, ...]) -> Self:
        """Return results from arrays by the name of the attribute; the inverse of `columns`.

        Parameters
        ----------
        columns
            One array for each attribute except ``values`` and ``event_names``.
        values
            Values by quantity, shape (n, …).
        event_names
            Names of all events of the system.
        """
        return cls(
            members=columns["members"].astype(np.int64),
            values=values,
            status=columns["status"].astype(np.int8),
            sentences=tuple(columns["sentences"].tolist()),
            kinds=tuple(columns["kinds"].tolist()),
            steps=columns["steps"].astype(np.int64),
            rejected=columns["rejected"].astype(np.int64),
            end_time=columns["end_time"].astype(float),
            cpu_seconds=columns["cpu_seconds"].astype(float),
            event_names=event_names,
            event_member=columns["event_member"].astype(np.int64),
            event_index=columns["event_index"].astype(np.int64),
            event_instance=columns["event_instance"].astype(np.int64),
            event_time=columns["event_time"].astype(float),
        )

    @property
    def columns(self) -> Columns:
        """Arrays by the name of the attribute, as accepted by `of_columns`; texts have the dtype object."""
        fields = {name: getattr(self, name) for name in (*MEMBER_COLUMNS, *EVENT_COLUMNS)}
        return {name: np.array(x, dtype=object) if isinstance(x, tuple) else x for name, x in fields.items()}

    def rows(self, rows: ArrayLike) -> Self:
        """Return the results of selected members with their events, in the given order.

        Parameters
        ----------
        rows
            Indices of members among these results, not their numbers, without repetition.
        """
        kept = np.asarray(rows, dtype=np.int64)
        members, columns = self.members[kept], self.columns
        by_number = np.argsort(members)
        known = np.flatnonzero(np.isin(self.event_member, members))
        place = by_number[np.searchsorted(members, self.event_member[known], sorter=by_number)]
        events = known[np.argsort(place, kind="stable")]
        found = {name: columns[name][kept] for name in MEMBER_COLUMNS}
        found |= {name: columns[name][events] for name in EVENT_COLUMNS}
        return self.of_columns(found, {name: x[kept] for name, x in self.values.items()}, self.event_names)


def joined(results: Iterable[MemberResults]) -> MemberResults:
    """Concatenate results of different members of one ensemble, sorted by member."""
    parts = list(results)
    columns = [part.columns for part in parts]
    together = MemberResults.of_columns(
        {name: np.concatenate([c[name] for c in columns]) for name in columns[0]},
        {name: np.concatenate([p.values[name] for p in parts]) for name in parts[0].values},
        parts[0].event_names,
    )
    return together.rows(np.argsort(together.members))
