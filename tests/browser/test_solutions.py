"""Real solutions: a marked point of a body is seen where NumPy projects it, at times between the recorded states."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.models import flying_spaghetti, heavy_top, puma560
from symlie.runtime.solution.solution import Solution
from tests.browser.conftest import Open
from tests.tolerances import PIXELS

MARK = "#ff00d4"
TIMES = 20
pytestmark = pytest.mark.filterwarnings("ignore:The inertia of body")
PLACE = [0.05, 0.4, 0.1]
"""Of the mark, in axes of its body, in m."""


def top(group: str) -> sl.Model:
    model = heavy_top.build(group=group)
    mark(model, model.nodes[0], PLACE, 0.02)
    return model


def linkage() -> sl.Model:
    """A crank and a coupler in the plane, which a guide holds."""
    model = sl.Model("linkage")
    crank = sl.RigidBody(model, "crank", 1.0, 0.02, group=sl.SE2, position=[0.25, 0], angular_velocity=[4])
    coupler = sl.RigidBody(model, "coupler", 1.0, 0.08, group=sl.SE2, position=[1.0, 0])
    sl.RevoluteJoint(model, "pivot", model.ground, crank, at=[0, 0])
    sl.RevoluteJoint(model, "pin", crank, coupler, at=[0.5, 0])
    sl.PointOnLineJoint(model, "guide", model.ground, coupler, at=[1.5, 0], axis=[1, 0])
    mark(model, coupler.node, [0.2, 0.1], 0.02)
    return model


def rod() -> sl.Model:
    model = flying_spaghetti.build(segments=8)
    place = [0, 0.8, 0]  # the rod never comes between the mark and the camera
    section = model.arrays[0][5]
    model.shape(section, sl.sphere(0.1), at=place, color=MARK)
    marked = sl.ElementType("marked", section="S3sR3")
    marked.output("mark", marked.section.x + marked.section.R * sl.vector(*place))
    model.add(marked, [(section,)])
    return model


def puma() -> sl.Model:
    model = puma560.build()
    mark(model, model.nodes[-1], [0.02, 0.05, 0.1], 0.015)
    return model


def mark(model: sl.Model, node: sl.Node, place: list[float], radius: float) -> None:
    """A ball at a point of a node, and where that point is as an output."""
    model.shape(node, sl.sphere(radius), at=place, color=MARK)
    model.output("mark", node.x + node.R * sl.vector(*place))


MODELS = {
    "top on SE(3)": (lambda: top("SE3"), 0.5),
    "top on S³ x R³": (lambda: top("S3xR3"), 0.5),
    "top on SO(3) x R³": (lambda: top("SO3xR3"), 0.5),
    "planar linkage": (linkage, 1.5),
    "rod": (rod, 4.0),
    "Puma": (puma, 0.4),
}


@functools.cache
def solved(name: str) -> Solution:
    build, end = MODELS[name]
    return sl.solve(build().derive().compile(), end)


@pytest.mark.parametrize("name", MODELS)
def test_marked_point_matches_the_numpy_projection(open_page: Open, name: str) -> None:
    solution = solved(name)
    times = np.random.default_rng(5).uniform(0, solution.t[-1], TIMES)
    places = solution(np.sort(times)).outputs["mark"]
    view = open_page(solution.view().html)
    view.call("markColors", True)
    for t, place in zip(np.sort(times), places, strict=True):
        view.call("setTime", t)
        found = view.found(MARK)
        assert found is not None, "the mark is hidden"
        assert np.abs(found - view.projected(np.resize([*place, 0.0], 3))).max() < PIXELS
