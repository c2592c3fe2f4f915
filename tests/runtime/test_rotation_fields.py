"""The field R of solutions, from each stored form of a rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import UnknownNameError
from tests import tolerances

STORED: list[tuple[str, dict[str, Any]]] = [
    ("SO3xR3", {}),
    ("S3", {}),
    ("SO3rvxR3", {}),
    ("SE2", {}),
    ("SO3xR3", {"coordinates": "euler_angles"}),
    ("SO3xR3", {"coordinates": "euler_parameters"}),
]


@pytest.mark.parametrize(("group", "coordinates"), STORED)
def test_field_r_is_the_rotation_matrix_for_every_storage(group: str, coordinates: dict[str, Any]) -> None:
    model = sl.Model("body")
    node = model.node("body", group, **coordinates)
    model.kinetic_energy(sum(c**2 for c in node.v) / 2)
    model.output("R", node.R)
    model.initial(node, rotation=sl.rotation(angle=0.7) if group == "SE2" else sl.rotation(axis=[1, 2, 3], angle=0.7))
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.05)
    found, expected = solution.field("body", "R"), solution.outputs["R"]
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=0, atol=tolerances.ROTATION_ROUNDING)


def test_field_r_of_a_node_array_has_one_matrix_for_each_node() -> None:
    model = sl.Model("bodies")
    body = sl.ElementType("body", node=sl.S3)
    body.kinetic_energy(body.node.Omega.dot(body.node.Omega) / 2)
    nodes = model.node_array("nodes", sl.S3, 3)
    model.add(body, nodes)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.1)
    assert solution.field("nodes", "R").shape == (2, 3, 3, 3)


def test_field_r_of_a_node_without_rotation_is_rejected() -> None:
    model = sl.Model("point")
    node = model.node("p", "R3")
    model.kinetic_energy(node.x_dot.dot(node.x_dot) / 2)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.1)
    with pytest.raises(UnknownNameError, match="'p' has no field 'R'"):
        solution.field("p", "R")
