"""The Cayley map as local coordinates, cay θ = (1 - A/2)⁻¹ (1 + A/2), with the matrices A(θ) of the group.

    T(θ) w   = coordinates of (1 + A/2)⁻¹ W (1 - A/2)⁻¹,   W = A(w)
    T⁻¹(θ) w = coordinates of (1 + A/2) W (1 - A/2)

Both follow from the left-trivialised derivative X⁻¹ X' = T(θ) θ' of (1 - A/2) X = 1 + A/2 and are rational. If the
spectrum is {0, ±iω}, 1 + z/4 is the only denominator of the inverses; other matrices are inverted by elimination. The
Cayley map takes values in the group if W ↦ (1 + A/2) W (1 - A/2) maps the algebra into itself, which `is_cayley_group`
proves. This holds for quadratic groups XᵀPX = P, since AᵀP = -PA and WᵀP = -PW imply (AWA)ᵀP = -P AWA: orthogonal
groups, U(n), SU(2) and the symplectic groups including SL(2) = Sp(2). It also holds for affine groups of rotations and
for all invertible matrices. It fails for SU(n) with n > 2, where the determinants of Cayley maps have modulus one but
in general differ from one.

If A is not skew-symmetric, its norm must be below `RADIUS`. For larger norms the map can be singular or leave the
connected component of the identity, and the results are NaN.

The map depends on the matrices: the rotation angle is 2 atan(ω/2) on SO3 and SE3, and 4 atan(ω/4) on S3. S3sR3 has no
Cayley map, since its quaternion and its position imply different ones.
Source: [HairerLubichWanner2006], section IV.8; T from the definition.
"""

from __future__ import annotations

import functools

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix, Rational, Symbol

from symlie.errors import GroupError
from symlie.groups.general_functions import bound_rows, norm_squared
from symlie.groups.group import LieGroup, algebra_symbols
from symlie.groups.kinematics import kinematic_matrices
from symlie.groups.operators import CHART_LIMIT, applied_to_identity, not_beyond, squared_angle
from symlie.groups.representation import reading, representation
from symlie.groups.spectrum import AnalyticFunction, apply_function, has_closed_form
from symlie.ir.program import Program, Vector


def _cayley_tail(n: int, zeta: Expr, upper: Rational) -> Expr:
    # φ_n = 2^{1-n} for n > 0, and φ₀ = 1.
    return (1 - zeta / 4) / (1 + zeta / 4) if n == 0 else Rational(2, 2**n) / (1 + zeta / 4)


RADIUS = 2
"""Norm of a matrix that is not skew-symmetric below which elimination needs no pivoting and both inverses exist."""


def _resolvent_tail(sign: int) -> AnalyticFunction:
    name = "resolvent" if sign > 0 else "resolvent_negative"
    return AnalyticFunction(
        name,
        lambda n, zeta, upper: Rational(sign**n, 2**n) / (1 + zeta / 4),
        lambda n: Rational(sign**n, 2**n),
        (Integer(0), Rational(-sign, 2)),
    )


_HALF = Rational(1, 2)
CAYLEY = AnalyticFunction("cayley", _cayley_tail, lambda n: Rational(2, 2**n) if n else Integer(1), (_HALF, -_HALF))
"""(1 + λ/2)/(1 - λ/2)."""
RESOLVENT = _resolvent_tail(1)
"""1/(1 - λ/2)."""
RESOLVENT_NEGATIVE = _resolvent_tail(-1)
"""1/(1 + λ/2)."""


@functools.cache
def is_cayley_group(group: LieGroup) -> bool:
    """Return whether cay maps the algebra of each simple factor into the group."""
    return all(_conjugation(g) is not None for g, _, _ in group.simple_factors)


def cayley(program: Program, group: LieGroup, theta: Vector) -> Vector:
    """Return the storage of cay(θ), or raise `GroupError` if the group has no Cayley map."""
    result: list[Expr] = []
    for g, offset in _factors(group):
        part = theta[offset : offset + g.dimension]
        result += _guarded(program, g, part, applied_to_identity(program, g, CAYLEY, part))
    return tuple(result)


def cayley_tangent(program: Program, group: LieGroup, theta: Vector, w: Vector, *, inverse: bool = False) -> Vector:
    """Return T(θ) w of the Cayley map, d cay(θ) = D L_{cay θ} T(θ) dθ, or T⁻¹(θ) w if ``inverse``."""
    result: list[Expr] = []
    for g, offset in _factors(group):
        part, operand = theta[offset : offset + g.dimension], w[offset : offset + g.dimension]
        moved = (_inverse if inverse else _direct)(program, g, tuple(part), tuple(operand))
        result += _guarded(program, g, tuple(part), moved)
    return tuple(result)


