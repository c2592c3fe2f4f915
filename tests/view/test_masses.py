"""Boxes have the mass and inertia of the bodies that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.view.bodies import known_bodies
from symlie.view.masses import THINNEST
from tests import tolerances
from tests.view.models import BODIES, CENTER, INERTIA, MASS, eccentric, everything_moving


def inertia_of_box(box: tuple[np.ndarray, np.ndarray], mass: float) -> np.ndarray:
    sides, axes = box
    squares = sides**2
    return np.asarray(axes @ np.diag(mass / 12 * (squares.sum() - squares)) @ axes.T)


@pytest.mark.slow
@pytest.mark.parametrize("group", BODIES)
def test_eccentric_bodies_have_boxes_at_their_centre_of_mass(group: str) -> None:
    solution = sl.solve(eccentric(), 0.1, h=0.1)
    body = known_bodies(solution)[f"on_{group}"]
    expected = sl.inertia.rotated(INERTIA, sl.rotation(axis=[1, 2, 3], angle=0.7))
    assert body.mass == pytest.approx(MASS, rel=tolerances.PRINCIPAL_BOX)
    assert np.abs(body.center - CENTER).max() <= tolerances.PRINCIPAL_BOX
    box = body.box
    assert box is not None and np.linalg.det(box[1]) == pytest.approx(1.0)
    assert np.abs(inertia_of_box(box, MASS) - expected).max() <= tolerances.PRINCIPAL_BOX


@pytest.mark.slow
@pytest.mark.parametrize("name", ["angles", "parameters"])
def test_classical_coordinates_have_boxes(name: str) -> None:
    body = known_bodies(everything_moving())[name]
    assert body.mass == pytest.approx(MASS)
    assert np.abs(body.inertia - np.diag(INERTIA)).max() <= tolerances.PRINCIPAL_BOX


def test_planar_and_purely_rotational_nodes_have_boxes() -> None:
    found = known_bodies(everything_moving())
    turned = found["turned"]
    assert turned.mass is None and turned.box is not None and turned.box[0].max() == 1.0
    flat = found["flat"].box
    assert flat is not None
    assert MASS * (flat[0][0] ** 2 + flat[0][1] ** 2) / 12 == pytest.approx(INERTIA[2])


def test_disk_without_thickness_is_visible() -> None:
    solution = everything_moving()
    body = known_bodies(solution)["turned"]
    disk = type(body)(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0]), False).box
    assert disk is not None and disk[0].min() == pytest.approx(THINNEST * disk[0].max())


def test_minimal_coordinates_have_boxes() -> None:
    model = sl.Model("pendulum")
    inertia = sl.inertia.box(1.2, [0.1, 0.2, 0.8])
    rod = sl.RigidBody(model, "rod", 1.2, inertia, position=[0, 0, -0.4])
    sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    model.gravity([0, 0, -9.81])
    model.shape(rod, sl.sphere(0.1), at=[0, 0, -0.4])
    system = sl.minimal_coordinates(model).derive().compile(backend="numpy")
    solution = sl.solve(system.with_initial("pivot", x=[0.3]), 0.2, h=0.1)
    content = solution.view().scene["solutions"][0]
    assert content["bodies"]["names"] == ["rod"] and "points" not in content
    assert [s["kind"] for s in content["shapes"]] == ["sphere"]
    box = known_bodies(solution)["rod"].box
    assert box is not None and np.allclose(sorted(box[0]), [0.1, 0.2, 0.8])
    assert np.allclose(Rotation.from_matrix(box[1]).magnitude() % (np.pi / 2), 0, atol=1e-6)
