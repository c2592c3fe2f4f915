"""The class of environments, which needs Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Mapping

import gymnasium
import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.integrate.simulation.environment import EnvironmentTask
from symlie.runtime.integrate.simulation.simulator import Simulator
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.state import State

INITIAL = "initial"
"""Name of the option of a reset."""


class SimulationEnvironment(gymnasium.Env[NDArray[np.float64], NDArray[np.float64]]):
    """Environment of a simulation, from `gym_environment`.

    Attributes
    ----------
    simulator
        The simulation, with its state and, if it records, the solution of the episode.
    """

    def __init__(self, simulator: Simulator, task: EnvironmentTask) -> None:
        self.simulator, self._task, self._begin = simulator, task, simulator.save()
        self._start, self._count, self._is_ready = simulator.t, 0, False
        self.action_space = gymnasium.spaces.Box(task.low, task.high, dtype=np.float64)
        size = sum(value.size for value in task.observed(simulator).values())
        self.observation_space = gymnasium.spaces.Box(-math.inf, math.inf, (size,), dtype=np.float64)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Array, dict[str, object]]:
        """Begin an episode.

        Parameters
        ----------
        seed
            Seed of the random numbers, for ``initial``.
        options
            ``{"initial": …}``: the initial state of this episode, a `State` or values of nodes by name.

        Returns
        -------
        observation, info
            Observed outputs, shape (components,), and time and events.

        Raises
        ------
        UnknownNameError
            If an option does not exist.
        ModelError, InconsistentInitialValuesError
            As for `Simulator.set_state`.
        """
        super().reset(seed=seed)
        for name in options or {}:
            if name != INITIAL:
                raise UnknownNameError(f"There is no option '{name}' of a reset; use: {INITIAL}.")
        simulator, initial = self.simulator, self._task.initial
        simulator.restore(self._begin)
        if options and INITIAL in options:
            self._set(options[INITIAL])
        elif initial is not None:
            self._set(initial(self.np_random))
        self._start, self._count, self._is_ready = simulator.t, 0, True
        return self._observation(self._task.observed(simulator)), self._info()

    def step(self, action: NDArray[np.float64]) -> tuple[Array, float, bool, bool, dict[str, object]]:
        """Hold an action for one period, or until a terminal event.

        Parameters
        ----------
        action
            Values of the inputs, shape (components,), in their units; clipped to the limits.

        Returns
        -------
        observation, reward, terminated, truncated, info
            Observed outputs, shape (components,); reward; true after a terminal event; true after the time limit; time
            and events.

        Raises
        ------
        ModelError
            If the action has the wrong size or is not finite, the reward is not a finite number, or the episode has
            not begun or has ended.
        IntegrationError
            If a step of the integration fails.
        """
        if not self._is_ready:
            raise ModelError("An episode begins with reset(); call it before step().")
        simulator, task = self.simulator, self._task
        for name, value in task.inputs(simulator, action).items():
            simulator.inputs[name] = value
        end = self._start + min((self._count + 1) * task.period, task.time_limit)
        simulator.advance(end)
        self._count += 1
        observed = task.observed(simulator)
        is_over = simulator.t >= self._start + task.time_limit and not simulator.is_done
        self._is_ready = not (is_over or simulator.is_done)
        info = self._info()
        return self._observation(observed), task.rewarded(simulator, observed), simulator.is_done, is_over, info

    def _set(self, state: object) -> None:
        if isinstance(state, State):
            self.simulator.set_state(state)
        elif isinstance(state, Mapping):
            self.simulator.set_state(t=self._begin.t, **state)
        else:
            raise ModelError(f"The initial state must be a State or a mapping of nodes, not {state!r}.")

    def _observation(self, observed: Mapping[str, Array]) -> Array:
        return np.concatenate([value.ravel() for value in observed.values()])

    def _info(self) -> dict[str, object]:
        return {"t": self.simulator.t, "events": [event.name for event in self.simulator.events]}
