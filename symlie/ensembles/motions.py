"""Integration of members: in one compiled loop if possible, otherwise sequentially.

Each member is bitwise identical to its separate run with `solve`, independent of the chunk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from symlie.compile.compiler import vector_numbers
from symlie.contract.constants import Status
from symlie.ensembles.chunk_rows import ChunkRows, StoppedError
from symlie.ensembles.design import Design
from symlie.ensembles.quantities import MemberRecords, Recorded, values_of_members
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.errors import IntegrationError, SymlieError, TimeLimitError
from symlie.runtime.integrate.members import MemberLoop, MemberStarts
from symlie.runtime.integrate.progress import Done
from symlie.runtime.integrate.request import Request, beginning, first_steps, requested
from symlie.runtime.integrate.run import FAILURES, Run
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.solve import solve
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.initial_values import field_rows, is_joint_rate
from symlie.runtime.system.inputs import slots_and_tables
from symlie.runtime.system.ordinary_start import has_ordinary_values, ordinary_starts
from symlie.runtime.system.state_rates import gives_velocities_of_bodies
from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class MotionTask:
    """Task that integrates members."""

    design: Design
    """The members."""
    t_span: tuple[float, float] | float
    """Time span of `solve`."""
    options: RunOptions
    """Options of the runs."""
    wanted: tuple[Recorded, ...]
    """Recorded quantities."""
    times: Array
    """Times of the histories, in s; empty if only ends are recorded."""
    member_seconds: float | None = None
    """Time limit for a member, in s."""
    lanes: int | None = 1
    """Number of members in SIMD lanes; None: as many as registers hold."""
    line: ClassVar[int] = 1

    def of(self, design: Design) -> Self:
        """Return the task for different members."""
        return replace(self, design=design)

    def part(self, begin: int, end: int) -> Self:
        """Return the task for a range of members, by index."""
        return self.of(self.design.part(begin, end))

    def again(self, row: int) -> Solution:
        """Integrate a member again and return its complete solution."""
        options = self.options
        if options.h is None and options.t_eval is None:
            options = replace(options, record_every=1)
        return solve(self.design.member(row), self.t_span, **options.arguments)

    def run(self, check: Callable[[], None]) -> MemberResults:
        """Integrate all members."""
        design = self.design
        request = requested(design.system, self.t_span, self.options)
        rows = ChunkRows(design, len(self.times) or 1)
        prepared = None
        with np.errstate(all="ignore"):
            if runs_together(design):
                prepared = prepared_members(design)
                _together(self, request, rows, prepared, check)
            else:
                _one_by_one(self, range(len(design)), rows, check)
        return self.results(rows, prepared)

    def results(self, rows: ChunkRows, prepared: Prepared | None) -> MemberResults:
        """Return results of members from recorded states; `prepared` has the parameters of all
        members, if available."""
        with np.errstate(all="ignore"):
            values = values_of_members(self.design, self.wanted, prepared, rows.states)
        if not len(self.times):
            values = {name: found[:, -1] for name, found in values.items()}
        return rows.results(self.design, values)


def runs_together(design: Design) -> bool:
    """Return whether one compiled loop can integrate all members, which must have the same stop times."""
    layout = design.system.layout
    places = [layout.parameters[name][0] for name in layout.manifest.breakpoints]
    have_one_plan = not design.inputs and all(
        (design.parameters[:, p] == design.system.parameters[p]).all() for p in places
    )
    return isinstance(design.system.kernels, CKernels) and have_one_plan


def _one_by_one(task: MotionTask, members: Iterable[int], rows: ChunkRows, check: Callable[[], None]) -> None:
    """Integrate members individually."""
    for row in members:
        if row in task.design.refused:
            continue
        begin = time.perf_counter()

        def look(done: Done, begin: float = begin) -> None:
            check()
            if task.member_seconds is not None and time.perf_counter() - begin > task.member_seconds:
                raise _late(task)

        try:
            solution = solve(task.design.member(row), task.t_span, progress=look, **task.options.arguments)
        except StoppedError:
            return
        except SymlieError as error:
            if isinstance(error, IntegrationError) and isinstance(error.solution, Solution):
                rows.put(row, error.solution, task.times)
            rows.fail(row, error)
            continue
        rows.status[row] = MemberStatus.OK if solution.status == "ok" else MemberStatus.EVENT
        rows.put(row, solution, task.times)


def _late(task: MotionTask) -> TimeLimitError:
    return TimeLimitError(f"The member exceeded its time limit, member_seconds = {task.member_seconds:g} s.")


def _together(
    task: MotionTask, request: Request, rows: ChunkRows, prepared: Prepared, check: Callable[[], None]
) -> None:
    """Integrate all members in one compiled loop, except those that it does not support, which run individually."""
    design, system = task.design, task.design.system
    starts, others = _starts(design, request, prepared, rows)
    lanes = task.lanes or vector_numbers(system.optimize)
    loop = MemberLoop(system, request, prepared, starts, lanes)
    begin = time.thread_time()
    late: list[int] = []
    try:
        late = loop.run(check, task.member_seconds)
    except StoppedError:
        others = []
    spent = time.thread_time() - begin
    steps, rejected = loop.count("steps"), loop.count("rejected")
    share = (steps + rejected) / max(int((steps + rejected).sum()), 1)
    here = starts.begins
    rows.steps[here], rows.rejected[here], rows.cpu_seconds[here] = steps[here], rejected[here], spent * share[here]
    rows.end_time[here] = loop.end_times[here]
    rows.status[here & (loop.status == Status.DONE)] = MemberStatus.OK
    rows.status[here & np.isin(loop.status, (Status.EVENT, Status.ACCUMULATION))] = MemberStatus.EVENT
    _take_records(task, loop, rows)
    if request.settings["multipliers"] == "index1" and system.layout.rows:
        rows.states.multipliers[:] = _index1(system, prepared, rows.states)
    for row in np.flatnonzero(here).tolist():
        rows.events[row] = tuple(sorted(loop.events[row], key=lambda e: e.t))
        status = Status(int(loop.status[row]))
        if status is Status.BUDGET:
            continue
        if row in late:
            rows.fail(row, _late(task))
        elif status in FAILURES:
            member = design.member(row)
            run = Run(
                member,
                request.method,
                request.plan,
                request.control,
                request.record_every,
                request.settings,
                member.timings,
                loop.end(row),
            )
            rows.fail(row, run.failure(status, loop.end(row)))
    _one_by_one(task, others, rows, check)


def _take_records(task: MotionTask, loop: MemberLoop, rows: ChunkRows) -> None:
    """Copy recorded states to their times, or the last states if only ends are recorded."""
    found = (loop.t, loop.q, loop.v, loop.multipliers, loop.carried)
    if not len(task.times):
        last = np.maximum(np.isfinite(loop.t).sum(axis=1) - 1, 0)
        for target, values in zip(rows.states.parts, found, strict=True):
            target[:, -1] = values[np.arange(len(values)), last]
        return
    kept = loop.t == task.times
    for target, values in zip(rows.states.parts, found, strict=True):
        target[kept] = values[kept]


def _index1(system: System, prepared: Prepared, states: MemberRecords) -> Array:
    assert isinstance(system.kernels, CKernels)
    count, records = states.t.shape
    flat = States(*(rows.reshape(count * records, *rows.shape[2:]) for rows in states.parts))
    return system.kernels.observe(prepared, flat, ("multipliers",))["multipliers"].reshape(count, records, -1)


def prepared_members(design: Design) -> Prepared:
    """Return the prepared parameters of all members."""
    system, count = design.system, len(design)
    assert isinstance(system.kernels, CKernels)
    slots, tables = slots_and_tables(system.layout, system.inputs)
    p = np.hstack([design.parameters, np.broadcast_to(slots, (count, len(slots)))])
    elements = [np.broadcast_to(rows, (count, *rows.shape[1:])) for rows in design.elements]
    found = system.kernels.prepare(p, elements)
    return Prepared(np.hstack([found.model, np.broadcast_to(tables, (count, len(tables)))]), found.elements)


def _starts(design: Design, request: Request, prepared: Prepared, rows: ChunkRows) -> tuple[MemberStarts, list[int]]:
    """Return the initial values of members, and the members that the loop does not support."""
    system, layout, count = design.system, design.system.layout, len(design)
    begins = np.zeros(count, dtype=bool)
    q, v = np.zeros((count, layout.storage)), np.zeros((count, layout.dimension))
    multipliers, h = np.zeros((count, layout.rows)), np.zeros(count)
    open_rows = [row for row in range(count) if row not in design.refused]
    others: list[int] = []
    gives_rates = any(is_joint_rate(layout, key) for key in design.initial)
    asks_joints = system.branch_check is not None and layout.joints and design.initial
    is_ordinary = has_ordinary_values(system) and not gives_velocities_of_bodies(layout, design.initial)
    if request.t0 == 0 and is_ordinary and not (asks_joints or gives_rates):
        assert isinstance(system.kernels, CKernels)
        stated_q, stated_v, given = _stated(design, prepared)
        found = ordinary_starts(system, prepared, stated_q, stated_v, given)
        begins[:] = found.is_ordinary
        begins[list(design.refused)] = False
        q[begins], v[begins], multipliers[begins] = found.q[begins], found.v[begins], found.multipliers[begins]
        if request.control.is_adaptive:
            h[:] = first_steps(system.kernels, prepared, request, q, v)
        open_rows = [row for row in open_rows if not begins[row]]
    for row in open_rows:
        try:
            member = design.member(row)
            start = beginning(member, request).at
        except SymlieError as error:
            rows.fail(row, error)
            continue
        if member.mechanics.saddle_algebra is not None or start.own is not None:
            others.append(row)
            continue
        begins[row], q[row], v[row], multipliers[row], h[row] = True, start.q, start.v, start.multipliers, start.h
    return MemberStarts(begins, q, v, multipliers, h), others


def _stated(design: Design, prepared: Prepared) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the specified configurations and velocities of all members, and a mask of the given
    velocity components."""
    system, layout, count = design.system, design.system.layout, len(design)
    q0, v0, given = system.stated_values()
    assert isinstance(system.kernels, CKernels)
    q, v = np.repeat(q0[None], count, axis=0), np.repeat(v0[None], count, axis=0)
    computed_q, computed_v = system.kernels.initial(prepared)
    stated = {n.name: n for n in layout.manifest.nodes}
    at_q = at_v = 0
    for node in layout.nodes:
        if not stated[node.name].has_numbers:
            width, dimension = node.type.storage, node.type.dimension
            q[:, node.storage] = computed_q[:, at_q : at_q + width]
            v[:, node.velocity] = computed_v[:, at_v : at_v + dimension]
            at_q, at_v = at_q + width, at_v + dimension
    given = given.copy()
    for (name, label), values in design.initial.items():
        node = layout.node(name)
        field_rows(node, label, np.zeros(layout.storage, dtype=bool), given)[:] = True
        places = np.arange(layout.storage), layout.storage + np.arange(layout.dimension)
        columns = field_rows(node, label, *places)
        chosen, columns = (q, columns) if columns[0, 0] < layout.storage else (v, columns - layout.storage)
        chosen[:, columns] = values
    return q, v, given
