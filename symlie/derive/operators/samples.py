"""Reference values in 50 digits of the operators of a group, at angles from zero to almost 2π."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from numpy.typing import NDArray
from sympy import Expr, ImmutableMatrix

from symlie.groups.group import LieGroup, algebra_symbols
from symlie.groups.kinematics import kinematic_blocks, kinematic_matrices
from symlie.groups.operators import general_matrices, squared_angle
from symlie.groups.power_series import PowerSeries
from symlie.groups.spectrum import spectrum
from symlie.ir.group_operators import FunctionSample, OperatorSample
from symlie.ir.primitives import evaluate
from symlie.ir.schemes import Scheme

DIGITS = 50
"""Number of digits of the evaluation."""
PRINTED_DIGITS = 25
"""Number of printed digits."""

POINTS = (
    ("the identity", 0.0, 0.0),
    ("angle 1e-8", 1e-8, 1.0),
    ("angle 1e-4", 1e-4, 1.0),
    ("angle 1", 1.0, 1.0),
    ("angle 2.4, long translation", 2.4, 10.0),
    ("angle 3.14, long translation", 3.14, 10.0),
    ("angle 4.5", 4.5, 1.0),
    ("angle 6.28, close to 2 pi", 6.28, 1.0),
)
"""Description, rotation angle of each factor, and largest component of non-rotational parts."""

STRAIGHT_POINTS = (("the identity", 0.0, 0.0), ("a generic point", 0.0, 1.0))
"""Test points for a group without rotations."""

SERIES_POINTS = (
    *((text.replace("angle", "size"), size, 1.0) for text, size, _ in POINTS[:4]),
    ("size 2.4", 2.4, 1.0),
    ("size 5", 5.0, 1.0),
)
"""Test points for a group whose operators are all series; the size is the norm of ad and of the group's matrices."""

CUT_LOCUS = ("matrices that turn by 3.14", 1.0, 1.0)
"""Test points, near the end of the domain of log, for groups with series: with an initial size that is scaled to this
angle."""
TURN = 3.14
"""Largest imaginary part of an eigenvalue at these points."""

LEAST_TURN = 0.4
"""Smallest imaginary part, relative to the norm, of points that are scaled."""
TRIALS = 400
"""Number of random points in the search for matrices with such eigenvalues."""

FRACTIONS = (0.0, 1e-17, 1e-9, 1e-3, 0.1, 0.5, 1.0, 1.6)
"""Arguments of coefficient functions, as fractions of their working interval."""

WITH_ZEROS = ("c0", "c1")
"""Functions with zeros in the working interval; their error is relative to the value at 0."""

_POLE = 4 * np.pi**2


def operator_samples(
    group: LieGroup, real: str, progress: Callable[[float], None] | None = None
) -> tuple[OperatorSample, ...]:
    """Evaluate all operators at `POINTS`, or at the test points for series or for groups without rotations."""
    generator = random.Random(1)
    turns = any(angle_form(g) != 0 for g, _, _ in group.simple_factors)
    has_series = any(general_matrices(g) for g, _, _ in group.simple_factors)
    points = POINTS if turns else SERIES_POINTS if has_series else STRAIGHT_POINTS
    samples = []
    for number, (description, angle, length) in enumerate((*points, CUT_LOCUS) if has_series else points):
        if progress is not None:
            progress(number / len(points))
        point = point_at(group, angle, length, generator)
        if description == CUT_LOCUS[0]:
            point = _turned(group, point, generator)
        theta = rounded(point, real)
        w = rounded([generator.uniform(-1, 1) for _ in range(group.dimension)], real)
        series = PowerSeries(group, theta, DIGITS)
        values = {
            "exp": series.exponential(),
            "adjoint": _flat(series.adjoint()),
            "tangent_operator": _flat(series.tangent_operator()),
            "tangent_operator_inverse": _flat(series.tangent_operator_inverse()),
            "tangent_operator_derivative": _flat(series.tangent_operator_derivative(w)),
            "tangent_operator_inverse_derivative": _flat(series.tangent_operator_inverse_derivative(w)),
        }
        # Matrices other than rotations store 1 + O(θ), so log has only absolute accuracy.
        is_rounded_away = has_series and 0 < angle < 1
        if (angle < np.pi or not turns) and largest_turn(group, theta) < np.pi and not is_rounded_away:
            values["log"] = series.theta
        texts = {name: _texts(components) for name, components in values.items()}
        samples.append(OperatorSample(description, theta, w, texts, _condition(group, angle if turns else 0.0, series)))
    return tuple(samples)


def _condition(group: LieGroup, angle: float, series: PowerSeries) -> float:
    """Return the amplification of rounding by T⁻¹: 1/(1 - ω/2π) with closed forms, |T| |T⁻¹|/n with Frobenius norms
    with series."""
    condition = max(1.0, 1 / (1 - angle / (2 * np.pi)))
    for factor, _, begin in group.simple_factors:
        if general_matrices(factor):
            part = slice(begin, begin + factor.dimension)
            sizes = [
                np.linalg.norm(np.array(rows, dtype=float)[part, part])
                for rows in (series.tangent_operator(), series.tangent_operator_inverse())
            ]
            condition = max(condition, float(sizes[0] * sizes[1]) / factor.dimension)
    return condition


