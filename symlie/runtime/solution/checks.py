"""Checks of data read from a file: lengths, shapes, times, finite numbers, types."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.outputs import output_names
from symlie.runtime.solution.recorder import Event
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def check_solution(solution: Solution) -> None:
    """Raise a ValueError if the data read from a file cannot be a solution."""
    layout, count = solution.system.layout, len(solution.t)
    check_times("time", solution.t)
    sizes = _state_sizes(layout)
    for name in ("q", "v", "multipliers", "carried"):
        check_array(name, getattr(solution, name), (count, sizes[name]))
    missing = [name for name in output_names(layout) if name not in solution.outputs]
    if missing:
        raise ValueError(f"the output {missing[0]} is missing")
    for name, values in solution.outputs.items():
        if np.ndim(values) < 1 or len(values) != count:
            raise ValueError(f"the output {name} has another length than time")
    if not all(isinstance(text, str) for text in (solution.method, solution.status, *solution.warnings)):
        raise ValueError("method, status or warnings are not texts")
    check_fields("statistics", solution.statistics)
    if not isinstance(solution.settings, dict):
        raise ValueError("settings are not names with values")
    if (trace := solution.trace) is not None:
        lengths = {np.shape(column) for column in trace.columns.values()}
        if lengths != {(len(trace.t),)} or not np.all(np.isfinite(trace.t)):
            raise ValueError("the columns of the attempted steps have different lengths, or their times are not finite")
    for event in solution.events:
        _check_event(event, sizes)
    if solution.end is not None:
        check_start("the end", solution.end, layout)


def check_times(name: str, t: Array) -> None:
    """Check that times are finite and do not decrease."""
    if t.ndim != 1 or not np.issubdtype(t.dtype, np.floating) or not np.all(np.isfinite(t)):
        raise ValueError(f"{name} is not a list of finite numbers")
    if np.any(np.diff(t) < 0):
        raise ValueError(f"{name} decreases")


def check_start(name: str, start: Start, layout: Layout) -> None:
    """Check that the state from which an integration continues fits its system."""
    sizes = _state_sizes(layout)
    for part in ("q", "v", "multipliers", "carried"):
        check_array(f"{part} of {name}", getattr(start, part), (sizes[part],))
    if start.acceleration is not None:
        check_array(f"the acceleration of {name}", start.acceleration, (layout.dimension,))
    if start.event is not None:
        check_array(f"the event values of {name}", start.event, (len(layout.events),))
    if start.own is not None:
        check_array(f"the auxiliary integrator state at {name}", start.own, (np.size(start.own),))
    # Series of polynomial motions permit steps of any length, h = ∞.
    if not start.h >= 0:
        raise ValueError(f"the step size of {name} is {start.h}")


def check_fields(name: str, record: DataclassInstance) -> None:
    """Check that the numbers and flags of a dataclass have these types, and that none is NaN."""
    kinds: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (int, float)}
    for field in dataclasses.fields(record):
        value, wanted = getattr(record, field.name), kinds.get(str(field.type))
        if wanted is None:
            continue
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted) or value != value:
            raise ValueError(f"{field.name} of {name} is {value!r}")


def _state_sizes(layout: Layout) -> dict[str, int]:
    return {
        "q": layout.storage,
        "v": layout.dimension,
        "multipliers": layout.rows,
        "carried": layout.carried_size,
    }


def check_array(name: str, values: object, shape: tuple[int, ...]) -> None:
    """Check that an array has finite floating-point numbers and the given shape."""
    array = np.asarray(values)
    if array.shape != shape or not np.issubdtype(array.dtype, np.floating):
        raise ValueError(f"{name} has the shape {array.shape} of {array.dtype}, not {shape} numbers")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} is not finite")


def _check_event(event: Event, sizes: dict[str, int]) -> None:
    if not np.isfinite(event.t):
        raise ValueError("the time of an event is not finite")
    for part, size in sizes.items():
        check_array(f"{part} of an event", getattr(event, part), (size,))
