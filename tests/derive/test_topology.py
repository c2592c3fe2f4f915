"""Derived elimination or loops over parts: by counted multiplications."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import symlie as sl
from symlie.derive import topology
from symlie.derive.arrangement import assembled_patterns
from symlie.derive.equations import Equations
from symlie.derive.kernels import model_kernels
from symlie.ir.kernels import SparsePattern
from symlie.models import puma560

pytestmark = pytest.mark.filterwarnings("ignore:The inertia of body 'link:symlie.warnings.SymlieWarning")


def arm(count: int, group: str) -> sl.Model:
    """Bodies in a row on revolute joints."""
    model = sl.Model("arm")
    last: sl.RigidBody | sl.Ground = model.ground
    for k in range(count):
        body = sl.RigidBody(model, f"link{k}", 1.0, [1, 2, 2.5], group, position=[k + 0.5, 0, 0])
        sl.RevoluteJoint(model, f"hinge{k}", last, body, at=[k, 0, 0], axis=[0, 1, 0])
        last = body
    model.gravity([0, 0, -9.81])
    return model


def crowded(rows: int, *, coupled: bool = False) -> sl.Model:
    """Four points that all rows depend on."""
    model = sl.Model("crowded")
    points = [model.node(f"point{k}", "R6") for k in range(4)]
    for point, following in itertools.pairwise([*points, points[0]]):
        model.kinetic_energy((1 + point.x[0] ** 2) * sum(point.v) ** 2 + 3 * point.v.dot(point.v))
        if coupled:
            model.kinetic_energy(point.v[0] * following.v[0] / 2)
    for k in range(rows):
        slopes = [sl.sin(k * p.x[i] + i) * p.v[i] for p in points for i in range(6)]
        model.nonholonomic_constraint(f"row{k}", sum(slopes))
    return model


def dense(pattern: SparsePattern, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Positions of nonzeros of a derived matrix."""
    matrix = np.zeros(shape, dtype=bool)
    matrix[list(pattern.rows), list(pattern.columns)] = True
    return matrix


@pytest.mark.slow
@pytest.mark.parametrize("build", [lambda: arm(2, "SE3"), lambda: arm(1, "S3xR3"), lambda: crowded(2)])
def test_counted_nonzeros_equal_derived_ones(build: Callable[[], sl.Model]) -> None:
    equations = build().derive()
    mass, jacobian = topology.velocity_patterns(equations.model)
    types = model_kernels(equations.elements, equations.derived, fixed=True)
    derived = assembled_patterns(types, equations.arrangement)
    lower = dense(derived[0], mass.shape)
    np.testing.assert_array_equal(mass, lower | lower.T)
    np.testing.assert_array_equal(jacobian, dense(derived[1], jacobian.shape))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "is_fixed"),
    [
        (puma560.build, True),
        (lambda: arm(6, "SE3"), True),
        (lambda: arm(7, "SE3"), False),
        (lambda: crowded(10), True),
        (lambda: crowded(12), False),
        (lambda: crowded(12, coupled=True), True),
    ],
)
def test_choice_minimises_multiplications(build: Callable[[], sl.Model], is_fixed: bool) -> None:
    """Six links in space have a derived elimination, and four bodies in ten full rows; in twelve if M couples them."""
    assert topology.has_fixed_topology(build()) == is_fixed


def test_multiplication_counts_are_exact() -> None:
    """For two components and one row on both: M diagonal, then full, compared with nonzeros counted individually."""
    diagonal, row = np.eye(2, dtype=bool), np.ones((1, 2), dtype=bool)
    assert topology.multiplications(diagonal, row[:0]) == 2 + 2  # pivots; solution
    assert topology.multiplications(np.ones((2, 2), dtype=bool), row[:0]) == 2 + 2 + 1 + 2 + 1
    assert topology.multiplications(diagonal, row) == 2 + 2 * 2 + 2 + 2 + 2 + 2


def test_code_length_matches_the_count() -> None:
    """Each multiplication comes with one addition at most."""
    solve = {k.signature.name: k.body for k in Equations(arm(1, "SE3")).emitted.kernels}["solve_saddle"]
    counted = topology.multiplications(*topology.velocity_patterns(arm(1, "SE3")))
    products = sum(i.operator in {"mul", "div"} for i in solve.instructions)
    assert counted / 2 < products < counted < solve.operation_count < 2 * counted
