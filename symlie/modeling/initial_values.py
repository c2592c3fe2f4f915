"""Initial values of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr

from symlie.errors import ModelError
from symlie.groups.group import Field
from symlie.groups.rotation_parameters import RotationParameters, stepped_rotation
from symlie.modeling.node import Node
from symlie.modeling.terms import Parameter
from symlie.modeling.values import initial_components
from symlie.rotations import with_rotations
from symlie.utilities.showing import Brief


@dataclass(frozen=True, repr=False)
class InitialValue(Brief):
    """Initial components of one field of a node, as expressions of the parameters."""

    field: Field
    is_velocity: bool
    components: tuple[Expr, ...]
    is_given: bool = True
    """True for specified values, False for a guess of dependent velocities."""


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
