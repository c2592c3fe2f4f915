"""Inputs of a simulation, constant until they are set again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError, SmoothnessError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.held_inputs import ConstantInputs, input_size
from symlie.runtime.system.system import System
from symlie.utilities.showing import line


def held_names(system: System) -> tuple[str, ...]:
    """Names of the inputs that a simulation holds: those without a table, and those with a constant one."""
    layout, tables = system.layout, system.inputs
    return tuple(
        name
        for name in layout.inputs
        if not layout.input_interpolations[name] and (name not in tables or len(tables[name].times) == 1)
    )


def check_held(system: System, name: str) -> None:
    """Raise UnknownNameError, SmoothnessError or ModelError unless an input can be held."""
    if name in held_names(system):
        return
    input_size(system.layout, name)
    interpolation = system.layout.input_interpolations[name]
    if interpolation:
        raise SmoothnessError(
            f"Input '{name}' of '{system.name}' is declared with the interpolation '{interpolation}', because it is "
            "differentiated, and cannot jump; give it a table by with_input before the simulation."
        )
    raise ModelError(
        f"Input '{name}' of '{system.name}' has a table of several points from with_input; a simulation sets only "
        "inputs that are constant in its system."
    )


class HeldValues:
    """Values of inputs that are constant until they are set, and their history.

    Parameters
    ----------
    system
        The system.
    names
        Names of these inputs; default: all that can be held.

    Attributes
    ----------
    stated
        The system as it was given.
    names
        Names of these inputs.
    system
        Copy of the system with the values, which change in place.
    checked, places
        As in `ConstantInputs`.
    """

    def __init__(self, system: System, names: Collection[str] | None = None) -> None:
        self.stated = system
        self.names = dict.fromkeys(held_names(system) if names is None else names)
        self._constant = ConstantInputs(system, tuple(self.names))
        self.system = self._constant.system
        for name in self.names:
            if name in system.inputs:
                self._constant.set(name, system.inputs[name].values)
        self.checked, self.places = self._constant.checked, self._constant.places
        self.history: dict[str, dict[float, Array]] = {}

    def value(self, name: str) -> Array:
        """Return a copy of a value, shape (size,)."""
        if name not in self.names:
            check_held(self.stated, name)
        return self._constant.value(name)

    def set(self, name: str, value: ArrayLike) -> None:
        """Set a value."""
        if name not in self.names:
            check_held(self.stated, name)
        self._constant.set(name, value)

    def copied(self) -> dict[str, Array]:
        """Return copies of all values."""
        return {name: self._constant.value(name) for name in self.names}

    def begin(self, t: float) -> None:
        """Begin the history at a time, in s."""
        self.history = {name: {t: value} for name, value in self.copied().items()}

    def keep(self, name: str, t: float) -> None:
        """Add the value of an input to the history, from a time on, in s."""
        self.history[name][t] = self._constant.value(name)

    def copied_history(self) -> dict[str, dict[float, Array]]:
        """Return a copy of the history."""
        return {name: dict(values) for name, values in self.history.items()}

    def with_history(self) -> System:
        """Return the system with tables of the values that inputs had from each time on."""
        system = self.stated
        for name, values in self.history.items():
            if len(values) > 1 or any(value.any() for value in values.values()):
                system = system.with_input(name, [*values], np.array([*values.values()]), "hold")
        return system


class SimulatorInputs(Mapping[str, Array]):
    """Inputs of a simulation by name, from `Simulator.inputs`.

    ``inputs["u"] = value`` sets an input, in its unit, from the current time on; ``inputs["u"]`` is a copy of its
    value, of shape () or (size,).
    """

    def __init__(self, held: HeldValues, changes: Callable[[str], None], owners: Mapping[str, str]) -> None:
        self._held, self._changes, self._owners = held, changes, owners

    def __repr__(self) -> str:
        return line("SimulatorInputs", [f"{name} = {value}" for name, value in self.items()])

    def __getitem__(self, name: str) -> Array:
        value = self._held.value(name)
        return value if len(value) > 1 else value.reshape(())

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        if name in self._owners:
            raise ModelError(f"Input '{name}' is written by {self._owners[name]}; set other inputs only.")
        self._held.set(name, value)
        self._changes(name)

    def __contains__(self, name: object) -> bool:
        return name in self._held.names

    def __iter__(self) -> Iterator[str]:
        return iter(self._held.names)

    def __len__(self) -> int:
        return len(self._held.names)
