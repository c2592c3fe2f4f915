"""Run-time tables: inputs u(t) and smooth tables with any number of points, stored after the prepared parameters.

Each table has three slots among the parameters: the offset of the table from its slot, the number of knots, and the
degree of the polynomials, negative if the table is periodic. A table stores its knots and then the coefficients of its
polynomials (`symlie.runtime.system.piecewise`), component by component.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symlie.contract.manifest import TableLayout
from symlie.contract.tables import DEGREES, MARGIN, SLOTS, check_points
from symlie.errors import ModelError, SmoothnessError, UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.piecewise import polynomials, widened
from symlie.utilities.showing import Brief

GAP = 16 * 2.0**-52
"""Time from a jump to the start of the next step, relative to the times of the step before it: steps that end at a jump
use the value before it in spite of rounding, and the next step uses the value after it."""


def gap_after(t: float, before: float) -> float:
    """Time from a jump at t to the start of the next step, in s, if the previous step begins at ``before`` or later."""
    return GAP * max(abs(t), abs(before))


@dataclass(frozen=True, eq=False, repr=False)
class InputTable(Brief):
    """Points of a run-time table: times or other arguments, shape (n,), and values, shape (n, size)."""

    times: Array
    values: Array
    interpolation: str
    end: str = "not-a-knot"
    outside: str = "hold"
    is_of_time: bool = True

    @cached_property
    def gaps(self) -> Array:
        """Gap after each time, shape (n,). The value does not jump at the first time."""
        if self.interpolation != "hold":
            return np.zeros(len(self.times))
        size = np.abs(self.times)
        return np.concatenate([[0.0], GAP * np.maximum(size[1:], size[:-1])])

    @property
    def is_periodic(self) -> bool:
        """True if the function is periodic outside the table."""
        return self.end == "periodic"

    def breakpoints(self, t0: float, t_end: float) -> Iterator[tuple[float, float]]:
        """Yield times of kinks and jumps of a function of time with the start time of the next step, for a run over
        [t0, t_end]."""
        if not self.is_of_time:
            return
        period = float(self.times[-1] - self.times[0])
        shifts = [0.0]
        if self.is_periodic and t0 < t_end:
            first, last = (int(np.floor((t - self.times[0]) / period)) for t in (t0, t_end))
            shifts = [k * period for k in range(first - 1, last + 2)]
        for shift in shifts:
            for t, gap in zip(self.times.tolist(), self.gaps.tolist(), strict=True):
                yield t + shift, t + shift + gap

    @cached_property
    def packed(self) -> Array:
        """Knots (at jumps: the middle of the gap) and coefficients."""
        knots = self.times + self.gaps / 2
        found = polynomials(self.times, self.values, self.interpolation, self.end, self.outside)
        if self.outside == "refuse" and not self.is_periodic:
            knots, found = widened(knots, found)
        return np.concatenate([knots, found.ravel()])

    @property
    def degree(self) -> int:
        """Degree of the polynomials as stored in a slot."""
        return -DEGREES[self.interpolation] if self.is_periodic else DEGREES[self.interpolation]


def input_table(layout: Layout, name: str, times: object, values: object, interpolation: str | None) -> InputTable:
    """Return the checked table of an input; raise UnknownNameError, SmoothnessError if the model requires a smoother
    input, or ModelError for wrong numbers."""
    if name not in layout.inputs:
        known = ", ".join(layout.inputs) or "none"
        hint = f" '{name}' is a smooth table; use with_table." if name in layout.tables else ""
        raise UnknownNameError(f"Model '{layout.name}' has no input '{name}'; it has: {known}.{hint}")
    declared = layout.input_interpolations[name]
    interpolation = interpolation or declared or "linear"
    if interpolation not in DEGREES:
        raise UnknownNameError(f"Unknown interpolation '{interpolation}'; use one of: {', '.join(DEGREES)}.")
    if declared and DEGREES[interpolation] < DEGREES[declared]:
        raise SmoothnessError(
            f"Input '{name}' of '{layout.name}' is declared with the interpolation '{declared}', because it is "
            f"differentiated; a table with the interpolation '{interpolation}' has kinks or jumps."
        )
    points = _points(f"input '{name}'", times, values, layout.inputs[name][0])
    check_points(f"Input '{name}'", *points, interpolation, "not-a-knot")
    return InputTable(*points, interpolation, outside="refuse" if declared else "hold")


def smooth_table(layout: Layout, name: str, points: object, values: object) -> InputTable:
    """Return the checked points of a smooth table; raise UnknownNameError, or ModelError for wrong numbers."""
    if name not in layout.tables:
        known = ", ".join(layout.tables) or "none"
        hint = f" '{name}' is an input; use with_input." if name in layout.inputs else ""
        raise UnknownNameError(f"Model '{layout.name}' has no smooth table '{name}'; it has: {known}.{hint}")
    stated = layout.tables[name]
    found = _points(f"table '{name}'", points, values, stated.size)
    check_points(f"Table '{name}'", *found, stated.interpolation, stated.end)
    return _table(stated, *found)


def _table(stated: TableLayout, points: Array, values: Array) -> InputTable:
    return InputTable(points, values, stated.interpolation, stated.end, stated.outside, stated.is_of_time)


def recorded_table(layout: Layout, name: str, times: object, values: object, interpolation: str) -> InputTable:
    """Return the input or smooth table of a record; raise as `input_table` and `smooth_table` do."""
    if name in layout.tables:
        return smooth_table(layout, name, times, values)
    return input_table(layout, name, times, values, interpolation)


def _points(what: str, times: object, values: object, size: int) -> tuple[Array, Array]:
    t = np.atleast_1d(real_array(f"The times of {what}", times))
    u = real_array(f"The values of {what}", values)
    name = what[0].upper() + what[1:]
    if t.ndim != 1 or u.size != len(t) * size:
        raise ModelError(f"{name} needs {len(t)} × {size} values for {len(t)} times, not {u.size}.")
    if not (len(t) and np.all(np.isfinite(t)) and np.all(np.isfinite(u)) and np.all(np.diff(t) > 0)):
        raise ModelError(f"{name} needs finite values at finite times that increase.")
    return t, u.reshape(len(t), size)


def tables_in_use(layout: Layout, tables: Mapping[str, InputTable]) -> dict[str, InputTable]:
    """Return the tables of all inputs that have one, and of all smooth tables, in the order of their slots."""
    found = {name: tables[name] for name in layout.inputs if name in tables}
    return found | {
        name: tables.get(name) or _table(stated, stated.points, stated.values) for name, stated in layout.tables.items()
    }


def slots_and_tables(layout: Layout, tables: Mapping[str, InputTable]) -> tuple[Array, Array]:
    """Return the slots, which follow the parameters, and the knots and polynomials, which follow the prepared
    parameters."""
    names = [*layout.inputs, *layout.tables]
    slots = np.zeros((len(names), SLOTS))
    parts: list[Array] = [np.zeros(0)]
    end = layout.prepared_parameters
    for name, table in tables_in_use(layout, tables).items():
        k = names.index(name)
        here = len(layout.parameter_defaults) + SLOTS * k
        slots[k] = end - here, len(table.times), table.degree
        parts.append(table.packed)
        end += len(table.packed)
    return slots.ravel(), np.concatenate(parts)


def breakpoints_of(tables: Sequence[InputTable], t0: float, t_end: float) -> dict[float, float]:
    """Return the breakpoints of several tables in a run; shared breakpoints have the latest of their start times."""
    found: dict[float, float] = {}
    for table in tables:
        for t, start in table.breakpoints(t0, t_end):
            found[t] = max(start, found.get(t, start))
    return found


def check_range(layout: Layout, tables: Mapping[str, InputTable], t0: float, t_end: float) -> None:
    """Raise ModelError if a run leaves the range of a table of time with ``outside="refuse"``."""
    for name, table in tables_in_use(layout, tables).items():
        if not table.is_of_time or table.is_periodic or table.outside != "refuse":
            continue
        first, last = float(table.times[0]), float(table.times[-1])
        margin = MARGIN * (last - first)
        if not first - margin <= t0 < t_end <= last + margin:
            raise ModelError(
                f"The run from {t0:g} s to {t_end:g} s leaves the table '{name}' of '{layout.name}', which is from "
                f'{first:g} s to {last:g} s; give it more points, or define it with outside="hold" or "continue".'
            )
