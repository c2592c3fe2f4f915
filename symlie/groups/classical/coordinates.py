"""Storage and steps of the rotation of a body: on the group, in classical coordinates, or a combination.

| | unknowns | a step |
|---|---|---|
| on the group | R, p, ψ or Euler angles, and ω | q∘exp(u) |
| ``angular_velocity`` | ρ and ω | ρ + u with ρ' = G⁻¹(ρ) ω |
| ``parameter_rates`` | ρ and ρ' | ρ + u |

Source: [Holzinger2024], equations (5) to (7) and (11) for angular velocities, (12) to (14) for rates of parameters,
(22) and (24) for Euler angles with steps on the group.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Integer, Matrix

from symlie.errors import GroupError
from symlie.groups import quaternions
from symlie.groups.classical.euler_angles import (
    SEQUENCES,
    USUAL_SEQUENCE,
    euler_angles,
    rotation_by_angles,
)
from symlie.groups.group import Field, LieGroup, direct_product, left_translation, storage_symbols
from symlie.groups.operators import exponential, tangent_operator
from symlie.groups.rotation_parameters import RotationParameters
from symlie.groups.standard import S3, SO3, SO3rv, real_space
from symlie.ir.primitives import Stumpff
from symlie.ir.program import Program, Vector, substitute


def _euler_parameters() -> RotationParameters:
    q = storage_symbols(S3)
    # ω = (KᵀK)⁻¹ Kᵀ p' with p' = K(p) ω, for |p| = 1.
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


LIE_COORDINATES = {"lie": SO3, "quaternion": S3, "rotation_vector": SO3rv}
"""Groups by the stored representation of a rotation."""

FORMS = ("angular_velocity", "parameter_rates")
"""Velocities that are unknowns of the equations in rotation parameters: ω, or ρ'."""

ON_GROUP = "lie"
"""Value of ``step=`` for steps on the group."""


@functools.cache
def parameters_by_name() -> Mapping[str, RotationParameters]:
    """Return all classical coordinates by name, created on first use to keep the import fast."""
    return {p.name: p for p in (*map(euler_angles, SEQUENCES), _euler_parameters(), _rotation_vector())}


@functools.cache
def _parameter_space(name: str) -> LieGroup:
    """Return the group Rⁿ of classical coordinates ρ with the velocity ρ'."""
    parameters = parameters_by_name()[name]
    linear = real_space(parameters.size)
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
def _stored_group(name: str) -> LieGroup:
    """Return SO(3) with storage ρ and steps on the group."""
    if name in LIE_COORDINATES:
        return LIE_COORDINATES[name]
    parameters = parameters_by_name()[name]
    of_rotation = parameters.of_rotation
    assert of_rotation is not None
    sequence = parameters.field[-len(USUAL_SEQUENCE) :]

    def matrix(angles: Vector) -> Matrix:
        return rotation_by_angles(sequence, angles)

    return replace(
        SO3rv,
        name=f"{name}_lie",
        storage_fields=(Field(parameters.field, 0, (parameters.size,)),),
        compose=lambda a, b: of_rotation(tuple(matrix(a) * matrix(b))),
        inverse=lambda a: of_rotation(tuple(matrix(a).T)),
        rotation=lambda a: tuple(matrix(a)),
        rotation_logarithm=lambda program, a: quaternions.logarithm_of_rotation(
            program, program.vector(list(matrix(a)), "R")
        ),
        coordinates_of=SO3,
        stored_as=parameters,
    )


@functools.cache
def _with_angular_velocity(name: str) -> LieGroup:
    """Return the group with storage ρ, steps in ρ and the velocity ω."""
    return replace(_stored_group(name), name=f"{name}_1", stepped_in=_parameter_space(name))


