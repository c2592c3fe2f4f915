"""Derivative of the flow: tangents of the state at the end of a run along tangents at its start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.recorded_steps import recorded_steps
from symlie.runtime.integrate.sensitivities.step_maps import Linearization
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents
from symlie.runtime.integrate.sensitivities.tangent_run import Sink, TangentRun, has_tangents
from symlie.runtime.integrate.sensitivities.trail import check_end
from symlie.runtime.integrate.sensitivities.variables import directions_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class Flow:
    """Run with the tangents of its end.

    Attributes
    ----------
    solution
        The run.
    configuration, velocity
        Tangents of q and v at the end by column, shape (dimension, columns).
    """

    solution: Solution
    configuration: Array
    velocity: Array


def flow_along(
    system: System, t_span: tuple[float, float], start: Start, options: RunOptions, tangents: tuple[Array, Array]
) -> Flow:
    """Return the flow along tangents of q and v at the start by column, shape (dimension, columns), which satisfy the
    constraints."""
    rows = tuple(np.ascontiguousarray(x.T) for x in tangents)
    if has_tangents(system):
        run = TangentRun.of(system, t_span, options, start)
        configuration, velocity = (np.zeros_like(x) for x in tangents)

        def sink(part: slice) -> Sink:
            def take(found: StateTangents) -> None:
                configuration[:, part], velocity[:, part] = found.q[-1], found.v[-1]

            return take

        run.along((rows[0], rows[1]), sink)
        check_end(run.solution)
        return Flow(run.solution, configuration, velocity)
    recorded = recorded_steps(system, t_span, options, start)
    linearization = Linearization(system, recorded, directions_of(system, []))
    state = linearization.begin(*rows)
    for maps in linearization.chunks():
        for matrix in maps.by_state:
            state = state @ matrix.T
    found = linearization.tangents(state)
    return Flow(recorded.solution, found["q"].T, found["v"].T)
