"""The Cayley map: derived operators against their definition, the printed forms on SO(3), and the matrices."""

from __future__ import annotations

import functools
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf
from scipy.integrate import solve_ivp
from sympy import Matrix

import symlie as sl
from symlie.errors import GroupError, IntegrationError
from symlie.groups.cayley import cayley, cayley_tangent, is_cayley_group
from symlie.groups.group import LieGroup, algebra_symbols, storage_symbols
from symlie.groups.representation import representation
from symlie.ir.program import Program
from symlie.runtime.system.system import System
from tests import tolerances
from tests.evaluation import Evaluation, assigned, distance, symbols
from tests.groups.numeric import (
    NumericGroup,
    add,
    derivative,
    matrix_distance,
    numeric,
    random_vector,
    scaled,
    vector_of_length,
)
from tests.groups.samples import SAMPLES, sample, turn, unit


def turned(rows: list[list[complex]]) -> Matrix:
    """A complex matrix as a real one: [Re -Im; Im Re]."""
    real, imaginary = (Matrix([[int(part(x)) for x in row] for row in rows]) for part in (np.real, np.imag))
    return Matrix(sympy.BlockMatrix([[real, -imaginary], [imaginary, real]]))


def unitary(n: int) -> list[Matrix]:
    """A basis of su(n), as real matrices."""
    basis = []
    for i in range(n):
        for j in range(i):
            for value, other in ((1, -1), (1j, 1j)):
                rows: list[list[complex]] = [[0] * n for _ in range(n)]
                rows[i][j], rows[j][i] = value, other
                basis.append(turned(rows))
    for i in range(n - 1):
        basis.append(turned([[1j * ((k == i) - (k == i + 1)) if k == j else 0 for j in range(n)] for k in range(n)]))
    return basis


def hamiltonian(n: int) -> list[Matrix]:
    """A basis of sp(2n): J S with symmetric S."""
    J = Matrix(sympy.BlockMatrix([[sympy.zeros(n), sympy.eye(n)], [-sympy.eye(n), sympy.zeros(n)]]))
    symmetric = [unit(2 * n, i, j) + unit(2 * n, j, i) for i in range(2 * n) for j in range(i + 1)]
    return [J * S for S in symmetric]


@functools.cache
def stated(name: str) -> LieGroup:
    """Quadratic groups by their matrices, and others that are none."""
    bases: dict[str, list[Matrix]] = {
        "SU2": unitary(2),
        "U2": [*unitary(2), turned([[1j, 0], [0, 1j]])],
        "SU3": unitary(3),
        "Sp4": hamiltonian(2),
        "Lorentz": [turn(3, 0, 1), unit(3, 0, 2) + unit(3, 2, 0), unit(3, 1, 2) + unit(3, 2, 1)],
        "SO5": [turn(5, j, i) for i in range(5) for j in range(i)],
        "SL3": [
            *[unit(3, i, j) for i in range(3) for j in range(3) if i != j],
            *[unit(3, i, i) - unit(3, i + 1, i + 1) for i in range(2)],
        ],
    }
    return sl.matrix_group(name, bases[name])


FORMS = {
    "SL2": Matrix([[0, 1], [-1, 0]]),
    "SU2": sympy.eye(4),
    "U2": sympy.eye(4),
    "Sp4": Matrix(sympy.BlockMatrix([[sympy.zeros(2), sympy.eye(2)], [-sympy.eye(2), sympy.zeros(2)]])),
    "Lorentz": sympy.diag(1, 1, -1),
    "SO4": sympy.eye(4),
    "SO5": sympy.eye(5),
}
"""P of XᵀPX = P."""


@functools.cache
def numbers(name: str) -> NumericGroup:
    return NumericGroup(sample(name)) if name in SAMPLES else NumericGroup(stated(name))


CAYLEY = ("R3", "SO2", "SO3", "S3", "SE2", "SE3", "SO3xR3", "SE23", "Frames", "Heisenberg")
"""Groups that have it; all but the last are quadratic or affine groups of rotations."""