@functools.cache
def in_coordinates(group: LieGroup, coordinates: str, form: str | None = None, step: str | None = None) -> LieGroup:
    """Return the configuration space of a body with its rotation in other coordinates, form or step."""
    _check_coordinates(coordinates)
    places = [k for k, (g, _, _) in enumerate(group.simple_factors) if g in LIE_COORDINATES.values()]
    if len(places) != 1:
        raise GroupError(
            f"{group} cannot be stored in the coordinates {coordinates}, which require a separate rotation in space, "
            "as in SO3 and SO3xR3."
        )
    _check_form(coordinates, form, step)
    if form == "angular_velocity":
        rotation = _with_angular_velocity(coordinates)
    elif form == "parameter_rates" or (step is None and coordinates not in LIE_COORDINATES):
        rotation = _parameter_space(coordinates)
    else:
        rotation = _stored_group(coordinates)
    return _product(*[rotation if k in places else g for k, (g, _, _) in enumerate(group.simple_factors)])


def _product(*factors: LieGroup) -> LieGroup:
    """Return the direct product of several groups, or the group itself if there is only one."""
    return factors[0] if len(factors) == 1 else direct_product(*factors)


@functools.cache
def group_of_rotations(group: LieGroup) -> LieGroup:
    """Return the group that coordinates with the velocity ρ' describe, such as S³×R³ for Euler parameters and R³."""
    if all(g.rotation_parameters is None for g, _, _ in group.simple_factors):
        return group

    def turned(g: LieGroup) -> LieGroup:
        if g.rotation_parameters is None:
            return g
        return S3 if g.rotation_parameters.size == S3.storage_dimension else _stored_group(g.rotation_parameters.name)

    return _product(*[turned(g) for g, _, _ in group.simple_factors])


def classical_group(name: str) -> LieGroup | None:
    """Return the configuration space in classical coordinates of this name, such as ``euler_anglesxR3``, or None."""
    bases, ways = (
        (SO3, direct_product(SO3, real_space(3))),
        ((None, None), *((form, None) for form in FORMS), (None, ON_GROUP)),
    )
    for coordinates in (known for known in parameters_by_name() if name.startswith(known)):
        for base, (form, step) in itertools.product(bases, ways):
            with contextlib.suppress(GroupError):
                found = in_coordinates(base, coordinates, form, step)
                if found.name == name:
                    return found
    return None


def _check_coordinates(coordinates: str) -> None:
    if coordinates == "minimal":
        raise GroupError(
            "Minimal coordinates belong to the joints of a model, not to one body: define bodies as usual and use "
            "sl.minimal_coordinates(model), or -o coordinates=minimal."
        )
    if coordinates not in LIE_COORDINATES and coordinates not in parameters_by_name():
        usual = ", ".join([*LIE_COORDINATES, "euler_angles", "euler_parameters"])
        raise GroupError(
            f"Unknown coordinates {coordinates!r}; use {usual}, or euler_angles_AXES with AXES one of "
            f"{', '.join(SEQUENCES)}."
        )


def _check_form(coordinates: str, form: str | None, step: str | None) -> None:
    if step not in (None, ON_GROUP):
        raise GroupError(f"Unknown step={step!r}; step={ON_GROUP} stores coordinates and steps on the group.")
    if step is not None and form is not None:
        raise GroupError(
            f"Both step={step} and form={form!r} are given; a form applies to steps in stored coordinates, but these "
            "steps are taken on the group. Omit one of them."
        )
    if step is not None and coordinates == "euler_parameters":
        raise GroupError("For Euler parameters with steps on the group, use coordinates=quaternion and omit step=.")
    if form is None:
        return
    if coordinates not in parameters_by_name():
        raise GroupError(
            f"The coordinates {coordinates} have no form, because their steps are taken on the group; omit "
            f"form={form!r}."
        )
    if form not in FORMS:
        raise GroupError(f"The coordinates {coordinates} have no form {form!r}; use one of {', '.join(FORMS)}.")
    if form == "angular_velocity" and parameters_by_name()[coordinates].size != SO3.dimension:
        raise GroupError(
            "Euler parameters have the form parameter_rates only, because four parameters are not local coordinates "
            "of three angular velocities; use form=parameter_rates, or coordinates=quaternion with steps on the group."
        )
