"""Rotations about an axis, and poses of a rotation and a position, as operations of programs.

R = Rz(φ)      δR = e_z δφ
q = (R, x)     δq = (δR, δx), or (δR, Rᵀ δx) with body-fixed velocities
R = R(q)       δR = the angular part of δq
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sympy import Integer, cos, sin

from symlie.groups.group import LieGroup
from symlie.groups.operations import GroupOperation
from symlie.groups.rotation import rotate, zero
from symlie.groups.standard import SO2, SO3
from symlie.ir.program import Program, Space, Value, Vector


@dataclass(frozen=True)
class AxisRotation(GroupOperation):
    """Rotation Rz(φ) in SO(3), or the rotation by φ in SO(2)."""

    name: ClassVar[str] = "turned"

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return δφ about the last axis."""
        (tangent,) = tangents
        assert tangent is not None
        return (*zero(self.group.dimension - 1), *tangent)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return the part about the last axis."""
        return (cotangent[-1:],)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the stored components."""
        ((angle,),) = arguments
        c, s = program.vector([cos(angle), sin(angle)])
        if self.group is SO2:
            return c, s
        return c, -s, Integer(0), s, c, Integer(0), Integer(0), Integer(0), Integer(1)


def _spin(group: LieGroup) -> slice:
    """Return the slice of the angular velocity among the velocities of a pose."""
    field = next(f for f in group.velocity_fields if f.name == "Omega")
    return slice(field.offset, field.offset + field.size)


@dataclass(frozen=True)
class Pose(GroupOperation):
    """Pose q = (R, x) on a group that stores rotation and position, in this order: SO3xR3, SE3, SE2."""

    name: ClassVar[str] = "pose"

    @property
    def _is_body_fixed(self) -> bool:
        return any(f.name == "U" for f in self.group.velocity_fields)

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return the angular velocity, and the velocity in the axes of the group."""
        spin, velocity = (zero(a.space.dimension) if t is None else t for a, t in zip(arguments, tangents, strict=True))
        if self._is_body_fixed:
            velocity = rotate(program, self.group, result.components, velocity, transpose=True)
        return (*spin, *velocity)

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return the moment, and the force in inertial axes."""
        size = arguments[0].space.dimension
        moment, force = cotangent[:size], cotangent[size:]
        if self._is_body_fixed:
            force = rotate(program, self.group, result.components, force)
        return moment, force

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the stored components of rotation and position."""
        return (*arguments[0], *arguments[1])


@dataclass(frozen=True)
class RotationPart(GroupOperation):
    """Rotation R(q) of a pose, in SO(3) or SO(2)."""

    name: ClassVar[str] = "rotation"

    @property
    def result(self) -> Space:
        """SO(3) or SO(2)."""
        return SO2 if self._part.stop - self._part.start == 1 else SO3

    @property
    def _part(self) -> slice:
        return _spin(self.group)

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return the angular velocity."""
        (tangent,) = tangents
        assert tangent is not None
        return tangent[self._part]

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return the moment."""
        part = self._part
        return ((*zero(part.start), *cotangent, *zero(self.group.dimension - part.stop)),)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the entries of the matrix, or cosine and sine."""
        assert self.group.rotation is not None
        entries = program.vector(self.group.rotation(arguments[0]), "R")
        return (entries[0], entries[2]) if len(entries) == 4 else entries
