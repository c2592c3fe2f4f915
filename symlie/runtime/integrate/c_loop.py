"""The compiled time loop: its state, plan and record buffers, and what its statuses mean."""

from __future__ import annotations

import numpy as np

from symlie.compile.library import Pointer
from symlie.contract.constants import MOST_EVENTS, TRACE_WIDTH, Status
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.loop_state import COUNTERS, Counters, LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System

RECORD_BYTES = 1 << 24
"""Size of the record buffer."""


def state_arrays(layout: Layout, method: Method, start: Start) -> dict[str, Array]:
    """Arrays of ``symlie_state`` by name; what is not known yet is zero, and none is without entries."""
    known = {
        "q": (layout.storage, start.q),
        "v": (layout.dimension, start.v),
        "lambda": (layout.rows, start.multipliers),
        "carried": (layout.carried_size, start.carried),
        "acceleration": (layout.dimension, start.acceleration),
        "own": (method.own_size(layout), start.own),
        "event": (len(layout.events), start.event),
    }
    arrays = {name: np.zeros(max(size, 1)) for name, (size, _) in known.items()}
    for name, (size, values) in known.items():
        if values is not None:
            arrays[name][:size] = values
    return arrays


class CompiledIntegration:
    """An integration in compiled code that can be continued until it is done.

    Attributes
    ----------
    q, v, multipliers, carried, acceleration, event, own
        The current state; written by the compiled loop.
    state
        Times, step size and statistics.
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
    ) -> None:
        layout, start = system.layout, begin.at
        self._compiled = CompiledMethod(system, method, control)
        self.library, self.compile_seconds = self._compiled.library, self._compiled.compile_seconds
        ffi = self.library.ffi
        self._sizes = (layout.storage, layout.dimension, layout.rows, layout.carried_size)
        self._events, self._own = len(layout.events), method.own_size(layout)
        state = state_arrays(layout, method, start)
        self.q, self.v, self.multipliers, self.carried = (state[name] for name in ("q", "v", "lambda", "carried"))
        self.acceleration, self.own, self.event = (state[name] for name in ("acceleration", "own", "event"))
        self.state = ffi.new("symlie_state *", {"t": begin.t, "h": start.h, **vars(begin.counters)})
        for name in ("acceleration", "own", "event"):
            setattr(self.state, f"{name}_is_valid", getattr(start, name) is not None)
        self._plan = ffi.new("symlie_plan *", {"segments": len(plan.end), "record_every": record_every})
        self._plan.control = self._compiled.control
        self._record = ffi.new("symlie_record *")
        width = 8 * (1 + sum(self._sizes))
        most = RECORD_BYTES // width if control.is_adaptive else min(RECORD_BYTES // width, plan.total_steps + 1)
        self._record.capacity = max(1, most)
        self._record.event_capacity = max(most, MOST_EVENTS * len(layout.events))
        sizes = {"t": 1, "q": layout.storage, "v": layout.dimension, "lambda": max(layout.rows, 1)}
        sizes["carried"] = max(layout.carried_size, 1)
        if with_trace:
            sizes["trace"] = TRACE_WIDTH
        self._buffers = {name: np.empty((self._record.capacity, size)) for name, size in sizes.items()}
        if len(layout.events):
            self._buffers["event"] = np.empty((self._record.event_capacity, 2 + sum(self._sizes) + self._own))
        self.problem = self._compiled.problem
        self.problem.workspace = self._workspace = self._compiled.workspace()
        held: dict[Pointer, dict[str, Array]] = {
            self.state: state,
            self._plan: {
                "start": np.array(plan.start),
                "end": np.array(plan.end),
                "steps": np.array(plan.steps, dtype=np.int64),
                "record_end": np.array(plan.record_end, dtype=np.uint8),
            },
            self._record: self._buffers,
        }
        for target, arrays in held.items():
            for name, array in arrays.items():
                setattr(target, name, self._compiled.held(array))

    def advance(self, budget: int) -> Status:
        self._plan.budget = budget
        return Status(self.library.call.symlie_integrate(self.problem, self.state, self._plan, self._record))

    def captured(self) -> LoopState:
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
        return LoopState(s.t, at, Counters(**{name: getattr(s, name) for name in COUNTERS}))

    def drain(self, recorder: Recorder) -> None:
        n, (_, _, rows, carried) = self._record.count, self._sizes
        buffers = self._buffers
        recorder.add_states(
            buffers["t"][:n, 0],
            buffers["q"][:n],
            buffers["v"][:n],
            buffers["lambda"].ravel()[: n * rows],
            buffers["carried"].ravel()[: n * carried],
        )
        self._record.count = 0
        if "trace" in buffers:
            recorder.add_trace(buffers["trace"][: self._record.tried])
        self._record.tried = 0
        for row in buffers["event"][: self._record.events] if "event" in buffers else ():
            parts = np.split(row[2:], np.cumsum(self._sizes))
            recorder.add_event(int(row[0]), float(row[1]), *parts)
        self._record.events = 0
