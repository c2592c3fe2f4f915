"""Values of instances that are parameters of the model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array, Layout


def filled_parameters(layout: Layout, parameters: Array, elements: tuple[Array, ...]) -> tuple[Array, ...]:
    """Parameters of all element types, where those that are parameters of the model have their values.

    Parameters
    ----------
    layout
        Layout of a system.
    parameters
        Values of the model's parameters.
    elements
        Parameters of each element type's instances, one row for all or one for each.
    """
    pairs = zip(elements, layout.parameter_sources, strict=True)
    return tuple(
        rows if sources is None else np.where(sources >= 0, parameters[sources], rows) for rows, sources in pairs
    )


def check_own_values(layout: Layout, name: str, element: int, columns: slice) -> None:
    """Check that no instance takes these values from the model, so that they can be changed.

    Parameters
    ----------
    layout
        Layout of a system.
    name
        What the parameter was called, for the message.
    element, columns
        Element type, and where the values are among those of its instances.

    Raises
    ------
    ModelError
        Some instance does.
    """
    sources = layout.parameter_sources[element]
    if sources is not None and np.any(sources[:, columns] >= 0):
        part = sources[:, columns]
        taken = _names_of_values(layout, part[part >= 0])
        raise ModelError(
            f"Parameter '{name}' is that of the model, {taken}, in some instances; change that, or those of instances "
            "by their names."
        )


def sources_of_instance(
    layout: Layout, name: str, element: int, instance: int, columns: slice
) -> NDArray[np.int32] | None:
    """The model's parameter values that an instance takes its own from, if no other value does; None if it has its own.

    Parameters
    ----------
    layout, name, element, columns
        As in `check_own_values`.
    instance
        Which instance.

    Raises
    ------
    ModelError
        Others take theirs from there too, or only some of the values are the model's.
    """
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
        f"Parameter '{name}' is that of the model, {_names_of_values(layout, found[found >= 0])}, which other values "
        "are taken from too; change that."
    )


def _names_of_values(layout: Layout, indices: NDArray[np.int32]) -> str:
    """The model's parameters that some values belong to."""
    parts = layout.parameters.items()
    owners = [name for name, (part, *_) in parts if np.any((indices >= part.start) & (indices < part.stop))]
    return " and ".join(f"'{name}'" for name in owners)
