"""R and ω of a node that stores a rotation by classical coordinates."""

from __future__ import annotations

from functools import cached_property

from symlie.groups.rotation_parameters import ParametrisedRotation
from symlie.ir.program import Program, Vector
from symlie.modeling.symbolic import SymbolicMatrix


class RotationByParameters:
    """What coordinates ρ say of a rotation, as expressions of a program, each stated once.

    Parameters
    ----------
    program
        Where they are stated.
    turned
        The coordinates and their place.
    storage
        Stored components of the node.
    """

    def __init__(self, program: Program, turned: ParametrisedRotation, storage: Vector) -> None:
        self._program, self._parameters, self.part = program, turned.parameters, turned.part
        self._rho = tuple(storage[turned.part])

    @cached_property
    def matrix(self) -> SymbolicMatrix:
        """R(ρ), 3 × 3."""
        return SymbolicMatrix(3, 3, list(self._parameters.rotation(self._program, self._rho)))

    @cached_property
    def kinematic_matrix(self) -> SymbolicMatrix:
        """G(ρ), 3 × components of ρ."""
        return SymbolicMatrix(self._parameters.kinematic_matrix(self._program, self._rho))

    @cached_property
    def inverse_kinematic_matrix(self) -> SymbolicMatrix:
        """G⁺(ρ), components of ρ × 3."""
        return SymbolicMatrix(self._parameters.inverse_kinematic_matrix(self._program, self._rho))

    def spin(self, rates: Vector) -> Vector:
        """ω = G(ρ) ρ'.

        Parameters
        ----------
        rates
            ρ'.
        """
        return self._program.vector(list(self.kinematic_matrix * _column(rates)), "omega")

    def generalized_moment(self, moment: Vector) -> Vector:
        """Gᵀ τ, which does along ρ' the power of a moment along ω.

        Parameters
        ----------
        moment
            τ in axes of the body, in N m.
        """
        return self._program.vector(list(self.kinematic_matrix.T * _column(moment)))

    def moment(self, force: Vector) -> SymbolicMatrix:
        """τ of which Gᵀ τ is a generalized force along ρ'.

        Parameters
        ----------
        force
            Along ρ'.
        """
        return SymbolicMatrix(self.inverse_kinematic_matrix.T * _column(force))


def _column(components: Vector) -> SymbolicMatrix:
    return SymbolicMatrix(len(components), 1, list(components))
