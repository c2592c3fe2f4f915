"""Rotations by classical coordinates ρ as numbers: R(ρ), G(ρ) of ω = G ρ', and the coordinates of a rotation.

ω is in axes of the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

SMALL_ANGLE = 1e-2
"""Angle in rad below which series replace closed forms; the omitted terms are below 1e-17."""


@dataclass(frozen=True)
class ClassicalRotation:
    """Location of classical coordinates that are integrated in a node type.

    Attributes
    ----------
    form
        As `symlie.rotations.rotation_form` tells it.
    stored, rates
        Their place in the storage, and that of their rates in the velocity.
    has_spin
        True if the velocity contains ω instead of rates.
    """

    form: str
    stored: slice
    rates: slice
    has_spin: bool = False


def classical_rotation(kind: NodeType) -> ClassicalRotation | None:
    """Return the classical coordinates of a node type; None if its velocities are those of a group.

    Parameters
    ----------
    kind
        The node type.
    """
    rates = {f.name: f.part for f in kind.velocity_fields}
    for f in kind.storage_fields:
        form = rotation_form(f.name, f.shape)
        if form is not None and f"{f.name}_dot" in rates:
            return ClassicalRotation(form, f.part, rates[f"{f.name}_dot"])
    return None


def stepped_rotation(kind: NodeType) -> ClassicalRotation | None:
    """Return the coordinates of a node type that is stepped in stored coordinates with the velocity ω.

    Parameters
    ----------
    kind
        The node type.
    """
    spin = next((f.part for f in kind.velocity_fields if f.name == "Omega"), None)
    forms = [(form, f.part) for f in kind.storage_fields if (form := rotation_form(f.name, f.shape)) is not None]
    return ClassicalRotation(*forms[0], spin, has_spin=True) if forms and spin is not None else None


def rotations(form: str, rho: Array) -> Rotation:
    """R(ρ) for each row of ρ.

    Parameters
    ----------
    form
        As `symlie.rotations.rotation_form` tells it, in space.
    rho
        Stored components, shape (n, size).
    """
    from scipy.spatial.transform import Rotation

    if form == "matrix":
        return Rotation.from_matrix(rho.reshape(-1, 3, 3))
    if form == "quaternion":
        return Rotation.from_quat(np.roll(rho, -1, axis=1))
    return Rotation.from_rotvec(rho) if form == "vector" else Rotation.from_euler(form, rho)


def spin_by_rates(form: str, rho: Array) -> Array:
    """G(ρ) for each row of ρ, shape (n, 3, size).

    Parameters
    ----------
    form, rho
        As in `rotations`.
    """
    if form == "quaternion":
        w, e = rho[:, :1, None], rho[:, 1:]
        return 2 * np.concatenate([-e[:, :, None], w * np.eye(3) - _cross(e)], axis=2)
    if form == "vector":
        angle = np.linalg.norm(rho, axis=1)[:, None, None]
        z, safe = angle**2, np.maximum(angle, SMALL_ANGLE)
        small = angle < SMALL_ANGLE
        first = np.where(small, 1 / 2 - z / 24 + z**2 / 720 - z**3 / 40320, (1 - np.cos(safe)) / safe**2)
        second = np.where(small, 1 / 6 - z / 120 + z**2 / 5040 - z**3 / 362880, (safe - np.sin(safe)) / safe**3)
        cross = _cross(rho)
        return np.asarray(np.eye(3) - first * cross + second * cross @ cross)
    # The axis of each angle is rotated by the later angles.
    columns = [
        (rotations(form[k + 1 :], rho[:, k + 1 :]).inv() if k < 2 else _none(len(rho))).apply(np.eye(3)["XYZ".index(a)])
        for k, a in enumerate(form)
    ]
    return np.stack(columns, axis=2)


def coordinates(form: str, turned: Rotation, near: Array) -> Array:
    """Classical coordinates of rotations, shape (n, size); of several solutions, the one nearest to given coordinates.

    Parameters
    ----------
    form
        As in `rotations`.
    turned
        The rotations.
    near
        Coordinates near to them, shape (n, size).
    """
    if form == "quaternion":
        p: Array = np.roll(turned.as_quat(), 1, axis=1)
        return np.asarray(np.where(np.sum(p * near, axis=1, keepdims=True) < 0, -p, p))
    if form == "vector":
        psi = turned.as_rotvec()
        angle = np.linalg.norm(psi, axis=1, keepdims=True)
        whole = np.divide(2 * np.pi * psi, angle, out=np.zeros_like(psi), where=angle > 0)
        found = [psi + k * whole for k in (-1, 0, 1)]
    else:
        a = turned.as_euler(form)
        b = -a[:, 1] if form[0] == form[2] else np.pi - a[:, 1]
        other = np.stack([a[:, 0] + np.pi, b, a[:, 2] + np.pi], axis=1)
        found = [c + 2 * np.pi * np.round((near - c) / (2 * np.pi)) for c in (a, other)]
    distance = [np.linalg.norm(c - near, axis=1) for c in found]
    return np.asarray(np.take_along_axis(np.array(found), np.argmin(distance, axis=0)[None, :, None], axis=0)[0])


def _none(count: int) -> Rotation:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(np.zeros((count, 3)))


def _cross(vectors: Array) -> Array:
    """Matrices of cross products, shape (n, 3, 3)."""
    return np.cross(vectors[:, None, :], np.eye(3)).transpose(0, 2, 1)
