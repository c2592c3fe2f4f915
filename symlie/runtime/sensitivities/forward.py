"""Sensitivities of a run, forward: the derivatives of all states with respect to some variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.layout.layout import Array
from symlie.runtime.sensitivities.point_derivatives import Points
from symlie.runtime.sensitivities.recorded_steps import RecordedSteps, recorded_steps
from symlie.runtime.sensitivities.start import start_tangents
from symlie.runtime.sensitivities.step_maps import Linearization
from symlie.runtime.sensitivities.variables import Variable, directions_of, variables_of
from symlie.runtime.system.system import System


class ForwardRun:
    """Run with the tangents of all its states.

    Attributes
    ----------
    recorded
        The steps.
    variables
        The scalars with respect to which the run is differentiated.
    dq, dv, dl
        Tangents of q, v and λ, shape (states, variables, ·).
    """

    def __init__(
        self, system: System, t_span: tuple[float, float] | float, wrt: str | Sequence[str], options: RunOptions
    ) -> None:
        self.system = system
        self.variables: list[Variable] = variables_of(system, wrt)
        self.recorded: RecordedSteps = recorded_steps(system, t_span, options)
        self._linearization = linearization = Linearization(
            system, self.recorded, directions_of(system, self.variables)
        )
        r = self.recorded
        start = linearization.begin(*start_tangents(system, float(r.t[0]), r.q[0], self.variables))
        rows = np.empty((r.count + 1, *start.shape))
        rows[0] = start
        for maps in linearization.chunks():
            for k, step in enumerate(range(maps.steps.start, maps.steps.stop)):
                rows[step + 1] = rows[step] @ maps.by_state[k].T + maps.by_variables[k].T
        found = linearization.tangents(rows)
        self.dq, self.dv, self.dl = (found[name] for name in ("q", "v", "multipliers"))

    def outputs(self) -> Array:
        """Return the tangents of all outputs, shape (states, variables, components)."""
        r = self.recorded
        points = Points(r.t, r.q, r.v, self.dq, self.dv)
        return self._linearization.derivatives.outputs(points, r.multipliers, self.dl)
