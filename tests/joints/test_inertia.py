"""Inertia of bodies: solids, hollow forms, sums, meshes, and what no body has."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.inertia import checked_inertia

BOX = [0.2, 0.3, 0.5]


def box_mesh(sides: list[float], center: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """The surface of a box: 8 corners, 12 triangles."""
    corners = np.array(list(itertools.product(*[(-s / 2, s / 2) for s in sides]))) + center
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def sampled(inside: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Inertia of mass one, by points inside."""
    x = points[inside]
    x = x - x.mean(axis=0)
    second = x.T @ x / len(x)
    return np.trace(second) * np.eye(3) - second


def test_solids_and_shells_have_their_inertia() -> None:
    """Against sums over a grid of points, and thin forms against their limits."""
    line = np.linspace(-1, 1, 81)
    points = np.array(np.meshgrid(line, line, line, indexing="ij")).reshape(3, -1).T
    radius, rho = np.linalg.norm(points, axis=1), np.linalg.norm(points[:, :2], axis=1)
    cases = {
        "sphere": (sl.inertia.sphere(1, 1), radius < 1),
        "hollow sphere": (sl.inertia.hollow_sphere(1, 0.6, 1), (radius < 1) & (radius > 0.6)),
        "cylinder": (sl.inertia.cylinder(1, 0.8, 2), rho < 0.8),
        "tube": (sl.inertia.hollow_cylinder(1, 0.5, 0.9, 2), (rho < 0.9) & (rho > 0.5)),
        "hollow box": (sl.inertia.hollow_box(1, [1, 1, 2], [2, 2, 2]), abs(points[:, :2]).max(axis=1) > 0.5),
    }
    for name, (inertia, inside) in cases.items():
        np.testing.assert_allclose(inertia, sampled(inside, points), rtol=0.05, atol=1e-3, err_msg=name)
    np.testing.assert_allclose(np.diag(sl.inertia.rod(3, 2, axis=0)), [0, 1, 1])
    np.testing.assert_allclose(sl.inertia.cylinder(3, 1e-9, 2, axis=0), sl.inertia.rod(3, 2, axis=0), atol=1e-12)
    np.testing.assert_allclose(sl.inertia.hollow_sphere(3, 1, 1), 2 * np.eye(3))


def test_parts_are_combined_in_common_axes() -> None:
    """A box is two halves; a cube's inertia is the same about all axes; Steiner there and back."""
    half = sl.inertia.box(1, [0.1, 0.3, 0.5])
    whole = sl.inertia.total([(1, half, [0.05, 1, 2]), (1, half, [-0.05, 1, 2])])
    assert whole.mass == 2
    np.testing.assert_allclose(whole.center, [0, 1, 2])
    np.testing.assert_allclose(whole.inertia, sl.inertia.box(2, BOX))
    turn = sl.rotation(vector=[0.3, -0.5, 0.8])
    np.testing.assert_allclose(
        sl.inertia.rotated(sl.inertia.box(2, [1, 1, 1]), turn), sl.inertia.box(2, [1, 1, 1]), atol=1e-15
    )
    about_end = sl.inertia.parallel_axes(sl.inertia.rod(3, 2, axis=0), 3, [1, 0, 0])
    np.testing.assert_allclose(np.diag(about_end), [0, 4, 4])


def test_box_and_tetrahedron_meshes_have_exact_inertia() -> None:
    corners, triangles = box_mesh(BOX, (100.0, -20.0, 3.0))
    found = sl.inertia.mesh(corners, triangles, density=10.0)
    np.testing.assert_allclose(found.mass, 0.3)
    np.testing.assert_allclose(found.center, [100, -20, 3])
    np.testing.assert_allclose(found.inertia, sl.inertia.box(0.3, BOX), atol=1e-12)
    # ∫ x² = V/10·1/6·… of the corner tetrahedron: second moments 1/60, centre 1/4, volume 1/6.
    tetrahedron = sl.inertia.mesh(np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], 1)
    diagonal, mixed = 1 / 60 - 1 / 96, 1 / 120 - 1 / 96
    expected = 2 * diagonal * np.eye(3) - mixed * (np.ones((3, 3)) - np.eye(3))
    np.testing.assert_allclose(tetrahedron.inertia, expected, atol=1e-15)


@pytest.mark.parametrize(
    ("break_it", "sentence"),
    [
        (lambda t: t[:-1], "The mesh is not closed: the edge from vertex"),
        (lambda t: np.vstack([t[:-1], t[-1:, ::-1]]), "The mesh is not closed"),
        (lambda t: t[:, ::-1], "clockwise as seen from outside"),
        (lambda t: np.vstack([t, t]), "one edge twice"),
        (lambda t: t + 1, "indices of its vertices, from 0 to 7"),
    ],
)
def test_open_meshes_are_rejected(break_it: object, sentence: str) -> None:
    corners, triangles = box_mesh(BOX, (0, 0, 0))
    assert callable(break_it)
    with pytest.raises(ModelError, match=sentence):
        sl.inertia.mesh(corners, break_it(triangles), 1.0)


@pytest.mark.parametrize(
    ("inertia", "sentence"),
    [
        ([1, 1, -0.1], "The inertia of body 'b' is indefinite: a principal moment is -0.1"),
        ([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "The inertia of body 'b' is not symmetric"),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 1]], "indefinite"),
        ([1, 2], "three moments or a 3 × 3 matrix"),
        ("heavy", "three moments or a 3 × 3 matrix"),
    ],
)
def test_invalid_inertias_are_rejected(inertia: object, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        checked_inertia("b", inertia)


def test_violated_triangle_inequality_gives_a_warning() -> None:
    """Link 3 of the Puma violates it and must run; singular inertia is none of it."""
    with pytest.warns(sl.SymlieWarning, match="inertia of body 'link3' violates the triangle inequality"):
        assert np.trace(checked_inertia("link3", [0.066, 0.086, 0.0125])) > 0
    checked_inertia("link", sl.inertia.rod(1, 1))


@pytest.mark.parametrize(
    "refused",
    [
        lambda: sl.inertia.sphere(-1, 1),
        lambda: sl.inertia.hollow_sphere(1, 2, 1),
        lambda: sl.inertia.cylinder(1, 1, -1),
        lambda: sl.inertia.rod(1, 1, axis=3),
        lambda: sl.inertia.hollow_box(1, [1, 1, 1], [1, 1, 1]),
        lambda: sl.inertia.total([]),
    ],
)
def test_shapes_without_mass_or_extent_are_rejected(refused: object) -> None:
    assert callable(refused)
    with pytest.raises(ModelError, match=r"must be positive|needs|must not|0, 1 or 2"):
        refused()
