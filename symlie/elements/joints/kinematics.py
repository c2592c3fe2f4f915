"""Poses and velocities of bodies along a tree of joints, as functions of the free coordinates of the joints.

With the axes A = R_a C_a and B = R_b C_b of the markers of a joint in inertial axes, and their points p_A and p_B:

    B = A Q(c),    p_B = p_A + A d(c),    R_b = B C_bᵀ,    x_b = p_B - R_b r_b

Q is Rz(φ) for a hinge, Rz(φ₁) C Rz(φ₂) for a universal joint, and the rotation of the node for a ball joint; d consists
of displacements along A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Integer

from symlie.elements.joints.coordinates import Coordinate, Shift, Turn
from symlie.elements.joints.frames import Z
from symlie.elements.joints.poses import AxisRotation
from symlie.elements.joints.rows import JointDefinition
from symlie.groups.group import LieGroup
from symlie.groups.operations import Compose, Inverse
from symlie.groups.rotation import rotate
from symlie.groups.standard import SO2, SO3
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.modeling.node import column
from symlie.modeling.symbolic import SymbolicMatrix


@dataclass(frozen=True)
class Turned:
    """A rotation with its body-fixed angular velocity, None for a constant rotation."""

    value: Value
    spin: Vector | None

    @property
    def group(self) -> LieGroup:
        """SO(3), or SO(2) in the plane."""
        group = self.value.space
        assert isinstance(group, LieGroup)
        return group

    @property
    def matrix(self) -> Vector:
        """Entries of the matrix in row-major order."""
        assert self.group.rotation is not None
        return self.group.rotation(self.value.components)

    def then(self, program: Program, other: Turned) -> Turned:
        """Return the product with another rotation on the right."""
        operation, arguments = Compose(self.group), (self.value, other.value)
        value = program.apply(operation, *arguments)
        if self.spin is None and other.spin is None:
            return Turned(value, None)
        spin = operation.tangent(program, arguments, value, (self.spin, other.spin))
        return Turned(value, program.vector(spin, "Omega"))

    def inverse(self, program: Program) -> Turned:
        """Return the inverse."""
        operation = Inverse(self.group)
        value = program.apply(operation, self.value)
        if self.spin is None:
            return Turned(value, None)
        return Turned(value, program.vector(operation.tangent(program, (self.value,), value, (self.spin,)), "Omega"))

    def applied(self, program: Program, w: Vector) -> Vector:
        """Return R w."""
        if all(c == 0 for c in w):
            return w
        if self.spin is not None:
            return rotate(program, self.group, self.value.components, w)
        matrix = SymbolicMatrix(len(w), len(w), list(self.matrix))
        return program.vector(matrix * column(w))


def constant(size: int, axes: Sequence[object]) -> Turned:
    """Return a constant rotation with the given matrix in row-major order."""
    entries = tuple(axes) if size == 3 else (axes[0], axes[2])
    return Turned(Value(entries, SO3 if size == 3 else SO2), None)


def relative_rotation(program: Program, size: int, coordinates: Sequence[tuple[Coordinate, Vector]]) -> Turned:
    """Return the rotation Q of the angles of a joint."""
    group = SO3 if size == 3 else SO2
    turns = [(c, about) for c, about in coordinates if isinstance(c, Turn)]
    total = Turned(Value(group.identity, group), None)
    for number, (turn, (angle, rate)) in enumerate(turns):
        if number:
            total = total.then(program, constant(size, _between(turns[0][0], turn)))
        value = program.apply(AxisRotation(group), Value((angle,), Euclidean(1)))
        spin = (*(Integer(0),) * (group.dimension - 1), rate)
        total = total.then(program, Turned(value, spin))
    return total


def _between(first: Turn, second: Turn) -> list[Integer]:
    """Return the constant rotation C of a universal joint, its relative rotation at zero angles, in row-major order."""
    found = np.zeros((3, 3), dtype=int)
    for turn in (first, second):
        found[turn.cosine] = 1
    (column,) = np.flatnonzero(~found.any(axis=0))
    found[:, column] = np.cross(found[:, (column + 1) % 3], found[:, (column + 2) % 3])
    return [Integer(int(c)) for c in found.ravel()]


def displacement(size: int, coordinates: Sequence[tuple[Coordinate, Vector]]) -> Vector:
    """Return the vector d of the displacements of a joint."""
    total = [Integer(0)] * size
    for coordinate, (value, _) in coordinates:
        if isinstance(coordinate, Shift):
            total[coordinate.along] += value
    return tuple(total)


def has_minimal_coordinates(rows: JointDefinition, held: int, size: int) -> bool:
    """Return whether the coordinates of a joint determine the pose of the second body relative to the first."""
    freedoms = (6 if size == 3 else 3) - held
    turns = [c for c in rows.coordinates if isinstance(c, Turn)]
    is_about_z = all(c.about[0] == Z for c in turns) and [c.about[1] for c in turns] in ([], [False], [False, True])
    return not rows.nonholonomic and is_about_z and freedoms == len(rows.coordinates) + (3 if rows.is_ball else 0)
