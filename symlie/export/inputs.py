"""Inputs and tables of exported programs: values, stop times, and the places of values that programs set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.tables import SLOTS
from symlie.export.names import distinct
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.inputs import slots_and_tables, tables_in_use
from symlie.runtime.system.system import System

VALUES_OF_INPUT = 4
"""Coefficients of a component of an input that a program sets: two linear polynomials."""


@dataclass(frozen=True)
class Input:
    """An input.

    Attributes
    ----------
    name, identifier, size, unit
        Its name, identifier in C, number of components, and unit.
    slot, table
        Indices of its slot, and of its table after it was set, in the prepared parameters.
    start
        Value at the start.
    """

    name: str
    identifier: str
    size: int
    unit: str
    slot: int
    table: int
    start: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables of a system.

    Attributes
    ----------
    inputs
        The inputs.
    slots, packed
        Values of the slots, and of all tables after the prepared parameters.
    stops
        Time, gap after it, period (0: none) and number of the input (-1: none) of each stop time.
    kinks
        Indices of parameters that are stop times.
    """

    inputs: tuple[Input, ...]
    slots: Array
    packed: Array
    stops: tuple[tuple[float, float, float, int], ...]
    kinks: NDArray[np.int64]


def tables_of_system(system: System) -> Tables:
    """Return the inputs and tables of a system."""
    layout = system.layout
    slots, packed = slots_and_tables(layout, system.inputs)
    used = tables_in_use(layout, system.inputs)
    names = [*layout.inputs]
    end = layout.prepared_parameters + len(packed)
    inputs, labels = [], distinct(names)
    for k, (name, (size, unit)) in enumerate(layout.inputs.items()):
        start = used[name].values[0] if name in used else np.zeros(size)
        slot = len(layout.parameter_defaults) + SLOTS * k
        inputs.append(Input(name, labels[k], size, unit, slot, end, tuple(float(x) for x in start)))
        end += 1 + VALUES_OF_INPUT * size
    stops = []
    for name, table in used.items():
        period = float(table.times[-1] - table.times[0]) if table.is_periodic else 0.0
        owner = names.index(name) if name in names else -1
        if table.is_of_time:
            stops += [(float(t), float(gap), period, owner) for t, gap in zip(table.times, table.gaps, strict=True)]
    places = [layout.parameters[name][0] for name in layout.manifest.breakpoints]
    kinks = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(p.start, p.stop) for p in places)])
    filled = np.concatenate([packed, np.zeros(end - layout.prepared_parameters - len(packed))])
    return Tables(tuple(inputs), slots, filled, tuple(stops), kinks)
