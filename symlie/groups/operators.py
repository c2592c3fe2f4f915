"""Operators derived from the definition of a group: ad, Ad, exp, log, T and T⁻¹, as statements of a program.

Source of the construction: left-trivialised calculus, T(θ) = dexp_{-θ}; nothing here is specific to a group.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix, Rational

from symlie.contract import constants
from symlie.groups.general_functions import RADIUS, bound_rows, norm_squared
from symlie.groups.group import (
    LieGroup,
    algebra_symbols,
    apply_linear,
    coordinates,
    jacobian,
    left_translation,
    reduce_by_relations,
    right_translation,
    rotation_matrix,
    storage_symbols,
)
from symlie.groups.kinematics import LinearBlock, kinematic_blocks, kinematic_matrices, moved_identity
from symlie.groups.rotation import factor, rotate, rotation_size
from symlie.groups.spectrum import (
    DEXP,
    DEXP_INVERSE,
    DEXP_NEGATIVE,
    DEXP_NEGATIVE_INVERSE,
    EXP,
    NEAR_EXP,
    AnalyticFunction,
    Spectrum,
    apply_function,
    has_closed_form,
    scaled_dexp_inverse,
    spectrum,
)
from symlie.ir.program import Program, Value, Vector, substitute


@functools.cache
def ad_matrix(group: LieGroup) -> Matrix:
    """Return the matrix of ad_θ in `algebra_symbols`, ad_θ w = [θ, w], from K_left(q) w = K_right(q) Ad(q) w at e."""
    if group.coordinates_of is not None:
        return ad_matrix(group.coordinates_of)
    if group.factors:
        symbols = algebra_symbols(group)
        shifted = [
            ad_matrix(g).xreplace(dict(zip(algebra_symbols(g), symbols[offset:], strict=False)))
            for g, _, offset in group.simple_factors
        ]
        return sympy.diag(*shifted)
    theta = Matrix(algebra_symbols(group))
    q = storage_symbols(group)
    at_identity = dict(zip(q, group.identity, strict=True))
    direction = group.basis * theta

    def rate(matrix: Matrix) -> Matrix:
        slopes = jacobian(tuple(matrix), q).xreplace(at_identity)
        return (slopes * direction).reshape(*matrix.shape)

    return (coordinates(group) * (rate(left_translation(group)) - rate(right_translation(group)))).expand()


@functools.cache
def squared_angle(group: LieGroup) -> Expr:
    """Return z = ω² as a quadratic form in `algebra_symbols`; zero if the group is commutative or of class B."""
    matrix = ImmutableMatrix(ad_matrix(group))
    return spectrum(matrix).zeta if has_closed_form(EXP, matrix) else Integer(0)


@functools.cache
def adjoint_matrix(group: LieGroup) -> Matrix:
    """Return Ad(q) in `storage_symbols`, reduced modulo the relations, from K_right(q) Ad(q) = K_left(q)."""
    return reduce_by_relations(group, _conjugation(group, group.inverse(storage_symbols(group))))


def _conjugation(group: LieGroup, inverse: Vector) -> Matrix:
    """Return the matrix of Ad(q), w ↦ coordinates of d/dε q∘exp(εw)∘q⁻¹, for given components of q⁻¹."""
    to_identity = storage_symbols(group, "h")
    conjugated = jacobian(group.compose(to_identity, inverse), to_identity)
    at_point = dict(zip(to_identity, storage_symbols(group), strict=True))
    return coordinates(group) * conjugated.xreplace(at_point) * left_translation(group)


@functools.cache
def _adjoint_without_rotation(group: LieGroup) -> Matrix | None:
    """Return Ad(q) diag(R, R, …)ᵀ, the factor of Ad that remains if rotations act first; None if it does not exist."""
    if group.coordinates_of is not None:
        return _adjoint_without_rotation(group.coordinates_of)
    if group.rotation is None or group.dimension % rotation_size(group):
        return None
    rotations = sympy.diag(*[rotation_matrix(group)] * (group.dimension // rotation_size(group)))
    return reduce_by_relations(group, adjoint_matrix(group) * rotations.T)


@functools.cache
def _adjoint_pair(group: LieGroup) -> Matrix:
    """Return Ad(q) in symbols of q and of q⁻¹ (prefix ``i``), so that the entries contain no inverses."""
    return _conjugation(group, storage_symbols(group, "i")).expand()


def _adjoint_by_pair(program: Program, group: LieGroup, storage: Vector, w: Vector, *, transpose: bool) -> Vector:
    from symlie.groups.operations import Inverse

    inverse = program.apply(Inverse(group), Value(storage, group)).components
    names = (*storage_symbols(group), *storage_symbols(group, "i"))
    values = dict(zip(names, (*storage, *inverse), strict=True))
    matrix = _adjoint_pair(group).T if transpose else _adjoint_pair(group)
    return tuple(
        sum((program.scalar(substitute(e, values)) * c for e, c in zip(matrix.row(i), w, strict=True) if e != 0),
            Integer(0))
        for i in range(matrix.rows)
    )  # fmt: skip


def adjoint(program: Program, group: LieGroup, storage: Vector, w: Vector, *, transpose: bool = False) -> Vector:
    """Return Ad(q) w, or Ad(q)ᵀ w."""
    if group.factors:
        result: list[Expr] = []
        for index, (g, _, offset) in enumerate(group.simple_factors):
            part = factor(program, group, storage, index)
            result += adjoint(program, g, part, _part(w, offset, g.dimension), transpose=transpose)
        return tuple(result)
    if not group.is_reduced:
        return _adjoint_by_pair(program, group, storage, w, transpose=transpose)
    if _adjoint_without_rotation(group) is None:
        return apply_linear(program, group, adjoint_matrix, storage, w, transpose=transpose)

    def rotated(x: Vector) -> Vector:
        n = rotation_size(group)
        parts = [rotate(program, group, storage, x[i : i + n], transpose=transpose) for i in range(0, len(x), n)]
        return tuple(c for p in parts for c in p)

    if transpose:
        moved = apply_linear(program, group, _adjoint_without_rotation, storage, w, transpose=True)
        return rotated(program.vector(moved))
    return apply_linear(program, group, _adjoint_without_rotation, storage, rotated(w))


def ad(program: Program, group: LieGroup, v: Vector, w: Vector, *, transpose: bool = False) -> Vector:
    """Return ad_v w = [v, w], or ad_vᵀ w."""
    matrix = ad_matrix(group).T if transpose else ad_matrix(group)
    values = dict(zip(algebra_symbols(group), v, strict=True))
    return tuple(matrix.xreplace(values) * Matrix(w))


def function_of_ad(
    program: Program, group: LieGroup, function: AnalyticFunction, theta: Vector, w: Vector, *, transpose: bool = False
) -> Vector:
    """Return φ(ad_θ) w, or its transpose, for a group that is not a product."""
    values = list(zip(algebra_symbols(group), theta, strict=True))
    reference = squared_angle(group)
    return apply_function(program, function, ad_matrix(group), values, w, reference=reference, transpose=transpose)


def tangent_operator(
    program: Program,
    group: LieGroup,
    theta: Vector,
    w: Vector,
    *,
    inverse: bool = False,
    negative: bool = False,
    transpose: bool = False,
) -> Vector:
    """Return T(θ) w with T = dexp_{-θ}, or T⁻¹ (``inverse``), T(-θ) (``negative``), or the transpose."""
    function = {
        (False, False): DEXP_NEGATIVE,
        (False, True): DEXP,
        (True, False): DEXP_NEGATIVE_INVERSE,
        (True, True): DEXP_INVERSE,
    }[inverse, negative]

    def of_factor(g: LieGroup, storage_offset: int, offset: int) -> Vector:
        part, operand = _part(theta, offset, g.dimension), _part(w, offset, g.dimension)
        return function_of_ad(program, g, function, part, operand, transpose=transpose)

    return _by_factor(group, of_factor)


CHART_LIMIT = Rational(str(constants.CHART_LIMIT))
"""Upper limit of `chart`, checked by the drivers."""


@functools.cache
def general_matrices(group: LieGroup) -> tuple[ImmutableMatrix, ...]:
    """Return the matrices without closed forms among ad and the kinematic matrices of a group."""
    matrix = ImmutableMatrix(ad_matrix(group))
    found = [] if has_closed_form(DEXP_INVERSE, matrix) else [matrix]
    blocks = () if group.coordinates_of is not None else kinematic_matrices(group)
    found += [block.matrix for block in blocks if not has_closed_form(EXP, block.matrix)]
    return tuple(dict.fromkeys(found))


def chart(program: Program, group: LieGroup, theta: Vector) -> Expr:
    """Return the maximum of ω² and, without closed forms, of CHART_LIMIT (‖ad_θ‖/RADIUS)² over the simple factors."""
    # exp, T and T⁻¹ are accurate at θ if the result is below `CHART_LIMIT`.
    sizes = []
    for g, _, offset in group.simple_factors:
        values = dict(zip(algebra_symbols(g), theta[offset : offset + g.dimension], strict=True))
        squared = squared_angle(g).xreplace(values)
        if squared != 0:
            sizes.append(squared)
        for matrix in general_matrices(g):
            norm = norm_squared(program, bound_rows(program, matrix.xreplace(values)), matrix)
            if norm != 0:
                sizes.append(program.scalar(CHART_LIMIT / RADIUS**2 * norm))
    return sympy.Max(*sizes) if len(sizes) > 1 else (sizes[0] if sizes else Integer(0))


def _guarded(program: Program, group: LieGroup, theta: Vector, result: Vector, *distances: Expr) -> Vector:
    """Return the result, or NaN for a negative distance to the boundary of its domain or too large θ."""
    if general_matrices(group):
        distances = (*distances, CHART_LIMIT - chart(program, group, theta))
    return not_beyond(program, result, *distances)


def not_beyond(program: Program, result: Vector, *distances: Expr) -> Vector:
    """Return the result, or NaN if a distance to the boundary of its domain is negative."""
    total: Expr = Integer(0)
    for distance in distances:
        root = program.scalar(sympy.sqrt(program.scalar(distance)))
        total += program.scalar(root - sympy.Max(root, 0))  # zero, or NaN
    total = program.scalar(total)
    return tuple(c + total for c in result) if total != 0 else result


def applied_to_identity(program: Program, group: LieGroup, function: AnalyticFunction, theta: Vector) -> Vector:
    """Return the storage of φ(A(θ)), such as exp(θ), for a group that is not a product."""
    values = list(zip(algebra_symbols(group), theta, strict=True))

    def applied(matrix: ImmutableMatrix, x: Vector) -> Vector:
        return apply_function(program, function, matrix, values, x, reference=squared_angle(group))

    return moved_identity(group, applied)


def exponential(program: Program, group: LieGroup, theta: Vector, *, is_near: bool = False) -> Vector:
    """Return the storage of exp(θ), the solution at t = 1 of the linear kinematic equation from the identity."""

    def of_factor(g: LieGroup, storage_offset: int, offset: int) -> Vector:
        part = _part(theta, offset, g.dimension)
        if g.stored_as is not None:
            assert g.coordinates_of is not None and g.stored_as.of_rotation is not None
            turned = exponential(program, g.coordinates_of, part, is_near=is_near)
            return g.stored_as.of_rotation(program.vector(turned, "R"))
        if g.coordinates_of is not None:
            return part
        return _guarded(program, g, part, applied_to_identity(program, g, NEAR_EXP if is_near else EXP, part))

    return _by_factor(group, of_factor)


def logarithm(program: Program, group: LieGroup, storage: Vector, *, is_near: bool = False) -> Vector:
    """Return θ with exp(θ) = q, or exp(θ) = -q for a stored quaternion if this rotation angle is smaller."""
    # The rotation part follows from a half-angle quaternion and atan. A part s with s' = L s + θ_s, s(0) = 0, satisfies
    # s = dexp(L) θ_s, so θ_s = dexp⁻¹(L) s. Groups without this structure use the logarithm of a matrix.

    def of_factor(g: LieGroup, storage_offset: int, offset: int) -> Vector:
        part = _part(storage, storage_offset, g.storage_dimension)
        near = g.near_logarithm(program, part) if is_near and g.near_logarithm else None
        if near:
            known = program.vector(near.scale * c for c in near.axis)
        else:
            known = g.rotation_logarithm(program, part) if g.rotation_logarithm else ()
        if g.coordinates_of is not None:
            return known
        places = g.logarithm_places or tuple(range(len(known)))
        blocks = triangular_blocks(g, places)
        if blocks is None:
            from symlie.groups.representation import SMALLEST_STEP, generator_size, matrix_logarithm

            found, step = matrix_logarithm(program, g, part)
            return not_beyond(program, found, SMALLEST_STEP - step, RADIUS**2 - generator_size(program, g, found))
        theta: list[Expr] = [Integer(0)] * g.dimension
        for place, component in zip(places, known, strict=True):
            theta[place] = component
        symbols = algebra_symbols(g)
        for block in blocks:
            targets = [symbols.index(f) for f in block.forcing]
            x = tuple(part[i] for i in block.components)
            values = list(zip(symbols, theta, strict=True))
            if near and _turns_alike(g, block, len(known)):
                # L(κ a) = κ L(a)
                function = scaled_dexp_inverse(near.scale, near.cotangent)
                result = apply_function(program, function, block.linear, list(zip(symbols, near.axis, strict=False)), x)
            else:
                result = apply_function(program, DEXP_INVERSE, block.linear, values, x, reference=squared_angle(g))
            for i, component in zip(targets, result, strict=True):
                theta[i] = component
        return _guarded(program, g, tuple(theta), tuple(theta))

    return _by_factor(group, of_factor)


def _turns_alike(group: LieGroup, block: LinearBlock, known: int) -> bool:
    """Return whether the minimal polynomial of a block is λ(λ² + z) and its matrix depends on known components only."""
    linear = ImmutableMatrix(block.linear)
    if not has_closed_form(DEXP_INVERSE, linear) or not linear.free_symbols <= set(algebra_symbols(group)[:known]):
        return False
    return spectrum(linear) == Spectrum(1, 1, squared_angle(group))


@functools.cache
def triangular_blocks(group: LieGroup, known: tuple[int, ...]) -> tuple[LinearBlock, ...] | None:
    """Return the blocks with s(0) = 0 in an order that determines θ successively; None if no such order exists."""
    symbols = algebra_symbols(group)
    found = {symbols[k] for k in known}
    waiting = [b for b in kinematic_blocks(group) if not b.forcing.is_zero_matrix]
    order: list[LinearBlock] = []
    while waiting:
        ready = [
            b
            for b in waiting
            if set(b.forcing) <= set(symbols)
            and b.linear.free_symbols <= found
            and all(group.identity[i] == 0 for i in b.components)
        ]
        if not ready:
            return None
        order.append(ready[0])
        waiting.remove(ready[0])
        found |= set(ready[0].forcing)
    return tuple(order) if found == set(symbols) else None


def _part(vector: Sequence[Expr], offset: int, size: int) -> Vector:
    return tuple(vector[offset : offset + size])


def _by_factor(group: LieGroup, function: Callable[[LieGroup, int, int], Vector]) -> Vector:
    """Concatenate the results of a function of each simple factor with its storage and algebra offsets."""
    result: list[Expr] = []
    for simple, storage_offset, offset in group.simple_factors:
        result += function(simple, storage_offset, offset)
    return tuple(result)
