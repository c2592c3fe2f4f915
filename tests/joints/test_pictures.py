"""Figures of mechanisms: snapshots and panels."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.plot.figures import plot_solution
from symlie.runtime.plot.wireframes import mechanism
from symlie.runtime.solution.solution import Solution

pytest.importorskip("matplotlib")

SIDES = [0.1, 0.2, 0.6]


@functools.cache
def swinging() -> Solution:
    """A box that hangs from a hinge, off its node, with a ball on a spring."""
    model = sl.Model("swinging")
    mass = 3.0
    box = sl.RigidBody(model, "box", mass, sl.inertia.box(mass, SIDES), position=[0, 0, -0.3], reference=[0, 0, 0.1])
    ball = sl.RigidBody(
        model, "ball", 1.0, sl.inertia.sphere(1.0, 0.1), "SE3", position=[1, 0, -0.7], velocity=[0, 1, 0]
    )
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, box, at=[0, 0, 0], axis=[0, 1, 0])
    sl.Spring(model, "spring", box, ball, stiffness=50.0, at=[[0, 0, -0.7], [1, 0, -0.7]])
    model.output("height", ball.x[2], unit="m")
    model.initial(hinge, angle=0.2)
    return sl.solve(model.derive().compile(backend="numpy"), 0.05, h=0.01)


@pytest.mark.slow
def test_boxes_have_the_inertia_of_their_bodies() -> None:
    """Sides, centre and bars are where they must be at every time that is drawn."""
    solution, lines = swinging(), mechanism(swinging())
    assert lines is not None and len(lines.t) == len(solution.t) and lines.shows == "bodies and joints"
    assert lines.marked is not None and len(lines.marked) == 1 and len(lines.held) == 1
    turns, place = solution.rotation("box").as_matrix(), solution.field("box", "x")
    centres = place - 0.1 * turns[:, :, 2]
    ends = [lines.x[:, pair] for pair in lines.links]
    (bar,) = (end for end in ends if np.allclose(end[:, 1], 0))  # from the centre of mass to the hinge
    np.testing.assert_allclose(bar[:, 0], np.einsum("tij,j->ti", turns, [0, 0, -0.4]), atol=1e-9)
    np.testing.assert_allclose(bar[:, 0], centres, atol=1e-9)
    lengths = {round(float(np.linalg.norm(np.diff(lines.x[0, pair], axis=0))), 9) for pair in lines.thin}
    ball = round(float(0.1 * np.sqrt(12 / 5)), 9)  # of a cube with the inertia of a ball
    assert {*SIDES, ball} <= lengths
    assert len(lines.thin) == 2 * 12 + 2  # edges, the hinge's two points, the spring


@pytest.mark.slow
def test_mechanism_figure_has_its_panels() -> None:
    """Outputs of the model, coordinates of joints, energy and residuals; snapshots on request."""
    titles = [axes.get_title(loc="left").partition(") ")[2] for axes in plot_solution(swinging()).axes]
    assert titles == ["height", "hinge angle", "energy, relative change", "residuals of the constraints"]
    figure = plot_solution(swinging(), None, ["snapshots", "ball.x", "hinge_rate"])
    titles = [axes.get_title(loc="left").partition(") ")[2] for axes in figure.axes]
    assert titles == ["", *["snapshots of bodies and joints"] * (len(titles) - 3), "ball: position", "hinge rate"]


def test_planar_bodies_are_drawn() -> None:
    """Bodies with two joints are drawn as bars instead of squares."""
    model = sl.Model("double")
    upper = sl.RigidBody(model, "upper", 1.0, 0.1, "SE2", position=[0.5, 0])
    lower = sl.RigidBody(model, "lower", 1.0, 1 / 6, "SE2", position=[1.5, 0])
    sl.RevoluteJoint(model, "first", model.ground, upper, at=[0, 0])
    sl.RevoluteJoint(model, "second", upper, lower, at=[1, 0])
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.01, h=0.01)
    lines = mechanism(solution)
    assert lines is not None and lines.projections == [(0, 1)]
    np.testing.assert_allclose(np.linalg.norm(np.diff(lines.x[0][lines.links], axis=1), axis=-1).ravel(), 0.5)
    sides = np.linalg.norm(np.diff(lines.x[0][lines.thin], axis=1), axis=-1).ravel()
    assert np.isclose(sides, 1.0).sum() == 4
