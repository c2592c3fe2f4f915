"""The compiled time loop: its state, plan and record buffers, and what its statuses mean."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from symlie.runtime.initial import InitialState
from symlie.runtime.layout import Array
from symlie.runtime.methods import Method
from symlie.runtime.plan import Plan
from symlie.runtime.problem import build_problem, problem_tables
from symlie.runtime.system import System
from symlie.runtime.tables import driver_source

RECORD_BYTES = 1 << 24
"""Size of the record buffer."""


class Status(enum.IntEnum):
    """What the compiled loop reports; the same numbers as in ``status.h``."""

    DONE = 0
    BUFFER_FULL = 1
    BUDGET = 2
    NOT_FINITE = 3
    SINGULAR = 4
    OUTSIDE_CHART = 5


class CompiledIntegration:
    """An integration in compiled code that can be continued until it is done.

    Attributes
    ----------
    q, v, multipliers
        The current state; written by the compiled loop.
    state
        Times and statistics.
    """

    def __init__(self, system: System, method: Method, plan: Plan, initial: InitialState, *, record_every: int) -> None:
        layout = system.layout
        algebra = "fixed_algebra.h" if layout.is_fixed else "structured_algebra.h"
        self.library, self.compile_seconds = system.driver_library(driver_source(method, layout.name, algebra))
        ffi, pointer = self.library.ffi, self.library.pointer
        self._rows = layout.rows
        self.q, self.v = initial.q.copy(), initial.v.copy()
        self.multipliers = np.zeros(max(layout.rows, 1))
        self.multipliers[: layout.rows] = initial.multipliers
        self.state = ffi.new("symlie_state *", {"t": plan.start[0]})
        self._plan = ffi.new("symlie_plan *", {"segments": len(plan.steps), "record_every": record_every})
        self._record = ffi.new("symlie_record *")
        width = 8 * (1 + layout.storage + layout.dimension + layout.rows)
        self._record.capacity = max(1, min(RECORD_BYTES // width, plan.total_steps + 1))
        sizes = {"t": 1, "q": layout.storage, "v": layout.dimension, "lambda": max(layout.rows, 1)}
        self._buffers = {name: np.empty((self._record.capacity, size)) for name, size in sizes.items()}
        self.problem, kept = build_problem(self.library, layout, problem_tables(layout), system.prepared)
        workspace = np.zeros(max(int(self.library.call.symlie_workspace(self.problem)), 1))
        held = {
            self.state: {"q": self.q, "v": self.v, "lambda": self.multipliers, "acceleration": np.zeros_like(self.v)},
            self._plan: {
                "start": np.array(plan.start),
                "end": np.array(plan.end),
                "steps": np.array(plan.steps, dtype=np.int64),
                "record_end": np.array(plan.record_end, dtype=np.uint8),
            },
            self._record: self._buffers,
        }
        kinds = {"int64": "long long[]", "uint8": "unsigned char[]"}
        self._pointers: list[Any] = [kept, pointer(workspace)]
        self.problem.workspace = self._pointers[1]
        for target, arrays in held.items():
            for name, array in arrays.items():
                self._pointers.append(pointer(array, kinds.get(array.dtype.name, "double[]")))
                setattr(target, name, self._pointers[-1])

    def advance(self, budget: int) -> Status:
        """Take up to ``budget`` steps."""
        self._plan.budget = budget
        return Status(self.library.call.symlie_integrate(self.problem, self.state, self._plan, self._record))

    def drain(self) -> tuple[Array, Array, Array, Array]:
        """Take the recorded (t, q, v, λ) out of the buffer."""
        n = self._record.count
        self._record.count = 0
        return (
            self._buffers["t"][:n, 0].copy(),
            self._buffers["q"][:n].copy(),
            self._buffers["v"][:n].copy(),
            self._buffers["lambda"].ravel()[: n * self._rows].reshape(n, self._rows).copy(),
        )
