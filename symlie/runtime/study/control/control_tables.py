"""Tables of the inputs that are to be determined, as one vector of values."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.options import Interpolation
from symlie.runtime.integrate.sensitivities.variables import Variable, variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_whole_number

LOCAL: tuple[Interpolation, ...] = ("linear", "hold")
"""Interpolations whose values between two knots depend on these alone."""


@dataclass(frozen=True, eq=False)
class ControlTables:
    """Tables of some inputs.

    Attributes
    ----------
    system
        The system, with a table of the guess for each of the inputs.
    names
        Names of the inputs.
    """

    system: System
    names: Sequence[str]

    @property
    def start(self) -> Array:
        """Values of the guess, shape (values,)."""
        return np.concatenate([self.system.inputs[name].values.ravel() for name in self.names])

    @property
    def parts(self) -> list[slice]:
        """Range of the values of each input."""
        ends = np.cumsum([0, *(self.system.inputs[name].values.size for name in self.names)])
        return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]

    @property
    def components(self) -> list[list[NDArray[np.intp]]]:
        """Numbers of the values of each component of each input."""
        sizes = [self.system.inputs[name].values.shape[1] for name in self.names]
        return [
            [np.arange(part.start + c, part.stop, size) for c in range(size)]
            for part, size in zip(self.parts, sizes, strict=True)
        ]

    @cached_property
    def variables(self) -> list[Variable]:
        """The values as variables of runs."""
        return variables_of(self.system, self.names)

    def system_with(self, values: Array) -> System:
        """Return the system with other values."""
        tables = dict(self.system.inputs)
        for name, part in zip(self.names, self.parts, strict=True):
            table = tables[name]
            tables[name] = dataclasses.replace(table, values=values[part].reshape(table.values.shape))
        return dataclasses.replace(self.system, inputs=tables)

    def within(self, begin: float, end: float) -> list[int]:
        """Return the numbers of the values on which the inputs depend in an interval of time."""
        chosen = []
        for name, part in zip(self.names, self.parts, strict=True):
            times, size = self.system.inputs[name].times, self.system.inputs[name].values.shape[1]
            before, after = np.append(-np.inf, times[:-1]), np.append(times[1:], np.inf)
            knots = np.flatnonzero((after > begin) & (before < end))
            chosen += [part.start + int(k) * size + c for k in knots for c in range(size)]
        return chosen

    def limits(self, bounds: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> tuple[Array, Array]:
        """Return the lower and upper bounds of all values; raise UnknownNameError or ModelError."""
        unknown = next((name for name in bounds if name not in self.names), None)
        if unknown is not None:
            known = ", ".join(self.names)
            raise UnknownNameError(f"Bounds are given for '{unknown}', which is none of the controls {known}.")
        sides: list[list[Array]] = [[], []]
        for name in self.names:
            shape = self.system.inputs[name].values.shape
            for side, limit in zip(sides, bounds.get(name, (-np.inf, np.inf)), strict=True):
                side.append(np.broadcast_to(np.asarray(limit, dtype=float), shape).ravel())
        low, high = (np.concatenate(side) for side in sides)
        if not np.all(low <= high):
            raise ModelError("A lower bound of an input is above its upper bound; exchange them.")
        if np.any(self.start < low) or np.any(self.start > high):
            raise ModelError("The bounds of an input exclude its guess; give a guess within the bounds.")
        return low, high

    def effort(self, weights: float | Mapping[str, ArrayLike]) -> Array:
        """Return W of ∫ Σ w u² dt = uᵀ W u for all values u; raise ModelError for negative weights."""
        found = np.zeros((len(self.start), len(self.start)))
        for name, part in zip(self.names, self.parts, strict=True):
            table = self.system.inputs[name]
            stated = weights.get(name, 0.0) if isinstance(weights, Mapping) else weights
            weight = np.broadcast_to(real_array(f"The effort of input '{name}'", stated), table.values.shape[1])
            if not np.all(weight >= 0):
                raise ModelError(
                    f"The weight of the effort of input '{name}' must not be negative, but it is {stated!r}."
                )
            h = np.diff(table.times)
            if table.interpolation == "hold":
                gram = np.diag(np.append(h, 0.0))
            else:
                gram = np.diag(np.append(h, 0.0) + np.append(0.0, h)) / 3 + (np.diag(h, 1) + np.diag(h, -1)) / 6
            found[part, part] = np.kron(gram, np.diag(weight))
        return found


def guessed_tables(
    system: System,
    names: Sequence[str],
    times: tuple[float, float],
    knots: int,
    interpolation: Interpolation,
    guess: Mapping[str, ArrayLike],
) -> ControlTables:
    """Return tables at equidistant times with the guess, by default zero; raise UnknownNameError or ModelError."""
    if not names:
        raise ModelError("No input is to be determined; name at least one in controls.")
    if not (is_whole_number(knots) and knots >= 2):
        raise ModelError(f"The number of knots must be a whole number of at least two, not {knots!r}.")
    if interpolation not in LOCAL:
        raise ModelError(f"Controls are interpolated {' or '.join(map(repr, LOCAL))}, not {interpolation!r}.")
    for name in (*names, *guess):
        if name not in system.layout.inputs:
            known = ", ".join(system.layout.inputs) or "none"
            raise UnknownNameError(f"Model '{system.name}' has no input '{name}'; it has: {known}.")
    for name in guess:
        if name not in names:
            raise UnknownNameError(f"A guess is given for '{name}', which is none of the controls {', '.join(names)}.")
    at = np.linspace(*times, knots)
    for name in names:
        size = system.layout.inputs[name][0]
        given = real_array(f"The guess of input '{name}'", guess.get(name, np.zeros((knots, size))))
        if given.size != knots * size:
            raise ModelError(f"The guess of input '{name}' needs {knots} × {size} values, not {given.size}.")
        system = system.with_input(name, at, given.reshape(knots, size), interpolation)
    return ControlTables(system, names)
