"""Values that users give to a system: parameters of the model and of element types, and rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout import Array, Layout


def changed_parameters(
    layout: Layout, parameters: Array, elements: tuple[Array, ...], values: Mapping[str, Any]
) -> tuple[Array, tuple[Array, ...]]:
    """Parameters of the model and of all element types with some values changed.

    Raises
    ------
    UnknownNameError
        There is no such parameter, or several element types have one of this name.
    ModelError
        Wrong number of components, or not finite.
    """
    changed, rows_of = parameters.copy(), list(elements)
    known = layout.parameters_of_elements
    for name, value in values.items():
        if name in layout.parameters:
            position = layout.parameters[name][0]
            changed[position] = numbers(f"parameter '{name}'", value, position.stop - position.start)[0]
        elif len(known.get(name, ())) == 1:
            ((element, columns),) = known[name]
            count, width = layout.instance_counts[element], rows_of[element].shape[1]
            rows = numbers(f"parameter '{name}'", value, columns.stop - columns.start, count)
            rows_of[element] = np.array(np.broadcast_to(rows_of[element], (count, width)))
            rows_of[element][:, columns] = rows
        else:
            single = [n for n, places in known.items() if len(places) == 1]
            raise UnknownNameError(
                f"Model '{layout.name}' has no parameter '{name}'; it has: "
                f"{', '.join(dict.fromkeys([*layout.parameters, *single]))}."
            )
    return changed, tuple(rows_of)


def numbers(what: str, value: Any, size: int, count: int = 1) -> Array:
    """Rows of ``size`` numbers, shape (count, size), or (1, size) for all of them."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The {what} must be numbers, not {value!r}.") from error
    if array.size not in (size, count * size):
        several = f"{count} × {size} or {size}" if count > 1 else str(size)
        raise ModelError(f"The {what} needs {several} components, not {array.size}.")
    if not np.all(np.isfinite(array)):
        raise ModelError(f"The {what} is not finite: {value!r}.")
    return array.reshape(-1, size)
