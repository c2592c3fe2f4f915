"""R and ω of a node that stores a rotation by rotation parameters."""

from __future__ import annotations

from functools import cached_property

from symlie.groups.rotation_parameters import ParametrisedRotation
from symlie.ir.program import Program, Vector
from symlie.modeling.symbolic import SymbolicMatrix


class RotationByParameters:
    """Rotation of a node as expressions of its parameters ρ; each expression is added to the program once."""

    def __init__(self, program: Program, turned: ParametrisedRotation, storage: Vector) -> None:
        self._program, self._parameters, self.part = program, turned.parameters, turned.part
        self._rho = tuple(storage[turned.part])

    @cached_property
    def matrix(self) -> SymbolicMatrix:
        """R(ρ), shape (3, 3)."""
        return SymbolicMatrix(3, 3, list(self._parameters.rotation(self._program, self._rho)))

    @cached_property
    def kinematic_matrix(self) -> SymbolicMatrix:
        """G(ρ), shape (3, components of ρ)."""
        return SymbolicMatrix(self._parameters.kinematic_matrix(self._program, self._rho))

    @cached_property
    def inverse_kinematic_matrix(self) -> SymbolicMatrix:
        """G⁺(ρ), shape (components of ρ, 3)."""
        return SymbolicMatrix(self._parameters.inverse_kinematic_matrix(self._program, self._rho))

    def spin(self, rates: Vector) -> Vector:
        """Return ω = G(ρ) ρ'."""
        return self._program.vector(list(self.kinematic_matrix * _column(rates)), "omega")

    def generalized_moment(self, moment: Vector) -> Vector:
        """Return the generalised force Gᵀ τ along ρ' of a moment τ in body axes."""
        return self._program.vector(list(self.kinematic_matrix.T * _column(moment)))

    def moment(self, force: Vector) -> SymbolicMatrix:
        """Return the moment τ with the generalised force Gᵀ τ along ρ'."""
        return SymbolicMatrix(self.inverse_kinematic_matrix.T * _column(force))


def _column(components: Vector) -> SymbolicMatrix:
    return SymbolicMatrix(len(components), 1, list(components))