def _inverse(program: Program, group: LieGroup, theta: Vector, w: Vector) -> Vector:
    matrix = _conjugation(group)
    assert matrix is not None
    values = dict(zip(algebra_symbols(group), theta, strict=True))
    return tuple(matrix.xreplace(values) * Matrix(w))


def _direct(program: Program, group: LieGroup, theta: Vector, w: Vector) -> Vector:
    """Apply (1 + A/2)⁻¹ to the columns of W, then (1 - A/2)⁻¹ from the right to its rows."""
    found, symbols = representation(group), algebra_symbols(group)
    values = list(zip(symbols, theta, strict=True))
    moved = found.generator.xreplace(dict(zip(symbols, w, strict=True)))
    z = squared_angle(group)

    def resolved(rows: list[Vector], function: AnalyticFunction, *, transpose: bool) -> list[Vector]:
        return [
            program.vector(
                apply_function(program, function, found.generator, values, row, reference=z, transpose=transpose)
            )
            if any(e != 0 for e in row)
            else row
            for row in rows
        ]

    columns = resolved([tuple(moved[:, j]) for j in range(moved.cols)], RESOLVENT_NEGATIVE, transpose=False)
    rows = resolved([tuple(row) for row in zip(*columns, strict=True)], RESOLVENT, transpose=True)
    return tuple(found.coordinates * Matrix([e for row in rows for e in row]))


def _factors(group: LieGroup) -> list[tuple[LieGroup, int]]:
    for g, _, _ in group.simple_factors:
        if g.coordinates_of is not None:
            raise GroupError(f"{g} stores coordinates of rotations, which have no Cayley map; use exp.")
        if _conjugation(g) is None:
            raise GroupError(
                f"The Cayley map of the matrices of {g} does not stay in the group, as it does in groups of matrices "
                "with XᵀPX = P, such as orthogonal and symplectic ones; use exp."
            )
    return [(g, offset) for g, _, offset in group.simple_factors]


@functools.cache
def _conjugation(group: LieGroup) -> ImmutableMatrix | None:
    """Return the matrix of w ↦ (1 + A/2) W (1 - A/2) in coordinates; None if the map leaves the algebra."""
    if group.coordinates_of is not None:
        return None
    matrices = list(dict.fromkeys(block.matrix for block in kinematic_matrices(group)))
    # All blocks of the storage together, since their Cayley maps must belong to the same group element.
    generator = sympy.diag(*matrices)
    theta = algebra_symbols(group)
    w = [Symbol(f"w{k}", real=True) for k in range(group.dimension)]
    W = generator.xreplace(dict(zip(theta, w, strict=True)))
    unit = sympy.eye(W.rows)
    product = ((unit + generator / 2) * W * (unit - generator / 2)).expand()
    coordinates = (reading(generator, theta) * Matrix(list(product))).expand()
    back = generator.xreplace(dict(zip(theta, coordinates, strict=True)))
    if not (back - product).expand().is_zero_matrix:
        return None
    return ImmutableMatrix(coordinates.jacobian(Matrix(w)))


def cayley_chart(program: Program, group: LieGroup, theta: Vector) -> Expr:
    """Return the maximum of ω² and `CHART_LIMIT` (‖A‖/`RADIUS`)², the latter for the matrices of `_limited_sizes`."""
    sizes = []
    for g, _, offset in group.simple_factors:
        part = theta[offset : offset + g.dimension]
        squared = squared_angle(g).xreplace(dict(zip(algebra_symbols(g), part, strict=True)))
        sizes += [squared] if squared != 0 else []
        sizes += [program.scalar(CHART_LIMIT / RADIUS**2 * size) for size in _limited_sizes(program, g, part)]
    return sympy.Max(*sizes) if len(sizes) > 1 else (sizes[0] if sizes else Integer(0))


def _limited_sizes(program: Program, group: LieGroup, theta: Vector) -> list[Expr]:
    """Return the squared norms of the matrices whose elimination has a limited domain."""
    if group.coordinates_of is not None:
        return []
    values = dict(zip(algebra_symbols(group), theta, strict=True))
    matrices = dict.fromkeys(block.matrix for block in kinematic_matrices(group))
    return [
        norm_squared(program, bound_rows(program, m.xreplace(values)), m)
        for m in matrices
        if not has_closed_form(CAYLEY, m) and -m != m.T
    ]


def _guarded(program: Program, group: LieGroup, theta: Vector, result: Vector) -> Vector:
    """Return the result, or NaN if a matrix exceeds the domain of elimination."""
    return not_beyond(program, result, *(RADIUS**2 - size for size in _limited_sizes(program, group, theta)))