@pytest.mark.slow
@pytest.mark.parametrize("name", CAYLEY)
@pytest.mark.parametrize("length", [0.0, 1e-7, 1.0, 20.0])
def test_map_and_tangent_operator_are_consistent(name: str, length: float) -> None:
    group = numeric(name)
    n = group.group.dimension
    theta, w = vector_of_length(length, n, 1), random_vector(n, 2)
    element = group.evaluate(cayley, theta)
    assert distance(group.relations(element), [mpf(0)] * len(group.relations(element))) < tolerances.IDENTITY
    assert distance(group.evaluate(cayley, scaled(-1, theta)), group.inverse(element)) < tolerances.IDENTITY
    rate = derivative(lambda h: group.evaluate(cayley, add(theta, scaled(h, w))))
    moved = group.evaluate(cayley_tangent, theta, w)
    assert distance(group.storage_tangent(element, moved), rate) < tolerances.DIFFERENCE
    assert distance(group.evaluate(cayley_tangent, theta, moved, inverse=True), w) < tolerances.IDENTITY


@pytest.mark.parametrize("name", ["SO3", "SE3", "SE2", "S3"])
def test_cayley_map_equals_the_rational_matrix_function(name: str) -> None:
    group = numeric(name).group
    theta = random_vector(group.dimension, 3)
    found = representation(group)
    program, x = Program(), algebra_symbols(group)
    A = Evaluation(program, list(found.generator))(assigned(x, theta), mpmath.mp.dps)
    n = found.generator.rows
    A = mpmath.matrix([A[n * i : n * i + n] for i in range(n)]) / 2
    expected = mpmath.inverse(mpmath.eye(n) - A) * (mpmath.eye(n) + A)
    q = storage_symbols(group)
    values = Evaluation(program, list(found.matrix))(assigned(q, numeric(name).evaluate(cayley, theta)), mpmath.mp.dps)
    got = mpmath.matrix([values[n * i : n * i + n] for i in range(n)])
    assert matrix_distance(got, expected) < tolerances.IDENTITY


def test_published_forms_for_rotations_agree() -> None:
    """4/(4 + z) (I - S/2) and I + S/2 + ΩΩᵀ/4, the latter with the angle 2 atan(ω/2)."""
    Omega = random_vector(3, 4)
    z = mpmath.fdot(Omega, Omega)
    S = mpmath.matrix([[0, -Omega[2], Omega[1]], [Omega[2], 0, -Omega[0]], [-Omega[1], Omega[0], 0]])
    group = numeric("SO3")
    T = group.matrix_of(lambda w: group.evaluate(cayley_tangent, Omega, w))
    assert matrix_distance(T, 4 / (4 + z) * (mpmath.eye(3) - S / 2)) < tolerances.IDENTITY
    T_inverse = group.matrix_of(lambda w: group.evaluate(cayley_tangent, Omega, w, inverse=True))
    outer = mpmath.matrix(Omega) * mpmath.matrix(Omega).T
    assert matrix_distance(T_inverse, mpmath.eye(3) + S / 2 + outer / 4) < tolerances.IDENTITY
    angle = mpmath.norm(group.log(group.evaluate(cayley, Omega)))
    assert abs(angle - 2 * mpmath.atan(mpmath.sqrt(z) / 2)) < tolerances.IDENTITY


LARGE = ("U2", "Sp4", "SO4", "SO5")
"""Groups of which the quick tests have a smaller one of the same kind."""


@pytest.mark.parametrize("length", [0.0, 1e-7, 0.5, 1.2])
@pytest.mark.parametrize(
    "name",
    [*(pytest.param(n, marks=pytest.mark.slow) if n in LARGE else n for n in FORMS), "AffineLine"],
)
def test_quadratic_and_affine_groups_are_supported(name: str, length: float) -> None:
    """Membership, the inverse, and both tangents; elimination needs norms below two where A is not skew."""
    group = numbers(name)
    n = group.group.dimension
    theta, w = vector_of_length(length / (2 if name in ("Sp4", "AffineLine") else 1), n, 1), random_vector(n, 2)
    element = group.evaluate(cayley, theta)
    if name in FORMS:
        size = FORMS[name].rows
        X, P = (mpmath.matrix(size, size) for _ in range(2))
        for i in range(size):
            for j in range(size):
                X[i, j], P[i, j] = element[size * i + j], int(FORMS[name][i, j])
        assert matrix_distance(X.T * P * X, P) < tolerances.IDENTITY
    assert distance(group.evaluate(cayley, scaled(-1, theta)), group.inverse(element)) < tolerances.IDENTITY
    rate = derivative(lambda h: group.evaluate(cayley, add(theta, scaled(h, w))))
    moved = group.evaluate(cayley_tangent, theta, w)
    assert distance(group.storage_tangent(element, moved), rate) < tolerances.DIFFERENCE
    assert distance(group.evaluate(cayley_tangent, theta, moved, inverse=True), w) < tolerances.IDENTITY


