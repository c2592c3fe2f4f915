"""`solve`: integrate a system with a method, in compiled code or in NumPy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from symlie.options import ControllerName, Impacts, Multipliers, Redundant, Stabilization
from symlie.runtime.integrate.checkpoint import SECONDS, create_checkpoint
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import Run, execute
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.simulation.controlled_run import controlled
from symlie.runtime.integrate.simulation.sampled import Sampled
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
    impacts: Impacts = "newton",
    trace: bool = False,
    max_steps: int | None = None,
    start: Solution | None = None,
    controllers: Sequence[Sampled] | Sampled = (),
    progress: Progress | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = SECONDS,
    checkpoint_notes: Mapping[str, object] | None = None,
) -> Solution:
    """Integrate a system with fixed or adaptive steps.

    Parameters
    ----------
    system
        The system, from `Equations.compile` or `load`.
    t_span
        (t₀, t_end), or t_end, in s; t₀ is 0 by default, and the end of ``start`` if a solution is continued.
    method
        Name of a method; a `Method`, or a TOML file with its coefficients, see `load_tableau`; a custom discrete
        Lagrangian, which is a function of (q0, q1, h); or ``"FILE.py:NAME"`` of a method or of such a function.
        Default: ``"half_explicit_5"`` for mechanical systems, other methods for first-order states, acceleration-level
        constraints and frames; see `method_choice`.
    method_options
        Options of the method by name, such as ``commutators`` (terms of dexp⁻¹ in rkmk methods), ``rho`` (spectral
        radius of generalized_alpha), ``max_order`` (of bdf) or ``order`` (of taylor); see `Method.options`.
    h
        Fixed step size, in s. Default: adaptive steps, for methods with an error estimate.
    rtol, atol
        Tolerances of the local error: a number, or one for each velocity component, or one for each entry of (θ, v),
        where θ are the local coordinates of the step. Default: 1e-6 and rtol/100; ``rtol`` is 0 if only ``atol`` is
        given. With ``h`` they require ``trace`` and scale the errors of the trace.
    h0
        Initial step size of adaptive steps, in s; default: estimated.
    controller, controller_options
        Step size controller, ``"tumiotto2024"``, ``"holzinger2024"`` or ``"celledoni2022"``, and changes of its
        parameters: ``safety``, ``exponent``, ``fac_min`` and ``fac_max`` (dimensionless), ``h_min`` and ``h_max`` (s).
    t_eval
        Increasing output times, in s, in [t₀, t_end], reached exactly by shortening steps. Default: the start, and the
        end of every step.
    record_every
        Without ``t_eval``: record the start, every n-th step and the end; 0: record the start and the end.
    multipliers
        ``"stage"``: λ of the method. ``"index1"``: λ of the acceleration-level system at each recorded state; the
        states are the same.
    stabilize
        Stabilisation of the constraints: ``"none"``; ``"baumgarte:ALPHA"``, Baumgarte's term with α in 1/s in the
        stages of half-explicit methods; ``"projection"`` of the configuration after each step; ``"velocity"``,
        projection of the velocity; or ``"projection+velocity"``.
    redundant
        Treatment of redundant constraint equations. ``"error"``: raise an error. ``"minimal_norm"``: among all
        multipliers of the same motion, compute those of minimal norm; a `SymlieWarning` reports the rank. Default: the
        treatment of the system, see `System.with_redundant`.
    impacts
        Impacts of several contacts at one time. ``"newton"``: one problem, in which each contact satisfies Newton's
        law for velocities. ``"poisson"``: a compression until no contact approaches, then an expansion with the part e
        of its normal impulses. ``"sequential"``: impacts of single contacts that follow each other, the fastest first,
        as in Newton's cradle. Methods that step over impacts support ``"newton"`` only.
    trace
        True: record all attempted steps, with error estimates and Newton iterations; see `Trace`.
    max_steps
        Largest number of steps between two stop times: output times, jumps and kinks of functions of time, and the end.
        Default: 10⁹ adaptive steps; no limit with ``h``.
    start
        A solution of this model to continue, possibly with other parameters, at its end. Method, step size and
        tolerances are those of the arguments, not of this solution.
    controllers
        Functions in Python that are called at sample times; the solution contains tables of the inputs that they set.
    progress
        Function that is called about every 50 ms with the completed fraction, a number with the attributes ``t``
        (current time, in s), ``h`` (mean step size since the last call, in s) and ``iterations`` (Newton iterations per
        step).
    checkpoint
        File from which `resume` continues an interrupted run, bitwise identical to a run without interruption. It is
        written at the start, regularly, on Ctrl-C and at the end, and replaces an older checkpoint.
    checkpoint_seconds
        Time between two checkpoints, in s.
    checkpoint_notes
        Data that is stored in the checkpoint for the caller and can be represented in JSON.

    Returns
    -------
    Solution
        The recorded states; after a terminal event the last one is the state at the event.

    Raises
    ------
    UnsupportedMethodError
        If the method cannot integrate this model, has no error estimate for adaptive steps, or does not support the
        stabilisation.
    UnknownNameError
        If a method, option, controller, or other named value does not exist.
    ModelError
        If the interval, the step size, the tolerances, the output times or other arguments are invalid, or if ``start``
        is a solution of another model.
    InconsistentInitialValuesError
        If the initial values violate the constraints.
    RedundantConstraintsError, SingularMassMatrixError
        If the initial accelerations and multipliers are not determined.
    FormatError
        If the file of the method cannot be read, or the checkpoint cannot be written.
    SmoothnessError
        If a controller writes an input that the model differentiates.
    ControllerError
        If a controller raises an exception or returns unusable values.
    IntegrationError
        If the integration fails or is interrupted; its ``solution`` contains the results up to the last valid step.
    """
    if redundant is not None and isinstance(system, System):
        system = system.with_redundant(redundant)
    options = RunOptions(
        method=method,
        method_options=method_options,
        h=h,
        rtol=rtol,
        atol=atol,
        h0=h0,
        controller=controller,
        controller_options=controller_options,
        t_eval=t_eval,
        record_every=record_every,
        multipliers=multipliers,
        stabilize=stabilize,
        impacts=impacts,
        max_steps=max_steps,
        trace=trace,
    )
    continued = float(start.t[-1]) if start is not None and len(start.t) else None
    if not isinstance(controllers, Sequence) or controllers:
        request, sampling = controlled(system, t_span, options, start, continued, controllers)
        system = sampling.held.system
    else:
        request, sampling = requested(system, t_span, options, continued), None
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
        sampling=sampling,
    )
    loop = run.controlled_loop(state)
    if loop.compile_seconds:
        timings = dataclasses.replace(run.timings, compile=run.timings.compile + loop.compile_seconds)
        run = dataclasses.replace(run, timings=timings)
    if checkpoint is None or (sampling is not None and sampling.failure is not None):
        return execute(run, loop, state, recorder, progress=progress)
    with create_checkpoint(Path(checkpoint), run, loop, recorder, checkpoint_seconds, checkpoint_notes) as keeper:
        return execute(run, loop, state, recorder, progress=progress, keeper=keeper)
