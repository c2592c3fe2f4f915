"""Time loop for numbers with tangents: each step computes its end and the derivatives of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.contract.constants import Status
from symlie.errors import SingularSystemError
from symlie.runtime.integrate.c_loop import STATUSES, CompiledIntegration
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.sensitivities.tangent_method import TangentMethod
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.layout import Array


@dataclass(frozen=True, eq=False)
class StateTangents:
    """Tangents of recorded states, shape (states, components, tangents): t, q in the Lie algebra, v, λ and outputs.

    The times of states at events have tangents, and the other tangents are those at these times.
    """

    t: Array
    q: Array
    v: Array
    multipliers: Array
    outputs: Array

    @staticmethod
    def joined(parts: Sequence[StateTangents]) -> StateTangents:
        """Return the tangents of consecutive states."""
        if len(parts) == 1:
            return parts[0]
        return StateTangents(*(np.concatenate([getattr(x, name) for x in parts]) for name in _NAMES))

    @staticmethod
    def side_by_side(parts: Sequence[StateTangents]) -> StateTangents:
        """Return the tangents of the same states in further directions."""
        if len(parts) == 1:
            return parts[0]
        return StateTangents(*(np.concatenate([getattr(x, name) for x in parts], axis=2) for name in _NAMES))


_NAMES = ("t", "q", "v", "multipliers", "outputs")


class TangentLoop(CompiledIntegration):
    """Time loop of a run with tangents.

    Parameters
    ----------
    run
        The run.
    variables
        Variables of the tangents, at most ``tangents``.
    start
        Tangents of q, in the Lie algebra, and of v at the start, shape (tangents, dimension).
    outputs
        Indices of the outputs to be differentiated.
    sink
        Function that receives the tangents of consecutive recorded states.

    Attributes
    ----------
    events
        Tangents of the states at events, in parts.
    """

    def __init__(
        self,
        run: Run,
        variables: Sequence[Variable],
        tangents: int,
        start: tuple[Array, Array],
        outputs: Sequence[int],
        sink: Callable[[StateTangents], None],
    ) -> None:
        self._width, layout = 1 + tangents, run.system.layout
        super().__init__(
            run.system,
            run.method,
            run.plan,
            run.control,
            run.begin,
            record_every=run.record_every,
            with_trace=bool(run.settings["trace"]),
            compiled=TangentMethod(run.system, run.method, run.control, variables, tangents),
            width=self._width,
        )
        self._sink, self._count = sink, len(variables) or len(start[0])
        self.events: list[StateTangents] = []
        self._time = np.zeros(self._width)
        self._time[0] = self.t
        self.state.time = self.library.pointer(self._time)
        sizes = [part.stop - part.start for part, _ in layout.outputs.values()]
        self._outputs = np.array(outputs, dtype=np.int64), sum(sizes[k] for k in outputs)
        self._begin(layout.dimension, start)

    def _begin(self, dimension: int, start: tuple[Array, Array]) -> None:
        """Set the tangents of the initial state."""
        theta = np.zeros((max(dimension, 1), self._width))
        v = self._arrays["v"].reshape(-1, self._width)
        for k, (dq, dv) in enumerate(zip(*start, strict=True), start=1):
            theta[:dimension, k], v[:dimension, k] = dq, dv
        pointer = self.library.pointer
        parts = [pointer(self._arrays[name]) for name in ("q", "v", "lambda", "acceleration")]
        status = self.library.call.symlie_begin_tangents(self.problem, self.t, pointer(theta), *parts)
        if STATUSES[status] is not Status.DONE:
            raise SingularSystemError(
                "The linear system at the start is singular, so that the derivatives of the initial accelerations are "
                "not determined."
            )

    def keep_start(self) -> None:
        """Take the tangents of the current state as those of a recorded one."""
        sizes = [self._width * size for size in self._sizes]
        names = "q", "v", "lambda"
        states = (self._arrays[n][:size] for n, size in zip(names, sizes, strict=False))
        self._sink(self._tangents(self._time, *states))

    def _recorded(self, n: int) -> tuple[Array, ...]:
        sizes = [n * self._width * size for size in (1, *self._sizes)]
        names = "t", "q", "v", "lambda", "carried"
        found = [self._buffers[name][:size] for name, size in zip(names, sizes, strict=True)]
        if n:
            self._sink(self._tangents(*found[:4]))
        return tuple(x[:: self._width].copy() for x in found)

    def _recorded_events(self, n: int) -> Array:
        rows = super()._recorded_events(n).reshape(n, -1, self._width)
        ends = 2 + np.cumsum(self._sizes[:3])
        parts = [part.ravel() for part in np.split(rows[:, 1 : ends[-1]], [1, *(ends[:2] - 1)], axis=1)]
        t, q, v, multipliers = parts
        self.events.append(self._tangents(t, q, v, multipliers))
        return np.ascontiguousarray(rows[..., 0])

    def _tangents(self, t: Array, q: Array, v: Array, multipliers: Array) -> StateTangents:
        """Return the tangents of states, given as flat arrays of numbers with tangents."""
        library, pointer, n = self.library, self.library.pointer, len(t) // self._width
        wanted, size = self._outputs
        theta, outputs = (np.zeros((n, max(s, 1), self._width)) for s in (self._sizes[1], size))
        states = [np.ascontiguousarray(x) if x.size else np.zeros(self._width) for x in (q, v, multipliers)]
        library.call.symlie_increment_tangents(self.problem, n, pointer(states[0]), pointer(theta))
        if len(wanted):
            arguments = pointer(np.ascontiguousarray(t)), *map(pointer, states), len(wanted)
            places = pointer(wanted, "long long[]")
            library.call.symlie_output_tangents(self.problem, n, *arguments, places, pointer(outputs))
        tangents = slice(1, 1 + self._count)
        parts = [
            t.reshape(n, 1, self._width),
            theta[:, : self._sizes[1]],
            *(x.reshape(n, -1, self._width) for x in (v, multipliers)),
            outputs[:, :size],
        ]
        return StateTangents(*(np.array(x[..., tangents]) for x in parts))
