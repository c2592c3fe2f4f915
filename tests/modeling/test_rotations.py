"""Rotations for initial values and prescribed motions of any group, and as outputs of solutions."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Reference

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.rotations import Rotation
from symlie.runtime.system.system import System
from tests import tolerances

ROTATING = ("SO3", "S3", "SO3rv", "SE3", "S3sR3", "SO3xR3", "S3xR3")
"""Groups in space with each way to store a rotation."""

FORMS: dict[str, tuple[dict[str, Any], Reference]] = {
    "axis": ({"axis": [1, 2, -2], "angle": 0.7}, Reference.from_rotvec(0.7 / 3 * np.array([1, 2, -2]))),
    "fixed axes": ({"euler": "zyx", "angles": [0.3, -0.4, 1.1]}, Reference.from_euler("zyx", [0.3, -0.4, 1.1])),
    "turning axes": ({"euler": "ZYX", "angles": [0.3, -0.4, 1.1]}, Reference.from_euler("ZYX", [0.3, -0.4, 1.1])),
    "one angle": ({"euler": "y", "angles": 0.2}, Reference.from_euler("y", 0.2)),
    "vector": ({"vector": [0.1, -3.0, 0.2]}, Reference.from_rotvec([0.1, -3.0, 0.2])),
    "no turn": ({"vector": [0, 0, 0]}, Reference.identity()),
    "quaternion": ({"quaternion": [0.5, -0.5, 0.5, 0.5]}, Reference.from_quat([-0.5, 0.5, 0.5, 0.5])),
    "half turn": ({"matrix": np.diag([-1, 1, -1])}, Reference.from_rotvec([0, math.pi, 0])),
    "matrix": ({"matrix": Reference.from_rotvec([2, 1, -1]).as_matrix()}, Reference.from_rotvec([2, 1, -1])),
}


def assert_same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, atol=tolerances.ROTATION)


@pytest.mark.parametrize("form", FORMS)
def test_rotation_representations_agree_with_scipy(form: str) -> None:
    arguments, reference = FORMS[form]
    rotation = sl.rotation(**arguments)
    assert_same(np.reshape(rotation.matrix, (3, 3)), reference.as_matrix())
    assert_same(Reference.from_quat(np.roll(rotation.quaternion, -1)).as_matrix(), reference.as_matrix())
    assert_same(Reference.from_rotvec(rotation.vector).as_matrix(), reference.as_matrix())


@functools.cache
def system(group: str) -> System:
    """A spinning body whose initial rotation angle is a parameter."""
    model = sl.Model("body")
    tilt = model.parameter("tilt", 0.4)
    q = model.node("body", group)
    model.kinetic_energy(q.v.dot(q.v) / 2)
    model.initial(q, rotation=sl.rotation(axis=[0, 1, 0], angle=tilt), Omega=[0, 2.0, 0])
    return model.derive().compile(backend="numpy")


@pytest.mark.slow
@pytest.mark.parametrize("group", ROTATING)
def test_initial_rotation_is_returned_by_every_group(group: str) -> None:
    solution = sl.solve(system(group).with_parameters(tilt=0.5), 1.0, h=0.5)
    assert_same(solution.rotation("body").as_rotvec(), [[0, 0.5 + 2 * t, 0] for t in solution.t])
    arguments, reference = FORMS["turning axes"]
    changed = sl.solve(system(group).with_initial("body", rotation=sl.rotation(**arguments)), 0.5, h=0.5)
    assert_same(changed.rotation("body").as_euler("ZYX")[0], [0.3, -0.4, 1.1])
    by_words = system(group).with_initial("body", rotation={"euler": "ZYX", "angles": [0.3, -0.4, 1.1]})
    assert_same(sl.solve(by_words, 0.5, h=0.5).q, changed.q)
    assert_same(changed(0.0).rotation("body").as_matrix(), reference.as_matrix())


def test_rotation_field_can_be_named() -> None:
    model = sl.Model("pair")
    q = model.node("pair", "SO3xS3")
    model.kinetic_energy(q.v.dot(q.v) / 2)
    turned = sl.rotation(axis=[0, 0, 1], angle=90 * sl.deg)
    with pytest.raises(UnknownNameError, match="several rotations; give R= and p="):
        model.initial(q, rotation=turned)
    model.initial(q, R=turned, p=turned)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.1)
    for field in ("R", "p"):
        assert_same(solution.rotation("pair", field=field).as_euler("ZYX", degrees=True)[:, 0], 90)
    with pytest.raises(UnknownNameError, match="several rotations; give field, one of R, p"):
        solution.rotation("pair")


def test_arrays_and_planar_rotations_are_supported() -> None:
    model = sl.Model("plane")
    wheel, bodies = model.node("wheel", sl.SE2), model.node_array("bodies", sl.S3, 2)
    model.kinetic_energy(wheel.v.dot(wheel.v) / 2)
    model.initial(wheel, rotation=sl.rotation(angle=30 * sl.deg))
    bodies.initial(rotation=lambda k: sl.rotation(axis=[0, 0, 1], angle=0.1 + k), Omega=[0, 0, 0])
    body = sl.ElementType("body", node=sl.S3)
    body.kinetic_energy(body.node.Omega.dot(body.node.Omega) / 2)
    model.add(body, bodies)
    start = model.derive().compile(backend="numpy")
    solution = sl.solve(start, 0.1, h=0.1)
    assert_same(solution.field("wheel", "p")[0], [math.cos(math.pi / 6), 0.5])
    assert_same(solution.rotation("bodies", 1).as_rotvec()[0], [0, 0, 1.1])
    several = start.with_initial("bodies", p=[sl.rotation(vector=[0, 0, c]) for c in (0.2, 0.3)])
    assert_same(sl.solve(several, 0.1, h=0.1).rotation("bodies", -1).as_rotvec()[0], [0, 0, 0.3])
    with pytest.raises(UnknownNameError, match=r"no rotation in space; its angle is solution\.angle"):
        solution.rotation("wheel")
    with pytest.raises(ModelError, match="has 2 nodes; give the index"):
        solution.rotation("bodies")
    with pytest.raises(ModelError, match="needs an axis"):
        start.with_initial("bodies", rotation=sl.rotation(angle=1.0))
    with pytest.raises(ModelError, match="has no axis"):
        start.with_initial("wheel", rotation=sl.rotation(axis=[0, 0, 1], angle=1.0))


def test_manifold_points_and_prescribed_motions_are_supported() -> None:
    model = sl.Model("driven")
    point = model.node("point", sl.translation_space(sl.S3, "right"))
    model.field(point, Omega=[0, 0, 1])
    base = model.node("base", sl.S3sR3)
    model.prescribe(base, rotation=sl.rotation(axis=[0, 0, 2], angle=3 * model.t), x=[0, 0, 0])
    bead = model.node("bead", "R1")
    model.kinetic_energy(bead.x_dot.dot(bead.x_dot) / 2)
    model.initial(point, rotation=sl.rotation(euler="Z", angles=[0.5]))
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.2, h=0.1, method="rkmk_rk44")
    assert_same(solution.rotation("base").as_rotvec()[:, 2], 3 * solution.t)
    assert_same(solution.rotation("point").as_rotvec()[:, 2], 0.5 + solution.t)


def test_rod_rotations_are_supported() -> None:
    """Along a rod and for all of it, on both of its groups."""
    turned = sl.rotation(axis=[0, 1, 0], angle=90 * sl.deg)
    for group, orientation in ((sl.SE3, lambda s: turned), (sl.S3sR3, turned)):
        model = sl.Model("rope")
        rod = sl.CosseratRod(
            model, "rod", segments=2, length=1.0, group=group, position=lambda s: (s, 0, 0), orientation=orientation,
            stiffness=np.ones(6), inertia=np.ones(6),
        )  # fmt: skip
        form = "matrix" if group is sl.SE3 else "quaternion"
        assert_same(rod.nodes.storage[:, : len(getattr(turned, form))], [getattr(turned, form)] * 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "by axis= and angle="),
        ({"axis": [0, 0, 1]}, "by axis= and angle="),
        ({"angle": 1, "angles": [1]}, "by axis= and angle="),
        ({"euler": "zyx", "angle": 1}, "euler= and angles="),
        ({"matrix": np.eye(3), "vector": [0, 0, 0]}, "matrix=, quaternion= or vector="),
        ({"axis": [0, 0, 0], "angle": 1}, "must have a direction"),
        ({"axis": [0, 1], "angle": 1}, "3 components, not 2"),
        ({"euler": "zYx", "angles": [1, 2, 3]}, "not 'zYx'"),
        ({"euler": "zzx", "angles": [1, 2, 3]}, "not 'zzx'"),
        ({"euler": "zyx", "angles": [1, 2]}, "are 3, not 2"),
        ({"matrix": [[1, 0.01, 0], [0, 1, 0], [0, 0, 1]]}, r"orthonormality by 0\.01"),
        ({"matrix": np.diag([1, 1, -1])}, "reflection"),
        ({"matrix": np.eye(2)}, "needs 3 × 3 finite numbers"),
        ({"matrix": np.full((3, 3), np.nan)}, "needs 3 × 3 finite numbers"),
        ({"quaternion": [1, 1, 0, 0]}, r"not 1\.41421356; its scalar part comes first"),
        ({"quaternion": [1, 0, 0]}, "needs 4 finite numbers"),
        ({"quaternion": ["a", 0, 0, 0]}, "must consist of numbers"),
    ],
)
def test_invalid_rotations_are_reported(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        sl.rotation(**arguments)


def test_rotations_in_wrong_places_are_reported() -> None:
    turned = sl.rotation(axis=[0, 0, 1], angle=1.0)
    model = sl.Model("m")
    point, body = model.node("point", "R3"), model.node("body", sl.SE3)
    with pytest.raises(UnknownNameError, match="Node 'point' on R3 has no rotation for an initial value; it has: x"):
        model.initial(point, rotation=turned)
    with pytest.raises(ModelError, match="no rotation in its field 'x'"):
        model.initial(body, x=turned)
    with pytest.raises(ModelError, match="given its rotation twice"):
        model.initial(body, rotation=turned, R=sl.eye(3))
    with pytest.raises(ModelError, match=r"must be an sl\.rotation"):
        model.initial(body, rotation=[0, 0, 1])
    with pytest.raises(ModelError, match="is not usable"):
        system("S3").with_initial("body", rotation={"axes": [0, 0, 1]})
    rv = sl.Model("rv")
    tilt = rv.parameter("tilt", 0.1)
    with pytest.raises(ModelError, match="depends on parameters must be given by axis="):
        rv.initial(rv.node("body", sl.SO3rv), rotation=sl.rotation(euler="zx", angles=[tilt, 0]))
    assert repr(turned) == "Rotation(0.8775825618903728, 0.0, 0.0, 0.479425538604203)"
    assert isinstance(turned, Rotation)
