"""Systems that differ in one scalar: a parameter, an input or the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.residual import Statics

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

DIFFERENCE = 1e-5
"""Step of central differences, relative to the range of the parameter."""


class ParameterFamily:
    """Statics of a system as functions of a scalar parameter or input, or of the time ``"t"``; raises UnknownNameError
    or, for several components, ModelError."""

    def __init__(self, system: System, name: str, t: float) -> None:
        self.system, self.name, self.t = system, name, float(t)
        layout = system.layout
        if name in layout.inputs:
            size = layout.inputs[name][0]
        elif name in layout.parameters:
            part = layout.parameters[name][0]
            size = part.stop - part.start
        elif name == "t":
            size = 1
        else:
            known = ", ".join([*layout.parameters, *layout.inputs, "t"])
            raise UnknownNameError(f"Model '{layout.name}' has no parameter or input '{name}'; it has: {known}.")
        if size != 1:
            raise ModelError(f"A path requires a scalar parameter, but '{name}' has {size} components.")
        self._last: tuple[float, Statics] | None = None

    @property
    def value(self) -> float:
        """Value of the parameter in the system itself."""
        system, layout = self.system, self.system.layout
        if self.name in layout.inputs:
            table = system.inputs.get(self.name)
            if table is None:
                return 0.0
            if table.interpolation == "hold":
                return float(table.values[max(int(np.searchsorted(table.times, self.t, side="right")) - 1, 0), 0])
            return float(np.interp(self.t, table.times, table.values[:, 0]))
        if self.name in layout.parameters:
            return float(system.parameters[layout.parameters[self.name][0]][0])
        return self.t

    def at(self, value: float) -> System:
        """Return the system with another value of the parameter."""
        if self.name in self.system.layout.inputs:
            return self.system.with_input(self.name, [self.t], [value])
        if self.name in self.system.layout.parameters:
            return self.system.with_parameters(**{self.name: value})
        return self.system

    def statics(self, value: float) -> Statics:
        """Return the statics with another value of the parameter."""
        if self._last is None or self._last[0] != value:
            self._last = value, Statics(self.at(value), value if self.is_time else self.t)
        return self._last[1]

    @property
    def is_time(self) -> bool:
        """True if the parameter is the time."""
        layout = self.system.layout
        return self.name == "t" and "t" not in layout.inputs and "t" not in layout.parameters

    def rates(self, q: Array, multipliers: Array, value: float, scale: float) -> tuple[Array, Array]:
        """Return the derivatives of forces and Φ with respect to the parameter, by central differences relative to its
        range ``scale``."""
        found = []
        for way in (1, -1):
            statics = self.statics(value + way * DIFFERENCE * scale)
            moved = statics.prescribed(q)
            found.append((statics.force(moved, multipliers), statics.constraint(moved)))
        (force, constraint), (before, constraint_before) = found
        width = 2 * DIFFERENCE * scale
        return (force - before) / width, (constraint - constraint_before) / width
