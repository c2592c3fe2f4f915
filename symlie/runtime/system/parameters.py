"""Parameter values of models and element types, and conversion of numeric arrays from users."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.checks import check_frozen
from symlie.runtime.system.parameter_sources import check_own_values, filled_parameters, sources_of_instance


def changed_parameters(
    layout: Layout, parameters: Array, elements: tuple[Array, ...], values: Mapping[str, object]
) -> tuple[Array, tuple[Array, ...]]:
    """Return the parameters of the model and of all element types with changed values; raise UnknownNameError,
    ModelError or FrozenParameterError.
    """
    changed, rows_of = parameters.copy(), list(elements)
    for name, value in values.items():
        own = name.removeprefix(f"{layout.name}.")
        if own in layout.parameters:
            position = layout.parameters[own][0]
            changed[position] = numbers(f"parameter '{name}'", value, position.stop - position.start)[0]
            continue
        element, instance, columns = _place(layout, name)
        count, width = layout.instance_counts[element], rows_of[element].shape[1]
        size = columns.stop - columns.start
        if instance is None:
            check_own_values(layout, name, element, columns)
            rows = numbers(f"parameter '{name}'", value, size, count)
        elif (sources := sources_of_instance(layout, name, element, instance, columns)) is not None:
            changed[sources] = numbers(f"parameter '{name}'", value, size)[0]
            continue
        else:
            rows = numbers(f"parameter '{name}'", value, size)
        rows_of[element] = np.array(np.broadcast_to(rows_of[element], (count, width)))
        rows_of[element][slice(instance, None if instance is None else instance + 1), columns] = rows
    found = changed, filled_parameters(layout, changed, tuple(rows_of))
    check_frozen(layout, (parameters, elements), found)
    return found


def parameter_values(layout: Layout, parameters: Array, elements: tuple[Array, ...], name: str) -> tuple[Array, str]:
    """Return the values of a parameter in the shape (size,), or (elements, size) for different values of elements, and
    its unit; raise UnknownNameError."""
    own = name.removeprefix(f"{layout.name}.")
    if own in layout.parameters:
        position, _, unit = layout.parameters[own]
        return parameters[position].copy(), unit
    element, instance, columns = _place(layout, name)
    rows = elements[element][:, columns]
    if instance is not None:
        rows = rows[min(instance, len(rows) - 1)][None]
    return (rows[0] if len(rows) == 1 else rows).copy(), ""


def has_parameter(layout: Layout, name: str) -> bool:
    """Return whether the model, an element type or an element has this parameter, named as in
    `System.with_parameters`."""
    try:
        return name.removeprefix(f"{layout.name}.") in layout.parameters or bool(_place(layout, name))
    except UnknownNameError:
        return False


def _place(layout: Layout, name: str) -> tuple[int, int | None, slice]:
    """Return the element type, the element (None: all) and the columns of a parameter: NAME, ELEMENT.NAME or
    INSTANCE.NAME."""
    element, _, own = name.rpartition(".")
    names = [e.name for e in layout.elements]
    named = {
        parameter: [place for place in places if names[place[0]] != layout.name]
        for parameter, places in layout.parameters_of_elements.items()
    }
    if element in layout.named_instances:
        index, instance = layout.named_instances[element]
        columns = next((part for k, part in named.get(own, ()) if k == index), None)
        if columns is None:
            has = ", ".join(layout.instances[index].parameter_names) or "none"
            raise UnknownNameError(f"'{element}' of '{layout.name}' has no parameter '{own}'; it has: {has}.")
        return index, instance, columns
    places = [p for p in named.get(own, ()) if element in ("", names[p[0]])]
    if len(places) == 1:
        return places[0][0], None, places[0][1]
    if places:
        choice = " or ".join(f"{names[k]}.{own}" for k, _ in places)
        raise UnknownNameError(f"Several element types of '{layout.name}' have a parameter '{own}'; use {choice}.")
    known = [
        n if len(found) == 1 and n not in layout.parameters else f"{names[k]}.{n}"
        for n, found in named.items()
        for k, _ in found
    ]
    listed = ", ".join([*layout.parameters, *known])
    raise UnknownNameError(
        f"Model '{layout.name}' has no parameter '{name}'; it has{': ' + listed if listed else ' none'}."
    )


def real_array(what: str, value: object) -> Array:
    """Return an array of real numbers; raise ModelError for booleans, text and ragged arrays."""
    try:
        stated = np.asarray(value)
        if stated.dtype.kind not in "iuf" and stated.size and not _holds_numbers(stated):
            raise TypeError
        return np.asarray(stated, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{what} must be numbers, not {value!r}.") from error


def _holds_numbers(stated: NDArray[np.generic]) -> bool:
    """Return whether an object array, such as fractions or SymPy numbers, is free of text and booleans."""
    return stated.dtype.kind == "O" and not any(isinstance(x, str | bytes | bool | np.bool_) for x in stated.flat)


def numbers(what: str, value: object, size: int, count: int = 1) -> Array:
    """Return rows of ``size`` numbers, shape (count, size), or (1, size) for all of them."""
    array = real_array(f"The {what}", value)
    if array.size not in (size, count * size):
        several = f"{count} × {size} or {size}" if count > 1 else str(size)
        raise ModelError(f"The {what} needs {several} components, not {array.size}.")
    if not np.all(np.isfinite(array)):
        raise ModelError(f"The {what} is not finite: {value!r}.")
    return array.reshape(-1, size)