def largest_turn(group: LieGroup, theta: Sequence[float]) -> float:
    """Return the largest imaginary part of an eigenvalue of the matrices of factors with series at θ; log requires less
    than π."""
    turns = [0.0]
    for factor, _, begin in group.simple_factors:
        if general_matrices(factor):
            matrices = dict.fromkeys(m.matrix for m in kinematic_matrices(factor))
            numbers = [_numbers(factor, m, theta[begin : begin + factor.dimension]) for m in matrices]
            turns += [float(np.max(np.abs(np.linalg.eigvals(m).imag))) for m in numbers]
    return max(turns)


def _turned(group: LieGroup, point: list[float], generator: random.Random) -> list[float]:
    """Return a point near the end of the domain of log, or another point if no matrix has complex eigenvalues."""
    for _ in range(TRIALS):
        turn = largest_turn(group, point)
        if turn > LEAST_TURN:
            scales = [TURN / turn if general_matrices(g) else 1.0 for g, _, _ in group.simple_factors]
            sizes = [g.dimension for g, _, _ in group.simple_factors]
            return [c * scale for c, scale in zip(point, np.repeat(scales, sizes), strict=True)]
        point = point_at(group, 1.0, 1.0, generator)
    return point


def function_samples(schemes: Sequence[Scheme], real: str) -> tuple[FunctionSample, ...]:
    """Evaluate coefficient functions on their working interval and beyond it."""
    samples = []
    for scheme in schemes:
        for fraction in FRACTIONS:
            (z,) = rounded([fraction * scheme.upper], real)
            with mpmath.workdps(DIGITS):
                value, at_zero = evaluate(scheme.base_name, mpf(z)), evaluate(scheme.base_name, mpf(0))
                scale = abs(value)
                if scheme.base_name in WITH_ZEROS or (z > scheme.upper and not scheme.pole_order):
                    scale = max(scale, abs(at_zero))
                scale /= 1 - z / _POLE if scheme.pole_order else 1
                samples.append(FunctionSample(scheme.function, z, _texts([value])[0], float(scale)))
    return tuple(samples)


def angle_form(group: LieGroup) -> Expr:
    """Return ω² of exp(θ) as a quadratic form in the algebra, zero without rotations."""
    # Computed from ad or, if ad vanishes as on SO(2), from the kinematic equation.
    if general_matrices(group):
        return sympy.Integer(0)
    form = squared_angle(group)
    if form == 0 and group.coordinates_of is None:
        forms = [spectrum(sympy.ImmutableMatrix(block.linear)).zeta for block in kinematic_blocks(group)]
        form = next((f for f in forms if f != 0), form)
    return form


def point_at(group: LieGroup, angle: float, length: float, generator: random.Random) -> list[float]:
    """Return θ with this rotation angle, or with this size without rotations, in each factor; other components are
    random up to a length."""
    theta: list[float] = []
    for factor, _, _ in group.simple_factors:
        symbols, form = algebra_symbols(factor), angle_form(factor)
        part = [generator.uniform(-1, 1) for _ in symbols]
        matrices = general_matrices(factor)
        if matrices:
            norms = [np.linalg.norm(_numbers(factor, m, part), 2) for m in matrices]
            theta += [c * angle / float(max(norms)) for c in part]
            continue
        present = float(form.subs(dict(zip(symbols, part, strict=True)))) ** 0.5
        theta += [c * (angle / present if s in form.free_symbols else length)
                  for s, c in zip(symbols, part, strict=True)]  # fmt: skip
    return theta


def rounded(values: Sequence[float], real: str) -> tuple[float, ...]:
    """Round to the scalar type; adding zero maps -0 to 0."""
    return tuple((float(np.float32(v)) if real == "float" else float(v)) + 0.0 for v in values)


@functools.cache
def _slopes(group: LieGroup, matrix: ImmutableMatrix) -> NDArray[np.floating]:
    """Return the derivatives of a matrix A(θ) with respect to the components of θ, which index the first dimension."""
    return np.array([matrix.diff(s).tolist() for s in algebra_symbols(group)], dtype=float)


def _numbers(group: LieGroup, matrix: ImmutableMatrix, theta: Sequence[float]) -> NDArray[np.floating]:
    """Return the matrix A(θ) of a group for numeric θ."""
    return np.tensordot(np.asarray(theta), _slopes(group, matrix), axes=1)


def _flat(rows: Sequence[Sequence[mpf]]) -> list[mpf]:
    return [c for row in rows for c in row]


def _texts(values: Sequence[mpf]) -> tuple[str, ...]:
    """Return decimal texts, with round-off near zero replaced by zero."""
    negligible = max(abs(v) for v in values) * mpf(10) ** (5 - DIGITS)
    return tuple(mpmath.nstr(v, PRINTED_DIGITS) if abs(v) > negligible else "0.0" for v in values)
