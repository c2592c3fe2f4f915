"""Euler angles about successive body-fixed axes, R = R_i(a) R_j(b) R_k(c), and the angles of a rotation matrix."""

from __future__ import annotations

import functools
import itertools

import sympy
from sympy import Expr, Matrix, Rational

from symlie.groups.rotation_parameters import RotationParameters
from symlie.ir.program import Program, Vector

USUAL_SEQUENCE = "xyz"
"""Axes of ``euler_angles``, Tait–Bryan or Cardan angles."""

SEQUENCES = tuple(
    "".join(axes) for axes in itertools.product("xyz", repeat=3) if axes[0] != axes[1] and axes[1] != axes[2]
)
"""Axis sequences of all Euler angles."""


_NOWHERE = Rational(1, 10**150)
"""Offset that gives the zero vector a direction and vanishes by rounding elsewhere; its square does not underflow."""


def _elementary(axis: int, cosine: Expr, sine: Expr) -> Matrix:
    """Return the elementary rotation about an axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = sympy.eye(3)
    result[i, i] = result[j, j] = cosine
    result[i, j], result[j, i] = -sine, sine
    return result


def euler_angles(sequence: str) -> RotationParameters:
    """Return the parameters of a sequence of axes, one of `SEQUENCES`."""
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
    return RotationParameters(
        name,
        f"angles_{sequence}",
        3,
        rotation,
        kinematic_matrix,
        inverse,
        regularity,
        of_rotation=lambda R: angles_of_rotation(sequence, Matrix(3, 3, list(R))),
    )


@functools.cache
def _inverse_by_angles(sequence: str) -> tuple[Matrix, tuple[sympy.Symbol, ...]]:
    """Return G⁻¹ in symbols for cos b, sin b, cos c, sin c."""
    symbols = sympy.symbols("cb sb cc sc", real=True)
    cb, sb, cc, sc = symbols
    axes = ["xyz".index(letter) for letter in sequence]
    second, third = _elementary(axes[1], cb, sb), _elementary(axes[2], cc, sc)
    units = [sympy.eye(3)[:, axis] for axis in axes]
    matrix = Matrix.hstack((second * third).T * units[0], third.T * units[1], units[2])

    def reduced(entry: Expr) -> Expr:
        return sympy.reduced(sympy.expand(entry), [cc**2 + sc**2 - 1, cb**2 + sb**2 - 1], sc, sb, cc, cb)[1]

    return matrix.adjugate().applyfunc(reduced) / reduced(matrix.det()), symbols


def rotation_by_angles(sequence: str, angles: Vector) -> Matrix:
    """Return R_i(a) R_j(b) R_k(c) as expressions of the angles in rad."""
    turned = [
        _elementary("xyz".index(axis), sympy.cos(a), sympy.sin(a)) for axis, a in zip(sequence, angles, strict=True)
    ]
    return turned[0] * turned[1] * turned[2]


def angles_of_rotation(sequence: str, R: Matrix) -> Vector:
    """Return angles a, b, c in rad, with -π/2 ≤ b ≤ π/2, or 0 ≤ b ≤ π for i = k."""
    # c is computed from R_i(a)ᵀ R, so that the angles reproduce R to rounding even if a and c are not unique.
    i, j, k = ("xyz".index(axis) for axis in sequence)
    sign, other = (1 if (j - i) % 3 == 1 else -1), 3 - i - j
    if i == k:
        sine, cosine = R[j, i], _NOWHERE - sign * R[other, i]
    else:
        sine, cosine = -sign * R[j, k], _NOWHERE + R[k, k]
    length = sympy.sqrt(sine**2 + cosine**2)

    def turned_back(m: int) -> Expr:
        """Return the entry (j, m) of R_i(a)ᵀ R, times the length."""
        return cosine * R[j, m] + sign * sine * R[other, m]

    if i == k:
        b, last = sympy.atan2(length, R[i, i]), -sign * turned_back(other)
    else:
        b, last = sympy.atan2(sign * R[i, k], length), sign * turned_back(i)
    return sympy.atan2(sine, cosine), b, sympy.atan2(last, turned_back(j))
