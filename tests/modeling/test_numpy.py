"""Expressions with lists, arrays and functions of NumPy: unambiguous uses work, others are reported."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import symlie as sl
from symlie.errors import ModelError, SymbolicValueError, UnknownFieldError
from symlie.modeling.node import Node
from tests import tolerances

A = np.array([0.5, 0.0, 1.0])


@functools.cache
def body() -> Node:
    return sl.Model("pendulum").node("body", "S3xR3")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda q: q.x + A, lambda q: q.x + sl.vector(*A)),
        (lambda q: A + q.x, lambda q: q.x + sl.vector(*A)),
        (lambda q: A - q.x, lambda q: sl.vector(*A) - q.x),
        (lambda q: q.x - [1, 2, 3], lambda q: q.x - sl.vector(1, 2, 3)),
        (lambda q: sum([q.x, q.x]), lambda q: 2 * q.x),
        (lambda q: np.float64(2) * q.x, lambda q: 2.0 * q.x),
        (lambda q: q.R * [0, 0, 1], lambda q: q.R * sl.vector(0, 0, 1)),
        (lambda q: q.R * A, lambda q: q.R * sl.vector(*A)),
        (lambda q: q.R.T @ A, lambda q: q.R.T * sl.vector(*A)),
        (lambda q: np.eye(3) @ q.R, lambda q: 1.0 * q.R),
        (lambda q: np.diag([1, 2, 3]) * q.Omega, lambda q: sl.diag(1, 2, 3) * q.Omega),
        (lambda q: np.diag([1, 2, 3]) @ q.Omega, lambda q: sl.diag(*np.array([1.0, 2.0, 3.0])) * q.Omega),
        (lambda q: np.diag([1, 2, 3]) @ q.Omega, lambda q: sl.diag(1, 2, 3) * q.Omega),
        (lambda q: sl.eye(3) * A, lambda q: sl.vector(*A)),
        (lambda q: q.x.dot(A), lambda q: q.x.dot(sl.vector(*A))),
        (lambda q: sympy.ImmutableMatrix(A) + q.x, lambda q: q.x + sl.vector(*A)),
        (lambda q: sympy.Matrix(A) - q.x, lambda q: sl.vector(*A) - q.x),
        (lambda q: sympy.ImmutableMatrix(np.eye(3)) * q.x, lambda q: q.x),
        (lambda q: q.x.dot(sympy.ImmutableMatrix(A)), lambda q: q.x.dot(sl.vector(*A))),
        (lambda q: q.x.cross([0, 0, 1]), lambda q: q.x.cross(sl.vector(0, 0, 1))),
        (lambda q: sl.vector(A), lambda q: sl.vector(*A)),
        (lambda q: np.sin(q.x[0]), lambda q: sl.sin(q.x[0])),
        (lambda q: np.exp(q.x[0] ** 2), lambda q: sl.exp(q.x[0] ** 2)),
        (lambda q: np.arctan2(q.x[0], 2 * q.x[1]), lambda q: sl.atan2(q.x[0], 2 * q.x[1])),
        (lambda q: np.maximum(q.x[0], 0), lambda q: sl.Max(q.x[0], 0)),
        (lambda q: np.sqrt(q.x.dot(q.x)), lambda q: sl.sqrt(q.x.dot(q.x))),
        (lambda q: np.cos(q.x), lambda q: sl.vector(*[sl.cos(c) for c in q.x])),
        (lambda q: np.cross(q.x, q.x_dot), lambda q: q.x.cross(q.x_dot)),
        (lambda q: np.cross(A, q.x), lambda q: sl.vector(*A).cross(q.x)),
        (lambda q: np.dot(q.x, q.x_dot), lambda q: q.x.dot(q.x_dot)),
        (lambda q: np.dot([1, 2, 3], q.x), lambda q: sl.vector(1, 2, 3).dot(q.x)),
        (lambda q: np.inner(q.x, A), lambda q: q.x.dot(A)),
        (lambda q: np.dot(q.R, q.x), lambda q: q.R * q.x),
        (lambda q: np.dot(q.x, q.R), lambda q: q.R.T * q.x),
        (lambda q: np.dot(2, q.x), lambda q: 2 * q.x),
        (lambda q: np.linalg.norm(q.x) ** 2, lambda q: q.x.dot(q.x)),
        (lambda q: np.trace(q.R), lambda q: q.R[0] + q.R[4] + q.R[8]),
        (lambda q: sl.vector(*np.concatenate([q.x, q.x_dot])[:3, 0]), lambda q: q.x),
        (lambda q: sl.select(q.x[0], A, q.x), lambda q: sl.select(q.x[0], sl.vector(*A), q.x)),
    ],
)
def test_unambiguous_numpy_functions_are_supported(
    found: Callable[[Node], Any], expected: Callable[[Node], Any]
) -> None:
    assert sympy.simplify(found(body()) - expected(body())) in (0, sympy.zeros(3, 1), sympy.zeros(3, 3))


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda q: q.x + 3, r"A vector of 3 and the scalar '3' .* sl\.vector"),
        (lambda q: 3 + q.x, r"sl\.vector"),
        (lambda q: q.x + np.array([1, 2]), "A vector of 3 and a vector of 2 cannot be added"),
        (lambda q: q.x * A, r"a\.dot\(b\)"),
        (lambda q: A * q.x, r"a\.dot\(b\)"),
        (lambda q: q.x**2, r"a\.dot\(a\)"),
        (lambda q: 1 / q.x[0] * q.x / q.x, "cannot be divided by a vector of 3"),
        (lambda q: q.x.dot([1, 2]), "no dot product with a vector of 2"),
        (lambda q: q.x.cross(3), "no cross product with the scalar '3'"),
        (lambda q: q.R * [1, 2], "A rotation matrix 3 × 3 cannot multiply a vector of 2"),
        (lambda q: q.x @ 3, r"multiply with \*"),
        (lambda q: np.cross(q.x, [1, 2]), "no cross product with a vector of 2"),
        (lambda q: np.dot(q.x, [1, 2]), "no dot product with a vector of 2"),
        (lambda q: q.R * [[1, 2], [3]], "differ in length"),
        (lambda q: q.x + np.zeros((2, 2, 2)), "neither a vector nor a matrix"),
    ],
)
def test_mismatched_shapes_are_reported(attempt: Callable[[Node], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        attempt(body())


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda q: math.sin(q.x[0]), r"sl\.sin"),
        (lambda q: math.sqrt(q.x.dot(q.x)), r"sl\.sqrt"),
        (lambda q: float(2 * q.x[0]), "not a number"),
        (lambda q: 1 if q.x[2] > 0 else 2, r"sl\.select"),
        (lambda q: max(2 * q.x[0], 0), r"sl\.Max"),
        (lambda q: np.floor(q.x[0]), r"NumPy's floor is not defined .* sl\.select"),
        (lambda q: np.hypot(q.x, q.x), "NumPy's hypot"),
    ],
)
def test_expressions_are_not_numbers(attempt: Callable[[Node], Any], message: str) -> None:
    with pytest.raises(SymbolicValueError, match=message):
        attempt(body())


@pytest.mark.parametrize(
    ("attempt", "name"),
    [
        (lambda q: math.sin(q.x[2]), "'lantern.x[2]'"),
        (lambda q: 1 if q.x[1] > 2 * q.Omega[0] else 2, "'lantern.x[1] > 2*lantern.Omega[0]'"),
        (lambda q: q.x + q.x_dot[1], "'lantern.x_dot[1]'"),
        (lambda q: q.x + q.p[3], "'lantern.p[3]'"),
    ],
)
def test_messages_use_the_names_of_the_model(attempt: Callable[[Node], Any], name: str) -> None:
    with pytest.raises(ModelError, match=re.escape(name)):
        attempt(sl.Model("pendulum").node("lantern", "S3xR3"))


def test_component_names_of_ambiguous_nodes_use_the_storage() -> None:
    """Of two nodes with one name on different groups only common components are named by their field."""
    _, storage = (sl.Model(name).node("of_two_models", name).storage for name in ("R3", "SE2"))
    with pytest.raises(ModelError, match=r"'of_two_models\.q2'"):
        sl.vector(0, 0) + storage[2]


def test_sympy_expressions_are_unchanged() -> None:
    """NumPy's own meaning where no vector of a statement is concerned."""
    x = sympy.Symbol("x")
    assert (np.array([1, 2]) * x).tolist() == [x, 2 * x]
    assert (x + np.array([[1, 2]])).tolist() == [[x + 1, x + 2]]
    assert np.add.outer(np.array([1, 2]), x).tolist() == [x + 1, x + 2]
    assert float(sympy.sqrt(4)) == 2.0
    assert (np.array([1, 2]) == x).tolist() == [False, False]


