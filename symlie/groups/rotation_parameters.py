"""Classical coordinates of rotations: Euler angles, Euler parameters, rotation vectors as elements of Rⁿ.

    R = R(ρ),    ω = G(ρ) ρ',    ρ' = G⁺(ρ) ω,    G_i = (Rᵀ ∂R/∂ρ_i)^∨

A body stored by them is on Rⁿ and moves by ρ'; all that is stated of R and ω follows by the chain rule. G is derived
from R(ρ). Source: [Holzinger2024], equations (5) to (7) and (12) to (14).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
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
from symlie.rotations import SINGULAR_ANGLES

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
        self.check_regular(rho)
        program, symbols = Program(), self._symbols
        matrix = self.inverse_kinematic_matrix(program, symbols)
        return np.array(self._at(rho, program, list(matrix))).reshape(self.size, 3)

    def spin_by_rates(self, rho: Array) -> Array:
        """G(ρ) as numbers, (3, size).

        Parameters
        ----------
        rho
            ρ, (size,).
        """
        program, symbols = Program(), self._symbols
        matrix = self.kinematic_matrix(program, symbols)
        return np.array(self._at(rho, program, list(matrix))).reshape(3, self.size)

    def check_regular(self, rho: Array) -> None:
        """Check that ρ may be an initial value.

        Parameters
        ----------
        rho
            ρ, (size,).

        Raises
        ------
        ModelError
            ρ is singular.
        """
        if self.regularity is None:
            return
        program, symbols = Program(), self._symbols
        if not abs(self._at(rho, program, [self.regularity(program, symbols)])[0]) >= SINGULAR_ANGLES:
            raise ModelError(
                f"The initial rotation is at the singularity of {self.name}, where no rates belong to an angular "
                "velocity; take other axes, step=lie, or coordinates without singularity such as quaternion."
            )

    @property
    def _symbols(self) -> Vector:
        return tuple(sympy.symbols(f"rho:{self.size}", real=True))

    def _at(self, rho: Array, program: Program, wanted: Sequence[Expr]) -> list[float]:
        """Numbers of expressions of a program in `_symbols`."""
        values: dict[Expr, Expr] = {s: sympy.Float(x) for s, x in zip(self._symbols, rho, strict=True)}
        for statement in program.statements:
            assert isinstance(statement, Assignment)
            values[statement.symbol] = _number(statement.expression.xreplace(values))
        return [float(expression.xreplace(values)) for expression in wanted]


def _number(expression: Expr) -> Expr:
    """A number with coefficient functions in it, as a float."""
    functions = {f: sympy.Float(evaluate(f.base_name, f.argument)) for f in expression.atoms(CoefficientFunction)}
    return sympy.Float(expression.xreplace(functions))


class ParametrisedRotation(NamedTuple):
    """The part of a group that holds classical coordinates of a rotation, in its storage and in its velocities."""

    parameters: RotationParameters
    part: slice


@functools.cache
def parametrised_rotation(group: ConfigurationSpace) -> ParametrisedRotation | None:
    """The rotation that a group Rⁿ is by classical coordinates, form 2; None if there is none.

    Parameters
    ----------
    group
        A group, or a space that can have none.
    """
    return _first_rotation(group, lambda factor: factor.rotation_parameters)


@functools.cache
def stepped_rotation(group: ConfigurationSpace) -> ParametrisedRotation | None:
    """The rotation that is stepped in classical coordinates, of either form; None if there is none.

    Parameters
    ----------
    group
        A group, or a space that can have none.
    """
    return _first_rotation(group, lambda factor: (factor.stepped_in or factor).rotation_parameters)


def _first_rotation(
    group: ConfigurationSpace, parameters: Callable[[LieGroup], RotationParameters | None]
) -> ParametrisedRotation | None:
    if not isinstance(group, LieGroup):
        return None
    for factor, stored, _ in group.simple_factors:
        if (found := parameters(factor)) is not None:
            return ParametrisedRotation(found, slice(stored, stored + factor.storage_dimension))
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
