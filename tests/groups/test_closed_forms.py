"""Derived operators against the closed forms printed in the literature, in 80 digits.

Source: [Tumiotto2024], equations (16)-(20) with C₁; [Holzinger2024], equations (A1)-(A6), where the label of (A5) is
misprinted and must read f₂; T⁻¹ of SE(3) by its definition through g₀ and g₁ = 2 dg₀/dz.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import pytest
from mpmath import cos, cot, matrix, mpf, sin

from symlie.groups import operators
from symlie.groups.standard import group_from_name
from symlie.ir.primitives import CoefficientFunction
from symlie.ir.program import Assignment, Program, lower
from tests import tolerances
from tests.evaluation import symbols
from tests.groups.numeric import Numbers, matrix_distance, numeric, times, vector_of_length

PRINTED_DIGITS = 80
SEEDS = (1, 2, 3)
ANGLES = (1e-3, 0.3, 1.7, 3.1)

cases = pytest.mark.parametrize(("length", "seed"), [(a, s) for a in ANGLES for s in SEEDS])


def skew(a: Numbers) -> matrix:
    """ã with ã b = a × b."""
    return matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def printed(function: Callable[[], matrix]) -> matrix:
    """Evaluate a printed formula where its cancellation does no harm."""
    with mpmath.workdps(PRINTED_DIGITS):
        return function()


def f_1(omega: mpf) -> mpf:
    """(A4)."""
    return (cos(omega) - 1) / omega**2


def f_2(omega: mpf) -> mpf:
    """(A5)."""
    return (omega - sin(omega)) / omega**3


def f_3(omega: mpf) -> mpf:
    """(A6), also called g₀."""
    return (1 - omega / 2 * cot(omega / 2)) / omega**2


def exp_so3(Omega: Numbers) -> matrix:
    """(16)."""
    omega, S = mpmath.norm(Omega), skew(Omega)
    return mpmath.eye(3) + sin(omega) / omega * S + (1 - cos(omega)) / omega**2 * S**2


def exp_s3(Omega: Numbers) -> Numbers:
    """(17)."""
    omega = mpmath.norm(Omega)
    return [cos(omega / 2), *(c / omega * sin(omega / 2) for c in Omega)]


def tangent_s3(Omega: Numbers) -> matrix:
    """(19), and (A2)."""
    omega, S = mpmath.norm(Omega), skew(Omega)
    return mpmath.eye(3) + f_1(omega) * S + f_2(omega) * S**2


def tangent_inverse_s3(Omega: Numbers) -> matrix:
    """(A3)."""
    S = skew(Omega)
    return mpmath.eye(3) + S / 2 + f_3(mpmath.norm(Omega)) * S**2


def blocks(upper_left: matrix, lower_left: matrix, lower_right: matrix) -> matrix:
    """Lower block triangular matrix (6 × 6)."""
    result = mpmath.zeros(6)
    result[:3, :3], result[3:, :3], result[3:, 3:] = upper_left, lower_left, lower_right
    return result


def tangent_semidirect(Omega: Numbers, U: Numbers) -> matrix:
    """(20) with C₁."""
    omega, S, V = mpmath.norm(Omega), skew(Omega), skew(U)
    product = mpmath.fdot(Omega, U)
    C_1 = (
        f_1(omega) * V
        + f_2(omega) * (V * S + S * V)
        + (2 - 2 * cos(omega) - omega * sin(omega)) / omega**4 * product * S
        - (omega * (2 + cos(omega)) - 3 * sin(omega)) / omega**5 * product * S**2
    )
    T = tangent_s3(Omega)
    return blocks(T, C_1, T)


def tangent_inverse_semidirect(Omega: Numbers, U: Numbers) -> matrix:
    """Ũ/2 + g₀ (ŨS + SŨ) + g₁ (Ω·U) S² in the lower left block."""
    omega, S, V = mpmath.norm(Omega), skew(Omega), skew(U)
    g_0 = f_3(omega)
    g_1 = (omega * sin(omega) + 4 * cos(omega) + omega**2 - 4) / (4 * omega**4 * sin(omega / 2) ** 2)
    lower_left = V / 2 + g_0 * (V * S + S * V) + g_1 * mpmath.fdot(Omega, U) * S**2
    T = tangent_inverse_s3(Omega)
    return blocks(T, lower_left, T)


def vectors(length: float, seed: int) -> tuple[Numbers, Numbers]:
    """A rotation vector of the given length and a translation vector of length 2."""
    return vector_of_length(length, 3, seed), vector_of_length(2, 3, seed + 50)


def tangent_matrix(name: str, theta: Numbers, *, inverse: bool = False) -> matrix:
    """T(θ) or T⁻¹(θ) as derived."""
    group = numeric(name)
    return group.matrix_of(lambda w: group.tangent(theta, w, inverse=inverse))


@cases
def test_so3_exponential_matches_the_closed_form(length: float, seed: int) -> None:
    Omega, _ = vectors(length, seed)
    expected = printed(lambda: exp_so3(Omega))
    group = numeric("SO3")
    assert matrix_distance(group.rotation(group.exp(Omega)), expected) < tolerances.CLOSED_FORM
    quaternion = numeric("S3")
    assert matrix_distance(quaternion.rotation(quaternion.exp(Omega)), expected) < tolerances.CLOSED_FORM


@cases
def test_s3_exponential_matches_the_closed_form(length: float, seed: int) -> None:
    Omega, _ = vectors(length, seed)
    expected = printed(lambda: matrix(exp_s3(Omega)))
    assert matrix_distance(matrix(numeric("S3").exp(Omega)), expected) < tolerances.CLOSED_FORM


@cases
def test_semidirect_product_exponentials_match_the_closed_form(length: float, seed: int) -> None:
    """(18); SE(3) has the same translation."""
    Omega, U = vectors(length, seed)
    position = printed(lambda: matrix(times(tangent_s3(Omega).T, U)))
    rotation = printed(lambda: matrix(exp_s3(Omega)))
    element = numeric("S3sR3").exp(Omega + U)
    assert matrix_distance(matrix(element[:4]), rotation) < tolerances.CLOSED_FORM
    assert matrix_distance(matrix(element[4:]), position) < tolerances.CLOSED_FORM
    assert matrix_distance(matrix(numeric("SE3").exp(Omega + U)[9:]), position) < tolerances.CLOSED_FORM


@pytest.mark.parametrize("name", ["SO3", "S3"])
@cases
def test_tangent_operators_of_rotations_match_the_closed_form(name: str, length: float, seed: int) -> None:
    Omega, _ = vectors(length, seed)
    T, T_inverse = printed(lambda: tangent_s3(Omega)), printed(lambda: tangent_inverse_s3(Omega))
    assert matrix_distance(tangent_matrix(name, Omega), T) < tolerances.CLOSED_FORM
    assert matrix_distance(tangent_matrix(name, Omega, inverse=True), T_inverse) < tolerances.CLOSED_FORM


@pytest.mark.parametrize("name", ["SE3", "S3sR3"])
@cases
def test_tangent_operators_of_semidirect_products_match_the_closed_form(name: str, length: float, seed: int) -> None:
    Omega, U = vectors(length, seed)
    T = printed(lambda: tangent_semidirect(Omega, U))
    T_inverse = printed(lambda: tangent_inverse_semidirect(Omega, U))
    assert matrix_distance(tangent_matrix(name, Omega + U), T) < tolerances.CLOSED_FORM
    assert matrix_distance(tangent_matrix(name, Omega + U, inverse=True), T_inverse) < tolerances.CLOSED_FORM


@pytest.mark.parametrize("name", ["R3xSO3", "R3xS3"])
@cases
def test_tangent_operators_of_direct_products_match_the_closed_form(name: str, length: float, seed: int) -> None:
    """(A1), translation first as printed."""
    Omega, U = vectors(length, seed)
    zero = mpmath.zeros(3)
    T = printed(lambda: blocks(mpmath.eye(3), zero, tangent_s3(Omega)))
    T_inverse = printed(lambda: blocks(mpmath.eye(3), zero, tangent_inverse_s3(Omega)))
    assert matrix_distance(tangent_matrix(name, U + Omega), T) < tolerances.CLOSED_FORM
    assert matrix_distance(tangent_matrix(name, U + Omega, inverse=True), T_inverse) < tolerances.CLOSED_FORM


@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ("SO3", {"c1", "c2"}),
        ("S3", {"c0_to_5_2", "c1_to_5_2"}),
        ("SE3", {"c1", "c2", "c3"}),
        ("S3sR3", {"c0_to_5_2", "c1_to_5_2", "c2", "c3"}),
        ("SO3xR3", {"c1", "c2"}),
    ],
)
def test_exponential_uses_the_coefficient_functions(name: str, functions: set[str]) -> None:
    """Half angles are evaluated on a quarter of the interval of z."""
    group = group_from_name(name)
    program, theta = Program(), symbols("theta", group.dimension)
    lowered, outputs = lower(program, operators.exponential(program, group, theta))
    found = {
        f.primitive_name
        for e in [*outputs, *(s.expression for s in lowered.statements if isinstance(s, Assignment))]
        for f in e.atoms(CoefficientFunction)
    }
    assert found == functions


@pytest.mark.parametrize("name", ["SO3", "S3", "SE3", "S3sR3"])
def test_limits_at_the_identity_are_exact(name: str) -> None:
    """exp(0) = e, T(0) = T⁻¹(0) = 1: the values (A2)-(A6) give at zero."""
    group = numeric(name)
    zero = [mpf(0)] * group.group.dimension
    assert group.exp(zero) == group.identity
    assert group.log(group.identity) == zero
    assert tangent_matrix(name, zero) == mpmath.eye(len(zero))
    assert tangent_matrix(name, zero, inverse=True) == mpmath.eye(len(zero))
