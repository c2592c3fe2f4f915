"""Elements of a group of rotations by classical coordinates ρ: the storage is the same, δφ = G(ρ) δρ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Matrix

from symlie.groups.classical.coordinates import group_of_rotations
from symlie.groups.group import LieGroup
from symlie.groups.operations import UnaryOperation
from symlie.ir.program import Program, Vector


@dataclass(frozen=True)
class ByCoordinates(UnaryOperation):
    """q on the group of rotations, of coordinates ρ in ``group``."""

    name: ClassVar[str] = "turned"

    @property
    def result(self) -> LieGroup:
        """The group of rotations."""
        return group_of_rotations(self.group)

    def differential(self, program: Program, argument: Vector, result: Vector, w: Vector, *, transpose: bool) -> Vector:
        """G(ρ) w or G(ρ)ᵀ w, and w itself of factors that hold no coordinates."""
        found: list[Expr] = []
        pairs = zip(self.group.simple_factors, self.result.simple_factors, strict=True)
        for (own, stored, rates), (turned, _, velocity) in pairs:
            start, size = (velocity, turned.dimension) if transpose else (rates, own.dimension)
            part = w[start : start + size]
            if own.rotation_parameters is not None:
                rho = argument[stored : stored + own.storage_dimension]
                matrix = own.rotation_parameters.kinematic_matrix(program, rho)
                part = program.vector((matrix.T if transpose else matrix) * Matrix(part))
            found += part
        return tuple(found)

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """The same components."""
        return arguments[0]