def test_arrays_of_expressions_are_supported() -> None:
    model = sl.Model("crane")
    q = model.node("arm", "S3xR3")
    model.kinetic_energy((q.x_dot.dot(np.diag([2.0, 2, 2]) @ q.x_dot) + q.Omega.dot(q.Omega)) / 2)
    model.potential_energy(q.x.dot(np.array([0, 0, 19.62])))
    model.constraint("pivot", q.x + q.R * np.array([0, 0, 0.5]))
    model.output("tip", q.x + q.R * np.array([0, 0, 1.0]))
    model.initial(q, x=[0, 0, -0.5], Omega=np.array([0, 1.0, 2.0]))
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.01, h=0.01)
    assert solution.outputs["tip"].shape == (2, 3)
    assert solution.statistics.max_constraint_residual < tolerances.DRIFT_OF_ROUNDING


def test_all_fields_are_completed() -> None:
    assert {"p", "x", "R", "Omega", "x_dot", "v", "v_dot"} <= set(dir(body()))
    assert {"R", "Omega"} & set(dir(sl.Model("m").node("point", "R3"))) == set()
    assert {"q", "omega"} <= set(dir(sl.Model("m").node("bob", sl.TS2)))
    assert not {"v", "R"} & set(dir(sl.Model("m").node("bob", sl.TS2)))
    for name in dir(body()):
        getattr(body(), name)


