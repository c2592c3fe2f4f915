"""Call of a controller: the values that it reads, and checks of those that it returns."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from symlie.errors import ControllerError, ModelError
from symlie.runtime.integrate.simulation.sampled import OF_EVERY_STATE, Sampled
from symlie.runtime.integrate.simulation.simulator_inputs import HeldValues
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.single_outputs import SingleOutputs
from symlie.runtime.solution.outputs import output_names
from symlie.runtime.solution.state import single_state

LONGEST = 60
"""Largest length of a value in a message."""

Parts = tuple[Array, Array, Array, Array]
"""Configuration, velocity, multipliers and auxiliary state."""

Values = list[tuple[str, Array]]
"""Inputs by name with their values."""


class ControllerCall:
    """Function of a controller, whose results are the values of its inputs."""

    def __init__(self, controller: Sampled, held: HeldValues) -> None:
        self._controller, self._held = controller, held
        known = output_names(held.stated.layout)
        names = [name for name in controller.reads if name in known]
        self._outputs = SingleOutputs(held.system, names) if names else None
        self._needs_state = bool(names) or "state" in controller.reads
        available = (*OF_EVERY_STATE, *names)
        # Outputs follow the parts of the state and have precedence.
        places = [len(available) - 1 - available[::-1].index(name) for name in controller.reads]
        # A slice makes a sequence of one value or of none.
        first = places[0] if places else 0
        self._pick = itemgetter(*places) if len(places) > 1 else itemgetter(slice(first, first + len(places)))
        self._name = controller.writes[0] if len(controller.writes) == 1 else None

    def __call__(self, t: float, parts: Parts) -> Values:
        """Return the values of the inputs from copies of the state at time t; raise ControllerError."""
        controller, checked, name = self._controller, self._held.checked, self._name
        try:
            found = controller.function(t, *self._pick(self._given(t, parts) if self._needs_state else parts))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            raise ControllerError(
                f"The controller '{controller.name}' failed at t = {t:.9g} with {type(error).__name__}: {error}"
            ) from error
        try:
            # The function may change its array later.
            if name is not None and found is not None:
                return [(name, checked(name, found).copy())]
            return [(name, checked(name, value).copy()) for name, value in self._several(t, found)]
        except ModelError as error:
            raise ControllerError(
                f"The controller '{controller.name}' returned {_described(found)} at t = {t:.9g}: {error}"
            ) from error

    def _given(self, t: float, parts: Parts) -> list[object]:
        """Return all values that the function can read."""
        state = single_state(self._held.stated, t, *parts)
        return [*parts[:2], state, *(self._outputs(state) if self._outputs is not None else ())]

    def _several(self, t: float, found: object) -> list[tuple[str, object]]:
        """Return the values of several inputs by name."""
        controller, names = self._controller, self._controller.writes
        if found is None:
            raise ControllerError(
                f"The controller '{controller.name}' returned nothing at t = {t:.9g}; return the value of "
                f"{', '.join(names)}."
            )
        if not isinstance(found, Sequence | np.ndarray) or isinstance(found, str) or len(found) != len(names):
            raise ControllerError(
                f"The controller '{controller.name}' must return {len(names)} values, of {', '.join(names)}, but it "
                f"returned {_described(found)} at t = {t:.9g}."
            )
        return [*zip(names, found, strict=True)]


def _described(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"a {type(value).__name__}"
