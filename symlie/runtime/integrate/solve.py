"""`solve`: integrate a system with a method, in compiled code or in NumPy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.runtime.integrate.checkpoint import SECONDS, create_checkpoint
from symlie.runtime.integrate.choice import default_method
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.progress import Progress
from symlie.runtime.integrate.run import MULTIPLIERS, Run, execute
from symlie.runtime.integrate.segments import LARGEST_STEPS, Plan, interval, step_plan
from symlie.runtime.integrate.stiffness import stiffness_limit
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.chosen import MethodLike, chosen_method, method_of_run
from symlie.runtime.methods.controllers import HOLD, MAX_STEPS, Controller, StepControl, controller_by_name, tolerances
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.library import method as method_of_name
from symlie.runtime.methods.library import method_names
from symlie.runtime.methods.self_adjoint import check_composition
from symlie.runtime.methods.stabilisation import stabilisation
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start, continuation_of, first_step, start_of
from symlie.runtime.system.system import System
from symlie.stated_numbers import is_number, is_whole_number


def check_method(layout: Layout, method: Method) -> None:
    """Check that a method can integrate a model.

    Raises
    ------
    UnsupportedMethodError
        It can not; the message names methods that can.
    """
    if refusal := method.refusal(layout):
        raise UnsupportedMethodError(refusal)


def solve(
    system: System,
    t_span: tuple[float, float] | float,
    *,
    method: MethodLike | None = None,
    method_options: Mapping[str, object] | None = None,
    h: float | None = None,
    rtol: float | Array | None = None,
    atol: float | Array | None = None,
    h0: float | None = None,
    controller: str | Controller = "tumiotto2024",
    controller_options: Mapping[str, float] | None = None,
    t_eval: Sequence[float] | None = None,
    record_every: int = 1,
    multipliers: str = "stage",
    stabilize: str = "none",
    redundant: str | None = None,
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
        (t₀, t_end), or t_end with t₀ = 0, or the end of ``start``; in s.
    method
        Name of a method, see `method_choice`; a TOML file with a tableau, see `load_tableau`; or a discrete Lagrangian
        of one's own, a function of (q0, q1, h) or ``FILE.py:name``. Default:
        half_explicit_5; where nodes move by fields without constraints rkmk_dopri5, or cf43 along frames.
    method_options
        For methods of the family rkmk ``commutators``: ``"exact"``, ``"auto"`` or the number after which dexp⁻¹ is
        truncated, and ``map``: ``"exp"``, ``"cayley"`` or ``"second_kind"``, the local coordinates of a step; those of
        generalized_alpha are the parameters of `symlie.runtime.methods.generalized_alpha.GeneralizedAlpha`.
    h
        Size of fixed steps, in s. Without it steps are adaptive, for methods with an embedded formula.
    rtol, atol
        Tolerances of the local error: a number, or one for each velocity component, or one for each entry of (θ, v).
        Default: 1e-6 and rtol/100; with ``atol`` alone the tolerance is absolute. With ``h`` they scale the errors of
        the trace.
    h0
        First adaptive step, in s; default: estimated.
    controller, controller_options
        Step size controller by name, and factors to change: ``safety, exponent, fac_min, fac_max, h_min, h_max``.
    t_eval
        Times to record, hit exactly by shortening steps; default: every step.
    record_every
        Without ``t_eval``: record each n-th step, and the end; 0 records the start and the end alone.
    multipliers
        ``"stage"``: λ as the method gives it. ``"index1"``: recomputed from the acceleration-level system at each
        recorded state; the integration is the same.
    stabilize
        ``"none"``, ``"baumgarte:ALPHA"`` (α in 1/s, added in the stages of half-explicit methods), ``"projection"`` (of
        the configuration after each step), ``"projection+velocity"`` or ``"velocity"``.
    redundant
        What is done about constraint rows that depend on each other. ``"error"``: they are refused.
        ``"minimal_norm"``: the motion is that without the rows that are too many, and of all multipliers that belong to
        it those of minimal norm are taken; the rank is told as a `symlie.notices.Notice`. Default: that of the system,
        ``"error"`` if nothing else was said by `System.with_redundant`.
    trace
        Whether all tried steps are kept, also fixed ones: their error estimates, if the method has one, and what
        Newton's method took.
    max_steps
        Steps at most between two times that are hit exactly, which are those of ``t_eval``, jumps of inputs, and the
        end. Default: 10⁹ adaptive steps, and as many as there are with ``h``.
    start
        A solution to continue, of this system or of one with other parameters.
    progress
        Called with the fraction done, at most every 50 ms or so; it also has the time, the last steps and their
        iterations, see `symlie.runtime.integrate.progress.Done`.
    checkpoint
        A file from which `resume` goes on after an interruption, to the same bits as without one. It is written at
        the beginning, at the end, on Ctrl-C, and in between; an older checkpoint there is replaced.
    checkpoint_seconds
        Time between two checkpoints, in s.
    checkpoint_notes
        Anything that JSON has, kept in the checkpoint for whoever resumes; see `checkpoint_notes`.

    Returns
    -------
    Solution
        Ended early by a terminal event, its last state is that at the event. What is found of events: see
        `Model.event`.

    Raises
    ------
    UnsupportedMethodError
        The method can not integrate this model, or has no error estimate for adaptive steps.
    ModelError
        The interval, the step size, the tolerances or the times to record are not usable.
    InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
        The initial values are not usable.
    FormatError
        The checkpoint can not be written there.
    IntegrationError
        The integration failed or was interrupted; its ``solution`` holds what was done, up to the last good step.
    """
    if not isinstance(system, System):
        raise ModelError(
            f"A {type(system).__name__} can not be integrated; take the system of model.derive().compile()."
        )
    if redundant is not None:
        system = system.with_redundant(redundant)
    chosen = chosen_method(default_method(system.layout) if method is None else method, method_options)
    check_method(system.layout, chosen)
    if multipliers not in MULTIPLIERS:
        raise UnknownNameError(f"Unknown multipliers '{multipliers}'; use stage or index1.")
    if not is_whole_number(record_every) or record_every < 0:
        raise ModelError(f"record_every must be a whole number of steps, 0 for the end alone, not {record_every!r}.")
    if max_steps is None:
        max_steps = MAX_STEPS if h is None else LARGEST_STEPS
    if not is_whole_number(max_steps) or max_steps < 1:
        raise ModelError(f"max_steps must be a positive whole number, not {max_steps!r}.")
    max_steps = min(int(max_steps), LARGEST_STEPS)
    t0, t_end = interval(t_span, float(start.t[-1]) if start is not None and len(start.t) else None)
    plan = step_plan(t0, t_end, h, t_eval, system.breakpoints)
    if max(plan.steps) > max_steps:
        raise ModelError(
            f"Steps of {h:g} s are {max(plan.steps)} between two times that are hit exactly, more than max_steps = "
            f"{max_steps}; take a larger step, or allow more."
        )
    control = step_control(system, chosen, h, rtol, atol, controller, controller_options, stabilize, trace)
    limit = stiffness_limit(chosen) if control.is_adaptive else 0.0
    control = dataclasses.replace(control, max_steps=max_steps, stiffness_limit=limit)
    begin = start_of(system, t0) if start is None else continuation_of(start, system)
    if start is not None and begin.own is not None and method_of_run(start.method, start.settings) != chosen:
        begin = dataclasses.replace(begin, own=None)
    system.check_motions(t_end)
    check_composition(system, chosen, t0, begin.q)
    if plan.start[0] > t0:
        begin = dataclasses.replace(begin, acceleration=None, own=None)
    if control.is_adaptive:
        begin = dataclasses.replace(begin, h=_first_step(system, plan, begin, control, chosen, h0))
    elif h0 is not None:
        raise ModelError("h0 is the first of adaptive steps; it can not be given together with h.")
    recorder = Recorder(system.layout)
    if t_eval is None or (len(t_eval) and t_eval[0] == t0):
        recorder.add_state(t0, begin.q, begin.v, begin.multipliers, begin.carried)
    settings = {
        "t_span": [t0, t_end],
        "method": chosen.name,
        "method_options": chosen.options,
        "tableau": chosen.entry,
        "h": h,
        "rtol": _as_json(rtol),
        "atol": _as_json(atol),
        "h0": h0,
        "controller": controller if isinstance(controller, str) else controller.name,
        "controller_options": dict(controller_options or {}),
        "t_eval": _as_json(t_eval),
        "record_every": int(record_every),
        "multipliers": multipliers,
        "stabilize": stabilize,
        "redundant": system.redundant,
        "trace": bool(trace),
        "max_steps": max_steps,
    }
    state = LoopState(plan.start[0], begin, Counters(dependent_rows=_dependent_rows(system, t0, begin.q)))
    every = min(int(record_every), LARGEST_STEPS) if t_eval is None else 0
    run = Run(system, chosen, plan, control, every, settings, system.timings, state)
    loop = run.loop(state)
    timings = dataclasses.replace(run.timings, compile=run.timings.compile + loop.compile_seconds)
    run = dataclasses.replace(run, timings=timings)
    if checkpoint is None:
        return execute(run, loop, state, recorder, progress=progress)
    with create_checkpoint(Path(checkpoint), run, loop, recorder, checkpoint_seconds, checkpoint_notes) as keeper:
        return execute(run, loop, state, recorder, progress=progress, keeper=keeper)


