"""Optimal inputs: closed forms, targets by states and outputs, and mistakes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.system.system import System
from tests import tolerances

INERTIA, TIME = (1.0, 1.5, 2.0), 5.0


@functools.cache
def satellite() -> System:
    model = sl.Model("satellite")
    body = model.node("body", "SO3")
    torque = model.input("torque", 3, unit="N m")
    model.kinetic_energy(body.Omega.dot(sl.diag(*INERTIA) * body.Omega) / 2)
    model.generalized_force(body, Omega=torque)
    model.initial(body, R=np.eye(3), Omega=[0, 0, 0])
    model.output("spin", body.Omega)
    return model.derive().compile(backend="numpy")


@functools.cache
def cart() -> System:
    """A cart on a rail, with its position as a constraint in one direction."""
    model = sl.Model("cart")
    node = model.node("cart", sl.real_space(2))
    push = model.input("push", 1, unit="N")
    model.kinetic_energy(node.x_dot.dot(node.x_dot))
    model.generalized_force(node, x_dot=[push, 0])
    model.constraint("rail", node.x[1])
    model.output("place", node.x[0], unit="m")
    model.output("speed", node.x_dot[0], unit="m/s")
    return model.derive().compile(backend="numpy")


def half_turn(**options: Any) -> sl.OptimalControl:
    target = satellite().state(body={"R": np.diag([-1.0, -1.0, 1.0])})
    words = {"controls": "torque", "knots": 6, "target": target, "h": 0.25, **options}
    return sl.optimal_control(satellite(), TIME, **words)


def test_turn_about_principal_axis_has_closed_form() -> None:
    found, J = half_turn(), INERTIA[2]
    assert found.cost == pytest.approx(6 * J**2 * np.pi**2 / TIME**3, rel=tolerances.OPTIMAL_COST)
    assert found.violation < tolerances.OPTIMAL_END
    torque = found.values["torque"][:, 2]
    # Turns by π and by -π have the same target and cost.
    expected = np.sign(torque[0]) * 6 * J * np.pi / TIME**2 * (1 - 2 * found.times / TIME)
    np.testing.assert_allclose(torque, expected, rtol=0, atol=tolerances.OPTIMAL_INPUTS * np.abs(expected).max())
    np.testing.assert_allclose(
        found.solution.field("body", "R")[-1], np.diag([-1, -1, 1]), rtol=0, atol=tolerances.OPTIMAL_END
    )


def test_target_of_outputs_with_constraints_has_closed_form() -> None:
    """Rest to rest over a distance d in the time T: ∫ u²/2 dt = 6 m² d²/T³."""
    found = sl.optimal_control(
        cart(), 2.0, controls="push", knots=5, outputs={"place": 1.0, "speed": 0.0}, h=0.25, method="half_explicit_3"
    )
    assert found.cost == pytest.approx(6 * 2.0**2 / 2.0**3, rel=tolerances.OPTIMAL_COST)
    np.testing.assert_allclose(found.system.inputs["push"].values, found.values["push"])


def test_bounds_limit_inputs() -> None:
    found = half_turn(bounds={"torque": (-1.2, 1.2)}, knots=11)
    assert np.abs(found.values["torque"]).max() <= 1.2
    assert found.cost > 6 * INERTIA[2] ** 2 * np.pi**2 / TIME**3


def test_loss_replaces_a_target() -> None:
    """The final speed s of a mass m for the loss (s - 1)²/2 and the effort w T u²/2 of a constant force u."""

    def loss(solution: sl.Solution) -> tuple[float, dict[str, np.ndarray]]:
        speed = np.asarray(solution.outputs["speed"])
        weights = np.zeros_like(speed)
        weights[-1] = speed[-1] - 1
        return float((speed[-1] - 1) ** 2 / 2), {"speed": weights}

    found = sl.optimal_control(
        cart(),
        2.0,
        controls="push",
        knots=3,
        loss=loss,
        effort={"push": 0.5},
        h=0.5,
        method="half_explicit_3",
        tolerance=1e-14,
    )
    # With s = u T/m, the minimum of (s - 1)²/2 + w m² s²/(2 T) is at s = 1/(1 + w m²/T).
    assert np.asarray(found.solution.outputs["speed"])[-1] == pytest.approx(
        1 / (1 + 0.5 * 4 / 2), rel=tolerances.OPTIMAL_LOSS
    )


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"controls": "push"}, sl.errors.UnknownNameError, "no input 'push'; it has: torque"),
        ({"controls": []}, sl.errors.ModelError, "name at least one"),
        ({"knots": 1}, sl.errors.ModelError, "at least two"),
        ({"guess": {"torque": np.zeros(5)}}, sl.errors.ModelError, "needs 6 × 3 values, not 5"),
        ({"effort": -1.0}, sl.errors.ModelError, "must not be negative"),
        ({"bounds": {"spin": (0, 1)}}, sl.errors.UnknownNameError, "none of the controls torque"),
        ({"bounds": {"torque": (1, 2)}}, sl.errors.ModelError, "exclude its guess"),
        ({"bounds": {"torque": (1, -1)}}, sl.errors.ModelError, "exchange them"),
        ({"target": None, "outputs": {"spin": 1.0}}, sl.errors.ModelError, "needs 3 finite numbers"),
        ({"target": None, "outputs": {"tip": 1.0}}, sl.errors.UnknownNameError, "no output 'tip'"),
        ({"bounds": {"torque": (-0.1, 0.1)}}, sl.errors.NotConvergedError, "use more knots, a longer time"),
        ({"target": None}, sl.errors.ModelError, "Nothing is to be reached: give a target, outputs at the end, or"),
        ({"controls": [1]}, sl.errors.ModelError, r"controls must be a name or a list of names, such as \["),
        ({"target": None, "loss": 3.0}, sl.errors.ModelError, "The loss must be a function of the solution"),
        ({"method": "taylor"}, sl.errors.UnsupportedMethodError, "its steps are no step program"),
    ],
)
def test_mistake_is_named(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        half_turn(**options)


def test_target_state_with_constraints_is_refused() -> None:
    with pytest.raises(sl.errors.ModelError, match="depend on each other"):
        sl.optimal_control(cart(), 1.0, controls="push", target=cart().state())
