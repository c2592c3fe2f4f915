"""Start of a run with sampled controllers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.errors import ControllerError
from symlie.runtime.integrate.request import Request, check_system, requested
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.segments import interval
from symlie.runtime.integrate.simulation.sampled import Sampled, checked_controllers
from symlie.runtime.integrate.simulation.sampling import Sampling
from symlie.runtime.integrate.simulation.simulator_inputs import HeldValues
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import continuation_of, start_of
from symlie.runtime.system.system import System


def controlled(
    system: System,
    t_span: tuple[float, float] | float,
    options: RunOptions,
    start: Solution | None,
    continued: float | None,
    controllers: Sequence[Sampled] | Sampled,
) -> tuple[Request, Sampling]:
    """Validate the arguments of `solve` with controllers, and take the first sample.

    The request is that of a run in which the inputs have tables with the times of all samples.
    """
    check_system(system)
    found = checked_controllers(system, controllers, options.h)
    held = HeldValues(system, [name for controller in found for name in controller.writes])
    t0, t_end = interval(t_span, continued)
    sampling = Sampling(held, found, t0)
    times, applied = sampling.clock.until(t_end)
    planned = system
    for controller, changes in zip(found, applied, strict=True):
        table = np.array([t0, *(t for t in changes if t > t0)])
        for name in controller.writes:
            planned = planned.with_input(name, table, np.zeros((len(table), *held.value(name).shape)), "hold")
    request = requested(planned, t_span, options, continued, times)
    begin = start_of(system, t0) if start is None else continuation_of(start, system)
    held.begin(t0)
    try:
        sampling.act(t0, lambda: (begin.q, begin.v, begin.multipliers, begin.carried))
    except ControllerError as error:
        sampling.failure = error
    for name in held.names:
        held.keep(name, t0)
    return request, sampling
