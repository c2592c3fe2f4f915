"""Dependent nodes: every method evaluates them, also in models without fields."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from tests.tolerances import SPACES


def markers(count: int = 20) -> sl.Model:
    """Thrown points; each marker is at the sum of its point and the marker before."""
    model = sl.Model("markers")
    points, marks = model.node_array("points", "R3", count), model.node_array("marks", "R3", count + 1)
    marks.fix(0)
    points.initial(x=lambda k: [k, 0, 0], x_dot=lambda k: [0, 0.1 * k, 1])
    pair = sl.ElementType("pair", point="R3", before="R3", mark="R3")
    pair.kinetic_energy((pair.point.x_dot.dot(pair.point.x_dot) + pair.mark.x_dot.dot(pair.mark.x_dot)) / 2)
    pair.potential_energy(9.81 * pair.point.x[2])
    pair.dependent(pair.mark, reference=pair.point, offset=pair.before.x)
    model.add(pair, [(points[k], marks[k], marks[k + 1]) for k in range(count)])
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
    model.dependent(mark, reference=origin, offset=body.x + body.R * sl.vector(0, 1, 2))
    model.initial(body, R=sl.eye(3), Omega=[1, 2, 3], U=[0, 1, 0])
    solution = sl.solve(model.derive().compile(backend=backend), 1.0, h=0.05)
    R, x = solution.field("body", "R")[-1].reshape(3, 3), solution.field("body", "x")[-1]
    Omega, U = (solution.field("body", name)[-1] for name in ("Omega", "U"))
    assert np.abs(solution.field("mark", "x")[-1] - x - R @ [0, 1, 2]).max() < SPACES
    assert np.abs(solution.field("mark", "x_dot")[-1] - R @ (U + np.cross(Omega, [0, 1, 2]))).max() < SPACES


def test_dependencies_of_offsets_are_evaluated_first() -> None:
    model = sl.Model("late")
    points, marks, ends = (model.node_array(name, "R3", 2) for name in ("points", "marks", "ends"))
    first = sl.ElementType("first", point="R3", mark="R3")
    first.kinetic_energy((first.point.x_dot.dot(first.point.x_dot) + first.mark.x_dot.dot(first.mark.x_dot)) / 2)
    first.dependent(first.mark, reference=first.point, offset=[1, 0, 0])
    second = sl.ElementType("second", point="R3", mark="R3", end="R3")
    second.kinetic_energy(second.end.x_dot.dot(second.end.x_dot) / 2)
    second.dependent(second.end, reference=second.point, offset=second.mark.x)
    model.add(second, [(points[k], marks[k], ends[k]) for k in range(2)])
    model.add(first, [(points[k], marks[k]) for k in range(2)])
    with pytest.raises(ModelError, match=r"'ends\[0\]' uses node 'marks\[0\]', which is defined later"):
        model.derive()
