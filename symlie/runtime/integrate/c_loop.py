"""The compiled time loop: its state, step schedule, record buffers and statuses."""

from __future__ import annotations

import dataclasses
import functools
import struct

import numpy as np

from symlie.compile.library import Library, Pointer
from symlie.contract.constants import MOST_EVENTS, TRACE_WIDTH, Status
from symlie.runtime.integrate.compiled_method import PLAN_TYPES, Compiled, CompiledMethod
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.kernels.c_structures import C_TYPES, Block
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System

RECORD_BYTES = 1 << 24
"""Size of the record buffer."""

STATES_OF_STEP = 4
"""Largest number of states recorded in one step: both sides of a switch, and of a change of the state at its end."""

LEAST_SPEED = 5120.0
"""Lower bound of steps times velocities per second for any method, which makes short runs a single call of the loop."""


STATUSES = tuple(Status)
"""Statuses of the loop in the order of their numbers."""

_FIELDS = dataclasses.fields(Counters)

_FORMAT = struct.Struct("=" + "".join("d" if f.type == "float" else "q" for f in _FIELDS))


_NOTHING = np.zeros(0)


def put_counters(library: Library, state: Pointer, counters: Counters) -> None:
    """Write counters to a ``symlie_state *``, whose members have the same order."""
    _FORMAT.pack_into(library.ffi.buffer(state), _offset(library.ffi), *vars(counters).values())


def counters_of(library: Library, state: Pointer) -> Counters:
    """Read the counters of a ``symlie_state *``."""
    return Counters(*_FORMAT.unpack_from(library.ffi.buffer(state), _offset(library.ffi)))


@functools.cache
def _offset(ffi: Pointer) -> int:
    return int(ffi.offsetof("symlie_state", _FIELDS[0].name))


def state_block(layout: Layout, method: Method, start: Start, width: int = 1) -> Block:
    """Arrays of ``symlie_state`` by name. Unknown values are zero, and each array has at least one entry; entries have
    a number of doubles, the first of which is the value."""
    known = {
        "q": (layout.storage, start.q),
        "v": (layout.dimension, start.v),
        "lambda": (layout.rows, start.multipliers),
        "carried": (layout.carried_size, start.carried),
        "acceleration": (layout.dimension, start.acceleration),
        "own": (method.own_size(layout), start.own),
        "event": (len(layout.events), start.event),
    }
    block = Block({name: width * max(size, 1) for name, (size, _) in known.items()})
    for name, (size, values) in known.items():
        if values is not None:
            block.arrays[name][: width * size : width] = values
    return block


