"""Rotations of nodes over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.rotations import rotation_form

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

    from symlie.runtime.solution.solution import Solution


def node_rotations(solution: Solution, name: str, index: int | None, field: str | None) -> Rotation:
    """See `symlie.runtime.solution.solution.Solution.rotation`."""
    from scipy.spatial.transform import Rotation

    node = solution.system.layout.node(name)
    forms = {f.name: rotation_form(f.name, f.shape) for f in node.type.storage_fields}
    known = {label: form for label, form in forms.items() if form not in (None, "planar")}
    if field is not None:
        known = {label: form for label, form in known.items() if label == field}
    if not known:
        hint = "; its angle is solution.angle(…)" if "planar" in forms.values() else ""
        raise UnknownNameError(f"Node '{name}' on {node.type.name} stores no rotation in space{hint}.")
    if len(known) > 1:
        raise UnknownNameError(f"Node '{name}' has several rotations; give field, one of {', '.join(known)}.")
    ((label, form),) = known.items()
    values = solution.field(name, label)
    if node.is_array:
        if index is None or not -node.count <= index < node.count:
            raise ModelError(f"Node array '{name}' has {node.count} nodes; give the index of one of them.")
        values = values[:, index]
    if form == "matrix":
        return Rotation.from_matrix(values)
    if form is not None and form.isupper():
        return Rotation.from_euler(form, values)
    if form == "vector":
        return Rotation.from_rotvec(values)
    return Rotation.from_quat(np.roll(values, -1, axis=-1))
