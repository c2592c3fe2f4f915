"""Timing of compiled steps, for benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from symlie.errors import IntegrationError
from symlie.runtime.drive import CompiledIntegration
from symlie.runtime.methods import method as method_of_name
from symlie.runtime.plan import Plan
from symlie.runtime.system import System


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
    chosen = method_of_name(method)
    initial = system.initial_state
    plan = Plan((0.0,), (h * steps,), (steps,), (False,))

    def sample() -> float:
        integration = CompiledIntegration(system, chosen, plan, initial, record_every=0)
        start = time.thread_time_ns()
        status = integration.advance(steps + 1)
        elapsed = time.thread_time_ns() - start
        if status != 0 or not np.all(np.isfinite(integration.v)):
            raise IntegrationError(f"The timed integration failed within {h * steps:g} s; take a smaller step.")
        return elapsed / steps

    return sample
