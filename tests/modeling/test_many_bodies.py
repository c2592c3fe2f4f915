"""Models of many bodies and joints."""

from __future__ import annotations

import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.modeling.node import Node


def chain(bodies: int) -> sl.Model:
    model = sl.Model("chain")
    before: sl.Connectable = model.ground
    for k in range(bodies):
        link = sl.RigidBody(
            model, f"link{k}", 1.0, [0.01, 0.01, 0.001], "SE3", position=[0.2 * k + 0.1, 0, 0], velocity=[0, 0, 0]
        )
        sl.RevoluteJoint(model, f"joint{k}", before, link, at=[0.2 * k, 0, 0], axis=[0, 1, 0])
        before = link
    model.gravity([0, 0, -9.81])
    return model


def symbols_of(node: Node) -> list[str]:
    """Values of a node that have symbols."""
    return [name for name in ("_value", "_velocity", "acceleration") if name in vars(node)]


def test_nodes_of_bodies_and_joints_have_no_symbols() -> None:
    model = chain(30)
    model.derive()
    assert [symbols_of(node) for node in model.nodes] == [[]] * 30


def test_terms_of_a_model_know_the_symbols_of_all_nodes() -> None:
    """Also of nodes that no statement has used: symbols of another model with equal names are the same symbols."""
    model, other = chain(2), chain(2)
    known = other.nodes[1]
    with pytest.raises(ModelError, match="depends on velocities"):
        model.potential_energy(known.Omega[0])
    delay = model.parameter("delay", 1.0, unit="s")
    with pytest.raises(ModelError, match=r"'delay' in s and 'link1\.x\[0\]' in m are added"):
        model.output("sum", delay + known.x[0])
