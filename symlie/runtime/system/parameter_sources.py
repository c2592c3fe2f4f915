"""Element parameters that refer to parameters of the model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array, Layout


def filled_parameters(layout: Layout, parameters: Array, elements: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return the parameters of all element types, with the values of the model parameters to which they refer."""
    pairs = zip(elements, layout.parameter_sources, strict=True)
    return tuple(
        rows if sources is None else np.where(sources >= 0, parameters[sources], rows) for rows, sources in pairs
    )


def check_own_values(layout: Layout, name: str, element: int, columns: slice) -> None:
    """Raise ModelError if an element takes these values from a parameter of the model."""
    sources = layout.parameter_sources[element]
    if sources is not None and np.any(sources[:, columns] >= 0):
        part = sources[:, columns]
        taken = _names_of_values(layout, part[part >= 0])
        raise ModelError(
            f"In some instances, parameter '{name}' is the model parameter {taken}; change that, or the parameters "
            "of instances by name."
        )


def sources_of_instance(
    layout: Layout, name: str, element: int, instance: int, columns: slice
) -> NDArray[np.int32] | None:
    """Return the indices of the model parameters that supply the values of an element, or None if its values are
    separate; raise ModelError if other elements share them, or if only some values come from the model."""
    every = layout.parameter_sources[element]
    if every is None:
        return None
    found = every[instance if len(every) > 1 else 0, columns]
    if np.all(found < 0):
        return None
    readers = 0
    for sources, count in zip(layout.parameter_sources, layout.instance_counts, strict=True):
        if sources is not None:
            readers += int(np.isin(sources, found[found >= 0]).sum()) * (count if len(sources) == 1 else 1)
    if np.all(found >= 0) and readers == len(found):
        return found
    raise ModelError(
        f"Parameter '{name}' is the model parameter {_names_of_values(layout, found[found >= 0])}, which also "
        "determines other values; change that."
    )


def _names_of_values(layout: Layout, indices: NDArray[np.int32]) -> str:
    """Return the names of the model parameters that contain given values."""
    parts = layout.parameters.items()
    owners = [name for name, (part, *_) in parts if np.any((indices >= part.start) & (indices < part.stop))]
    return " and ".join(f"'{name}'" for name in owners)
