"""Lines to points that constraints hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sympy import Matrix

import symlie as sl
from symlie.models import heavy_top
from symlie.runtime.solution.solution import Solution
from symlie.view.held_points import held_points
from symlie.view.poses import all_tracks
from symlie.view.sticks import Stick
from tests import tolerances


def motion(model: sl.Model) -> Solution:
    return sl.solve(model.derive().compile(backend="numpy"), 0.2, h=0.01, method="half_explicit_5")


def lines(solution: Solution) -> list[Stick]:
    return held_points(solution, all_tracks(solution), [], 1.0)


def sphere() -> sl.Model:
    """A point on a rod from (1, 2, 3)."""
    model, pivot = sl.Model("sphere"), Matrix([1, 2, 3])
    bob = model.node("bob", "R3")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(10 * bob.x[2])
    model.constraint("rod", (bob.x - pivot).dot(bob.x - pivot) - 1)
    model.initial(bob, x=[2, 2, 3], x_dot=[0, 1, 0])
    return model


def plane() -> sl.Model:
    """A point that is thrown in a plane."""
    model = sl.Model("plane")
    ball = model.node("ball", "R3")
    model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
    model.potential_energy(10 * ball.x[2])
    model.constraint("wall", ball.x[1])
    model.initial(ball, x=[0, 0, 0], x_dot=[1, 0, 1])
    return model


def two(*, bodies: bool) -> sl.Model:
    """Two bodies that share a point, or two points on a rod."""
    model = sl.Model("two")
    ends = [model.node(name, "SO3xR3" if bodies else "R3") for name in ("a", "b")]
    for end in ends:
        model.kinetic_energy(end.x_dot.dot(end.x_dot) / 2)
        if bodies:
            model.kinetic_energy(end.Omega.dot(end.Omega) / 20)
    a, b = ends
    if bodies:
        model.constraint("ball", a.x + a.R * Matrix([1, 0, 0]) - b.x + b.R * Matrix([1, 0, 0]))
        model.initial(a, Omega=[1, 2, 3])
        model.initial(b, x=[2, 0, 0], Omega=[3, -1, 1])
    else:
        model.constraint("rod", (a.x - b.x).dot(a.x - b.x) - 4)
        model.initial(a, x_dot=[0, 1, 0])
        model.initial(b, x=[2, 0, 0])
    return model


@pytest.mark.parametrize(
    ("build", "name", "pivot"),
    [(lambda: heavy_top.build("SE3"), "fixed_point", [0, 0, 0]), (sphere, "rod", [1, 2, 3])],
)
def test_line_connects_a_body_with_its_fixed_point(
    build: Callable[[], sl.Model], name: str, pivot: list[float]
) -> None:
    solution = motion(build())
    (line,) = lines(solution)
    assert line.name == name
    assert np.abs(line.start - pivot).max() <= tolerances.DRAWN_POSITION
    assert np.array_equal(line.end, solution.field(solution.system.layout.nodes[0].name, "x"))
    assert [entry["name"] for entry in solution.view().scene["solutions"][0]["lines"]] == [name]


@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
def test_shared_point_is_connected_to_both_bodies() -> None:
    solution = motion(two(bodies=True))
    first, second = lines(solution)
    shared = solution.field("a", "x") + solution.rotation("a").as_matrix()[:, :, 0]
    assert np.abs(first.end - shared).max() <= tolerances.DRAWN_POSITION
    assert np.array_equal(first.end, second.start)
    assert np.array_equal(second.end, solution.field("b", "x"))


def test_points_at_constant_distance_are_connected() -> None:
    solution = motion(two(bodies=False))
    (line,) = lines(solution)
    assert np.array_equal(line.start, solution.field("a", "x")) and np.array_equal(line.end, solution.field("b", "x"))


def test_nothing_is_drawn_without_constrained_points() -> None:
    assert lines(motion(plane())) == []
    few = sl.solve(sphere().derive().compile(backend="numpy"), 0.02, h=0.01, method="half_explicit_5")
    assert lines(few) == []
