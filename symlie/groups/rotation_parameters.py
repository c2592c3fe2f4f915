"""Classical coordinates of rotations: Euler angles, Euler parameters, rotation vectors as elements of Rⁿ.

    R = R(ρ),    ω = G(ρ) ρ',    ρ' = G⁺(ρ) ω,    G_i = (Rᵀ ∂R/∂ρ_i)^∨

A body stored by them is on Rⁿ and moves by ρ'; all that is stated of R and ω follows by the chain rule. G is derived
from R(ρ). Source: [Holzinger2024], equations (5) to (7) and (12) to (14).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Integer, Matrix

from symlie.errors import GroupError, ModelError
from symlie.groups import quaternions
from symlie.groups.group import Field, LieGroup, direct_product, left_translation, storage_symbols
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.operators import exponential, tangent_operator
from symlie.groups.standard import S3, SO3, SO3rv, real_space
from symlie.ir.primitives import CoefficientFunction, Stumpff, evaluate
from symlie.ir.program import Assignment, Program, Vector, substitute

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
    """

    name: str
    field: str
    size: int
    rotation: Callable[[Program, Vector], Vector]
    kinematic_matrix: Callable[[Program, Vector], Matrix]
    inverse_kinematic_matrix: Callable[[Program, Vector], Matrix]
    regularity: Callable[[Program, Vector], Expr] | None = None
    relation: Callable[[Vector], Expr] | None = None

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


