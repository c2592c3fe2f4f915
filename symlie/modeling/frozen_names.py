"""Which parameters become constants, by the names that users have for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.element_type import ElementInstances
from symlie.modeling.freezing import frozen_positions, values_and_sources
from symlie.modeling.model import Model
from symlie.modeling.terms import Parameter

Freeze: TypeAlias = str | Sequence[str]
"""``"all"``, the names of some parameters, or these as one text with commas."""

ALL = "all"
"""All parameters of a model, and those of element types that have one value in all instances."""


def frozen_names(model: Model, freeze: Freeze) -> tuple[str, ...]:
    """Parameters that become constants: of the model by name, of element types as ELEMENT.NAME.

    What instances of an element type take from such parameters of the model, and all of them alike, is among them.

    Parameters
    ----------
    model
        A model.
    freeze
        ``"all"``, or names as `System.with_parameters` takes them.

    Raises
    ------
    UnknownNameError
        There is no such parameter, or several element types have one of this name and none is named with it.
    ModelError
        Instances differ in the parameter, or it is that of a single instance, or taken from one that stays free.
    """
    words = [w.strip() for w in freeze.split(",") if w.strip()] if isinstance(freeze, str) else list(freeze)
    if not words:
        return ()
    if not all(isinstance(w, str) for w in words):
        raise ModelError(f"Parameters are frozen by their names, or all by 'all', not by {freeze!r}.")
    is_all = freeze == ALL
    own = [p.name for p in model.parameters]
    stated = [] if is_all else [w.removeprefix(f"{model.name}.") for w in words]
    names = [name for name in own if is_all or name in stated]
    positions = frozen_positions(model, names)
    asked = [_of_element(model, name) for name in stated if name not in own]
    for instances, parameter in asked:
        _check_alike(model, instances, parameter, positions)
    found = dict.fromkeys(names)
    for instances in model.instances:
        for parameter in instances.element.parameters:
            is_asked = any(i is instances and p is parameter for i, p in asked)
            if is_asked or _is_constant(instances, parameter, positions, is_all=is_all):
                found[f"{instances.element.name}.{parameter.name}"] = None
    return tuple(found)


def _columns(instances: ElementInstances, parameter: Parameter) -> slice:
    first = 0
    for p in instances.element.parameters:
        if p is parameter:
            break
        first += len(p.default)
    return slice(first, first + len(parameter.default))


def _is_constant(
    instances: ElementInstances, parameter: Parameter, positions: NDArray[np.int32], *, is_all: bool
) -> bool:
    """Whether all instances have one value, which is theirs to freeze or taken from what is frozen."""
    values, sources = (part[:, _columns(instances, parameter)] for part in values_and_sources(instances))
    is_taken = np.isin(sources, positions)
    return bool(np.all(values == values[0]) and np.all(is_taken | ((sources < 0) & is_all)))


def _of_element(model: Model, name: str) -> tuple[ElementInstances, Parameter]:
    """A parameter of an element type, by its name or as ELEMENT.NAME."""
    owner, _, own = name.rpartition(".")
    if any(owner and owner in i.names for i in model.instances):
        raise ModelError(
            f"'{name}' is the parameter of one instance, and instances share their code; freeze that of the element "
            "type, or leave it free."
        )
    known = [(i, p) for i in model.instances for p in i.element.parameters]
    found = [(i, p) for i, p in known if p.name == own and owner in ("", i.element.name)]
    if len(found) == 1:
        return found[0]
    if found:
        choice = " or ".join(f"{i.element.name}.{own}" for i, _ in found)
        raise UnknownNameError(f"Several element types of '{model.name}' have a parameter '{own}'; say {choice}.")
    listed = ", ".join([*(p.name for p in model.parameters), *(f"{i.element.name}.{p.name}" for i, p in known)])
    raise UnknownNameError(
        f"Model '{model.name}' has no parameter '{name}' to freeze; it has{': ' + listed if listed else ' none'}."
    )


def _check_alike(model: Model, instances: ElementInstances, parameter: Parameter, positions: NDArray[np.int32]) -> None:
    name = f"{instances.element.name}.{parameter.name}"
    values, sources = (part[:, _columns(instances, parameter)] for part in values_and_sources(instances))
    if not np.all(values == values[0]):
        raise ModelError(
            f"Parameter '{name}' of '{model.name}' differs from instance to instance, and instances share their code; "
            "leave it free."
        )
    free = sources[(sources >= 0) & ~np.isin(sources, positions)]
    if free.size:
        owners = [p.name for p in model.parameters for _ in p.symbols]
        raise ModelError(
            f"Parameter '{name}' of '{model.name}' is '{owners[int(free[0])]}' of the model; freeze that, too."
        )
