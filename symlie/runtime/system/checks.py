"""Checks of specified parameters, initial values and configurations."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from symlie.contract.constants import ON_GROUP
from symlie.errors import FrozenParameterError, ModelError
from symlie.rotations import SINGULAR_ANGLES
from symlie.runtime.kernels.protocol import Kernels
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.rotation_parameters import regularities
from symlie.runtime.layout.slices import NodeSlice

Values: TypeAlias = tuple[Array, tuple[Array, ...]]
"""Values of the model's parameters and of the elements of each type, one row for all or one per element."""


def check_numbers(layout: Layout, parameters: Array, element_parameters: tuple[Array, ...], q: Array, v: Array) -> None:
    """Raise ModelError unless all parameters and initial values are finite and the times of tables increase."""
    for name, (position, _, _) in layout.parameters.items():
        if not np.all(np.isfinite(parameters[position])):
            raise ModelError(f"Parameter '{name}' of '{layout.name}' is not finite.")
    for element, rows in zip(layout.elements, element_parameters, strict=True):
        if not np.all(np.isfinite(rows)):
            raise ModelError(f"A parameter of element '{element.name}' of '{layout.name}' is not finite.")
    for name in layout.manifest.breakpoints:
        if not np.all(np.diff(parameters[layout.parameters[name][0]]) > 0):
            raise ModelError(f"The times of parameter '{name}' of '{layout.name}' must increase.")
    for node in layout.nodes:
        if not (np.all(np.isfinite(q[node.storage])) and np.all(np.isfinite(v[node.velocity]))):
            raise ModelError(f"An initial value of node '{node.name}' of '{layout.name}' is not finite.")


def checked_configuration(layout: Layout, kernels: Kernels, q: Array, what: str) -> Array:
    """Return the configuration normalised onto the group; raise ModelError if its distance from the group exceeds
    rounding."""
    # `normalize` converges quadratically, so it changes every element whose distance from the group exceeds rounding.
    moved = kernels.normalize(q)
    check_on_groups(layout, q[None], moved[None], what)
    return kernels.normalize(moved)


def check_on_groups(layout: Layout, q: Array, normalized: Array, what: str) -> None:
    """Raise ModelError if one of several configurations, shape (n, storage), differs from its normalised one by more
    than rounding, or is at a singularity of its coordinates."""
    for node in layout.nodes:
        with np.errstate(invalid="ignore"):
            defect = float(np.abs(normalized[:, node.storage] - q[:, node.storage]).max(initial=0.0))
        if not defect <= ON_GROUP or _is_degenerate(node, q[:, node.storage]):
            rule = (
                "rotation matrices must be orthogonal with determinant 1, quaternions of unit length"
                if node.type.velocities
                else "its parts must satisfy the relations of the manifold"
            )
            raise ModelError(
                f"The {what} of node '{node.name}' is not in {node.type.name} (off by {defect:.2g}); {rule}."
            )
    for near in regularities(layout, q, np.zeros((len(q), layout.dimension))):
        if not np.all(np.abs(near.value) >= SINGULAR_ANGLES):
            raise ModelError(
                f"The {what} of node '{near.node}' is at the singularity of its coordinates, where {near.expression} "
                "is zero; use Euler angles about other axes, or coordinates without singularity such as quaternion."
            )


def _is_degenerate(node: NodeSlice, storage: Array) -> bool:
    """Return whether a stored matrix is a reflection or a projection, or a quaternion is zero; ``normalize`` does not
    repair these."""
    rows = storage.reshape(len(storage) * node.count, node.type.storage)
    for f in node.type.storage_fields:
        if np.any(node.type.identity[f.part]) and not np.all(np.abs(rows[:, f.part]).max(axis=1) > ON_GROUP):
            return True
        if f.shape == (3, 3) and np.any(np.linalg.det(rows[:, f.part].reshape(-1, 3, 3)) < ON_GROUP):
            return True
    return False


def check_frozen(layout: Layout, known: Values, changed: Values) -> None:
    """Raise FrozenParameterError if the value of a frozen parameter changed; changed model parameters have shape
    (size,) or (members, size).
    """
    for name in layout.frozen:
        if name in layout.parameters:
            part = layout.parameters[name][0]
            before, after = known[0][part], changed[0][..., part]
        else:
            owner, _, own = name.rpartition(".")
            element, part = next(
                place for place in layout.parameters_of_elements[own] if layout.elements[place[0]].name == owner
            )
            before, after = known[1][element][:1, part], changed[1][element][:, part]
        if np.any(before != after):
            raise FrozenParameterError(
                f"Parameter '{name}' of '{layout.name}' is a compiled constant, {_text(before)}, and cannot be "
                f"changed; compile or generate again without '{name}' in freeze."
            )


def _text(values: Array) -> str:
    numbers = [f"{x:.12g}" for x in values.ravel()]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"
