"""Parameters by name, also where several element types have one of the same name."""

from __future__ import annotations

import functools

import pytest

import symlie as sl
from symlie.cli.values import quantity
from symlie.errors import UnknownNameError
from symlie.runtime.system.system import System


@functools.cache
def pair() -> System:
    """Two element types and the model itself, all with a mass."""
    model = sl.Model("pair")
    own = model.node("own", "R1")
    model.kinetic_energy(model.parameter("mass", 7.0) * own.x_dot.dot(own.x_dot) / 2)
    model.initial(own, x_dot=[1.0])
    nodes = model.node_array("nodes", sl.group_from_name("R1"), 3)
    for name, value, at in ("left", 1.0, [nodes[0]]), ("right", 5.0, [nodes[1], nodes[2]]):
        element = sl.ElementType(name, node="R1")
        mass = element.parameter("mass", value)
        element.kinetic_energy(mass * element.node.x_dot.dot(element.node.x_dot) / 2)
        element.parameter(f"only_{name}", 0.0)
        model.add(element, at)
    nodes.initial(x_dot=[[1.0]] * 3)
    return model.derive().compile(backend="numpy")


def energy(system: System) -> float:
    return float(sl.solve(system, 0.1, h=0.1).outputs["energy"][0])


def test_qualified_names_are_resolved() -> None:
    system = pair()
    assert energy(system) == (7 + 1 + 5 + 5) / 2
    assert energy(system.with_parameters(**{"left.mass": 3.0})) == (7 + 3 + 5 + 5) / 2
    name, value = quantity("right.mass=[2,4]")
    changed = system.with_parameters(**{name: value})
    assert energy(changed) == (7 + 1 + 2 + 4) / 2
    for name in ("mass", "pair.mass"):
        assert energy(system.with_parameters(**{name: 8.0})) == energy(system) + 0.5
    assert energy(system.with_parameters(**{"right.only_right": 1.0, "only_left": 2.0})) == energy(system)


def test_messages_list_valid_names() -> None:
    known = r"mass, left\.mass, right\.mass, only_left, only_right\."
    with pytest.raises(UnknownNameError, match=rf"'pair' has no parameter 'length'; it has: {known}"):
        pair().with_parameters(length=1.0)
    with pytest.raises(UnknownNameError, match=r"no parameter 'left\.only_right'"):
        pair().with_parameters(**{"left.only_right": 1.0})


def test_ambiguous_and_missing_parameters_are_reported() -> None:
    model = sl.Model("two")
    nodes = model.node_array("nodes", sl.group_from_name("R1"), 2)
    for k, name in enumerate(("left", "right")):
        element = sl.ElementType(name, node="R1")
        element.kinetic_energy(element.parameter("mass", 1.0) * element.node.x_dot.dot(element.node.x_dot) / 2)
        model.add(element, [nodes[k]])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(UnknownNameError, match=r"Several element types .* 'mass'; use left\.mass or right\.mass"):
        system.with_parameters(mass=2.0)
    bare = sl.Model("bare")
    q = bare.node("bead", "R1")
    bare.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    with pytest.raises(UnknownNameError, match="'bare' has no parameter 'mass'; it has none"):
        bare.derive().compile(backend="numpy").with_parameters(mass=2.0)
