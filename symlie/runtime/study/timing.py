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
from symlie.runtime.methods.family import Method
from symlie.runtime.solution.start import start_of
from symlie.runtime.system.system import System


def step_timer(system: System, method: str | Method, h: float, steps: int) -> Callable[[], float]:
    """Return a function that integrates ``steps`` steps of size h in s from the initial state and returns CPU
    nanoseconds per step."""
    chosen = chosen_method(method)
    initial = start_of(system, 0.0)
    plan = Plan((0.0,), (h * steps,), (steps,), (False,), (0,))

    def sample() -> float:
        integration = CompiledIntegration(system, chosen, plan, FIXED_STEPS, LoopState(0.0, initial), record_every=0)
        start = time.thread_time_ns()
        status = integration.advance(steps + 1)
        elapsed = time.thread_time_ns() - start
        if status != 0 or not np.all(np.isfinite(integration.v)):
            raise IntegrationError(f"The timed integration failed within {h * steps:g} s; take a smaller step.")
        return elapsed / steps

    return sample