def _elementary(axis: int, cosine: Expr, sine: Expr) -> Matrix:
    """The rotation about an axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = sympy.eye(3)
    result[i, i] = result[j, j] = cosine
    result[i, j], result[j, i] = -sine, sine
    return result


def _euler_angles(sequence: str) -> RotationParameters:
    """R = R_i(a) R_j(b) R_k(c) about axes that turn along."""
    axes = ["xyz".index(letter) for letter in sequence]
    is_proper = axes[0] == axes[2]

    def turned(program: Program, angles: Vector) -> list[Matrix]:
        return [
            _elementary(axis, program.scalar(sympy.cos(a), "c"), program.scalar(sympy.sin(a), "s"))
            for axis, a in zip(axes, angles, strict=True)
        ]

    def rotation(program: Program, angles: Vector) -> Vector:
        first, second, third = turned(program, angles)
        return program.vector(list(first * second * third), "R")

    def kinematic_matrix(program: Program, angles: Vector) -> Matrix:
        _, second, third = turned(program, angles)
        units = [sympy.eye(3)[:, axis] for axis in axes]
        return Matrix.hstack((second * third).T * units[0], third.T * units[1], units[2])

    def inverse(program: Program, angles: Vector) -> Matrix:
        found, values = _inverse_by_angles(sequence)
        trigonometric = [function(a) for a in angles[1:] for function in (sympy.cos, sympy.sin)]
        bound = [program.scalar(value, "t") for value in trigonometric]
        return found.xreplace(dict(zip(values, bound, strict=True)))

    def regularity(program: Program, angles: Vector) -> Expr:
        return program.scalar((sympy.sin if is_proper else sympy.cos)(angles[1]))

    is_usual = sequence == USUAL_SEQUENCE
    name = "euler_angles" if is_usual else f"euler_angles_{sequence}"
    return RotationParameters(name, f"angles_{sequence}", 3, rotation, kinematic_matrix, inverse, regularity)


@functools.cache
def _inverse_by_angles(sequence: str) -> tuple[Matrix, tuple[sympy.Symbol, ...]]:
    """G⁻¹ in symbols for cos b, sin b, cos c, sin c."""
    symbols = sympy.symbols("cb sb cc sc", real=True)
    cb, sb, cc, sc = symbols
    axes = ["xyz".index(letter) for letter in sequence]
    second, third = _elementary(axes[1], cb, sb), _elementary(axes[2], cc, sc)
    units = [sympy.eye(3)[:, axis] for axis in axes]
    matrix = Matrix.hstack((second * third).T * units[0], third.T * units[1], units[2])

    def reduced(entry: Expr) -> Expr:
        return sympy.reduced(sympy.expand(entry), [cc**2 + sc**2 - 1, cb**2 + sb**2 - 1], sc, sb, cc, cb)[1]

    return matrix.adjugate().applyfunc(reduced) / reduced(matrix.det()), symbols


USUAL_SEQUENCE = "xyz"
"""Axes of ``euler_angles``, Tait–Bryan or Cardan angles."""

SEQUENCES = tuple(
    "".join(axes) for axes in itertools.product("xyz", repeat=3) if axes[0] != axes[1] and axes[1] != axes[2]
)
"""Axes of all Euler angles."""


def _euler_parameters() -> RotationParameters:
    q = storage_symbols(S3)
    # ω = (KᵀK)⁻¹ Kᵀ p' with p' = K(p) ω, on |p| = 1.
    translation = left_translation(S3)
    unit = translation.subs(dict(zip(q, S3.identity, strict=True)), simultaneous=True)
    scale = (unit.T * unit)[0, 0]

    def at(matrix: Matrix, p: Vector) -> Matrix:
        values = dict(zip(q, p, strict=True))
        return matrix.applyfunc(lambda entry: substitute(entry, values))

    return RotationParameters(
        "euler_parameters",
        "p",
        4,
        lambda program, p: program.vector(quaternions.rotation(p), "R"),
        lambda program, p: at(translation.T / scale, p),
        lambda program, p: at(translation, p),
        relation=lambda p: quaternions.unit_relations(p)[0],
    )


def _rotation_vector() -> RotationParameters:
    def columns(program: Program, psi: Vector, *, inverse: bool) -> Matrix:
        units = [tuple(Integer(int(i == k)) for i in range(3)) for k in range(3)]
        found = [program.vector(tangent_operator(program, SO3, psi, unit, inverse=inverse)) for unit in units]
        return Matrix.hstack(*[Matrix(column) for column in found])

    def regularity(program: Program, psi: Vector) -> Expr:
        # sin(φ/2)/(φ/2)
        return program.scalar(Stumpff.of(1, program.scalar(sum((c * c for c in psi), Integer(0)) / 4)))

    return RotationParameters(
        "rotation_vector",
        "psi",
        3,
        lambda program, psi: program.vector(exponential(program, SO3, psi), "R"),
        lambda program, psi: columns(program, psi, inverse=False),
        lambda program, psi: columns(program, psi, inverse=True),
        regularity,
    )


PARAMETERS = {p.name: p for p in (*(_euler_angles(s) for s in SEQUENCES), _euler_parameters(), _rotation_vector())}
"""Classical coordinates by name."""

LIE_COORDINATES = {"lie": SO3, "quaternion": S3, "rotation_vector": SO3rv}
"""Groups by what they store of a rotation."""


@functools.cache
def _parameter_space(name: str) -> LieGroup:
    """Rⁿ of classical coordinates."""
    parameters, linear = PARAMETERS[name], real_space(PARAMETERS[name].size)
    shape = (parameters.size,)
    return LieGroup(
        name=name if name != "rotation_vector" else "rotation_vector_2",
        storage_fields=(Field(parameters.field, 0, shape),),
        velocity_fields=(Field(f"{parameters.field}_dot", 0, shape),),
        compose=linear.compose,
        inverse=linear.inverse,
        identity=linear.identity,
        basis=linear.basis,
        relations=linear.relations,
        normalize=linear.normalize,
        rotation_parameters=parameters,
    )


@functools.cache
def in_coordinates(group: LieGroup, coordinates: str, form: int | None = None) -> LieGroup:
    """The configuration space of a body with its rotation stored by other coordinates.

    Parameters
    ----------
    group
        A rotation in space, or the direct product of one with others, such as SO3xR3.
    coordinates
        ``lie`` (rotation matrices), ``quaternion`` and ``rotation_vector`` step on the group; ``euler_angles``
        (R = Rx Ry Rz), ``euler_angles_zxz`` and other sequences, and ``euler_parameters`` are coordinates of Rⁿ.
    form
        2: the unknowns are ρ and ρ', which is all that Euler angles and Euler parameters have; ``rotation_vector`` has
        it too. Default: 2 where coordinates do not step on the group.

    Raises
    ------
    GroupError
        The group has no rotation in space of its own, there are no such coordinates, or they have no such form.
    """
    known = [*LIE_COORDINATES, *(name for name in PARAMETERS if name not in LIE_COORDINATES)]
    if coordinates == "minimal":
        raise GroupError(
            "Minimal coordinates are those of the joints of a model, not of one body: state bodies as usual and take "
            "sl.minimal_coordinates(model), or -o coordinates=minimal."
        )
    if coordinates not in known:
        usual = ", ".join([*LIE_COORDINATES, "euler_angles", "euler_parameters"])
        raise GroupError(
            f"There are no coordinates {coordinates!r}; use {usual}, or euler_angles_AXES with AXES one of "
            f"{', '.join(SEQUENCES)}."
        )
    places = [k for k, (g, _, _) in enumerate(group.simple_factors) if g in LIE_COORDINATES.values()]
    if len(places) != 1:
        raise GroupError(
            f"{group} can not be stored in the coordinates {coordinates}: that takes a rotation in space by itself, as "
            "SO3 and SO3xR3 have it."
        )
    if form not in (None, 2) or (form == 2 and coordinates not in PARAMETERS):
        forms = "form 2" if coordinates in PARAMETERS else "no form, they step on the group"
        raise GroupError(f"The coordinates {coordinates} have {forms}; form={form!r} is none of theirs.")
    is_classical = form == 2 or coordinates not in LIE_COORDINATES
    rotation = _parameter_space(coordinates) if is_classical else LIE_COORDINATES[coordinates]
    factors = [rotation if k in places else g for k, (g, _, _) in enumerate(group.simple_factors)]
    return factors[0] if len(factors) == 1 else direct_product(*factors)
