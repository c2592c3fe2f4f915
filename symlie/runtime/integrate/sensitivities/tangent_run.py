"""Forward derivatives of runs in compiled code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from symlie.compile.compiler import compiles_cpp
from symlie.contract.constants import Status
from symlie.errors import UnsupportedMethodError
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import MOST_STEPS, Run, execute
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.passages.event_tangents import check_events
from symlie.runtime.integrate.sensitivities.start import check_contacts_at_start, start_tangents
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents, TangentLoop
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.integrate.time_loop import TimeLoopLike
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System

AT_ONCE = 8
"""Largest number of tangents of a number, which is that of the widest vector registers."""

COUNTS = (1, 4, AT_ONCE)
"""Numbers of tangents for which libraries are compiled; one of them is that of the time of an event."""


def has_tangents(system: System) -> bool:
    """Return whether runs of a system are differentiated in compiled code. Its states have the bits of `solve` unless
    the compiler may fuse operations, which depends on the code around them."""
    return system.backend == "c" and system.optimize != "contract" and compiles_cpp()


@dataclass(eq=False)
class TangentRun:
    """Run whose states are differentiated, several tangents at a time.

    Attributes
    ----------
    run
        The run.
    records_start
        True if the initial state is recorded.
    """

    run: Run
    records_start: bool
    _solution: Solution | None = field(default=None, repr=False)
    _events: list[StateTangents] = field(default_factory=list, repr=False)

    @classmethod
    def of(
        cls, system: System, t_span: tuple[float, float] | float, options: RunOptions, start: Start | None = None
    ) -> TangentRun:
        """Return a run from the initial state or from a consistent one; raise UnsupportedMethodError if it has no
        tangents, and the errors of `solve` for its arguments."""
        request = requested(system, t_span, options)
        begin = beginning(system, request, start)
        parts = request.method, request.plan, request.control, request.record_every, request.settings
        run = Run(system, *parts, system.timings, begin)
        check_with_tangents(run)
        if start is None:
            check_contacts_at_start(system, request.t0)
        return cls(run, request.records_start)

    @property
    def events(self) -> StateTangents | None:
        """Tangents of the states at events along all directions of the last pass, or None without events."""
        return StateTangents.side_by_side(self._events) if self._events else None

    @property
    def solution(self) -> Solution:
        """The solution, by a run without tangents unless one with tangents has computed it; raise the errors of
        `solve`."""
        if self._solution is None:
            self._keep(self.run.loop(self.run.begin))
        assert self._solution is not None
        return self._solution

    def by_variables(
        self,
        variables: Sequence[Variable],
        names: Sequence[str],
        sink: Callable[[slice], Sink],
        starts: tuple[Array, Array] | None = None,
    ) -> None:
        """Pass the tangents of recorded states and of named outputs by variables to the sink of each range of
        variables. The tangents of the start, shape (variables, dimension), are by default those of the initial
        state."""
        if starts is None:
            system, t0 = self.run.system, float(self.run.settings["t_span"][0])
            starts = start_tangents(system, t0, self.run.begin.at.q, variables)
        self._forward(variables, starts, names, sink)

    def along(self, starts: tuple[Array, Array], sink: Callable[[slice], Sink]) -> None:
        """Pass the tangents of recorded states along tangents at the start, shape (tangents, dimension), to the sink of
        each range of them."""
        self._forward([], starts, [], sink)

    def _forward(
        self,
        variables: Sequence[Variable],
        starts: tuple[Array, Array],
        names: Sequence[str],
        sink: Callable[[slice], Sink],
    ) -> None:
        known = list(self.run.system.layout.outputs)
        outputs = [known.index(name) for name in names]
        layout, count = self.run.system.layout, len(starts[0])
        of_time = int(bool(layout.events) and not self.run.method.steps_over(layout))
        tangents = min(AT_ONCE, next((n for n in COUNTS if n >= count + of_time), AT_ONCE))
        for first in range(0, count, tangents - of_time):
            part = slice(first, min(first + tangents - of_time, count))
            of_part = starts[0][part], starts[1][part]
            loop = TangentLoop(self.run, variables[part], tangents, of_part, outputs, sink(part))
            if self.records_start:
                loop.keep_start()
            if self._solution is None:
                self._keep(loop)
            else:
                finish(loop, Recorder(self.run.system.layout))
            if loop.events:
                self._events.append(StateTangents.joined(loop.events))
        if self._events:
            check_events(layout, self.solution.events, self._events)

    def _keep(self, loop: TimeLoopLike) -> None:
        """Integrate by a loop at the start, and keep the solution."""
        begin, recorder = self.run.begin, Recorder(self.run.system.layout)
        if self.records_start:
            at = begin.at
            recorder.add_state(float(self.run.settings["t_span"][0]), at.q, at.v, at.multipliers, at.carried)
        self._solution = execute(self.run, loop, begin, recorder)


Sink = Callable[[StateTangents], None]
"""Function that receives the tangents of consecutive recorded states."""


def finish(loop: TimeLoopLike, recorder: Recorder) -> None:
    """Integrate to the end a run that is known to succeed."""
    status = Status.BUDGET
    while status in (Status.BUDGET, Status.BUFFER_FULL):
        status = loop.advance(MOST_STEPS)
        loop.drain(recorder)


def gradient_with_tangents(
    run: TangentRun, variables: Sequence[Variable], names: Sequence[str], weights: Array
) -> Array:
    """Return the derivatives Σ weight·∂y/∂p of named outputs y by variables p, shape (variables,), for weights of shape
    (states, components)."""
    total = np.zeros(len(variables))

    def sink(part: slice) -> Sink:
        first = 0

        def take(tangents: StateTangents) -> None:
            nonlocal first
            n = len(tangents.outputs)
            total[part] += np.einsum("nc,nck->k", weights[first : first + n], tangents.outputs)
            first += n

        return take

    run.by_variables(variables, names, sink)
    return total


def check_with_tangents(run: Run) -> None:
    """Raise UnsupportedMethodError if runs of a system with a method have no tangents."""
    layout = run.system.layout
    reason = ""
    if run.method.name == "taylor":
        reason = "its steps are no step program"
    elif len(layout.contacts) and run.method.steps_over(layout):
        reason = "its steps contain impacts"
    if reason:
        raise UnsupportedMethodError(
            f"Runs of '{layout.name}' with method '{run.method.name}' have no sensitivities: {reason}."
        )
