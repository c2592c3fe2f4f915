"""Run-time inputs u(t): tables of any length behind the prepared parameters.

Every input has three slots among the parameters: where its table begins, counted from the slot; the number of points;
and whether values are held. A table is its times followed by the values, component by component.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.parameters import real_array
from symlie.showing import Brief

INTERPOLATIONS = ("linear", "hold")

SLOTS = 3
"""Numbers of an input among the parameters."""

GAP = 16 * 2.0**-52
"""Time from a jump to the next step, relative to the times of the table: steps that end at a jump evaluate at that time
up to rounding and see the value before it, steps that begin there see the value after it."""


@dataclass(frozen=True, eq=False, repr=False)
class InputTable(Brief):
    """Points of an input: times, shape (n,), and values, shape (n, size)."""

    times: Array
    values: Array
    interpolation: str

    @property
    def _gap(self) -> float:
        return GAP * float(np.max(np.abs(self.times), initial=0.0))

    @property
    def breakpoints(self) -> dict[float, float]:
        """Times of kinks and jumps, each with the time at which steps after it begin."""
        gap = self._gap if self.interpolation == "hold" else 0.0
        return {float(t): float(t) + gap for t in self.times}

    def packed(self) -> Array:
        """Times, those of jumps in the middle of the gap, and values."""
        jumps = self.times + self._gap / 2 if self.interpolation == "hold" else self.times
        return np.concatenate([jumps, self.values.T.ravel()])


def input_table(layout: Layout, name: str, times: object, values: object, interpolation: str) -> InputTable:
    """Check the points of an input.

    Raises
    ------
    UnknownNameError
        There is no such input or interpolation.
    ModelError
        Times do not increase, or the numbers do not fit.
    """
    if name not in layout.inputs:
        known = ", ".join(layout.inputs) or "none"
        raise UnknownNameError(f"Model '{layout.name}' has no input '{name}'; it has: {known}.")
    if interpolation not in INTERPOLATIONS:
        raise UnknownNameError(f"Unknown interpolation '{interpolation}'; use one of: {', '.join(INTERPOLATIONS)}.")
    size = layout.inputs[name][0]
    t = np.atleast_1d(real_array(f"The times of input '{name}'", times))
    u = real_array(f"The values of input '{name}'", values)
    if t.ndim != 1 or u.size != len(t) * size:
        raise ModelError(f"Input '{name}' needs {len(t)} × {size} values for {len(t)} times, not {u.size}.")
    if not (len(t) and np.all(np.isfinite(t)) and np.all(np.isfinite(u)) and np.all(np.diff(t) > 0)):
        raise ModelError(f"Input '{name}' needs finite values at finite times that increase.")
    return InputTable(t, u.reshape(len(t), size), interpolation)


def slots_and_tables(layout: Layout, tables: Mapping[str, InputTable]) -> tuple[Array, Array]:
    """Slots of all inputs, which follow the parameters, and all tables, which follow the prepared parameters."""
    slots = np.zeros((len(layout.inputs), SLOTS))
    parts: list[Array] = [np.zeros(0)]
    end = layout.prepared_parameters
    for k, name in enumerate(layout.inputs):
        if name in tables:
            packed = tables[name].packed()
            here = len(layout.parameter_defaults) + SLOTS * k
            slots[k] = end - here, len(tables[name].times), tables[name].interpolation == "hold"
            parts.append(packed)
            end += len(packed)
    return slots.ravel(), np.concatenate(parts)


def breakpoints_of(tables: Sequence[InputTable]) -> dict[float, float]:
    """Breakpoints of several tables; where they share one, the latest start."""
    found: dict[float, float] = {}
    for table in tables:
        for t, start in table.breakpoints.items():
            found[t] = max(start, found.get(t, start))
    return found
