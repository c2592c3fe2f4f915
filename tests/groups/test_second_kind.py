"""Coordinates of the second kind: the derived map and both inverse tangents against their definition."""

from __future__ import annotations

import mpmath
import pytest
from mpmath import mpf

from symlie.errors import GroupError
from symlie.groups.operators import CHART_LIMIT
from symlie.groups.second_kind import second_kind, second_kind_chart, second_kind_inverse
from symlie.groups.standard import SO3
from symlie.ir.program import Program
from tests import tolerances
from tests.evaluation import Evaluation, assigned, distance, symbols
from tests.groups.numeric import add, derivative, numeric, random_vector, scaled, vector_of_length

GROUPS = ("R3", "SO2", "SO3", "S3", "SE2", "SE3", "S3sR3", "SO3xR3", "Heisenberg")


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("length", [0.0, 1e-7, 1.0])
def test_map_and_inverse_tangent_operators_are_consistent(name: str, length: float) -> None:
    """q' = D L_q v = D R_q Ad(q) v along u' = M⁻¹ v = N⁻¹ Ad(q) v."""
    group = numeric(name)
    n = group.group.dimension
    u, v = vector_of_length(length, n, 1), random_vector(n, 2)
    element = group.evaluate(second_kind, u)
    rate = group.evaluate(second_kind_inverse, u, v)
    moved = derivative(lambda h: group.evaluate(second_kind, add(u, scaled(h, rate))))
    assert distance(group.storage_tangent(element, v), moved) < tolerances.DIFFERENCE
    spatial = group.evaluate(second_kind_inverse, u, group.adjoint(element, v), is_left=True)
    assert distance(spatial, rate) < tolerances.IDENTITY


@pytest.mark.parametrize("name", GROUPS)
def test_map_is_the_product_of_exponentials(name: str) -> None:
    group = numeric(name)
    n = group.group.dimension
    u = random_vector(n, 3)
    product = group.identity
    for k in range(n):
        product = group.compose(product, group.exp([u[k] if j == k else mpf(0) for j in range(n)]))
    assert distance(group.evaluate(second_kind, u), product) < tolerances.IDENTITY


def test_second_kind_coordinates_are_singular_at_half_pi() -> None:
    """M is singular where u₂ = π/2."""
    program, x = Program(), symbols("x", 3)
    size = Evaluation(program, [second_kind_chart(program, SO3, x)])
    limit = mpf(float(CHART_LIMIT))
    for angle, regular in ((0.0, True), (1.4, True), (mpmath.pi / 2, False), (6.4, False)):
        for others in (mpf(0), mpmath.pi / 2):
            (found,) = size(assigned(x, [others, mpf(angle), others]), mpmath.mp.dps)
            assert (found < limit) is regular


def test_unsupported_groups_are_rejected() -> None:
    group = numeric("SO3rv").group
    program = Program()
    with pytest.raises(GroupError, match=r"^Coordinates of the second kind of SO3rv are not elementary"):
        second_kind(program, group, symbols("x", 3))
