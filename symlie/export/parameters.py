"""Parameters of a system as named fields: values that the equations read, and their places in one vector."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.export.names import distinct
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

MOST_NAMED = 64
"""Largest number of named elements of a type whose parameters are separate fields."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter.

    Attributes
    ----------
    name
        Name as in `System.with_parameters`.
    identifier
        Name of the field in C.
    shape
        Shape of its values; () for a number.
    unit
        Unit, or an empty text.
    places
        Index of each value in the vector of all parameters.
    values
        The values, in the same order.
    is_constant
        True if the value is compiled into the equations.
    """

    name: str
    identifier: str
    shape: tuple[int, ...]
    unit: str
    places: NDArray[np.int64]
    values: Array
    is_constant: bool = False


@dataclass(frozen=True, eq=False)
class ParameterVector:
    """All parameters: those of the model, then the rows of each element type."""

    parameters: tuple[Parameter, ...]
    values: Array
    first_of_elements: tuple[int, ...]
    """Index of the first value of each element type."""

    @property
    def others(self) -> NDArray[np.int64]:
        """Indices of the values that belong to no parameter, because elements take them from the model."""
        return np.setdiff1d(np.arange(len(self.values)), np.concatenate([[-1], *(p.places for p in self.parameters)]))

    @property
    def constants(self) -> NDArray[np.int64]:
        """Indices of the values that are compiled into the equations."""
        parts = [p.places for p in self.parameters if p.is_constant]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def parameter_vector(system: System) -> ParameterVector:
    """Return the parameters of a system."""
    layout = system.layout
    frozen = set(layout.frozen)
    found: list[tuple[str, tuple[int, ...], str, NDArray[np.int64], bool]] = []
    for name, (part, shape, unit) in layout.parameters.items():
        found.append((name, tuple(shape), unit, np.arange(part.start, part.stop), name in frozen))
    parts, first, begin = [np.asarray(system.parameters)], [], len(system.parameters)
    columns: dict[int, list[tuple[str, slice]]] = {}
    for name, places in layout.parameters_of_elements.items():
        for k, part in places:
            columns.setdefault(k, []).append((name, part))
    kinds = [k for k, rows in enumerate(system.element_parameters) if rows.size]
    for rows in system.element_parameters:
        first.append(begin)
        parts.append(np.asarray(rows).ravel())
        begin += rows.size
    for k in kinds:
        rows, element, instances = system.element_parameters[k], layout.elements[k], layout.instances[k]
        sources = layout.parameter_sources[k]
        taken = np.full(rows.shape, -1) if sources is None else np.broadcast_to(sources, rows.shape)
        index = first[k] + np.arange(rows.size).reshape(rows.shape)
        is_named = bool(instances.names) and all(instances.names) and len(rows) <= MOST_NAMED
        is_named &= len(rows) == len(instances.names)
        for name, part in columns.get(k, []):
            own = np.arange(part.start, part.stop)
            is_frozen = f"{element.name}.{name}" in frozen
            size = () if len(own) == 1 else (len(own),)
            if is_named:
                for row, instance in enumerate(instances.names):
                    if (taken[row, own] < 0).all():
                        found.append((f"{instance}.{name}", size, "", index[row, own], is_frozen))
                continue
            if not (taken[:, own] < 0).all():
                continue
            is_unique = len(layout.parameters_of_elements[name]) == 1 and name not in layout.parameters
            label = name if is_unique else f"{element.name}.{name}"
            shape = size if len(rows) == 1 else (len(rows), *size)
            found.append((label, shape, "", index[:, own].ravel(), is_frozen))
    values = np.concatenate(parts)
    names = distinct(name for name, *_ in found)
    parameters = tuple(
        Parameter(name, label, shape, unit, places, values[places], is_constant)
        for label, (name, shape, unit, places, is_constant) in zip(names, found, strict=True)
    )
    return ParameterVector(parameters, values, tuple(first))


def assignments(parameter: Parameter) -> list[tuple[int, str, int]]:
    """Return consecutive values of a field in the vector: first index, expression of the field, number of values."""
    shape, places = parameter.shape, parameter.places
    if not shape:
        return [(int(places[0]), parameter.identifier, 1)]
    width = shape[-1] if len(shape) > 1 else math.prod(shape)
    rows = places.reshape(-1, width)
    found = []
    for k, row in enumerate(rows):
        owner = f"{parameter.identifier}[{k}]" if len(shape) > 1 else parameter.identifier
        if len(row) == 1 or (np.diff(row) == 1).all():
            found.append((int(row[0]), owner if len(shape) > 1 or width > 1 else f"{owner}[0]", len(row)))
            continue
        found += [(int(place), f"{owner}[{i}]", 1) for i, place in enumerate(row)]
    if width == 1 and len(shape) > 1:
        found = [(place, f"{expression}[0]", 1) for place, expression, _ in found]
    return found
