"""Unit quaternions, scalar first: rotation matrix, logarithm, and rotation vectors by half angles."""

from __future__ import annotations

import sympy
from sympy import Integer, Rational

from symlie.groups.group import NearLogarithm
from symlie.ir.primitives import AngleExcess, FullAngleRatio, HalfAngleRatio, RotationQuaternion, Stumpff
from symlie.ir.program import Program, Vector


def conjugate(p: Vector) -> Vector:
    """Return the inverse of a unit quaternion."""
    return (p[0], -p[1], -p[2], -p[3])


def rotation(p: Vector) -> Vector:
    """Return R(p) in row-major order."""
    w, x, y, z = p
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def unit_relations(p: Vector) -> Vector:
    """Return |p|² - 1 for a vector of any length."""
    return (sum((c * c for c in p), Integer(-1)),)


def unit_normalize(p: Vector) -> Vector:
    """Return the result of one Newton step towards |p| = 1."""
    (defect,) = unit_relations(p)
    return tuple(c - c * defect / 2 for c in p)


def logarithm(program: Program, p: Vector) -> Vector:
    """Return the shorter of the rotation vectors of p and -p."""
    squared = program.scalar(sum((c * c for c in p[1:4]), Integer(0)), "n")
    ratio = program.scalar(HalfAngleRatio(p[0], squared), "L")
    return program.vector(ratio * c for c in p[1:4])


def near_logarithm(program: Program, p: Vector) -> NearLogarithm:
    """Return the shorter of the rotation vectors of p and -p, for angles well below π."""
    z = program.scalar(sum((c * c for c in p[1:4]), Integer(0)), "n")
    fourfold, excess = program.scalar(4 * z), program.scalar(AngleExcess(z), "e")
    return NearLogarithm(
        p[1:4], program.scalar(p[0] * (2 + fourfold * excess), "L"), program.scalar(1 - 2 * p[0] ** 2 * excess)
    )


def near_logarithm_of_rotation(program: Program, r: Vector) -> NearLogarithm:
    """Return the rotation vector of a row-major rotation matrix, for angles well below π."""
    trace = program.scalar(r[0] + r[4] + r[8], "t")
    z = program.scalar((3 - trace) / 4, "n")
    excess, reciprocal = program.scalar(AngleExcess(z), "e"), program.scalar(1 / (1 - z))
    axis = program.vector((r[7] - r[5], r[2] - r[6], r[3] - r[1]))
    scale = program.scalar(Rational(1, 2) + z * excess, "L")
    return NearLogarithm(axis, scale, program.scalar((reciprocal - 2 * excess) / 16))


def logarithm_of_rotation(program: Program, r: Vector) -> Vector:
    """Return the rotation vector, or the angle in the plane, of a row-major rotation matrix."""
    if len(r) == 4:
        return program.vector([sympy.atan2(r[2], r[0])])
    return logarithm(program, program.vector((RotationQuaternion(Integer(k), *r) for k in range(4)), "p"))


def half_angle(psi: Vector) -> Vector:
    """Return the unit quaternion of a rotation vector."""
    # The argument z/4 is below π² for |ψ| ≤ 2π, so the polynomials suffice without the closed forms.
    quarter = sum((c * c for c in psi), Integer(0)) / 4
    return (Stumpff.of(0, quarter), *(Stumpff.of(1, quarter) * c / 2 for c in psi))


def rotation_vector(p: Vector) -> Vector:
    """Return the rotation vector of a unit quaternion, of length at most 2π, which differs for p and -p."""
    ratio = FullAngleRatio(p[0], sum((c * c for c in p[1:]), Integer(0)))
    return tuple(ratio * c for c in p[1:])
