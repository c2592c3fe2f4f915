"""Forward derivatives of a run in compiled code."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.compile.compiler import compiles_cpp
from symlie.contract.constants import Status
from symlie.errors import ModelError, UnsupportedMethodError
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import MOST_STEPS, Run, execute
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.start import start_tangents
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents, TangentLoop
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.integrate.time_loop import TimeLoopLike
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

AT_ONCE = 8
"""Largest number of tangents of a number: those of one vector register of the widest kind."""

COUNTS = (1, 2, 4, AT_ONCE)
"""Numbers of tangents for which a library is compiled."""


def has_tangents(system: System) -> bool:
    """Return whether runs of a system are differentiated in compiled code."""
    return system.backend == "c" and compiles_cpp()


def run_with_tangents(
    system: System,
    t_span: tuple[float, float] | float,
    options: RunOptions,
    variables: Sequence[Variable],
    names: Sequence[str],
) -> tuple[Solution, StateTangents]:
    """Return the solution of a run, and the tangents of its recorded states and of named outputs by variables; raise
    ModelError if a terminal event ends it, and the errors of `solve`."""
    request = requested(system, t_span, options)
    begin = beginning(system, request, None)
    parts = request.method, request.plan, request.control, request.record_every, request.settings
    run = Run(system, *parts, system.timings, begin)
    check_with_tangents(run)
    known = list(system.layout.outputs)
    outputs = [known.index(name) for name in names]
    starts = start_tangents(system, request.t0, begin.at.q, variables)
    # Loops with tangents do not search events.
    solution = _solution(run, run.loop(begin), request.records_start) if system.layout.events else None
    if solution is not None and solution.status == "event":
        raise ModelError(
            f"A terminal event ends the run at t = {solution.t[-1]:.9g}; choose an end before it, or make it "
            "non-terminal."
        )
    found = []
    for first in range(0, len(variables), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        chosen = variables[part]
        tangents = next(n for n in COUNTS if n >= len(chosen))
        loop = TangentLoop(run, chosen, tangents, (starts[0][part], starts[1][part]), outputs)
        if request.records_start:
            loop.keep_start()
        if solution is None:
            solution = _solution(run, loop, request.records_start)
        else:
            _finish(loop, Recorder(system.layout))
        of_part = StateTangents.joined(loop.found)
        found.append(of_part.narrowed(len(chosen)))
    assert solution is not None
    return solution, StateTangents.side_by_side(found)


def check_with_tangents(run: Run) -> None:
    """Raise UnsupportedMethodError if runs of a system with a method have no tangents."""
    system, layout, control = run.system, run.system.layout, run.control
    reason = ""
    if run.method.name == "taylor":
        reason = "its steps are no step program"
    elif len(layout.changes) or layout.has_activities:
        reason = "events change the state or the constraints of the model"
    elif system.mechanics.takes_redundant_rows:
        reason = "constraint equations may be redundant"
    elif layout.has_nonlinear_rows:
        reason = "a constraint is nonlinear in the velocities"
    elif control.project_position or control.project_velocity:
        reason = "steps are projected"
    if reason:
        raise UnsupportedMethodError(
            f"Runs of '{layout.name}' with method '{run.method.name}' have no sensitivities: {reason}."
        )


def _solution(run: Run, loop: TimeLoopLike, records_start: bool) -> Solution:
    """Return the solution of a run by a loop at its start."""
    begin, recorder = run.begin, Recorder(run.system.layout)
    if records_start:
        at = begin.at
        recorder.add_state(float(run.settings["t_span"][0]), at.q, at.v, at.multipliers, at.carried)
    return execute(run, loop, begin, recorder)


def _finish(loop: TangentLoop, recorder: Recorder) -> None:
    """Integrate to the end a run that is known to succeed."""
    status = Status.BUDGET
    while status in (Status.BUDGET, Status.BUFFER_FULL):
        status = loop.advance(MOST_STEPS)
        loop.drain(recorder)
