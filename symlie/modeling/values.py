"""What users give to a model, checked: groups, values of parameters, components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace
from symlie.groups.spaces import space_from_name
from symlie.groups.standard import group_from_name
from symlie.modeling.expressions import components
from symlie.modeling.names import identifier, stem
from symlie.modeling.terms import Parameter


def given_space(space: ConfigurationSpace | str) -> ConfigurationSpace:
    """A group or a homogeneous space by itself or by its name.

    Raises
    ------
    ModelError
        It is none, or its names can not be used in generated text.
    UnknownNameError
        No group and no space has this name.
    """
    if not isinstance(space, str | LieGroup | HomogeneousSpace):
        raise ModelError(
            f"A node is on a group such as sl.SE3 or 'SO3xR3', or on a space such as TS2, not on {space!r}."
        )
    found = space_from_name(space) or group_from_name(space) if isinstance(space, str) else space
    stem("Group", found.name)
    for entry in (*found.storage_fields, *found.velocity_fields):
        identifier("Field", entry.name)
    return found


def shared_name(a: ConfigurationSpace, b: ConfigurationSpace) -> str | None:
    """A name that two different groups or spaces, or factors of them, have in common, if there is one."""
    for mine in _parts(a):
        for theirs in _parts(b):
            if mine.name == theirs.name and mine is not theirs and _law(mine) is not _law(theirs):
                return mine.name
    return None


def _parts(space: ConfigurationSpace) -> list[ConfigurationSpace]:
    return [space, *(f for f, _, _ in space.simple_factors)] if isinstance(space, LieGroup) else [space]


def _law(space: ConfigurationSpace) -> object:
    return space.compose if isinstance(space, LieGroup) else space.action


def parameter_block(
    element: str, parameters: Sequence[Parameter], count: int, values: dict[str, object]
) -> NDArray[np.float64]:
    """Parameter values of some instances of an element type, shape (count, number of values).

    Raises
    ------
    ModelError
        Unknown parameters, wrong shapes, or values that are not finite.
    """
    known = {p.name for p in parameters}
    unknown = sorted(set(values) - known)
    if unknown:
        raise ModelError(
            f"Element type '{element}' has no parameter '{unknown[0]}'; it has: {', '.join(sorted(known))}."
        )
    columns = []
    for parameter in parameters:
        size = len(parameter.default)
        given = values.get(parameter.name, parameter.default)
        try:
            value = np.asarray(given, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"Parameter '{parameter.name}' of element '{element}' must be numbers, not {given!r}."
            ) from error
        if not np.all(np.isfinite(value)):
            raise ModelError(f"Parameter '{parameter.name}' of element '{element}' is not finite.")
        if value.size == size:
            block = np.broadcast_to(value.reshape(1, size), (count, size))
        elif value.size == count * size and len(value) == count:
            block = value.reshape(count, size)
        else:
            raise ModelError(
                f"Parameter '{parameter.name}' of element '{element}' needs {size} values, or {count} × {size}, "
                f"not {' × '.join(map(str, value.shape))}."
            )
        columns.append(block)
    return np.hstack(columns) if columns else np.zeros((count, 0))


def flat(value: object) -> tuple[Expr, ...]:
    """Components of a number, a vector or a matrix, by rows."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple | np.ndarray):
        return tuple(c for row in value for c in flat(row))
    return components(value)