class CompiledIntegration:
    """An integration in compiled code that can be continued until it is done.

    Attributes
    ----------
    q, v, multipliers, carried, acceleration, event, own
        The current state; the compiled loop overwrites it.
    state
        Times, step size and statistics.
    steps_per_second
        Lower bound for any method.
    """

    def __init__(
        self,
        system: System,
        method: Method,
        plan: Plan,
        control: StepControl,
        begin: LoopState,
        *,
        record_every: int,
        with_trace: bool = False,
        compiled: Compiled | None = None,
        width: int = 1,
    ) -> None:
        layout, start = system.layout, begin.at
        self.steps_per_second = LEAST_SPEED / max(1, layout.dimension)
        self._compiled = compiled = compiled or CompiledMethod(system, method, control)
        self.library = library = compiled.library
        self._integrate = library.call.symlie_integrate
        self.compile_seconds = compiled.compile_seconds
        self._sizes = (layout.storage, layout.dimension, layout.rows, layout.carried_size)
        self._events = len(layout.events) if method.locates_events(layout) else 0
        self._own = method.own_size(layout)
        self.state = library.ffi.new("symlie_state *")
        block = state_block(layout, method, start, width)
        block.point(library, self.state)
        self._arrays = block.arrays
        self._state = state = {name: array[::width] for name, array in block.arrays.items()}
        self.q, self.v, self.multipliers, self.carried = (state[name] for name in ("q", "v", "lambda", "carried"))
        self.acceleration, self.own, self.event = (state[name] for name in ("acceleration", "own", "event"))
        self._put_numbers(begin)
        self._plan = compiled.plan(plan, record_every)
        self._segments: tuple[struct.Struct, memoryview] | None = None
        self._plan.record_switches = record_every == 1
        self._plan.record_changes = record_every > 0
        self._record = library.ffi.new("symlie_record *")
        of_state = 8 * width * (1 + sum(self._sizes))
        most = RECORD_BYTES // of_state if control.is_adaptive else min(RECORD_BYTES // of_state, plan.total_steps + 1)
        self._record.capacity = most = max(STATES_OF_STEP, most)
        own_widths = (width, *(width * size for size in self._sizes))
        widths = dict(zip(("t", "q", "v", "lambda", "carried"), own_widths, strict=True))
        if with_trace:
            widths["trace"] = TRACE_WIDTH
        sizes = {name: max(most * each, 1) for name, each in widths.items()}
        if self._events:
            self._record.event_capacity = max(most, MOST_EVENTS * self._events)
            sizes["event"] = self._record.event_capacity * width * (2 + sum(self._sizes) + self._own)
        records = Block(sizes, np.empty)
        records.point(library, self._record)
        self._buffers = records.arrays
        self.problem = compiled.problem
        self.problem.workspace = self._workspace = compiled.workspace()

    def advance(self, budget: int) -> Status:
        self._plan.budget = budget
        status: int = self._integrate(self.problem, self.state, self._plan, self._record)
        return STATUSES[status]

    def replan(self, plan: Plan, segment: int, step: int) -> None:
        """Go on with another step schedule, at a step of one of its segments; its number of segments is constant."""
        if self._segments is None:
            self._segments = self._own_segments(len(plan.end))
        packing, memory = self._segments
        packing.pack_into(memory, 0, *plan.start, *plan.end, *plan.steps, *plan.record_end, *plan.restarts)
        self.state.segment, self.state.step = segment, step

    def _own_segments(self, count: int) -> tuple[struct.Struct, memoryview]:
        """Separate memory for segments, which other runs share otherwise, and its format."""
        kinds = [np.dtype(kind) for kind in PLAN_TYPES.values()]
        packing = struct.Struct("".join(f"{count}{kind.char}" for kind in kinds))
        memory, begin = np.zeros(packing.size // 8 + 1), 0
        for name, kind in zip(PLAN_TYPES, kinds, strict=True):
            part = memory.view(np.uint8)[begin : begin + count * kind.itemsize]
            setattr(self._plan, name, self.library.pointer(part, f"{C_TYPES[kind]}[]"))
            begin += part.size
        self._plan.segments = count
        return packing, memory.data

    def put(self, state: LoopState) -> None:
        """Replace the current state."""
        at = state.at
        known = at.q, at.v, at.multipliers, at.carried, at.acceleration, at.own, at.event
        names = "q", "v", "lambda", "carried", "acceleration", "own", "event"
        for name, values in zip(names, known, strict=True):
            self._state[name][:] = 0.0
            if values is not None:
                self._state[name][: len(values)] = values
        self._put_numbers(state)

    def _put_numbers(self, state: LoopState) -> None:
        at = state.at
        self.state.t, self.state.h = state.t, at.h
        put_counters(self.library, self.state, state.counters)
        self.state.acceleration_is_valid = at.acceleration is not None
        self.state.own_is_valid, self.state.event_is_valid = at.own is not None, at.event is not None

    @property
    def t(self) -> float:
        return float(self.state.t)

    @property
    def h(self) -> float:
        return float(self.state.h)

    @h.setter
    def h(self, h: float) -> None:
        self.state.h = h

    @property
    def steps(self) -> int:
        return int(self.state.steps)

    @property
    def step(self) -> int:
        return int(self.state.step)

    @property
    def segment(self) -> int:
        return int(self.state.segment)

    @property
    def pause(self) -> int:
        return int(self._plan.pause)

    @pause.setter
    def pause(self, segment: int) -> None:
        self._plan.pause = segment

    @property
    def new_events(self) -> int:
        return int(self._record.events)

    def parts(self) -> tuple[Array, Array, Array, Array]:
        rows, carried = self._sizes[2:]
        multipliers = self.multipliers[:rows].copy() if rows else _NOTHING
        return self.q.copy(), self.v.copy(), multipliers, self.carried[:carried].copy() if carried else _NOTHING

    def captured(self, cpu_seconds: float = 0.0, is_done: bool = False) -> LoopState:
        s = self.state
        at = Start(
            self.q.copy(),
            self.v.copy(),
            self.multipliers[: self._sizes[2]].copy(),
            self.carried[: self._sizes[3]].copy(),
            s.h,
            self.acceleration.copy() if s.acceleration_is_valid else None,
            self.event[: self._events].copy() if s.event_is_valid else None,
            self.own[: self._own].copy() if self._own and s.own_is_valid else None,
        )
        return LoopState(s.t, at, counters_of(self.library, s), cpu_seconds, is_done)

    def _recorded(self, n: int) -> tuple[Array, ...]:
        """Recorded t, q, v, λ and auxiliary states."""
        names = ("q", "v", "lambda", "carried")
        states = (self._buffers[name][: n * size] for name, size in zip(names, self._sizes, strict=True))
        return self._buffers["t"][:n], *states

    def _recorded_events(self, n: int) -> Array:
        """Index, t, q, v, λ, auxiliary state and method history of recorded events, shape (n, width)."""
        return self._buffers["event"].reshape(self._record.event_capacity, -1)[:n]

    def drain(self, recorder: Recorder) -> None:
        record, buffers = self._record, self._buffers
        recorder.add_states(*self._recorded(record.count))
        record.count = 0
        if "trace" in buffers:
            recorder.add_trace(buffers["trace"][: TRACE_WIDTH * record.tried])
        record.tried = 0
        if record.events:
            ends = np.cumsum(self._sizes)
            for row in self._recorded_events(record.events):
                recorder.add_event(int(row[0]), float(row[1]), *np.split(row[2:], ends))
            record.events = 0
