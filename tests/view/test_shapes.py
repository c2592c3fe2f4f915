"""Shapes are part of the statement, and of nothing that is derived or compiled."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile import cache
from symlie.contract.attached_shapes import FILE
from symlie.derive import equations
from symlie.errors import FormatError, ModelError, UnknownNameError
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.record import model_hash
from symlie.runtime.system.system import System
from symlie.utilities.encoding import decoded
from symlie.utilities.showing import LONGEST_LINE
from tests.view.models import ball_model

STL = """solid corner
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 2 0 0
vertex 0 3 0
endloop
endfacet
endsolid corner
"""


def shapes(solution: Solution) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = solution.view().scene["solutions"][0]["shapes"]
    return found


def solved(model: sl.Model, backend: str = "numpy") -> Solution:
    return sl.solve(model.derive().compile(backend=backend), 0.1, h=0.05)


def shaped(*stated: sl.Shape, **where: Any) -> sl.Model:
    model = ball_model()
    for shape in stated:
        model.shape(model.nodes[0], shape, **where)
    return model


def test_all_shapes_are_drawn() -> None:
    kinds = [sl.box(1, 2, 3), sl.cylinder(1, 2), sl.sphere(1), sl.capsule(1, 2), sl.arrow(2), sl.tube(2, 1, 3)]
    found = shapes(solved(shaped(*kinds)))
    assert [s["kind"] for s in found] == ["box", "cylinder", "sphere", "capsule", "arrow", "tube"]
    assert found[0]["size"] == [1.0, 2.0, 3.0] and found[5]["inner_radius"] == 1.0
    assert found[4]["radius"] == 0.05


def test_bars_connect_the_joints_of_planar_bodies() -> None:
    """A crank of two joints, a plate of three, a pendulum of one away from its centre, and a disk at its centre."""
    model = sl.Model("links")
    places = {"crank": (0.5, 0), "plate": (2, 0.5), "pendulum": (2, 3), "disk": (3, 0)}
    bodies = {name: sl.RigidBody(model, name, 1.0, 1.5, "SE2", position=at) for name, at in places.items()}
    sl.RevoluteJoint(model, "pivot", model.ground, bodies["crank"], at=[0, 0])
    sl.RevoluteJoint(model, "pin", bodies["crank"], bodies["plate"], at=[1, 0])
    sl.RevoluteJoint(model, "bolt", bodies["plate"], bodies["pendulum"], at=[2, 2])
    sl.RevoluteJoint(model, "hub", bodies["plate"], bodies["disk"], at=[3, 0])
    found = shapes(solved(model))
    of = [[s for s in found if s["body"] == k] for k in range(4)]
    assert [len(s) for s in of] == [1, 3, 2, 1]
    (crank,) = of[0]
    width = crank["size"][1]
    assert crank["at"] == pytest.approx([0, 0, 0]) and crank["size"][0] == pytest.approx(1 + width)
    corners = {"pin": (-1, -0.5), "bolt": (0, 1.5), "hub": (1, -0.5)}
    sides = [(corners[a], corners[b]) for a, b in (("hub", "pin"), ("pin", "bolt"), ("bolt", "hub"))]
    for bar, (a, b) in zip(of[1], sides, strict=True):
        assert bar["at"][:2] == pytest.approx(np.add(a, b) / 2)
        assert bar["size"][0] - width == pytest.approx(np.hypot(*np.subtract(a, b)))
        cosine, sine = np.subtract(b, a) / np.hypot(*np.subtract(b, a))
        w, _, _, z = bar["rotation"]
        assert (w * w - z * z, 2 * w * z) == pytest.approx((cosine, sine))
    square, rod = of[2]
    assert square["size"][:2] == [3.0, 3.0] and rod["at"] == pytest.approx([0, -0.5, 0])
    assert of[3][0]["size"][:2] == [3.0, 3.0]


def test_bars_have_a_minimum_width() -> None:
    model = sl.Model("pendulum")
    bob = sl.RigidBody(model, "bob", 1.0, 0.1, "SE2", position=[0, -2])
    sl.RevoluteJoint(model, "pivot", model.ground, bob, at=[0, 0])
    _, rod = shapes(solved(model))
    assert rod["size"][1] > 0.01 and rod["size"][0] == pytest.approx(2 + rod["size"][1])


def test_shapes_have_positions_rotations_and_colours() -> None:
    turned = sl.rotation(axis=[0, 0, 1], angle=np.pi)
    (found,) = shapes(solved(shaped(sl.sphere(1), at=[1, 2, 3], rotation=turned, color=(1, 0, 0.5))))
    assert found["at"] == [1.0, 2.0, 3.0] and found["color"] == "#ff0080"
    assert np.allclose(found["rotation"], [0, 0, 0, 1])


def test_shapes_can_be_attached_to_objects() -> None:
    model = sl.Model("many")
    body = sl.RigidBody(model, "body", 1.0, [1, 1, 1])
    beads = model.node_array("beads", "R3", 3)
    element = sl.ElementType("bead", node="R3")
    element.kinetic_energy(element.node.x_dot.dot(element.node.x_dot) / 2)
    model.add(element, beads)
    model.shape(body, sl.sphere(1))
    model.shape(beads[1], sl.sphere(2))
    model.shape(beads, sl.box(1, 1, 1))
    model.shape(model.ground, sl.box(5, 5, 0.1))
    model.shape("body", sl.sphere(3))
    scene = solved(model).view().scene["solutions"][0]
    names = scene["bodies"]["names"]
    assert names == ["body", "beads[0]", "beads[1]", "beads[2]", "ground"]
    assert scene["bodies"]["fixed"] == [False, False, False, False, True]
    assert [names[s["body"]] for s in scene["shapes"]] == [
        "body", "body", "beads[0]", "beads[1]", "beads[1]", "beads[2]", "ground",
    ]  # fmt: skip


def test_shapes_can_be_attached_to_rod_nodes() -> None:
    model = sl.Model("rope")
    rod = sl.CosseratRod(
        model, "rod", segments=2, length=1.0, stiffness=[1.0] * 6, inertia=[1.0] * 6,
        position=lambda s: (0, 0, s), orientation=(1, 0, 0, 0),
    )  # fmt: skip
    model.shape(rod, sl.box(0.1, 0.1, 0.01))
    scene = solved(model).view().scene["solutions"][0]
    assert scene["bodies"]["names"] == ["rod[0]", "rod[1]", "rod[2]"] and len(scene["rods"]) == 1


def test_changing_a_shape_neither_derives_nor_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    first = shaped(sl.sphere(1)).derive().compile()
    ran: list[object] = []
    monkeypatch.setattr(equations, "derive_statement", ran.append)
    monkeypatch.setattr(cache, "run_compiler", lambda *a: ran.append(a))
    second = shaped(sl.box(1, 1, 1), sl.sphere(2)).derive().compile()
    assert not ran
    assert [s.shape.kind for s in second.shapes] == ["box", "sphere"]
    assert model_hash(first) == model_hash(second) == model_hash(ball_model().derive().compile())


def test_shapes_can_be_pickled(tmp_path: Path) -> None:
    model = shaped(sl.sphere(1), sl.box(1, 2, 3), color="#123456")
    solution = solved(model)
    expected = shapes(solution)
    for name in ("ball.nc", "ball.npz"):
        solution.save(tmp_path / name)
        assert shapes(sl.load_solution(tmp_path / name, trust=True)) == expected
    assert shapes(pickle.loads(pickle.dumps(solution))) == expected
    folder = model.derive().generate(tmp_path / "ball")
    assert shapes(sl.solve(sl.load(folder, backend="numpy", trust=True), 0.1, h=0.05)) == expected


def test_pickled_systems_keep_their_shapes() -> None:
    both = [shaped(shape).derive().compile(backend="numpy") for shape in (sl.sphere(1), sl.box(1, 1, 1))]
    back: list[System] = [pickle.loads(pickle.dumps(system)) for system in both]
    assert [s.shapes[0].shape.kind for s in back] == ["sphere", "box"]


def test_no_file_is_written_without_shapes() -> None:
    assert FILE not in ball_model().derive().compile(backend="numpy").files


def test_mesh_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "corner.stl").write_text(STL)
    (found,) = shapes(solved(shaped(sl.mesh(tmp_path / "corner.stl", scale=0.5))))
    corners = decoded(found["vertices"])[decoded(found["triangles"]).ravel()]
    assert sorted(corners.tolist()) == [[0, 0, 0], [0, 1.5, 0], [1, 0, 0]]
    assert repr(sl.mesh(tmp_path / "corner.stl")) == "Shape(mesh; 1 triangles)"
    shown = repr(shaped(sl.mesh(tmp_path / "corner.stl")).shapes[0])
    assert shown.startswith("AttachedShape(node='ball'") and len(shown) <= LONGEST_LINE


def test_unreadable_meshes_are_reported(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"There is no mesh file .*none\.stl"):
        sl.mesh(tmp_path / "none.stl")
    damaged = tmp_path / "damaged.stl"
    damaged.write_bytes(b"\0" * 100)
    with pytest.raises(FormatError, match=r"damaged\.stl"):
        sl.mesh(damaged)
    (tmp_path / "text.obj").write_text("nothing of the kind")
    with pytest.raises(FormatError, match=r"text\.obj"):
        sl.mesh(tmp_path / "text.obj")
    large = tmp_path / "large.stl"
    with large.open("wb") as file:
        file.truncate(20_000_001)
    with pytest.raises(FormatError, match="at most 20 MB"):
        sl.mesh(large)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: sl.box(1, 0, 1), "The y of a box is 0; it must be positive"),
        (lambda: sl.sphere(-1), "The radius of a sphere is -1"),
        (lambda: sl.cylinder(1, float("nan")), "The length of a cylinder is nan"),
        (lambda: sl.tube(1, 2, 1), "inner radius of a tube is 2"),
        (lambda: sl.capsule(1, "long"), "The length of a capsule must be a number"),
        (lambda: sl.mesh("x.stl", scale=0), "The scale of a mesh is 0"),
    ],
)
def test_sizes_are_positive(make: Any, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        make()


def test_invalid_shapes_are_rejected() -> None:
    model, other = ball_model(), ball_model()
    for node in (other.nodes[0], "bat", 3):
        with pytest.raises(UnknownNameError, match="it has: ball"):
            model.shape(node, sl.sphere(1))
    with pytest.raises(ModelError, match=r"sl\.box"):
        model.shape(model.nodes[0], "sphere")
    for wrong in ({"at": [1]}, {"at": "here"}, {"color": "red"}, {"color": (2, 0, 0)}, {"rotation": [1, 0, 0, 0]}):
        with pytest.raises(ModelError):
            model.shape(model.nodes[0], sl.sphere(1), **wrong)
    assert model.shapes == []


def test_damaged_shape_file_is_reported(tmp_path: Path) -> None:
    folder = shaped(sl.sphere(1)).derive().generate(tmp_path / "ball")
    system = sl.load(folder, backend="numpy", trust=True)
    later = json.dumps({"format": 99, "shapes": []})
    with pytest.raises(FormatError, match="format 99"):
        _ = System(**{**vars(system), "files": {**system.files, FILE: later}}).shapes
