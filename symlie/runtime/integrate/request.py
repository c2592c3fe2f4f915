"""Validation of the arguments of `solve` and their conversion for the time loop, and the initial state."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.constants import MOST_TIMES_OF_IMPACTS, RANK_LIMIT
from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.options import Impacts
from symlie.runtime.integrate.choice import default_method
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.monitors.stiffness import stiffness_limit
from symlie.runtime.integrate.run import MULTIPLIERS
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.segments import LARGEST_STEPS, Plan, interval, step_plan
from symlie.runtime.kernels.c import CKernels, ErrorNorm
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.chosen import chosen_method, method_of_run
from symlie.runtime.methods.controllers import HOLD, MAX_STEPS, StepControl, controller_by_name, tolerances
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.implicit import Implicit
from symlie.runtime.methods.library import method as method_of_name
from symlie.runtime.methods.library import method_names
from symlie.runtime.methods.self_adjoint import check_composition
from symlie.runtime.methods.stabilisation import stabilisation
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start, continuation_of, first_step, start_of
from symlie.runtime.system.inputs import check_range
from symlie.runtime.system.mechanics import Mechanics
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_number, is_whole_number


@dataclass(frozen=True, eq=False)
class Request:
    """Validated options of a run, equal for systems of one topology with the same breakpoints.

    Attributes
    ----------
    method, plan, control
        The method, the time segments, and the step control.
    record_every
        As in `solve`; 0 if output times are given.
    records_start
        True if the initial state is recorded.
    h0
        Initial step size of adaptive methods, in s; None if it is to be estimated.
    settings
        The arguments of `solve` in the types of JSON.
    """

    method: Method
    plan: Plan
    control: StepControl
    record_every: int
    records_start: bool
    h0: float | None
    settings: Mapping[str, Any]

    @property
    def t0(self) -> float:
        """Start time, in s."""
        return float(self.settings["t_span"][0])

    @property
    def t_end(self) -> float:
        """End time, in s."""
        return float(self.settings["t_span"][1])


DEFAULT_TOLERANCE = 1e-6
"""Default relative tolerance."""

MOST_REMEMBERED = 64
"""Largest number of cached requests per layout."""

_PLAIN = frozenset({type(None), bool, int, float, str})
"""Types of arguments that are determined by their text."""

_remembered: WeakKeyDictionary[Layout, dict[str, Request]] = WeakKeyDictionary()
"""Cached requests by their arguments, for systems that differ only in values."""


def requested(
    system: System,
    t_span: tuple[float, float] | float,
    options: RunOptions,
    continued: float | None = None,
    stops: Sequence[float] | None = None,
) -> Request:
    """Validate the arguments of `solve`; `continued` is the end time of the continued solution, in s, and `stops` are
    times that steps reach."""
    check_system(system)
    if stops is None:
        found = request_of(system, t_span, options, continued)
    else:
        found = _checked(system, t_span, options, continued, stops)
    check_range(system.layout, system.inputs, found.t0, found.t_end)
    return found


def check_system(system: object) -> None:
    """Raise ModelError unless the argument is a system."""
    if not isinstance(system, System):
        raise ModelError(f"A {type(system).__name__} cannot be integrated; use the result of model.derive().compile().")


def request_of(
    system: System, t_span: tuple[float, float] | float, options: RunOptions, continued: float | None
) -> Request:
    """Return a request without a check of the ranges of tables; equal arguments give the same request."""
    if not _is_plain(t_span, options):
        return _checked(system, t_span, options, continued)
    known = _remembered.setdefault(system.layout, {})
    asked = repr((t_span, options, continued, system.breakpoints, system.redundant))
    if (found := known.get(asked)) is None:
        if len(known) >= MOST_REMEMBERED:
            known.clear()
        found = known[asked] = _checked(system, t_span, options, continued)
    return found


def _is_plain(t_span: tuple[float, float] | float, options: RunOptions) -> bool:
    """Return whether the arguments are numbers and names, which determine the request, and no file, which may
    change."""
    ends = t_span if type(t_span) is tuple else (t_span,)
    is_plain = _PLAIN.issuperset(map(type, (*ends, *vars(options).values())))
    return is_plain and (options.method is None or options.method in method_names())


def _checked(
    system: System,
    t_span: tuple[float, float] | float,
    options: RunOptions,
    continued: float | None,
    stops: Sequence[float] = (),
) -> Request:
    stated = default_method(system.layout) if options.method is None else options.method
    chosen = chosen_method(stated, options.method_options)
    check_method(system.layout, chosen)
    chosen = chosen.for_run(system.layout, least_tolerance(options.rtol, options.atol) if options.h is None else None)
    if options.multipliers not in MULTIPLIERS:
        raise UnknownNameError(f"Unknown multipliers '{options.multipliers}'; use stage or index1.")
    if options.impacts not in get_args(Impacts):
        raise UnknownNameError(f"Unknown treatment of impacts '{options.impacts}'; use newton, poisson or sequential.")
    if options.impacts != "newton" and chosen.steps_over(system.layout):
        raise UnsupportedMethodError(
            f"Method '{chosen.name}' steps over impacts, which satisfy Newton's law; use impacts='newton', or an "
            f"event-driven method such as half_explicit_5 for impacts='{options.impacts}'."
        )
    if not is_whole_number(options.record_every) or options.record_every < 0:
        raise ModelError(
            f"record_every must be a whole number of steps, or 0 for the start and the end only, not "
            f"{options.record_every!r}."
        )
    max_steps = options.max_steps
    if max_steps is None:
        max_steps = MAX_STEPS if options.h is None else LARGEST_STEPS
    if not is_whole_number(max_steps) or max_steps < 1:
        raise ModelError(f"max_steps must be a positive whole number, not {max_steps!r}.")
    max_steps = min(int(max_steps), LARGEST_STEPS)
    t0, t_end = interval(t_span, continued)
    plan = step_plan(t0, t_end, options.h, options.t_eval, system.breakpoints_between(t0, t_end), stops)
    if max(plan.steps) > max_steps:
        raise ModelError(
            f"{max(plan.steps)} steps of {options.h:g} s between two stop times exceed max_steps = {max_steps}; use "
            "larger steps, or increase max_steps."
        )
    control = step_control(system.layout, chosen, options, max_steps)
    if control.is_adaptive:
        if options.h0 is not None and not (is_number(options.h0) and np.isfinite(options.h0) and options.h0 > 0):
            raise ModelError(f"h0 must be a positive number of seconds, not {options.h0!r}.")
    elif options.h0 is not None:
        raise ModelError("h0 is the first step size of adaptive steps; omit it, or h.")
    settings = {
        "t_span": [t0, t_end],
        "method": chosen.name,
        "method_options": chosen.options,
        "tableau": chosen.entry,
        "h": options.h,
        "rtol": _as_json(options.rtol),
        "atol": _as_json(options.atol),
        "h0": options.h0,
        "controller": options.controller if isinstance(options.controller, str) else options.controller.name,
        "controller_options": dict(options.controller_options or {}),
        "t_eval": _as_json(options.t_eval),
        "record_every": int(options.record_every),
        "multipliers": options.multipliers,
        "stabilize": options.stabilize,
        "redundant": system.redundant,
        "trace": bool(options.trace),
        "max_steps": max_steps,
    }
    if len(system.layout.contacts):
        settings["impacts"] = options.impacts
    every = min(int(options.record_every), LARGEST_STEPS) if options.t_eval is None else 0
    records_start = options.t_eval is None or bool(len(options.t_eval) and options.t_eval[0] == t0)
    return Request(chosen, plan, control, every, records_start, options.h0, settings)


def beginning(system: System, request: Request, start: Solution | Start | None = None) -> LoopState:
    """State before the first step; `start` is a solution to continue, or a consistent state. Errors name unusable
    initial values."""
    chosen, plan, t0 = request.method, request.plan, request.t0
    begin = start_of(system, t0, steps_contacts=chosen.steps_over(system.layout)) if start is None else start
    if isinstance(begin, Solution):
        begin = continuation_of(begin, system)
    if isinstance(start, Solution) and begin.own is not None and method_of_run(start.method, start.settings) != chosen:
        begin = dataclasses.replace(begin, own=None)
    system.check_motions(request.t_end)
    check_composition(system, chosen, t0, begin.q)
    if plan.start[0] > t0:
        begin = dataclasses.replace(begin, acceleration=None, own=None)
    if chosen.restarts_at_kinks and (begin.own is None or t0 in system.breakpoints_between(t0, request.t_end)):
        begin = dataclasses.replace(begin, own=None, h=0.0)
    if request.control.is_adaptive:
        begin = dataclasses.replace(begin, h=first_step_size(system, request, begin))
    dependent = count_dependent_rows(system.mechanics, t0, begin.q, begin.v)
    return LoopState(plan.start[0], begin, Counters(dependent_rows=dependent))


def check_method(layout: Layout, method: Method) -> None:
    """Raise `UnsupportedMethodError`, with alternatives, if a method cannot integrate a model."""
    if refusal := method.refusal(layout):
        raise UnsupportedMethodError(refusal)


def count_dependent_rows(mechanics: Mechanics, t: float, q: Array, v: Array) -> int:
    """Number of redundant constraint equations, if these are permitted."""
    if not mechanics.takes_redundant_rows:
        return 0
    found = mechanics.dependent_rows(mechanics.jacobian(t, q, v))
    return found.count if found else 0


def _as_json(values: ArrayLike | None) -> object:
    return values if values is None else np.asarray(values, dtype=float).tolist()


def least_tolerance(rtol: ArrayLike | None, atol: ArrayLike | None) -> float:
    """Smallest relative tolerance of a run, or smallest absolute one if all relative ones are zero; `ModelError` if not
    numeric."""
    stated = [real_array(name, x) for name, x in (("rtol", rtol), ("atol", atol)) if x is not None]
    found = (float(x.min()) for x in stated if x.size and x.min() > 0)
    return next(found, DEFAULT_TOLERANCE)


def step_control(layout: Layout, method: Method, options: RunOptions, max_steps: int) -> StepControl:
    """Step control from the options of a run."""
    rtol, atol = options.rtol, options.atol
    tolerance, kept = least_tolerance(rtol, atol), stabilisation(options.stabilize)
    if kept.baumgarte and not method.takes_baumgarte:
        raise UnsupportedMethodError(
            f"Baumgarte stabilisation requires a half-explicit method; '{method.name}' does not support it."
        )
    if (kept.project_position or kept.project_velocity) and layout.constrains_dependent_nodes:
        raise UnsupportedMethodError(
            f"Nodes of '{layout.name}' are dependent, and the projection cannot move them; use shorter steps, or a "
            "model with their coordinates as unknowns."
        )
    is_adaptive = options.h is None
    if not (is_adaptive or options.trace or (rtol is None and atol is None)):
        raise ModelError(
            "Give a step size h, or tolerances rtol and atol for adaptive steps, not both; with fixed steps, "
            "tolerances only scale the errors of a trace."
        )
    if (is_adaptive or rtol is not None or atol is not None) and not method.has_estimate:
        others = (method_of_name(name) for name in method_names())
        known = ", ".join(m.name for m in others if m.has_estimate and m.refusal(layout) is None)
        wanted = "adaptive steps need" if is_adaptive else "tolerances scale"
        raise UnsupportedMethodError(
            f"Method '{method.name}' has no error estimate, which {wanted}; give a step size h and no tolerances, or "
            f"use one of: {known}."
        )
    if is_adaptive and (refusal := method.refusal_of_adaptive_steps(layout)):
        raise UnsupportedMethodError(refusal)
    if rtol is None:
        rtol = DEFAULT_TOLERANCE if atol is None else 0.0
    relative = tolerances("rtol", rtol, layout.dimension)
    absolute = tolerances("atol", 0.01 * relative if atol is None else atol, layout.dimension)
    if not np.all(absolute > 0):
        raise ModelError("atol must be positive: entries that pass through zero have no relative accuracy.")
    chosen = controller_by_name(options.controller, options.controller_options)
    if method.chooses_order and not is_adaptive:
        raise UnsupportedMethodError(
            f"Method '{method.name}' chooses step sizes and order; give rtol instead of h, and h0 for the first "
            f"step, or use {method.inside.name} for fixed steps."
        )
    if method.chooses_order and chosen.exponent is not None:
        raise ModelError(
            f"Method '{method.name}' does not accept a controller exponent, which follows from the order of each step."
        )
    mobile = np.concatenate([layout.integrated, layout.integrated & layout.has_velocity]).astype(float)
    return StepControl(
        is_adaptive,
        is_adaptive or (options.trace and method.has_estimate),
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
        max_steps,
        method.order,
        tolerance,
        stiffness_limit(method) if is_adaptive else 0.0,
        RANK_LIMIT if method.keeps_hidden_constraints and not kept.baumgarte else 0.0,
        _rank_watch(layout, method, is_adaptive),
        get_args(Impacts).index(options.impacts),
        MOST_TIMES_OF_IMPACTS,
    )


def _rank_watch(layout: Layout, method: Method, is_adaptive: bool) -> int:
    """Treatment of singular configurations; implicit methods satisfy the constraints and need no projection."""
    if not layout.rows or layout.has_activities:
        return 0
    return 2 if is_adaptive and not isinstance(method, Implicit) and not layout.constrains_dependent_nodes else 1


def first_step_size(system: System, request: Request, start: Start) -> float:
    """Size of the first adaptive step, in s."""
    control, plan, kernels = request.control, request.plan, system.kernels
    if request.h0 is None and start.h > 0:
        return min(start.h, control.h_max)
    if isinstance(kernels, CKernels) and system.mechanics.saddle_algebra is None:
        return float(first_steps(kernels, system.prepared, request, start.q[None], start.v[None])[0])
    if (stated := _stated_first_step(request)) is not None:
        return stated
    t, order = plan.start[0], request.method.first_order
    estimated = first_step(system, t, start, control, order, min(plan.end[0] - t, control.h_max))
    return max(estimated, control.smallest_step(t, plan.span))


def _stated_first_step(request: Request) -> float | None:
    """Specified initial step size, or the whole interval for methods that estimate the initial step size themselves."""
    control, plan = request.control, request.plan
    if request.h0 is not None:
        return min(float(request.h0), control.h_max)
    return min(plan.end[0] - plan.start[0], control.h_max) if request.method.is_polynomial else None


def first_steps(kernels: CKernels, prepared: Prepared, request: Request, q: Array, v: Array) -> Array:
    """Initial step sizes of systems of one topology from consistent states, in s, shape (n,)."""
    control, plan, count = request.control, request.plan, len(q)
    if (stated := _stated_first_step(request)) is not None:
        return np.full(count, stated)
    t = plan.start[0]
    norm = ErrorNorm(control.rtol, control.atol, control.weight)
    longest = min(plan.end[0] - t, control.h_max)
    states = States(np.full(count, t), q, v, np.zeros((count, 0)))
    found = kernels.first_steps(prepared, states, norm, request.method.first_order, longest)
    return np.maximum(found, control.smallest_step(t, plan.span))
