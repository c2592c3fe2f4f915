"""Costs of models: their values and orders, minimal coordinates, and mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from tests import tolerances


def cart() -> tuple[sl.Model, Any, sl.Node]:
    model = sl.Model("cart")
    push, node = model.input("push", 1, unit="N"), model.node("cart", "R1", unit="m")
    model.kinetic_energy(node.x_dot[0] ** 2)
    model.generalized_force(node, [push])
    return model, push, node


def test_cost_is_the_integral_and_the_terminal_value() -> None:
    model, push, node = cart()
    model.cost(running=push**2 / 2, terminal=10 * (node.x[0] - 1) ** 2)
    system = model.derive().compile(backend="numpy").with_input("push", [0, 2], [4.0, 4.0])
    solution = sl.solve(system, 2.0, h=0.25)
    t = solution.t
    np.testing.assert_allclose(
        solution.outputs["cost"], 8 * t + 10 * (t**2 - 1) ** 2, rtol=tolerances.ROUNDING_OF_COSTS
    )


def test_running_cost_has_the_order_of_the_method() -> None:
    """The kinetic energy v² of x'' = -x with v = -sin t has the integral t/2 - sin(2 t)/4."""
    model, push, node = cart()
    model.potential_energy(node.x[0] ** 2)
    model.initial(node, x=[1.0])
    model.cost(running=node.x_dot[0] ** 2 + 0 * push)
    system = model.derive().compile(backend="numpy")
    exact = 0.5 - np.sin(2.0) / 4
    errors = [
        abs(sl.solve(system, 1.0, h=h, method="rkmk_kutta3").outputs["cost"][-1] - exact) for h in (1 / 128, 1 / 256)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3, abs=tolerances.ORDER_OF_COST)


def test_cost_in_minimal_coordinates_equals_cost_of_bodies() -> None:
    model = sl.Model("pendulum")
    rod = sl.RigidBody(model, "rod", 1.2, 0.1, "SE2", position=[0.4, 0])
    pivot = sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0])
    model.gravity([0, -9.81])
    model.cost(running=rod.x[1] ** 2, terminal=pivot.rate**2)
    costs = [
        sl.solve(m.derive().compile(backend="numpy"), 0.5, h=1 / 128).outputs["cost"][-1]
        for m in (model, sl.minimal_coordinates(model))
    ]
    assert costs[1] == pytest.approx(costs[0], rel=tolerances.SAME_COST)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({}, "The cost of 'cart' has no terms; give a running or a terminal cost"),
        ({"running": [1, 2]}, "The running cost of 'cart' must be a scalar, but has 2 components"),
        ({"terminal": sl.vector(1, 2, 3)}, "The terminal cost of 'cart' must be a scalar, but has 3 components"),
    ],
)
def test_mistake_of_a_cost_is_named(words: dict[str, Any], sentence: str) -> None:
    model, _, _ = cart()
    with pytest.raises(sl.errors.ModelError, match=f"^{sentence}"):
        model.cost(**words)
    assert not model.outputs and len(model.nodes) == 1


def test_unit_of_a_cost_is_checked() -> None:
    model, _, node = cart()
    with pytest.raises(sl.errors.ModelError, match=r"^The running cost of 'cart' is in W, but"):
        model.cost(running=model.parameter("weight", 1.0, unit="N") * node.x[0], unit="J")


def test_second_cost_is_refused() -> None:
    model, push, node = cart()
    model.cost(running=push**2)
    with pytest.raises(sl.errors.ModelError, match="has a cost already; state all of its terms at once"):
        model.cost(terminal=node.x[0])
