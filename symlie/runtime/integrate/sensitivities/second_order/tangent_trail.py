"""All states of a run with their tangents, from which cotangents with tangents are propagated in reverse."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.sensitivities.tangent_loop import begin_tangents, outputs_with_tangents
from symlie.runtime.integrate.sensitivities.tangent_method import TangentMethod
from symlie.runtime.integrate.sensitivities.tangent_run import finish
from symlie.runtime.integrate.sensitivities.trail import Start, Trail, TrailLoop, TrailOfRun
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder


class TangentTrail(NamedTuple):
    """States of a run as arrays of numbers with tangents, and the tangents of its outputs at recorded states.

    Attributes
    ----------
    trail
        The states; each number of q, v, λ, v' and the method history is a value with its tangents.
    outputs
        Tangents of all outputs, shape (states, components, tangents).
    end
        Tangents of q, in the Lie algebra, and of v at the end, shape (tangents, dimension).
    """

    trail: Trail
    outputs: Array
    end: tuple[Array, Array]


def tangent_trail(
    run: Run, start: Start, known: TrailOfRun, compiled: TangentMethod, starts: tuple[Array, Array]
) -> TangentTrail:
    """Return the states of a run with tangents, for those of q and v at the start, shape (tangents, dimension)."""
    loop = _TangentTrailLoop(run, start, compiled, starts)
    finish(loop, Recorder(run.system.layout))
    trail = loop.trail(known.trail)
    compiled.problem.workspace = workspace = compiled.workspace()
    found = TangentTrail(trail, _outputs(run, compiled, trail, known.recorded), _end(run, compiled, trail))
    del workspace
    return found


def _end(run: Run, compiled: TangentMethod, trail: Trail) -> tuple[Array, Array]:
    dimension, library, width = run.system.layout.dimension, compiled.library, compiled.width
    theta, q = np.zeros((max(dimension, 1), width)), np.ascontiguousarray(trail.q[-1])
    library.call.symlie_increment_tangents(compiled.problem, 1, library.pointer(q), library.pointer(theta))
    return theta[:dimension, 1:].T, trail.v[-1].reshape(-1, width)[:, 1:].T


def _outputs(run: Run, compiled: TangentMethod, trail: Trail, recorded: NDArray[np.int64]) -> Array:
    layout, width = run.system.layout, compiled.width
    t = np.zeros((len(recorded), width))
    t[:, 0] = trail.t[recorded]
    states = [x[recorded].ravel() for x in (trail.q, trail.v, trail.multipliers)]
    wanted = np.arange(len(layout.outputs), dtype=np.int64)
    found = outputs_with_tangents(
        compiled.library, compiled.problem, (t.ravel(), *states), width, wanted, layout.outputs_size
    )
    return found[..., 1:]


class _TangentTrailLoop(TrailLoop):
    """Time loop for numbers with tangents that records all states."""

    def __init__(self, run: Run, start: Start, compiled: TangentMethod, starts: tuple[Array, Array]) -> None:
        self._width = width = compiled.width
        super().__init__(run, run.begin, start, with_trace=False, compiled=compiled, width=width)
        self._time = np.zeros(width)
        self._time[0] = self.t
        self.state.time = self.library.pointer(self._time)
        begin_tangents(self.library, self.problem, self.t, self._arrays, width, starts)
        sizes = {"q": self._sizes[0], "v": self._sizes[1], "lambda": self._sizes[2]}
        sizes |= {"acceleration": self._widths["acceleration"] // width, "own": start.own}
        self._first = {name: self._arrays[name][: width * size].copy() for name, size in sizes.items()}
        self._parts: dict[str, list[Array]] = {"q": [], "v": [], "lambda": []}

    def trail(self, known: Trail) -> Trail:
        """Return all states with the steps of a run without tangents."""
        parts = {name: np.concatenate(found) for name, found in self._parts.items()}
        later = {**parts, "acceleration": self.further("acceleration"), "own": self.further("own")}
        count = len(later["q"]) // len(self._first["q"])
        q, v, multipliers, acceleration, own = (
            np.vstack([first, later[name].reshape(count, len(first))]) for name, first in self._first.items()
        )
        return dataclasses.replace(known, q=q, v=v, multipliers=multipliers, acceleration=acceleration, own=own)

    def _recorded(self, n: int) -> tuple[Array, ...]:
        sizes = dict(zip(("t", "q", "v", "lambda", "carried"), (1, *self._sizes), strict=True))
        found = {name: self._buffers[name][: n * self._width * size] for name, size in sizes.items()}
        for name, parts in self._parts.items():
            parts.append(found[name].copy())
        return tuple(x[:: self._width].copy() for x in found.values())

    def _recorded_events(self, n: int) -> Array:
        rows = super()._recorded_events(n).reshape(n, -1, self._width)
        return np.ascontiguousarray(rows[..., 0])
