"""Rods, and lines between points."""

from __future__ import annotations

import numpy as np

import symlie as sl
from symlie.models import pendulum_chain, quadrotors
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import decoded
from symlie.view.lines import paths, relative_vectors
from tests import tolerances


def content(solution: Solution) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = solution.view().scene["solutions"][0]
    return found


def values(entry: dict[str, object], name: str) -> np.ndarray:
    return decoded(entry[name])


def arch() -> Solution:
    """A rod on a quarter of a circle, for an instant."""
    model = sl.Model("arch")
    sl.CosseratRod(
        model, "rod", segments=8, length=np.pi / 2, stiffness=[1.0] * 6, inertia=[1e-4] * 3 + [1.0] * 3,
        position=lambda s: (np.sin(s), 0, 1 - np.cos(s)),
        orientation=lambda s: sl.rotation(axis=[0, 1, 0], angle=np.pi / 2 - s),
        reference_strain="initial",
    )  # fmt: skip
    return sl.solve(model.derive().compile(backend="numpy"), 1e-3, h=5e-4)


def test_rod_is_drawn_as_a_tube_with_fields() -> None:
    solution = arch()
    solution.field("rod", "section_force")
    (rod,) = content(solution)["rods"]
    assert rod["name"] == "rod" and not rod["closed"]
    assert np.abs(values(rod, "positions") - solution.field("rod", "x")).max() <= tolerances.DRAWN_POSITION
    # A round cross section with the moments of inertia 1e-4 at the mass 1 has the radius 0.02.
    assert rod["radius"] == 0.02 or abs(float(str(rod["radius"])) - 0.02) < 1e-9
    fields = {f["label"]: decoded(f["values"]) for f in rod["fields"]}
    assert list(fields) == ["bending", "torsion", "stretch", "section force in N m", "section force in N"]
    assert max(np.abs(fields["bending"] - 1).max(), np.abs(fields["torsion"]).max()) < tolerances.DRAWN_STRAINS
    chord = 2 * np.sin(np.pi / 32) / (np.pi / 16)
    assert np.abs(fields["stretch"] - chord).max() < tolerances.DRAWN_STRAINS


def test_chain_is_drawn_as_one_line() -> None:
    solution = sl.solve(pendulum_chain.build(3).derive().compile(backend="numpy"), 0.1, h=0.05)
    found = content(solution)
    (line,) = found["rods"]
    assert np.abs(values(line, "positions") - solution.field("points", "x")).max() <= 3 * tolerances.DRAWN_POSITION
    assert line["rotations"] is None and "spheres" not in found


def test_rods_with_direction_states_are_drawn() -> None:
    solution = sl.solve(quadrotors.build().derive().compile(backend="numpy"), 0.1, h=0.05)
    view = solution.view()
    found = view.scene["solutions"][0]
    assert view.scene["up"] == [0.0, 0.0, -1.0]  # its third axis points along gravity
    assert found["bodies"]["names"] == ["vehicle1", "vehicle2"] and found["points"]["names"] == ["load"]
    assert "spheres" not in found
    first, _ = found["lines"]
    ends = [values(first, end) for end in ("from", "to")]
    assert np.abs(ends[0] - solution.outputs["vehicle1_x"]).max() <= 3 * tolerances.DRAWN_POSITION
    assert np.abs(ends[1] - solution.outputs["load"]).max() <= 3 * tolerances.DRAWN_POSITION


def test_paths_are_drawn() -> None:
    assert paths([(0, 1), (1, 2), (5, 6), (2, 3)]) == [[0, 1, 2, 3], [5, 6]]
    assert paths([(0, 1), (0, 2)]) == [[0, 1], [0, 2]]


def test_relative_rotations_are_drawn() -> None:
    a, b = np.array([[1.0, 0, 0, 0]]), np.array([[-np.cos(0.2), 0, -np.sin(0.2), 0]])
    assert np.allclose(relative_vectors(a, b), [[0, 0.4, 0]])
    assert np.allclose(relative_vectors(b, a), [[0, -0.4, 0]])
    assert not relative_vectors(a, a).any()


def test_many_bodies_have_no_arrows() -> None:
    model = sl.Model("beads")
    model.parameter("gravity", [0, 0, -9.81], unit="m/s^2")
    beads = model.node_array("beads", "R3", 100)
    element = sl.ElementType("bead", node="R3")
    element.kinetic_energy(element.node.x_dot.dot(element.node.x_dot) / 2)
    model.add(element, beads)
    found = content(sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.05))
    assert "arrows" not in found and "at most 64" in str(found["notes"])
