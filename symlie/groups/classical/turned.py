"""Rotation group elements as functions of their classical coordinates ρ: same storage, δφ = G(ρ) δρ."""

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
    """Element of the rotation group with classical coordinates ρ in ``group``."""

    name: ClassVar[str] = "turned"

    @property
    def result(self) -> LieGroup:
        """Rotation group."""
        return group_of_rotations(self.group)

    def differential(self, program: Program, argument: Vector, result: Vector, w: Vector, *, transpose: bool) -> Vector:
        """Return G(ρ) w or G(ρ)ᵀ w, and w for factors without classical coordinates."""
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
        """Return the components unchanged."""
        return arguments[0]
