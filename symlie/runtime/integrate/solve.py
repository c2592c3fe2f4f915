"""`solve`: integrate a system with a method, in compiled code or in NumPy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from symlie.options import ControllerName, Multipliers, Redundant, Stabilization
from symlie.runtime.integrate.checkpoint import SECONDS, create_checkpoint
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.request import SolveOptions, beginning, requested
from symlie.runtime.integrate.run import Run, execute
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import MethodLike
from symlie.runtime.methods.controllers import Controller
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System


def solve(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    method: MethodLike | None = None,
    method_options: Mapping[str, object] | None = None,
    h: float | None = None,
    rtol: ArrayLike | None = None,
    atol: ArrayLike | None = None,
    h0: float | None = None,
    controller: ControllerName | Controller = "tumiotto2024",
    controller_options: Mapping[str, float] | None = None,
    t_eval: Sequence[float] | Array | None = None,
    record_every: int = 1,
    multipliers: Multipliers = "stage",
    stabilize: Stabilization = "none",
    redundant: Redundant | None = None,
    trace: bool = False,
    max_steps: int | None = None,
    start: Solution | None = None,
    progress: Progress | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = SECONDS,
    checkpoint_notes: Mapping[str, object] | None = None,
) -> Solution:
    """Integrate a system with fixed or adaptive steps.

    Parameters
    ----------
    system
        The system, from `Equations.compile` or `symlie.load`.
    t_span
        (t₀, t_end), or t_end with t₀ = 0 or the end of ``start``; in s.
    method
        Name of a method, see `method_choice`; a TOML file with a tableau, see `load_tableau`; or a custom discrete
        Lagrangian, a function of (q0, q1, h) or ``FILE.py:name``. Default: half_explicit_5; for first-order states
        without constraints rkmk_dopri5, or cf43 with vector fields in frames.
    method_options
        For methods of the family rkmk ``commutators``: ``"exact"``, ``"auto"`` or the order at which dexp⁻¹ is
        truncated, and ``map``: ``"exp"``, ``"cayley"`` or ``"second_kind"``, the local coordinates of a step; those of
        generalized_alpha are the parameters of `symlie.runtime.methods.generalized_alpha.GeneralizedAlpha`.
    h
        Fixed step size, in s. Default: adaptive steps, for methods with an embedded formula.
    rtol, atol
        Tolerances of the local error: a number, or one for each velocity component, or one for each entry of (θ, v).
        Default: 1e-6 and rtol/100; with ``atol`` alone the tolerance is absolute. With ``h`` they scale the errors of
        the trace.
    h0
        Initial step size of adaptive methods, in s; default: estimated.
    controller, controller_options
        Step size controller by name, and its parameters: ``safety, exponent, fac_min, fac_max, h_min, h_max``.
    t_eval
        Output times, reached exactly by shortening steps; default: the end of every step.
    record_every
        Without ``t_eval``: record each n-th step, and the end; 0 records the start and the end alone.
    multipliers
        ``"stage"``: λ of the method. ``"index1"``: λ of the acceleration-level system at each recorded state; the
        integration is the same.
    stabilize
        ``"none"``, ``"baumgarte:ALPHA"`` (α in 1/s, added in the stages of half-explicit methods), ``"projection"`` (of
        the configuration after each step), ``"projection+velocity"`` or ``"velocity"``.
    redundant
        Treatment of redundant constraint equations. ``"error"``: an error. ``"minimal_norm"``: the motion without the
        redundant equations, with the multipliers of minimal norm; a `SymlieWarning` reports the rank. Default:
        that of `System.with_redundant`, or ``"error"``.
    trace
        Whether to record all attempted steps, including fixed ones: error estimates, if the method has any, and Newton
        iterations.
    max_steps
        Largest number of steps between two stop times, which are those of ``t_eval``, jumps of inputs, and the end.
        Default: 10⁹ adaptive steps; no limit with ``h``.
    start
        A solution to continue, of this system or of one with other parameters.
    progress
        Called with the completed fraction, about every 50 ms at most; it also has the time, the last step sizes and
        iterations, see `symlie.runtime.integrate.progress.Done`.
    checkpoint
        A file from which `resume` continues after an interruption, bitwise identical to a run without one. It is
        written at the start, at the end, on Ctrl-C, and in between, and replaces an older checkpoint.
    checkpoint_seconds
        Time between two checkpoints, in s.
    checkpoint_notes
        Any JSON data, stored in the checkpoint for later use; see `checkpoint_notes`.

    Returns
    -------
    Solution
        After a terminal event, the last state is the one at the event. For the recorded events see `Model.event`.

    Raises
    ------
    UnsupportedMethodError
        The method cannot integrate this model, or has no error estimate for adaptive steps.
    ModelError
        The interval, the step size, the tolerances or the output times are not usable.
    InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
        The initial values are not usable.
    FormatError
        The checkpoint is not writable.
    IntegrationError
        The integration failed or was interrupted; its ``solution`` has the results up to the last good step.
    """
    if redundant is not None and isinstance(system, System):
        system = system.with_redundant(redundant)
    words: SolveOptions = {
        "method": method,
        "method_options": method_options,
        "h": h,
        "rtol": rtol,
        "atol": atol,
        "h0": h0,
        "controller": controller,
        "controller_options": controller_options,
        "t_eval": t_eval,
        "record_every": record_every,
        "multipliers": multipliers,
        "stabilize": stabilize,
        "redundant": None,
        "max_steps": max_steps,
    }
    continued = float(start.t[-1]) if start is not None and len(start.t) else None
    request = requested(system, t_span, words, trace=trace, continued=continued)
    state = beginning(system, request, start)
    begin, recorder = state.at, Recorder(system.layout)
    if request.records_start:
        recorder.add_state(request.t0, begin.q, begin.v, begin.multipliers, begin.carried)
    run = Run(
        system,
        request.method,
        request.plan,
        request.control,
        request.record_every,
        request.settings,
        system.timings,
        state,
    )
    loop = run.loop(state)
    if loop.compile_seconds:
        timings = dataclasses.replace(run.timings, compile=run.timings.compile + loop.compile_seconds)
        run = dataclasses.replace(run, timings=timings)
    if checkpoint is None:
        return execute(run, loop, state, recorder, progress=progress)
    with create_checkpoint(Path(checkpoint), run, loop, recorder, checkpoint_seconds, checkpoint_notes) as keeper:
        return execute(run, loop, state, recorder, progress=progress, keeper=keeper)
