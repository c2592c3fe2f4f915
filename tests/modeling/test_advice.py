"""Messages that name the way on, where an expression or a file cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownFieldError


def oscillator(name: str) -> sl.Model:
    model = sl.Model(name)
    node = model.node("q", "R1")
    model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    model.initial(node, x=[0], x_dot=[1])
    return model


def test_array_nodes_without_index_are_explained() -> None:
    nodes = sl.Model("points").node_array("points", "R3", 3)
    for name in ("x", "x_dot"):
        with pytest.raises(UnknownFieldError, match=rf"points\[1\] is a node of an array.*ElementType.*'{name}'"):
            getattr(nodes[1], name)
        assert not hasattr(nodes[1], name)
    with pytest.raises(AttributeError, match="has no attribute 'y'"):
        _ = nodes[1].y


def test_error_for_first_order_rates_names_the_remedy() -> None:
    model = sl.Model("point")
    y = model.node("y", "S2")
    model.field(y, [0, 0, 1])
    part = y.group.storage_fields[0].name
    with pytest.raises(ModelError, match=r"complete; give its rates, as in model\.rate_along\("):
        model.rate(getattr(y, part)[0])


def test_start_error_suggests_with_state() -> None:
    solution = sl.solve(oscillator("first").derive().compile(backend="numpy"), 0.1, h=0.05)
    other = sl.Model("second")
    node = other.node("q", "R2")
    other.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    with pytest.raises(ModelError, match=r"system\.with_state\(solution\)"):
        sl.solve(other.derive().compile(backend="numpy"), 1.0, h=0.05, start=solution)


def test_flat_disk_prints_its_inclination() -> None:
    model = sl.Model("flat")
    disk = sl.RigidBody(model, "disk", mass=1, inertia=[1, 1, 2], position=[0, 0, 0])
    with pytest.raises(ModelError, match=r"enclose 0\.00057°"):
        sl.RollingContact(model, "roll", model.ground, disk, radius=1.0, axis=[1e-5, 0, 1])


def test_folder_contains_the_last_generated_model(tmp_path: Path) -> None:
    """Also after one with further sets of kernels; files of the user, and those that he changed, stay."""
    (tmp_path / "notes.txt").write_text("mine")
    for name in ("first", "second", "second"):
        oscillator(name).derive().generate(tmp_path)
        assert sl.load(tmp_path, backend="numpy", trust=True).name == name
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith("first") and p.suffix != ".md"]