@functools.cache
def turning(name: str, backend: str) -> System:
    """X' = A(t) X with components size_k cos(rate_k t) of A."""
    group = sample(name) if name in SAMPLES else stated(name)
    model = sl.Model("turning")
    n = group.dimension
    size = model.parameter("size", [1 / (4 + k) for k in range(n)])
    rate = model.parameter("rate", list(range(1, n + 1)))
    model.field(model.node("X", sl.translation_space(group)), [size[k] * sl.cos(rate[k] * model.t) for k in range(n)])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("name", ["SL2", "SU2", pytest.param("SO4", marks=pytest.mark.slow)])
def test_long_steps_stay_in_the_group(name: str) -> None:
    """Beyond a norm of two 1 - A/2 may be singular unless A is skew, and results are NaN."""
    n = 6 if name == "SO4" else 3
    # Of SU2 the third stage has the norm 2.9; its angles are twice as large and must be below 2π.
    system = turning(name, "numpy").with_parameters(size=[2 if name == "SU2" else 3] + [0] * (n - 1), rate=[0] * n)
    options: dict[str, Any] = {"method": "rkmk_rk44", "method_options": {"map": "cayley"}}
    if name == "SL2":
        with pytest.raises(IntegrationError):
            sl.solve(system, 2.0, h=1.0, **options)
    assert np.isfinite(sl.solve(system, 2.0, h=0.5 if name == "SL2" else 1.0, **options).q).all()


@pytest.mark.parametrize("name", ["Sim3", "SL3", pytest.param("SU3", marks=pytest.mark.slow), "S3sR3"])
def test_groups_without_cayley_map_are_rejected(name: str) -> None:
    group = stated(name) if name in ("SL3", "SU3") else numeric(name).group
    assert not is_cayley_group(group)
    with pytest.raises(GroupError, match=f"Cayley map of the matrices of {name} does not stay"):
        cayley(Program(), group, symbols("x", group.dimension))


def test_groups_of_stored_coordinates_are_rejected() -> None:
    with pytest.raises(GroupError, match="SO3rv stores coordinates of rotations"):
        cayley(Program(), numeric("SO3rv").group, symbols("x", 3))


def matrices_at_one(name: str) -> np.ndarray[Any, Any]:
    """X(1) of `turning` by a method that knows no group."""
    group = sample(name) if name in SAMPLES else stated(name)
    n, m = group.dimension, FORMS[name].rows
    basis, k = np.array(group.basis.tolist(), dtype=float), np.arange(n)

    def rates(t: float, X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        A = basis @ (np.cos((k + 1) * t) / (4 + k))
        return (A.reshape(m, m) @ X.reshape(m, m)).ravel()

    start = np.eye(m).ravel()
    return solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("name", ["SL2", "SU2", *(pytest.param(n, marks=pytest.mark.slow) for n in ("SO4", "Sp4"))])
def test_cayley_steps_have_order_four_and_stay_in_the_group(name: str, backend: str) -> None:
    """Orders by halved steps; members of the group to rounding."""
    system, exact = turning(name, backend), matrices_at_one(name)
    options: dict[str, Any] = {"method": "rkmk_rk44", "method_options": {"map": "cayley"}}
    ends = [sl.solve(system, 1.0, h=h, **options).q[-1] for h in (2.0**-4, 2.0**-5)]
    first, second = (float(np.abs(end - exact).max()) for end in ends)
    assert abs(np.log2(first / second) - 4) < tolerances.OBSERVED_ORDER
    size = FORMS[name].rows
    X, P = ends[1].reshape(size, size), np.array(FORMS[name], dtype=float)
    assert np.abs(X.T @ P @ X - P).max() < tolerances.SPACES
