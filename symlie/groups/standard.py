"""Definitions of the standard groups by storage, composition, inverse, identity and velocity."""

from __future__ import annotations

import functools

import sympy
from sympy import Expr, Integer, Matrix

from symlie.errors import UnknownNameError
from symlie.groups import quaternions
from symlie.groups.group import Field, LieGroup, direct_product
from symlie.groups.semidirect import semidirect
from symlie.ir.program import Vector
from symlie.rotations import quaternion_product


def skew(a: Vector | Matrix) -> Matrix:
    """Return the matrix ã with ã b = a × b."""
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
    # One Newton–Schulz step towards the polar factor of R.
    rotation = _matrix(r)
    defect = rotation.T * rotation - sympy.eye(3)
    return tuple(rotation - rotation * defect / 2)


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
    """Return R^n with addition; the velocity is the rate of the coordinates.

    Parameters
    ----------
    n
        Dimension.
    """
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
    rotation_logarithm=quaternions.logarithm_of_rotation,
    near_logarithm=quaternions.near_logarithm_of_rotation,
)
"""Rotation matrices, row-major; Ω body-fixed."""

S3 = LieGroup(
    name="S3",
    storage_fields=(Field("p", 0, (4,)),),
    velocity_fields=(Field("Omega", 0, (3,)),),
    compose=quaternion_product,
    inverse=quaternions.conjugate,
    identity=_IDENTITY_QUATERNION,
    basis=_QUATERNION_BASIS,
    relations=quaternions.unit_relations,
    normalize=quaternions.unit_normalize,
    rotation=quaternions.rotation,
    rotation_logarithm=quaternions.logarithm,
    near_logarithm=quaternions.near_logarithm,
)
"""Unit quaternions, scalar first; Ω body-fixed, hence the factor 1/2 in the basis."""

SO3rv = LieGroup(
    name="SO3rv",
    storage_fields=(Field("psi", 0, (3,)),),
    velocity_fields=(Field("Omega", 0, (3,)),),
    compose=lambda a, b: quaternions.rotation_vector(
        quaternion_product(quaternions.half_angle(a), quaternions.half_angle(b))
    ),
    inverse=_minus,
    identity=_ZERO,
    basis=sympy.eye(3),
    relations=lambda psi: (),
    normalize=lambda psi: psi,
    rotation=lambda psi: quaternions.rotation(quaternions.half_angle(psi)),
    rotation_logarithm=lambda program, psi: quaternions.logarithm(
        program, program.vector(quaternions.half_angle(psi), "p")
    ),
    coordinates_of=S3,
)
"""Rotation vectors ψ, |ψ| ≤ 2π, composed by half-angle quaternions and atan2; Ω body-fixed. Source: [Holzinger2024],
appendix A, with the angle 2 atan2(|r|, s) instead of 2 acos(s), which loses half of the digits."""

SO2 = LieGroup(
    name="SO2",
    storage_fields=(Field("p", 0, (2,)),),
    velocity_fields=(Field("Omega", 0, (1,)),),
    compose=lambda a, b: (a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]),
    inverse=lambda a: (a[0], -a[1]),
    identity=(Integer(1), Integer(0)),
    basis=Matrix([0, 1]),
    relations=quaternions.unit_relations,
    normalize=quaternions.unit_normalize,
    rotation=lambda a: (a[0], -a[1], a[1], a[0]),
    rotation_logarithm=lambda program, a: program.vector([sympy.atan2(a[1], a[0])]),
)
"""Rotations of the plane as p = (cos φ, sin φ), so that all operations except exp and log are polynomial. The storage
does not count full turns; `Solution.angle` does. If forces depend on the unwrapped angle, use a coordinate on R1."""

SE3 = semidirect(SO3, real_space(3), lambda a: a.R, name="SE3")
"""Rigid motions (R, x); velocity [Ω; U] body-fixed."""

S3sR3 = semidirect(S3, real_space(3), lambda a: a.R, name="S3sR3")
"""Unit quaternion and position with the semidirect product S³⋉R³; velocity [Ω; U] body-fixed."""

SE2 = semidirect(SO2, real_space(2), lambda a: a.R, name="SE2")
"""Rigid motions of the plane (p, x), p = (cos φ, sin φ); velocity [Ω; U] body-fixed."""

NAMED = {"SO2": SO2, "SO3": SO3, "SO3rv": SO3rv, "S3": S3, "SE2": SE2, "SE3": SE3, "S3sR3": S3sR3}
"""Groups by name, without direct products and R^n."""


LONGEST_NAME = 100
"""Largest number of characters in the name of a product."""

LARGEST_SPACE = 1000
"""Largest n of the groups R^n that have a name."""


@functools.cache
def group_from_name(name: str) -> LieGroup:
    """Return the group named ``R3``, as in `NAMED`, or a direct product such as ``SO3xR3`` or ``SO3rvxR3``.

    Parameters
    ----------
    name
        Name of a group or of a direct product.

    Raises
    ------
    UnknownNameError
        If no group has this name.
    """
    if name in NAMED:
        return NAMED[name]
    if name[:1] == "R" and name[1:].isdecimal() and name.isascii() and 0 < int(name[1:]) <= LARGEST_SPACE:
        return real_space(int(name[1:]))
    if len(name) > LONGEST_NAME:
        raise UnknownNameError(
            f"The group name {name!r} has more than {LONGEST_NAME} characters; for many nodes use a node array."
        )
    parts = name.split("x")
    if len(parts) > 1 and all(parts):
        return direct_product(*[group_from_name(p) for p in parts])
    raise UnknownNameError(
        f"Unknown group '{name}'; use R1, R2, …, {', '.join(NAMED)}, or a direct product such as SO3xR3."
    )
