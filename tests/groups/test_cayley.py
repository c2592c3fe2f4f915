"""The Cayley map: derived operators against their definition, the printed forms on SO(3), and the matrices."""

from __future__ import annotations

import mpmath
import pytest
from mpmath import mpf

from symlie.errors import GroupError
from symlie.groups.cayley import cayley, cayley_tangent, is_cayley_group
from symlie.groups.group import algebra_symbols, storage_symbols
from symlie.groups.representation import representation
from symlie.ir.program import Program
from tests import tolerances
from tests.evaluation import Evaluation, assigned, distance, symbols
from tests.groups.numeric import (
    add,
    derivative,
    matrix_distance,
    numeric,
    random_vector,
    scaled,
    vector_of_length,
)

CAYLEY = ("R3", "SO2", "SO3", "S3", "SE2", "SE3", "SO3xR3", "SE23", "Frames", "Heisenberg")
"""Groups that have it; all but the last are quadratic or affine groups of rotations."""


@pytest.mark.parametrize("name", CAYLEY)
@pytest.mark.parametrize("length", [0.0, 1e-7, 1.0, 20.0])
def test_map_and_tangent(name: str, length: float) -> None:
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
def test_it_is_the_rational_function_of_the_matrices(name: str) -> None:
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


def test_printed_forms_of_rotations() -> None:
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


@pytest.mark.parametrize("name", ["Sim3", "SL2", "AffineLine", "SO3rv", "S3sR3"])
def test_groups_without_it(name: str) -> None:
    group = numeric(name).group
    assert not is_cayley_group(group)
    with pytest.raises(GroupError, match=f"Cayley map of {name} does not stay"):
        cayley(Program(), group, symbols("x", group.dimension))
