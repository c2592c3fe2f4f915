"""Numerical data of rods: material and initial strain, from numbers, functions of the arc length or parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.elements.placement import BodyNode, at_defaults, initial_storage
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.modeling.model import Model
from symlie.modeling.symbolic import Expression, SymbolicMatrix

Array = NDArray[np.float64]


def is_symbolic(value: object) -> bool:
    """Return whether a value contains expressions of parameters."""
    if callable(value):
        return False
    return any(getattr(entry, "free_symbols", None) for entry in np.ravel(np.array(value, dtype=object)))


def stated_in_type(value: object) -> Expression:
    """Return expressions of parameters as six components or as a matrix."""
    entries = np.array(value, dtype=object).ravel()
    if entries.size == 36:
        return SymbolicMatrix(6, 6, list(entries))
    return SymbolicMatrix(6, 1, list(np.broadcast_to(entries, 6)))


def rows_along(model: Model, value: object, arc: Array) -> Array:
    """Return one row for the entire rod or one for each arc length, with expressions at the defaults of parameters."""
    if callable(value):
        return np.array([np.squeeze(np.asarray(value(s), dtype=float)) for s in arc])
    entries = np.array(value, dtype=object)
    if is_symbolic(value):
        entries = np.reshape([at_defaults(model, e) for e in entries.ravel()], entries.shape)
    return np.squeeze(entries.astype(float))[None]


def six_components(name: str, what: str, rows: Array, *, one_for_all: bool = False) -> Array:
    """Return rows of six numbers; a single number may represent six equal ones."""
    rows = rows.reshape(len(rows), -1)
    if rows.shape[1] != 6 and not (one_for_all and rows.shape[1] == 1):
        raise ModelError(f"The {what} of rod '{name}' needs six numbers, not {rows.shape[1]}.")
    return np.broadcast_to(rows, (len(rows), 6))


def checked_stiffness(name: str, rows: Array) -> Array:
    """Return rows of six stiffnesses or of matrices, checked to be symmetric and positive definite."""
    if rows.shape[1:] not in ((6,), (6, 6)):
        raise ModelError(f"The stiffness of rod '{name}' needs six numbers or a 6 × 6 matrix, not {rows.shape[1:]}.")
    matrices = rows if rows.ndim == 3 else rows[:, :, None] * np.eye(6)
    if not np.allclose(matrices, matrices.swapaxes(1, 2), atol=0):
        raise ModelError(f"The stiffness of rod '{name}' must be a symmetric matrix.")
    if not np.all(np.linalg.eigvalsh(matrices) > 0):
        raise ModelError(f"The stiffness of rod '{name}' must be positive.")
    return rows


def initial_strain(
    model: Model,
    group: LieGroup,
    along: Sequence[BodyNode],
    end_rotations: Mapping[int, Sequence[float]],
    *,
    helical: bool,
) -> Array:
    """Return the strains of the initial configuration times the segment lengths, shape (segments, 6)."""
    from scipy.spatial.transform import Rotation

    states = np.array([initial_storage(model, node) for node in along])
    size = group.storage_fields[0].size
    if size == 9:
        rotations = Rotation.from_matrix(states[:, :9].reshape(-1, 3, 3))
    elif size == 4:
        rotations = Rotation.from_quat(np.roll(states[:, :4], -1, axis=1))
    else:
        rotations = Rotation.from_rotvec(states[:, :3])
    if end_rotations:
        turned = [end_rotations.get(k, (0.0, 0.0, 0.0)) for k in range(len(along))]
        rotations = rotations * Rotation.from_rotvec(turned)
    back = rotations[:-1].inv()
    theta = (back * rotations[1:]).as_rotvec()
    x = back.apply(np.diff(states[:, -3:], axis=0))
    if not helical:  # positions on straight lines, in axes of the rotation at the midpoint
        return np.hstack([theta, Rotation.from_rotvec(-theta / 2).apply(x)])
    # log(q_{k-1}⁻¹ ∘ q_k) on SE(3)
    across = np.cross(theta, x)
    return np.hstack([theta, x - across / 2 + _cotangent(theta) * np.cross(theta, across)])


def _cotangent(theta: Array) -> Array:
    """Return (1 - (ω/2) cot(ω/2))/ω² for the lengths ω of the rows, as a column."""
    z = np.sum(theta**2, axis=1, keepdims=True)
    series = 1 / 12 + z / 720 + z**2 / 30240 + z**3 / 1209600
    half = np.sqrt(np.maximum(z, 0.01)) / 2
    return np.asarray(np.where(z < 0.01, series, (1 - half / np.tan(half)) / (4 * half**2)))
