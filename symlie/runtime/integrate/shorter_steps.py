"""States between recorded ones from shorter steps of the method, for first-order states and polynomial steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import Status
from symlie.errors import IntegrationError
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.kernels.c import asked_states, c_states
from symlie.runtime.kernels.carried import carried_after
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import method_of_run
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.stabilisation import stabilisation
from symlie.runtime.methods.stepper import State, Stepper, Trial

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution


class ShorterSteps:
    """Integrator of steps from the recorded states of a solution, with its method or a substitute, and with its
    stabilisation."""

    def __init__(self, solution: Solution) -> None:
        told = solution.settings
        self._system = solution.system
        self._method = method_of_run(solution.method, told).inside
        kept = stabilisation(told.get("stabilize", "none"))
        self._control = replace(FIXED_STEPS, order=self._method.order, **vars(kept))
        is_compiled = self._system.backend == "c"
        self._compiled = CompiledMethod(self._system, self._method, self._control) if is_compiled else None

    def __call__(self, recorded: States, interval: NDArray[np.intp], t: Array) -> States:
        """States at times after the recorded states ``interval``; `IntegrationError` if a step fails."""
        if self._compiled is not None:
            return self._in_c(self._compiled, recorded, interval, t)
        system, start = self._system, recorded[interval]
        stepper = Stepper(system, self._method, self._control)
        trials = [self._step(stepper, start, k, t) for k in range(len(t))]
        q, v, multipliers = (np.array([getattr(x, name) for x in trials]) for name in ("q", "v", "multipliers"))
        turned = np.array([stepper.turned(x) for x in trials])
        known = system.kernels, system.layout, system.prepared
        carried = carried_after(*known, start.carried, (start.t, start.q), (t, q), turned)
        return States(t, q, v, multipliers, carried)

    @staticmethod
    def _step(stepper: Stepper, start: States, k: int, t: Array) -> Trial:
        """Result of a step from a recorded state to the given time."""
        begin = State(float(start.t[k]), start.q[k], start.v[k], start.multipliers[k])
        trial = stepper.step(begin, float(t[k]) - begin.t)
        stepper.renew_multipliers(float(t[k]), trial)
        return trial

    def _in_c(self, compiled: CompiledMethod, recorded: States, interval: NDArray[np.intp], t: Array) -> States:
        library = compiled.library
        # A separate workspace, since several threads may evaluate the solution.
        problem, workspace = library.ffi.new("symlie_problem *", compiled.problem[0]), compiled.workspace()
        problem.workspace = workspace
        described, held = c_states(library, recorded)
        found, asked = asked_states(library, self._system.layout, interval, t)
        done = library.ffi.new("long long *")
        status = Status(library.call.symlie_shorter_steps(problem, compiled.control, described, *asked, done))
        del held
        if status is not Status.DONE:
            k = int(done[0])
            # The NumPy step reports the failure and its location.
            self._step(Stepper(self._system, self._method, self._control), recorded[interval], k, t)
            raise IntegrationError(
                f"The step of {self._method.name} from t = {recorded.t[interval[k]]:.9g} to t = {t[k]:.9g} fails "
                f"({status.name}); evaluate the solution at other times."
            )
        return found
