"""Time loop for numbers with tangents: each step computes its end and the derivatives of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
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
            compiled=TangentMethod(run.system, run.method, run.control, variables, np.eye(len(variables), tangents)),
            width=self._width,
        )
        self._sink, self._count = sink, len(start[0])
        self.events: list[StateTangents] = []
        self._time = np.zeros(self._width)
        self._time[0] = self.t
        self.state.time = self.library.pointer(self._time)
        sizes = [part.stop - part.start for part, _ in layout.outputs.values()]
        self._outputs = np.array(outputs, dtype=np.int64), sum(sizes[k] for k in outputs)
        begin_tangents(self.library, self.problem, self.t, self._arrays, self._width, start)

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
        theta = np.zeros((n, max(self._sizes[1], 1), self._width))
        configurations = np.ascontiguousarray(q) if q.size else np.zeros(self._width)
        library.call.symlie_increment_tangents(self.problem, n, pointer(configurations), pointer(theta))
        outputs = outputs_with_tangents(library, self.problem, (t, q, v, multipliers), self._width, *self._outputs)
        tangents = slice(1, 1 + self._count)
        parts = [
            t.reshape(n, 1, self._width),
            theta[:, : self._sizes[1]],
            *(x.reshape(n, -1, self._width) for x in (v, multipliers)),
            outputs,
        ]
        return StateTangents(*(np.array(x[..., tangents]) for x in parts))


def begin_tangents(
    library: Library, problem: Pointer, t: float, arrays: Mapping[str, Array], width: int, start: tuple[Array, Array]
) -> None:
    """Set the tangents of the state at the start of a run, for those of q and v, shape (tangents, dimension); raise
    SingularSystemError."""
    dimension = start[0].shape[1]
    theta = np.zeros((max(dimension, 1), width))
    v = arrays["v"].reshape(-1, width)
    for k, (dq, dv) in enumerate(zip(*start, strict=True), start=1):
        theta[:dimension, k], v[:dimension, k] = dq, dv
    parts = [library.pointer(arrays[name]) for name in ("q", "v", "lambda", "acceleration")]
    status = library.call.symlie_begin_tangents(problem, t, library.pointer(theta), *parts)
    if STATUSES[status] is not Status.DONE:
        raise SingularSystemError(
            "The linear system at the start is singular, so that the derivatives of the initial accelerations are "
            "not determined."
        )


def outputs_with_tangents(
    library: Library, problem: Pointer, states: Sequence[Array], width: int, wanted: NDArray[np.int64], size: int
) -> Array:
    """Return outputs with given numbers and their tangents, shape (states, components, width), for flat arrays t, q, v
    and λ of numbers with tangents."""
    n = len(states[0]) // width
    outputs = np.zeros((n, max(size, 1), width))
    if len(wanted):
        arrays = [np.ascontiguousarray(x) if x.size else np.zeros(width) for x in states]
        places = library.pointer(wanted, "long long[]")
        arguments = *map(library.pointer, arrays), len(wanted), places, library.pointer(outputs)
        library.call.symlie_output_tangents(problem, n, *arguments)
    return outputs[:, :size]
