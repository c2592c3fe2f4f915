"""Dependent nodes: every method evaluates them, also in models without fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from tests.tolerances import SPACES


def markers(count: int = 20, order: Sequence[int] | None = None) -> sl.Model:
    """Thrown points; each marker is at the sum of its point and the marker before."""
    model = sl.Model("markers")
    points, marks = model.node_array("points", "R3", count), model.node_array("marks", "R3", count + 1)
    marks.fix(0)
    points.initial(x=lambda k: [k, 0, 0], x_dot=lambda k: [0, 0.1 * k, 1])
    pair = sl.ElementType("pair", before="R3", point="R3", mark="R3")
    pair.kinetic_energy((pair.point.x_dot.dot(pair.point.x_dot) + pair.mark.x_dot.dot(pair.mark.x_dot)) / 2)
    pair.potential_energy(9.81 * pair.point.x[2] + pair.mark.x.dot(pair.mark.x))
    pair.dependent(pair.mark, x=pair.before.x + pair.point.x)
    model.add(pair, [(marks[k], points[k], marks[k + 1]) for k in order or range(count)])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_nested_markers_add_their_offsets(backend: str) -> None:
    """Half-explicit methods are the default of such models."""
    system = markers().derive().compile(backend=backend)
    for steps in ({"h": 0.1}, {"rtol": 1e-6, "method": "half_explicit_5"}, {"h": 0.1, "method": "rkmk_rk44"}):
        solution = sl.solve(system, 1.0, **steps)
        points, marks = (solution.field(name, "x")[-1] for name in ("points", "marks"))
        assert np.abs(marks[1:] - np.cumsum(points, axis=0)).max() < SPACES * np.abs(marks).max()
        points, marks = (solution.field(name, "x_dot")[-1] for name in ("points", "marks"))
        assert np.abs(marks[1:] - np.cumsum(points, axis=0)).max() < SPACES * np.abs(marks).max()


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_body_marker_has_its_position(backend: str) -> None:
    """Tables in the text."""
    model = sl.Model("marked")
    body, mark, origin = model.node("body", sl.SE3), model.node("mark", "R3"), model.node("origin", "R3")
    points = sum(n.x_dot.dot(n.x_dot) for n in (mark, origin))
    model.kinetic_energy((body.Omega.dot(sl.diag(1, 2, 3) * body.Omega) + body.U.dot(body.U) + points) / 2)
    model.dependent(mark, x=origin.x + body.x + body.R * sl.vector(0, 1, 2))
    model.initial(body, R=sl.eye(3), Omega=[1, 2, 3], U=[0, 1, 0])
    solution = sl.solve(model.derive().compile(backend=backend), 1.0, h=0.05)
    R, x = solution.field("body", "R")[-1].reshape(3, 3), solution.field("body", "x")[-1]
    Omega, U = (solution.field("body", name)[-1] for name in ("Omega", "U"))
    assert np.abs(solution.field("mark", "x")[-1] - x - R @ [0, 1, 2]).max() < SPACES
    assert np.abs(solution.field("mark", "x_dot")[-1] - R @ (U + np.cross(Omega, [0, 1, 2]))).max() < SPACES


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("method", ["rkmk_rk44", "taylor"])
def test_results_do_not_depend_on_the_order_of_elements(method: str, backend: str) -> None:
    order = [3, 9, 8, 7, 0, 5, 1, 2, 6, 4]
    found = [
        sl.solve(markers(10, order=rows).derive().compile(backend=backend), 0.3, h=0.1, method=method)
        for rows in (None, order, order[::-1])
    ]
    for other in found[1:]:
        assert np.array_equal(other.q, found[0].q) and np.array_equal(other.v, found[0].v)


def test_dependent_nodes_of_other_types_are_evaluated_first() -> None:
    model = sl.Model("late")
    points, marks, ends = (model.node_array(name, "R3", 2) for name in ("points", "marks", "ends"))
    first = sl.ElementType("first", point="R3", mark="R3")
    first.kinetic_energy((first.point.x_dot.dot(first.point.x_dot) + first.mark.x_dot.dot(first.mark.x_dot)) / 2)
    first.dependent(first.mark, x=first.point.x + sl.vector(1, 0, 0))
    second = sl.ElementType("second", point="R3", mark="R3", end="R3")
    second.kinetic_energy(second.end.x_dot.dot(second.end.x_dot) / 2)
    second.dependent(second.end, x=second.point.x + second.mark.x)
    model.add(second, [(points[k], marks[k], ends[k]) for k in range(2)])
    model.add(first, [(points[k], marks[k]) for k in range(2)])
    points.initial(x=lambda k: [k, 2, 3])
    system = model.derive().compile(backend="numpy")
    end = sl.solve(system, 0.1, h=0.1, method="rkmk_rk44").field("ends", "x")[-1]
    assert np.abs(end - [[1, 4, 6], [3, 4, 6]]).max() < SPACES


def test_dependent_nodes_of_one_statement_follow_one_another() -> None:
    """Each uses the one defined after it; one as the term of a sum, and one as a factor."""
    model = sl.Model("nested")
    point, first, second, third = (model.node(name, "R2") for name in ("point", "first", "second", "third"))
    model.kinetic_energy(sum(n.x_dot.dot(n.x_dot) for n in (point, first, second, third)) / 2)
    model.dependent(third, x=2 * second.x)
    model.dependent(second, x=first.x + sl.vector(0, 1))
    model.dependent(first, x=point.x + sl.vector(1, 0))
    model.initial(point, x=[1, 2], x_dot=[3, 4])
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.5, h=0.25, method="rkmk_rk44")
    x, x_dot = solution.field("point", "x"), solution.field("point", "x_dot")
    assert np.abs(solution.field("second", "x") - x - 1).max() < SPACES
    assert np.abs(solution.field("third", "x") - 2 * x - 2).max() < SPACES
    assert np.abs(solution.field("third", "x_dot") - 2 * x_dot).max() < SPACES
    model.dependent(point, x=third.x)
    with pytest.raises(ModelError, match="depends on nodes that depend on it"):
        model.derive()
