"""Derivative of the flow: tangents of the state at the end of a run along tangents at its start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.recorded_steps import RecordedSteps, recorded_steps
from symlie.runtime.integrate.sensitivities.step_maps import Linearization
from symlie.runtime.integrate.sensitivities.variables import directions_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.start import Start
from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class Flow:
    """Run with the tangents of its end.

    Attributes
    ----------
    recorded
        The steps.
    configuration, velocity
        Tangents of q and v at the end by column, shape (dimension, columns).
    """

    recorded: RecordedSteps
    configuration: Array
    velocity: Array


def flow_along(
    system: System, t_span: tuple[float, float], start: Start, options: RunOptions, tangents: tuple[Array, Array]
) -> Flow:
    """Return the flow along tangents of q and v at the start by column, shape (dimension, columns), which satisfy the
    constraints."""
    recorded = recorded_steps(system, t_span, options, start)
    linearization = Linearization(system, recorded, directions_of(system, []))
    rows = linearization.begin(*(np.ascontiguousarray(x.T) for x in tangents))
    for maps in linearization.chunks():
        for matrix in maps.by_state:
            rows = rows @ matrix.T
    found = linearization.tangents(rows)
    return Flow(recorded, found["q"].T, found["v"].T)
