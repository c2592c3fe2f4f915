"""Simulations as environments of Gymnasium: arguments, and values of one sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.integrate.simulation.simulator import Simulator
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.state import State
from symlie.runtime.system.parameters import real_array
from symlie.utilities.number_checks import is_number
from symlie.utilities.packages import require

if TYPE_CHECKING:
    from gymnasium import Env

Values = Mapping[str, float | Array]
"""Time, outputs and inputs by name."""

Initial = State | Mapping[str, Mapping[str, object]]
"""State, or values of nodes by name, as for `Simulator.set_state`."""

TIME = "t"
"""Name of the time among the values of a reward."""


@dataclass(frozen=True, eq=False)
class EnvironmentTask:
    """Task of an environment, see `gym_environment`."""

    observation: tuple[str, ...]
    action: tuple[str, ...]
    reward: Callable[[Values], float]
    period: float
    low: Array
    high: Array
    time_limit: float
    initial: Callable[[np.random.Generator], Initial] | None

    def inputs(self, simulator: Simulator, action: ArrayLike) -> dict[str, Array]:
        """Return the inputs of an action, within its limits; raise ModelError for unusable values."""
        values = real_array("The action", action).ravel()
        if values.shape != self.low.shape:
            raise ModelError(f"An action has {self.low.size} numbers, for {', '.join(self.action)}, not {values.size}.")
        sizes = [np.size(simulator.inputs[name]) for name in self.action]
        parts = np.split(np.clip(values, self.low, self.high), np.cumsum(sizes)[:-1])
        return dict(zip(self.action, parts, strict=True))

    def observed(self, simulator: Simulator) -> dict[str, Array]:
        """Return the observed outputs by name."""
        found = simulator.outputs
        return {name: found[name] for name in self.observation}

    def rewarded(self, simulator: Simulator, observed: Mapping[str, Array]) -> float:
        """Return the reward; raise ModelError if it is not a number."""
        values: dict[str, float | Array] = {TIME: simulator.t}
        for name, value in [*observed.items(), *((name, simulator.inputs[name]) for name in self.action)]:
            values[name] = value if value.ndim else float(value)
        found = self.reward(values)
        if not is_number(found) or not math.isfinite(found):
            raise ModelError(f"The reward at t = {simulator.t:.9g} must be a finite number, not {found!r}.")
        return float(found)


def gym_environment(
    simulator: Simulator,
    *,
    observation: Sequence[str],
    action: Sequence[str],
    reward: Callable[[Values], float],
    period: float,
    limits: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    time_limit: float | None = None,
    initial: Callable[[np.random.Generator], Initial] | None = None,
) -> Env[Array, Array]:
    """Return a simulation as an environment of Gymnasium, for reinforcement learning.

    An episode starts at the current state of the simulation, or at a state from ``initial``. An episode is terminated
    by a terminal event of the model, and truncated by the time limit. A failed step raises its `IntegrationError`.

    Parameters
    ----------
    simulator
        The simulation, from `System.simulator`; the environment advances it.
    observation
        Names of outputs; their components form an observation in this order.
    action
        Names of inputs, whose components form an action in this order.
    reward
        Function of a mapping with the time ``"t"``, in s, the observed outputs and the inputs of the action by name, at
        the end of each period. It returns a number.
    period
        Time between two actions, in s; inputs are held.
    limits
        Lowest and highest values of inputs by name, in their units: numbers or arrays. Actions outside of them are
        clipped. Default: unlimited.
    time_limit
        Duration of an episode, in s; default: unlimited.
    initial
        Function of a random number generator, seeded by ``reset(seed=…)``, that returns the initial state: a `State`,
        or values of nodes by name, as for `Simulator.set_state`. ``reset(options={"initial": …})`` specifies such a
        state for one episode.

    Returns
    -------
    gymnasium.Env
        The environment, with the attribute ``simulator``; ``info`` contains the time ``"t"`` and the names of the
        ``"events"`` of the period.

    Raises
    ------
    MissingDependencyError
        If Gymnasium is not installed.
    UnknownNameError
        If an output or an input does not exist.
    SmoothnessError
        If the model differentiates an input.
    ModelError
        If other arguments are invalid, or a controller of the simulation writes an input.
    """
    require("An environment", "gymnasium")
    from symlie.runtime.integrate.simulation.gymnasium_environment import SimulationEnvironment

    if not isinstance(simulator, Simulator):
        raise ModelError(f"An environment needs a simulation from system.simulator, not a {type(simulator).__name__}.")
    for what, value in (("period", period), ("time limit", time_limit)):
        if value is not None and not (is_number(value) and 0 < value < math.inf):
            raise ModelError(f"The {what} of an environment must be a positive number of seconds, not {value!r}.")
    for name, function in (("reward", reward), ("initial", initial)):
        if function is not None and not callable(function):
            raise ModelError(f"The argument {name} of an environment must be a function, not {function!r}.")
    observed, acted = _names("observation", observation), _names("action", action)
    known = simulator.outputs
    for name in observed:
        if name not in known:
            raise UnknownNameError(f"There is no output '{name}' to observe; the model has: {', '.join(known)}.")
    for controller in simulator.controllers:
        for name in set(controller.writes) & set(acted):
            raise ModelError(f"Input '{name}' is written by {controller.title}; use other inputs as actions.")
    low, high = _limits(simulator, acted, limits or {})
    limit = math.inf if time_limit is None else float(time_limit)
    task = EnvironmentTask(observed, acted, reward, float(period), low, high, limit, initial)
    return SimulationEnvironment(simulator, task)


def _names(what: str, stated: Sequence[str]) -> tuple[str, ...]:
    names = (stated,) if isinstance(stated, str) else tuple(stated)
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise ModelError(f"The argument {what} of an environment must be different names, not {stated!r}.")
    return names


def _limits(
    simulator: Simulator, action: Sequence[str], limits: Mapping[str, tuple[ArrayLike, ArrayLike]]
) -> tuple[Array, Array]:
    """Return the lowest and the highest values of all components of an action."""
    sizes = {name: np.size(simulator.inputs[name]) for name in action}
    for name in limits:
        if name not in action:
            raise UnknownNameError(f"The limits of '{name}' belong to no action; the actions are: {', '.join(action)}.")
    found: list[tuple[Array, Array]] = []
    for name, size in sizes.items():
        stated = limits.get(name, (-math.inf, math.inf))
        if not isinstance(stated, Sequence) or len(stated) != 2:
            raise ModelError(f"The limits of '{name}' must be a lowest and a highest value, not {stated!r}.")
        low, high = (real_array(f"The limits of '{name}'", value) for value in stated)
        if any(x.size not in (1, size) for x in (low, high)) or not np.all(low < high):
            raise ModelError(
                f"The limits of '{name}' must be increasing pairs of numbers, one or {size}, not {stated!r}."
            )
        found.append((np.broadcast_to(low.ravel(), size), np.broadcast_to(high.ravel(), size)))
    return np.concatenate([low for low, _ in found]), np.concatenate([high for _, high in found])
