"""Timing of compiled steps, for benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from symlie.errors import IntegrationError
from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.segments import Plan
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.solution.start import start_of
from symlie.runtime.system.system import System


def step_timer(system: System, method: str, h: float, steps: int) -> Callable[[], float]:
    """A function that integrates ``steps`` steps from the initial state and returns nanoseconds of CPU per step.

    Parameters
    ----------
    system
        A system with the C backend.
    method
        Name of a method.
    h
        Step size, in s.
    steps
        Steps of one sample.

    Raises
    ------
    IntegrationError
        From the function: the timed integration failed.
    """
    chosen = chosen_method(method)
    initial = start_of(system, 0.0)
    plan = Plan((0.0,), (h * steps,), (steps,), (False,))

    def sample() -> float:
        integration = CompiledIntegration(system, chosen, plan, FIXED_STEPS, LoopState(0.0, initial), record_every=0)
        start = time.thread_time_ns()
        status = integration.advance(steps + 1)
        elapsed = time.thread_time_ns() - start
        if status != 0 or not np.all(np.isfinite(integration.v)):
            raise IntegrationError(f"The timed integration failed within {h * steps:g} s; take a smaller step.")
        return elapsed / steps

    return sample


def stage_timers(system: System, method: str = "half_explicit_5") -> dict[str, Callable[[], float]]:
    """Functions that time the parts of one stage over the whole system, in nanoseconds of CPU.

    Parameters
    ----------
    system
        A system with the C backend.
    method
        Method whose library is timed; its step is reported per stage.
    """
    layout = system.layout
    chosen = chosen_method(method)
    initial = start_of(system, 0.0)
    loop = CompiledIntegration(
        system, chosen, Plan((0.0,), (1.0,), (1,), (False,)), FIXED_STEPS, LoopState(0.0, initial), record_every=0
    )
    call, problem, pointer = loop.library.call, loop.problem, loop.library.pointer
    rng = np.random.default_rng(1)
    u = 1e-3 * rng.standard_normal(layout.dimension)
    out = np.zeros(layout.storage + len(system.kernels.jacobian(system.prepared, 0.0, initial.q)))
    other = np.zeros(max(layout.rows, 1))
    q, v, step, result, second = (pointer(a) for a in (initial.q, initial.v, u, out, other))
    parts: dict[str, Callable[[], object]] = {
        "nodes: advance and inverse tangent operator": lambda: (
            call.symlie_advance(problem, q, step, result),
            call.symlie_inverse_tangent_operator(problem, step, v, result),
        ),
        "kernels: force": lambda: call.symlie_force(problem, 0.0, q, v, result),
        "right-hand side with multipliers": lambda: call.symlie_acceleration(problem, 0.0, q, v, result, second),
    }
    if layout.rows:
        parts["kernels: jacobian"] = lambda: call.symlie_jacobian(problem, 0.0, q, result)
        parts["kernels: curvature"] = lambda: call.symlie_curvature(problem, 0.0, q, v, result)
    repeats = max(1, 20000 // layout.dimension)

    def timer(part: Callable[[], object]) -> Callable[[], float]:
        def sample(owner: CompiledIntegration = loop) -> float:
            # The loop owns the memory that the parts work in.
            start = time.thread_time_ns()
            for _ in range(repeats):
                part()
            return (time.thread_time_ns() - start) / repeats

        return sample

    timers = {name: timer(part) for name, part in parts.items()}
    whole = step_timer(system, method, 1e-7, repeats)
    timers["one stage of a step"] = lambda: whole() / chosen.tableau.stages
    return timers
