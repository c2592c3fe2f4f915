"""Members of an ensemble: systems of one topology, integrated by one method in one compiled loop.

Each member is bitwise identical to an individual run, since the loop, the initial state and the parameters are those of
`solve`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import MOST_EVENTS, Status
from symlie.runtime.integrate.c_loop import counters_of
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.lanes import LanesCall
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.request import Request
from symlie.runtime.integrate.run import MOST_STEPS, RETURN_SECONDS
from symlie.runtime.kernels.c_structures import StructureRows
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Event
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System

EVENTS_AT_ONCE = 8
"""Capacity of the event buffer of a member, for each event function, between two calls."""


@dataclass(frozen=True, eq=False)
class MemberStarts:
    """Initial states of members, with a leading axis.

    Attributes
    ----------
    begins
        Flags of members that start, shape (n,); entries of others are meaningless.
    q, v, multipliers
        Consistent states, shape (n, components).
    h
        Initial adaptive step sizes, in s, shape (n,).
    """

    begins: NDArray[np.bool_]
    q: Array
    v: Array
    multipliers: Array
    h: Array


def records_of(request: Request) -> int:
    """Number of recorded states of a complete run, including the initial state if it is recorded."""
    plan, every = request.plan, request.record_every
    first = int(request.records_start)
    if not every:
        return first + sum(plan.record_end)
    ends = np.cumsum(plan.steps)
    # Segments without steps are recorded separately.
    extra = sum(
        wanted and (int(end) % every != 0 or start == stop)
        for end, wanted, start, stop in zip(ends, plan.record_end, plan.start, plan.end, strict=True)
    )
    return first + plan.total_steps // every + extra


class MemberLoop:
    """Compiled loop of a method over members.

    Parameters
    ----------
    system
        One of the systems; the others differ in values.
    request
        Common request of all members.
    prepared
        Preprocessed parameters of all members, with a leading axis.
    starts
        Initial states.
    lanes
        Number of SIMD lanes.

    Attributes
    ----------
    t, q, v, multipliers, carried
        Recorded states, shape (n, records), and (n, records, components); NaN for missing records.
    status
        Final status of each member, a `symlie.contract.constants.Status`, shape (n,).
    events
        Events of each member in the order of detection.
    compile_seconds
        Compile time of the loop, in s.
    """

    def __init__(
        self, system: System, request: Request, prepared: Prepared, starts: MemberStarts, lanes: int = 1
    ) -> None:
        layout, count = system.layout, len(starts.q)
        self._layout, self._count, self._request = layout, count, request
        self._compiled = compiled = CompiledMethod(system, request.method, request.control)
        library, self.compile_seconds = compiled.library, compiled.compile_seconds
        self._pointer = library.ffi.from_buffer
        self._sizes = (layout.storage, layout.dimension, layout.rows, layout.carried_size)
        self._own, self._events = request.method.own_size(layout), len(layout.events)
        self._problems, self._held = compiled.problems(prepared)
        self._integrate, self._memory = library.call.symlie_integrate_members, compiled.workspace()
        if lanes > 1:
            side_by_side = LanesCall(system, compiled, prepared, lanes)
            self._integrate, self._memory = side_by_side.integrate, side_by_side.structure
            self.compile_seconds += side_by_side.compile_seconds
            self._held.append(side_by_side)
        known = {"q": starts.q, "v": starts.v, "lambda": starts.multipliers}
        others = {
            "carried": layout.carried_size,
            "acceleration": layout.dimension,
            "own": self._own,
            "event": self._events,
        }
        self._at = {name: np.array(rows) if rows.size else np.zeros((count, 1)) for name, rows in known.items()}
        self._at |= {name: np.zeros((count, max(size, 1))) for name, size in others.items()}
        self._states = StructureRows(library, "symlie_state", count)
        for name, rows in self._at.items():
            self._states.place(name, rows)
        self._states.set("t", np.full(count, request.plan.start[0]))
        self._states.set("h", starts.h)
        self.status = np.where(starts.begins, Status.BUDGET, Status.NOT_FINITE).astype(np.int32)
        self.events: list[list[Event]] = [[] for _ in range(count)]
        self._make_records(starts)
        self._plan = compiled.plan(request.plan, request.record_every)

    def _make_records(self, starts: MemberStarts) -> None:
        """Allocate the records of all members and store the initial ones."""
        count, first, most = self._count, int(self._request.records_start), records_of(self._request)
        # The capacity exceeds the number of records by one, since the loop reserves memory before it knows whether a
        # step is recorded.
        whole = [np.full((count, most + 1, size), np.nan) for size in (1, *self._sizes)]
        self._record = StructureRows(self._compiled.library, "symlie_record", count)
        for name, rows in zip(("t", "q", "v", "lambda", "carried"), whole, strict=True):
            self._record.place(name, rows[:, first:] if rows.size else np.zeros((count, 1)))
        self._record.set("capacity", np.full(count, most + 1 - first, dtype=np.int64))
        capacity = (MOST_EVENTS + EVENTS_AT_ONCE) * self._events
        self._record.set("event_capacity", np.full(count, capacity, dtype=np.int64))
        self._event_rows = np.zeros((count, capacity, 2 + sum(self._sizes) + self._own))
        if self._events:
            self._record.place("event", self._event_rows)
        time_rows, self.q, self.v, self.multipliers, self.carried = (rows[:, :most] for rows in whole)
        self.t = time_rows[:, :, 0]
        if first:
            self.t[starts.begins, 0] = self._request.t0
            stated = (starts.q, starts.v, starts.multipliers)
            for rows, values in zip((self.q, self.v, self.multipliers), stated, strict=True):
                rows[starts.begins, 0] = values[starts.begins]
            self.carried[starts.begins, 0] = 0.0

    def run(self, check: Callable[[], None], member_seconds: float | None = None) -> list[int]:
        """Integrate all members and return those that exceed `member_seconds`.

        `check` is called about every 50 ms; its exceptions end the loop.
        """
        late: list[int] = []
        member, budget, since = 0, 256, time.perf_counter()
        status = self._pointer("int[]", self.status)
        while member < self._count:
            before, begin, self._plan.budget = member, time.perf_counter(), budget
            member = self._integrate(
                self._problems, before, self._count, self._states.pointer, self._plan, self._record.pointer, status,
                self._memory,
            )  # fmt: skip
            now = time.perf_counter()
            if member < self._count and self.status[member] == Status.BUFFER_FULL:
                self._take_events(member)
                self.status[member] = Status.BUDGET
            if member != before:
                since = begin
            if member < self._count and member_seconds is not None and now - since > member_seconds:
                late.append(member)
                self.status[member] = Status.TOO_MANY_STEPS
                member, since = member + 1, now
            check()
            wanted = int(budget * RETURN_SECONDS / 2 / max(now - begin, 1e-9))
            budget = max(1, min(4 * budget, wanted, MOST_STEPS))
        for k in range(self._count if self._events else 0):
            self._take_events(k)
        return late

    def _take_events(self, member: int) -> None:
        record = self._record.pointer[member]
        for row in self._event_rows[member, : record.events]:
            q, v, multipliers, carried, own = (x.copy() for x in np.split(row[2:], np.cumsum(self._sizes)))
            value = self._layout.events[int(row[0])]
            stated = value.name, value.instance, float(row[1])
            self.events[member].append(Event(*stated, q, v, multipliers, carried, value.is_terminal, own))
        record.events = 0

    def count(self, name: str) -> NDArray[np.int64]:
        """An integer field of `symlie.runtime.integrate.loop_state.Counters` for each member."""
        return self._states.integers(name)

    @property
    def end_times(self) -> Array:
        """Final times of the members, in s, shape (n,)."""
        return self._states.numbers("t")

    def end(self, member: int) -> LoopState:
        """Final loop state of a member."""
        s = self._states.pointer[member]
        q, v, multipliers, carried, acceleration, own, event = (rows[member].copy() for rows in self._at.values())
        _, _, rows, size = self._sizes
        at = Start(
            q,
            v,
            multipliers[:rows],
            carried[:size],
            s.h,
            acceleration if s.acceleration_is_valid else None,
            event[: self._events] if s.event_is_valid else None,
            own[: self._own] if self._own and s.own_is_valid else None,
        )
        return LoopState(s.t, at, counters_of(self._compiled.library, self._states.pointer + member))
