"""Classical coordinates of rotations: Euler angles, Euler parameters, rotation vectors as elements of Rⁿ.

    R = R(ρ),    ω = G(ρ) ρ',    ρ' = G⁺(ρ) ω,    G_i = (Rᵀ ∂R/∂ρ_i)^∨

A body stored by them is on Rⁿ and moves by ρ'; all that is stated of R and ω follows by the chain rule. G is derived
from R(ρ). Source: [Holzinger2024], equations (5) to (7) and (12) to (14).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Integer, Matrix

from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.ir.primitives import CoefficientFunction, evaluate
from symlie.ir.program import Assignment, Program, Vector

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RotationParameters:
    """Coordinates ρ of rotations.

    Parameters
    ----------
    name
        Name, as ``coordinates=`` takes it.
    field
        Name of the stored field.
    size
        Components of ρ.
    rotation
        R(ρ), row by row.
    kinematic_matrix
        G(ρ), 3 × size.
    inverse_kinematic_matrix
        G⁺(ρ), size × 3, on the manifold that the relation describes.
    regularity
        At most one, and zero where G has no inverse, with a change of sign across that surface.
    relation
        What vanishes on the manifold, if there are more parameters than three.
    of_rotation
        ρ of a rotation matrix, given row by row, if elements of a group may be stored by them.
    """

    name: str
    field: str
    size: int
    rotation: Callable[[Program, Vector], Vector]
    kinematic_matrix: Callable[[Program, Vector], Matrix]
    inverse_kinematic_matrix: Callable[[Program, Vector], Matrix]
    regularity: Callable[[Program, Vector], Expr] | None = None
    relation: Callable[[Vector], Expr] | None = None
    of_rotation: Callable[[Vector], Vector] | None = None

    @property
    def start(self) -> Vector:
        """ρ of the identity."""
        return (Integer(1), *(Integer(0),) * 3) if self.size == 4 else (Integer(0),) * self.size

    def rates_by_spin(self, rho: Array) -> Array:
        """G⁺(ρ) as numbers, (size, 3).

        Parameters
        ----------
        rho
            ρ, (size,).

        Raises
        ------
        ModelError
            ρ is singular.
        """
        program, symbols = Program(), sympy.symbols(f"rho:{self.size}", real=True)
        matrix = self.inverse_kinematic_matrix(program, symbols)
        values: dict[Expr, Expr] = {s: sympy.Float(x) for s, x in zip(symbols, rho, strict=True)}
        for statement in program.statements:
            assert isinstance(statement, Assignment)
            values[statement.symbol] = _number(statement.expression.xreplace(values))
        found = matrix.xreplace(values)
        if any(entry.has(sympy.zoo, sympy.nan, sympy.oo) for entry in found):
            raise ModelError(
                f"The initial rotation is at the singularity of {self.name}, where no rates belong to an angular "
                "velocity; take other axes, or coordinates without singularity such as quaternion."
            )
        return np.array(found.tolist(), dtype=float)


def _number(expression: Expr) -> Expr:
    """A number with coefficient functions in it, as a float."""
    functions = {f: sympy.Float(evaluate(f.base_name, f.argument)) for f in expression.atoms(CoefficientFunction)}
    return sympy.Float(expression.xreplace(functions))


class ParametrisedRotation(NamedTuple):
    """The part of a group that holds classical coordinates of a rotation; storage and velocities are alike."""

    parameters: RotationParameters
    part: slice


def parametrised_rotation(group: ConfigurationSpace) -> ParametrisedRotation | None:
    """The rotation that a group stores by classical coordinates; None if there is none.

    Parameters
    ----------
    group
        A group, or a space that can have none.
    """
    if not isinstance(group, LieGroup):
        return None
    for factor, stored, _ in group.simple_factors:
        if factor.rotation_parameters is not None:
            return ParametrisedRotation(factor.rotation_parameters, slice(stored, stored + factor.storage_dimension))
    return None


def starting_storage(group: ConfigurationSpace) -> Vector:
    """Stored components of the identity, as they are before anything is given.

    Parameters
    ----------
    group
        A group, or another space.
    """
    storage = list(group.identity)
    if (turned := parametrised_rotation(group)) is not None:
        storage[turned.part] = turned.parameters.start
    return tuple(storage)