def _dependent_rows(system: System, t: float, q: Array) -> int:
    """How many more rows there are than their rank, where they may depend on each other."""
    if not system.mechanics.takes_redundant_rows:
        return 0
    found = system.mechanics.dependent_rows(system.mechanics.jacobian(t, q))
    return found.count if found else 0


def _as_json(values: float | Array | Sequence[float] | None) -> object:
    return values if values is None else np.asarray(values, dtype=float).tolist()


def step_control(
    system: System,
    method: Method,
    h: float | None,
    rtol: float | Array | None,
    atol: float | Array | None,
    name: str | Controller,
    options: Mapping[str, float] | None,
    stabilize: str,
    trace: bool,
) -> StepControl:
    """How steps are taken, from the words of `solve`."""
    layout = system.layout
    kept = stabilisation(stabilize)
    if kept.baumgarte and not method.takes_baumgarte:
        raise UnsupportedMethodError(f"Baumgarte's term belongs to half-explicit methods; '{method.name}' has none.")
    is_adaptive = h is None
    if not (is_adaptive or trace or (rtol is None and atol is None)):
        raise ModelError(
            "Give a step size h, or tolerances rtol and atol for adaptive steps, not both; fixed steps use tolerances "
            "for the errors of a trace only."
        )
    if (is_adaptive or rtol is not None or atol is not None) and not method.has_estimate:
        others = (method_of_name(name) for name in method_names())
        known = ", ".join(m.name for m in others if m.has_estimate and m.refusal(layout) is None)
        wanted = "adaptive steps need" if is_adaptive else "tolerances scale"
        raise UnsupportedMethodError(
            f"Method '{method.name}' has no error estimate, which {wanted}; give a step size h and no tolerances, or "
            f"use one of: {known}."
        )
    if rtol is None:
        rtol = 1e-6 if atol is None else 0.0
    relative = tolerances("rtol", rtol, layout.dimension)
    absolute = tolerances("atol", 0.01 * relative if atol is None else atol, layout.dimension)
    if not np.all(absolute > 0):
        raise ModelError("atol must be positive: entries that pass through zero have no relative accuracy.")
    chosen = controller_by_name(name, options)
    if method.chooses_order and not is_adaptive:
        raise UnsupportedMethodError(
            f"Method '{method.name}' chooses the lengths of steps together with their order; give rtol in the place of "
            f"h, and h0 for its first step, or use {method.inside.name} for steps of one length."
        )
    if method.chooses_order and chosen.exponent is not None:
        raise ModelError(f"Method '{method.name}' takes no exponent of the controller: that of a step is its order.")
    mobile = np.concatenate([layout.integrated, layout.integrated & layout.has_velocity]).astype(float)
    return StepControl(
        is_adaptive,
        is_adaptive or (trace and method.has_estimate),
        relative,
        absolute,
        mobile / max(mobile.sum(), 1.0) if chosen.is_mean else mobile,
        chosen.safety,
        chosen.exponent_of(method),
        chosen.fac_min,
        chosen.fac_max,
        HOLD if method.keeps_factors or method.chooses_order else 1.0,
        chosen.h_min,
        chosen.h_max,
        kept.baumgarte,
        kept.project_position,
        kept.project_velocity,
    )


def _first_step(
    system: System, plan: Plan, start: Start, control: StepControl, method: Method, h0: float | None
) -> float:
    if h0 is not None:
        if not (is_number(h0) and np.isfinite(h0) and h0 > 0):
            raise ModelError(f"The first step must be positive, not {h0!r}.")
        return min(float(h0), control.h_max)
    if start.h > 0:
        return min(start.h, control.h_max)
    t = plan.start[0]
    estimated = first_step(system, t, start, control, method.first_order, plan.end[0] - t)
    return max(estimated, control.smallest_step(t, plan.span))