@pytest.mark.parametrize(
    "space",
    [
        sl.translation_space(sl.S3sR3, "right"),
        sl.translation_space(sl.SE3),
        sl.cotangent_space(sl.S3),
        sl.product_space(sl.S2, sl.translation_space(sl.S3)),
        sl.translation_space(sl.SE2),
    ],
    ids=str,
)
def test_manifold_points_have_rotations(space: Any) -> None:
    node = sl.Model("m").node("body", space)
    at_identity = node.R.subs(dict(zip(node.storage, space.identity, strict=True)))
    assert at_identity == sympy.eye(at_identity.rows)
    assert "R" in dir(node)


def test_missing_rotation_is_reported() -> None:
    with pytest.raises(UnknownFieldError, match="has no field 'R'; it has: x, x_dot, v, v_dot"):
        _ = sl.Model("m").node("point", "R3").R
    with pytest.raises(UnknownFieldError, match="R1, R2"):
        _ = sl.Model("m").node("pair", "SO3xSO3").R


def test_semidirect_products_have_field_names() -> None:
    """As the docstring says."""
    poses = sl.semidirect_product(sl.S3, sl.group_from_name("R3xR3"), lambda a: a.R, name="poses")
    assert {"p", "x1", "x2", "Omega", "U1", "U2", "R"} <= set(dir(sl.Model("m").node("pose", poses)))
