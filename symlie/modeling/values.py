"""Groups, components and initial values in user input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sympy import Expr

from symlie.errors import ModelError
from symlie.groups.classical.coordinates import in_coordinates
from symlie.groups.group import Field, LieGroup
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace
from symlie.groups.rotation_parameters import RotationParameters, stepped_rotation
from symlie.groups.spaces import space_from_name
from symlie.groups.standard import group_from_name
from symlie.modeling.expressions import components
from symlie.modeling.names import identifier, stem
from symlie.modeling.node import Node
from symlie.modeling.terms import Parameter
from symlie.retired import current_value
from symlie.rotations import with_rotations
from symlie.utilities.showing import Brief


def given_space(
    space: ConfigurationSpace | str,
    coordinates: str | None = None,
    form: str | None = None,
    step: str | None = None,
) -> ConfigurationSpace:
    """Return a group or homogeneous space, given itself or by name, with its rotation in the specified coordinates."""
    if not isinstance(space, str | LieGroup | HomogeneousSpace):
        raise ModelError(f"A node needs a group such as sl.SE3 or 'SO3xR3', or a space such as TS2, not {space!r}.")
    found = space_from_name(space) or group_from_name(space) if isinstance(space, str) else space
    if coordinates is not None:
        if not isinstance(found, LieGroup):
            raise ModelError(
                f"Coordinates {coordinates} require a Lie group with a rotation, such as SO3xR3; {found} is not a "
                "group."
            )
        found = in_coordinates(found, coordinates, current_value("form", form), step)
    elif form is not None or step is not None:
        given = f"form={form!r}" if form is not None else f"step={step!r}"
        raise ModelError(f"{given} requires coordinates=, which is not given.")
    stem("Group", found.name)
    for entry in (*found.storage_fields, *found.velocity_fields):
        identifier("Field", entry.name)
    return found


def shared_name(a: ConfigurationSpace, b: ConfigurationSpace) -> str | None:
    """Return a name that two different spaces, or factors of them, share, or None."""
    for mine in _parts(a):
        for theirs in _parts(b):
            if mine.name == theirs.name and mine is not theirs and _law(mine) is not _law(theirs):
                return mine.name
    return None


def _parts(space: ConfigurationSpace) -> list[ConfigurationSpace]:
    return [space, *(f for f, _, _ in space.simple_factors)] if isinstance(space, LieGroup) else [space]


def _law(space: ConfigurationSpace) -> object:
    return space.compose if isinstance(space, LieGroup) else space.action


def flat(value: object) -> tuple[Expr, ...]:
    """Return the components of a number, vector or matrix, in row-major order."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple | np.ndarray):
        return tuple(c for row in value for c in flat(row))
    return components(value)


def initial_components(what: str, value: object, size: int, parameters: Sequence[Parameter]) -> tuple[Expr, ...]:
    """Return the components of an initial value, numbers or expressions of parameters, or raise `ModelError`."""
    parts = flat(value)
    if len(parts) != size:
        raise ModelError(f"{what} needs {size} initial components, not {len(parts)}.")
    symbols = {s for e in parts for s in e.free_symbols}
    unknown = symbols - {s for p in parameters for s in p.symbols} if symbols else symbols
    if unknown:
        raise ModelError(
            f"The initial value of {what} may use parameters only, not {', '.join(sorted(s.name for s in unknown))}."
        )
    return parts


@dataclass(frozen=True, repr=False)
class InitialValue(Brief):
    """Initial components of one field of a node, as expressions of the parameters."""

    field: Field
    is_velocity: bool
    components: tuple[Expr, ...]
    is_given: bool = True
    """True for specified values, False for a guess of dependent velocities."""

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """Components as numbers; empty if they depend on parameters."""
        return tuple(map(float, self.components)) if all(c.is_Number for c in self.components) else ()


ANGULAR_VELOCITY = Field("Omega", 0, (3,))
"""Field that may replace the rates of the coordinates as initial value of nodes with ``parameter_rates``."""


def coordinate_rates(parameters: RotationParameters) -> Field:
    """Return the rates of rotation parameters, which may replace ω as initial value of nodes with
    ``angular_velocity``."""
    return Field(f"{parameters.field}_dot", 0, (parameters.size,))


def with_initial_values(
    node: Node,
    stated: Sequence[InitialValue],
    fields: Mapping[str, object],
    parameters: Sequence[Parameter],
    *,
    is_given: bool = True,
) -> list[InitialValue]:
    """Return merged initial values of a node; later values override earlier ones, and guesses override none."""
    fields = with_rotations(
        f"Node '{node.name}' on {node.group}", {f.name: f.shape for f in node.group.storage_fields}, fields
    )
    known = {f.name: (f, False) for f in node.group.storage_fields}
    known |= {f.name: (f, True) for f in node.group.velocity_fields}
    turned, values = stepped_rotation(node.group), list(stated)
    rates = None
    if turned is not None:
        rates = coordinate_rates(turned.parameters).name
        known = {"Omega": (ANGULAR_VELOCITY, True), rates: (coordinate_rates(turned.parameters), True)} | known
        if {"Omega", rates} <= set(fields):
            raise ModelError(f"The initial velocity of node '{node.name}' is given twice, as Omega and as {rates}.")
    for name, value in fields.items():
        if name not in known:
            raise ModelError(
                f"Node '{node.name}' on {node.group} has no field '{name}' for an initial value; it has: "
                f"{', '.join(known)}."
            )
        field, is_velocity = known[name]
        same = ("Omega", rates) if name in ("Omega", rates) else (name,)
        if not is_given:
            if any(v.is_given and v.field.name in same for v in values):
                continue
            values = [v for v in values if v.field.name not in same]
        if name in ("Omega", rates) and rates is not None:
            values = [v for v in values if v.field.name not in ("Omega", rates)]
        parts = initial_components(f"{node.name}.{name}", value, field.size, parameters)
        if turned is not None and name == turned.parameters.field and not any(c.free_symbols for c in parts):
            turned.parameters.check_regular(np.array(parts, dtype=float))
        values.append(InitialValue(field, is_velocity, parts, is_given))
    return values
