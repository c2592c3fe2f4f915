"""Definitions of the standard groups: only storage, composition, inverse, identity, and what the velocity means."""

from __future__ import annotations

import functools

import sympy
from sympy import Expr, Integer, Matrix

from symlie.errors import UnknownNameError
from symlie.groups.group import Field, LieGroup, direct_product
from symlie.ir.program import Vector


def skew(a: Vector | Matrix) -> Matrix:
    """The matrix ã with ã b = a × b."""
    return Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def _matrix(row_major: Vector) -> Matrix:
    return Matrix(3, 3, row_major)


def _rotation_relations(r: Vector) -> Vector:
    rotation = _matrix(r)
    unit = sympy.eye(3)
    return (
        *(rotation.T * rotation - unit),
        *(rotation * rotation.T - unit),
        *(rotation.adjugate().T - rotation),
    )


def _rotation_normalize(r: Vector) -> Vector:
    # One Newton-Schulz step towards the polar factor of R.
    rotation = _matrix(r)
    defect = rotation.T * rotation - sympy.eye(3)
    return tuple(rotation - rotation * defect / 2)


def _quaternion_product(a: Vector, b: Vector) -> Vector:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def _quaternion_rotation(p: Vector) -> Vector:
    w, x, y, z = p
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def _quaternion_relations(p: Vector) -> Vector:
    return (sum((c * c for c in p), Integer(-1)),)


def _quaternion_normalize(p: Vector) -> Vector:
    # One Newton step towards |p| = 1.
    (defect,) = _quaternion_relations(p)
    return tuple(c - c * defect / 2 for c in p)


def _conjugate(p: Vector) -> Vector:
    return (p[0], -p[1], -p[2], -p[3])


def _rotate(rotation: Vector, x: Vector) -> Vector:
    return tuple(_matrix(rotation) * Matrix(x))


def _plus(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _minus(a: Vector) -> Vector:
    return tuple(-x for x in a)


_IDENTITY_ROTATION: tuple[Expr, ...] = tuple(sympy.eye(3))
_IDENTITY_QUATERNION: tuple[Expr, ...] = (Integer(1), Integer(0), Integer(0), Integer(0))
_ZERO: tuple[Expr, ...] = (Integer(0),) * 3
_HAT_BASIS = Matrix.hstack(*[skew(sympy.eye(3)[:, i]).reshape(9, 1) for i in range(3)])
_QUATERNION_BASIS = Matrix.vstack(sympy.zeros(1, 3), sympy.eye(3) / 2)


@functools.cache
def real_space(n: int) -> LieGroup:
    """R^n with addition; the velocity is the rate of the coordinates."""
    return LieGroup(
        name=f"R{n}",
        storage_fields=(Field("x", 0, (n,)),),
        velocity_fields=(Field("x_dot", 0, (n,)),),
        compose=_plus,
        inverse=_minus,
        identity=(Integer(0),) * n,
        basis=sympy.eye(n),
        relations=lambda q: (),
        normalize=lambda q: q,
    )


SO3 = LieGroup(
    name="SO3",
    storage_fields=(Field("R", 0, (3, 3)),),
    velocity_fields=(Field("Omega", 0, (3,)),),
    compose=lambda a, b: tuple(_matrix(a) * _matrix(b)),
    inverse=lambda a: tuple(_matrix(a).T),
    identity=_IDENTITY_ROTATION,
    basis=_HAT_BASIS,
    relations=_rotation_relations,
    normalize=_rotation_normalize,
    rotation=lambda a: a,
    logarithm="matrix",
)
"""Rotation matrices, row-major; Ω body-fixed."""

S3 = LieGroup(
    name="S3",
    storage_fields=(Field("p", 0, (4,)),),
    velocity_fields=(Field("Omega", 0, (3,)),),
    compose=_quaternion_product,
    inverse=_conjugate,
    identity=_IDENTITY_QUATERNION,
    basis=_QUATERNION_BASIS,
    relations=_quaternion_relations,
    normalize=_quaternion_normalize,
    rotation=_quaternion_rotation,
    logarithm="quaternion",
)
"""Unit quaternions, scalar first; Ω body-fixed, so the basis carries the factor one half."""

SE3 = LieGroup(
    name="SE3",
    storage_fields=(Field("R", 0, (3, 3)), Field("x", 9, (3,))),
    velocity_fields=(Field("Omega", 0, (3,)), Field("U", 3, (3,))),
    compose=lambda a, b: (*(_matrix(a[:9]) * _matrix(b[:9])), *_plus(a[9:], _rotate(a[:9], b[9:]))),
    inverse=lambda a: (*_matrix(a[:9]).T, *_minus(_rotate(tuple(_matrix(a[:9]).T), a[9:]))),
    identity=_IDENTITY_ROTATION + _ZERO,
    basis=sympy.diag(_HAT_BASIS, sympy.eye(3)),
    relations=lambda a: _rotation_relations(a[:9]),
    normalize=lambda a: (*_rotation_normalize(a[:9]), *a[9:]),
    rotation=lambda a: a[:9],
    between_form=lambda a, b: (
        *(_matrix(a[:9]).T * _matrix(b[:9])),
        *_rotate(tuple(_matrix(a[:9]).T), _plus(b[9:], _minus(a[9:]))),
    ),
    logarithm="matrix",
)
"""Rigid motions (R, x); velocity [Ω; U] body-fixed."""

S3sR3 = LieGroup(
    name="S3sR3",
    storage_fields=(Field("p", 0, (4,)), Field("x", 4, (3,))),
    velocity_fields=(Field("Omega", 0, (3,)), Field("U", 3, (3,))),
    compose=lambda a, b: (
        *_quaternion_product(a[:4], b[:4]),
        *_plus(a[4:], _rotate(_quaternion_rotation(a[:4]), b[4:])),
    ),
    inverse=lambda a: (
        *_conjugate(a[:4]),
        *_minus(_rotate(_quaternion_rotation(_conjugate(a[:4])), a[4:])),
    ),
    identity=_IDENTITY_QUATERNION + _ZERO,
    basis=sympy.diag(_QUATERNION_BASIS, sympy.eye(3)),
    relations=lambda a: _quaternion_relations(a[:4]),
    normalize=lambda a: (*_quaternion_normalize(a[:4]), *a[4:]),
    rotation=lambda a: _quaternion_rotation(a[:4]),
    between_form=lambda a, b: (
        *_quaternion_product(_conjugate(a[:4]), b[:4]),
        *_rotate(_quaternion_rotation(_conjugate(a[:4])), _plus(b[4:], _minus(a[4:]))),
    ),
    logarithm="quaternion",
)
"""Unit quaternion and position with the semidirect product S³⋉R³; velocity [Ω; U] body-fixed."""

NAMED = {"SO3": SO3, "S3": S3, "SE3": SE3, "S3sR3": S3sR3}
"""Groups that are not direct products or R^n, by name."""


@functools.cache
def group_from_name(name: str) -> LieGroup:
    """The group spelled ``R3``, ``SO3``, ``S3``, ``SE3``, ``S3sR3``, or a direct product such as ``SO3xR3``.

    Raises
    ------
    UnknownNameError
        No group has this name.
    """
    if name in NAMED:
        return NAMED[name]
    if name[:1] == "R" and name[1:].isdigit() and int(name[1:]) > 0:
        return real_space(int(name[1:]))
    parts = name.split("x")
    if len(parts) > 1 and all(parts):
        return direct_product(*[group_from_name(p) for p in parts])
    raise UnknownNameError(
        f"Unknown group '{name}'; use R1, R2, …, {', '.join(NAMED)}, or a direct product such as SO3xR3."
    )
