"""Units of the fields of nodes."""

from __future__ import annotations

import pytest

import symlie as sl
from symlie.runtime.layout.quantities import field_unit

UNITS = {
    "SO3xR3": {"R": "1", "x": "m", "Omega": "rad/s", "x_dot": "m/s"},
    "SE3": {"R": "1", "x": "m", "Omega": "rad/s", "U": "m/s"},
    "S3xR3": {"p": "1", "x": "m", "Omega": "rad/s", "x_dot": "m/s"},
    "SO3rvxR3": {"psi": "rad", "x": "m", "Omega": "rad/s", "x_dot": "m/s"},
    "R3": {"x": "", "x_dot": ""},
}
"""Rⁿ alone may have any unit; its fields are lengths if the body also rotates."""


@pytest.mark.parametrize("group", UNITS)
def test_fields_of_bodies_have_units(group: str) -> None:
    model = sl.Model("units")
    body = model.node("body", group)
    model.kinetic_energy(body.v.dot(body.v) / 2)
    (node,) = model.derive().compile(backend="numpy").layout.nodes
    names = [f.name for f in (*node.type.storage_fields, *node.type.velocity_fields)]
    assert {name: field_unit(node.type, name) for name in names} == UNITS[group]
