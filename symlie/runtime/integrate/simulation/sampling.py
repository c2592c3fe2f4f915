"""Calls of sampled controllers, and the inputs that they write."""

from __future__ import annotations

import copy
import pickle
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from symlie.errors import ControllerError, ModelError
from symlie.runtime.integrate.simulation.clock import Clock
from symlie.runtime.integrate.simulation.sampled import Sampled
from symlie.runtime.integrate.simulation.simulator_inputs import HeldValues
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.outputs import outputs
from symlie.runtime.solution.outputs import output_names
from symlie.runtime.solution.state import State, single_state

Parts = tuple[Array, Array, Array, Array]
"""Configuration, velocity, multipliers and auxiliary state."""


class SavedSampling(NamedTuple):
    """Data of `Sampling` between two calls."""

    controllers: tuple[Sampled, ...]
    start: float
    counts: tuple[list[int], list[int]]
    waiting: list[list[tuple[Array, ...]]]


class Sampling:
    """Controllers of a run.

    Parameters
    ----------
    held
        Inputs of the run, with those that the controllers write.
    controllers
        The controllers, from `checked_controllers`.
    start
        Time of the first sample, in s.

    Attributes
    ----------
    clock
        The times of their calls.
    failure
        Exception of the first call, which the loop raises.
    """

    failure: ControllerError | None = None

    def __init__(self, held: HeldValues, controllers: Sequence[Sampled], start: float) -> None:
        self.held, self.controllers = held, tuple(controllers)
        self._outputs = frozenset(output_names(held.stated.layout))
        self.begin(start)

    def begin(self, start: float) -> None:
        """Begin the samples at a time, in s; controllers keep their state."""
        self._start, self.clock = start, Clock(self.controllers, start)
        self._waiting: list[deque[tuple[Array, ...]]] = [deque() for _ in self.controllers]

    def act(self, t: float, parts: Callable[[], Parts]) -> list[str]:
        """Call the controllers of the next time, t, at a state, and return the names of the inputs that are set.

        Raises
        ------
        ControllerError
            If a controller raises an exception or returns unusable values.
        """
        due = self.clock.advance()
        if due.sampled:
            q, v, multipliers, carried = parts()
            for part in (q, v, multipliers):
                part.setflags(write=False)
            state = single_state(self.held.stated, t, q, v, multipliers, carried)
            for k in due.sampled:
                self._waiting[k].append(self._values(self.controllers[k], t, state))
        changed = []
        for k in due.applied:
            for name, value in zip(self.controllers[k].writes, self._waiting[k].popleft(), strict=True):
                self.held.set(name, value)
                changed.append(name)
        return changed

    def saved(self) -> SavedSampling:
        """Return copies of the data with which `put` continues from here; raise ModelError if it cannot be copied."""
        try:
            return copy.deepcopy(self._data())
        except Exception as error:
            names = ", ".join(f"'{controller.name}'" for controller in self.controllers)
            raise ModelError(f"The state of the controllers {names} cannot be copied: {error}.") from error

    def _data(self) -> SavedSampling:
        return SavedSampling(self.controllers, self._start, self.clock.counts, [[*values] for values in self._waiting])

    def put(self, saved: SavedSampling) -> None:
        """Continue with a copy of saved data."""
        saved = copy.deepcopy(saved)
        self.controllers = saved.controllers
        self.begin(saved.start)
        self.clock.counts = saved.counts
        self._waiting = [deque(values) for values in saved.waiting]

    def pickled(self) -> bytes:
        """Return the saved data as a pickle.

        Raises
        ------
        ModelError
            If a controller cannot be pickled.
        """
        for controller in self.controllers:
            try:
                pickle.dumps(controller.function)
            except Exception as error:
                raise ModelError(
                    f"The controller '{controller.name}' cannot be stored in a checkpoint ({error}); use a function or "
                    "an instance of a class of a module, without open files and nested functions."
                ) from error
        return pickle.dumps(self._data())

    def _values(self, controller: Sampled, t: float, state: State) -> tuple[Array, ...]:
        """Call a controller and return the values of its inputs."""
        names = controller.writes
        try:
            found = controller.function(t, *self._read(controller.reads, state))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            raise ControllerError(
                f"The controller '{controller.name}' failed at t = {t:.9g} with {type(error).__name__}: {error}"
            ) from error
        if found is None:
            raise ControllerError(
                f"The controller '{controller.name}' returned nothing at t = {t:.9g}; return the value of "
                f"{', '.join(names)}."
            )
        if len(names) == 1:
            return (self._value(controller, t, names[0], found),)
        if not isinstance(found, Sequence | np.ndarray) or isinstance(found, str) or len(found) != len(names):
            raise ControllerError(
                f"The controller '{controller.name}' must return {len(names)} values, of {', '.join(names)}, but it "
                f"returned {_described(found)} at t = {t:.9g}."
            )
        return tuple(self._value(controller, t, name, value) for name, value in zip(names, found, strict=True))

    def _value(self, controller: Sampled, t: float, name: str, value: object) -> Array:
        try:
            found = self.held.checked(name, value)
        except ModelError as error:
            raise ControllerError(
                f"The controller '{controller.name}' returned {_described(value)} at t = {t:.9g}: {error}"
            ) from error
        # Functions may change the array before the value is applied.
        return found.copy() if controller.delay or len(self.controllers) > 1 else found

    def _read(self, names: Sequence[str], state: State) -> list[object]:
        """Return the values of outputs, or the state."""
        chosen = [name for name in names if name in self._outputs]
        if not chosen:
            return [state] * len(names)
        found = outputs(self.held.system, state, chosen, None)
        return [_plain(found[name]) if name in found else state for name in names]


def _plain(value: Array) -> object:
    return value if value.ndim else float(value)


def _described(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
