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
}
"""Fields of bodies, whose coordinates are lengths."""

COORDINATES = {"": ("", ""), "1": ("1", "1/s"), "rad": ("rad", "rad/s"), "N m": ("N m", "N m/s")}
"""Units of coordinates in Rⁿ and of their rates."""


@pytest.mark.parametrize("group", UNITS)
def test_fields_of_bodies_have_units(group: str) -> None:
    model = sl.Model("units")
    body = model.node("body", group)
    model.kinetic_energy(body.v.dot(body.v) / 2)
    (node,) = model.derive().compile(backend="numpy").layout.nodes
    names = [f.name for f in (*node.type.storage_fields, *node.type.velocity_fields)]
    assert {name: field_unit(node, name) for name in names} == UNITS[group]


@pytest.mark.parametrize("unit", COORDINATES)
def test_coordinates_have_the_units_of_their_node(unit: str) -> None:
    """Models that differ only in units share their kernels."""
    model = sl.Model("units")
    a = model.node("a", "R2", unit)
    model.kinetic_energy(a.v.dot(a.v) / 2)
    (node,) = model.derive().compile(backend="numpy").layout.nodes
    assert (field_unit(node, "x"), field_unit(node, "x_dot")) == COORDINATES[unit]
