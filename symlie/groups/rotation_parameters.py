"""Classical coordinates of rotations: Euler angles, Euler parameters and rotation vectors as elements of Rⁿ.

    R = R(ρ),    ω = G(ρ) ρ',    ρ' = G⁺(ρ) ω,    G_i = (Rᵀ ∂R/∂ρ_i)^∨

The configuration of a body in these coordinates is an element of Rⁿ with the velocity ρ'; expressions of R and ω are
differentiated by the chain rule. G is derived from R(ρ).
Source: [Holzinger2024], equations (5) to (7) and (12) to (14).
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
    """Coordinates ρ of rotations."""

    name: str
    """Value of ``coordinates=``."""
    field: str
    """Name of the stored field."""
    size: int
    """Number of components of ρ."""
    rotation: Callable[[Program, Vector], Vector]
    """R(ρ), row-major."""
    kinematic_matrix: Callable[[Program, Vector], Matrix]
    """G(ρ), shape (3, size)."""
    inverse_kinematic_matrix: Callable[[Program, Vector], Matrix]
    """G⁺(ρ), shape (size, 3), on the manifold of the relation."""
    regularity: Callable[[Program, Vector], Expr] | None = None
    """Function with values up to one that changes sign at the singularities of G."""
    relation: Callable[[Vector], Expr] | None = None
    """Function that vanishes on the manifold, for more than three parameters."""
    of_rotation: Callable[[Vector], Vector] | None = None
    """ρ of a row-major rotation matrix, if group elements can be stored in these coordinates."""

    @property
    def start(self) -> Vector:
        """ρ of the identity."""
        return (Integer(1), *(Integer(0),) * 3) if self.size == 4 else (Integer(0),) * self.size

    def rates_by_spin(self, rho: Array) -> Array:
        """Return G⁺(ρ) as numbers, shape (size, 3), or raise `ModelError` if ρ is singular."""
        self.check_regular(rho)
        program, symbols = Program(), self._symbols
        matrix = self.inverse_kinematic_matrix(program, symbols)
        return np.array(self._at(rho, program, list(matrix))).reshape(self.size, 3)

    def spin_by_rates(self, rho: Array) -> Array:
        """Return G(ρ) as numbers, shape (3, size)."""
        program, symbols = Program(), self._symbols
        matrix = self.kinematic_matrix(program, symbols)
        return np.array(self._at(rho, program, list(matrix))).reshape(3, self.size)

    def check_regular(self, rho: Array) -> None:
        """Check that ρ is regular and may be an initial value."""
        if self.regularity is None:
            return
        program, symbols = Program(), self._symbols
        if not abs(self._at(rho, program, [self.regularity(program, symbols)])[0]) >= SINGULAR_ANGLES:
            raise ModelError(
                f"The initial rotation is at the singularity of {self.name}, where an angular velocity does not "
                "determine their rates; use other axes, step=lie, or coordinates without singularity such as "
                "quaternion."
            )

    @property
    def _symbols(self) -> Vector:
        return tuple(sympy.symbols(f"rho:{self.size}", real=True))

    def _at(self, rho: Array, program: Program, wanted: Sequence[Expr]) -> list[float]:
        """Evaluate expressions of a program in `_symbols`."""
        values: dict[Expr, Expr] = {s: sympy.Float(x) for s, x in zip(self._symbols, rho, strict=True)}
        for statement in program.statements:
            assert isinstance(statement, Assignment)
            values[statement.symbol] = _number(statement.expression.xreplace(values))
        return [float(expression.xreplace(values)) for expression in wanted]


def _number(expression: Expr) -> Expr:
    """Evaluate an expression with coefficient functions."""
    functions = {f: sympy.Float(evaluate(f.base_name, f.argument)) for f in expression.atoms(CoefficientFunction)}
    return sympy.Float(expression.xreplace(functions))


class ParametrisedRotation(NamedTuple):
    """Part of a group with classical coordinates of a rotation; the slice applies to its storage and its velocity."""

    parameters: RotationParameters
    part: slice


@functools.cache
def parametrised_rotation(group: ConfigurationSpace) -> ParametrisedRotation | None:
    """Return the rotation in classical coordinates with the velocity ρ' of a group, or None."""
    return _first_rotation(group, lambda factor: factor.rotation_parameters)


@functools.cache
def stepped_rotation(group: ConfigurationSpace) -> ParametrisedRotation | None:
    """Return the rotation whose steps are in classical coordinates, with the velocity ω or ρ', or None."""
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
    """Return the stored components of the identity, the default initial configuration."""
    storage = list(group.identity)
    if (turned := parametrised_rotation(group)) is not None:
        storage[turned.part] = turned.parameters.start
    return tuple(storage)
