"""Calls of sampled controllers, and the inputs that they write."""

from __future__ import annotations

import copy
import pickle
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from symlie.errors import ControllerError, ModelError
from symlie.runtime.integrate.simulation.clock import Clock
from symlie.runtime.integrate.simulation.controller_call import ControllerCall, Parts, Values
from symlie.runtime.integrate.simulation.sampled import Sampled
from symlie.runtime.integrate.simulation.simulator_inputs import HeldValues
from symlie.runtime.layout.layout import Array


class SavedSampling(NamedTuple):
    """Data of `Sampling` between two calls."""

    controllers: tuple[Sampled, ...]
    start: float
    counts: tuple[list[int], list[int]]
    waiting: list[list[Values]]


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
        self.begin(start)

    def begin(self, start: float) -> None:
        """Begin the samples at a time, in s; controllers keep their state."""
        self._start, self.clock = start, Clock(self.controllers, start)
        self._calls = [ControllerCall(controller, self.held) for controller in self.controllers]
        self._waiting: list[deque[Values]] = [deque() for _ in self.controllers]

    def act(self, t: float, parts: Callable[[], Parts]) -> dict[str, Array]:
        """Call the controllers of the next time, t, at a state, and return the inputs that are set with their values.

        Raises
        ------
        ControllerError
            If a controller raises an exception or returns unusable values.
        """
        sampled, applied = self.clock.advance()
        for k in sampled:
            self._waiting[k].append(self._calls[k](t, parts()))
        changed, places = {}, self.held.places
        for k in applied:
            for name, value in self._waiting[k].popleft():
                places[name][...] = changed[name] = value
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
