"""Work of friction: closed forms, balances of energy with impacts, and the warning about the energy."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.options import Backend
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_contacts import ball_model
from tests.runtime.test_friction import bead, clutch

G, MASS, SPEED = 9.81, 2.0, 3.0
BACKENDS: tuple[Backend, ...] = ("c", "numpy")


@functools.cache
def thrown_ball(backend: Backend, height: float = 0.0) -> System:
    """A solid ball of the radius 0.1 m in a plane, thrown horizontally without spin."""
    model = sl.Model("loss_thrown" if height else "loss_ball")
    ball = model.node("ball", "R3")
    u, w, spin = ball.x_dot
    model.kinetic_energy(MASS * (u**2 + w**2 + 0.4 * 0.1**2 * spin**2) / 2)
    model.potential_energy(MASS * G * ball.x[1])
    model.contact("floor", ball.x[1], slip=u + 0.1 * spin, friction=0.2, restitution=0.5)
    model.initial(ball, x=[0, height, 0], x_dot=[SPEED, 0, 0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_ball_that_slides_until_it_rolls_loses_two_sevenths_of_its_energy(backend: Backend) -> None:
    solution = sl.solve(thrown_ball(backend), 1.0, rtol=1e-10)
    (loss,) = solution.friction_losses.values()
    assert abs(loss[-1] - 2 / 7 * MASS * SPEED**2 / 2) <= tolerances.FRICTION_LOSS
    assert np.abs(solution.outputs["energy"] + loss - solution.outputs["energy"][0]).max() <= tolerances.FRICTION_LOSS
    is_rolling = solution.outputs["floor_state"] == 2
    assert is_rolling.any() and (solution.outputs["floor_dissipation"][is_rolling] == 0).all()


def test_losses_of_impacts_and_friction_balance_the_energy() -> None:
    """Impacts accumulate while the ball still slides, so that their rest is one step with friction."""
    solution = sl.solve(thrown_ball("c", 0.2), 2.0, rtol=1e-10)
    impacts = solution.impacts
    assert impacts[-1].duration > 0
    lost = solution.friction_losses["floor"][-1] + sum(impact.energy_loss for impact in impacts)
    energy = solution.outputs["energy"]
    assert abs(energy[-1] + lost - energy[0]) <= tolerances.FRICTION_LOSS
    # Work before the last impact would be part of its loss.
    assert solution.friction_losses["floor"][np.searchsorted(solution.t, impacts[-1].t + impacts[-1].duration)] == 0


@functools.cache
def blocks(backend: Backend) -> System:
    """Two blocks of an element type that slide on a floor with 3 m/s and 6 m/s."""
    kind = sl.ElementType("loss_block", own=sl.group_from_name("R2"))
    kind.kinetic_energy(MASS * kind.own.x_dot.dot(kind.own.x_dot) / 2)
    kind.potential_energy(MASS * G * kind.own.x[1])
    kind.contact("floor", kind.own.x[1], slip=kind.own.x_dot[0], friction=0.3)
    model = sl.Model("loss_blocks")
    nodes = [model.node(f"block_{k}", "R2") for k in range(2)]
    model.add(kind, [(node,) for node in nodes])
    for k, node in enumerate(nodes):
        model.initial(node, x=[0, 0], x_dot=[SPEED * (k + 1), 0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize(("options", "backend"), [
    ({"rtol": 1e-10}, "c"), ({"rtol": 1e-10}, "numpy"), ({"h": 0.01}, "c"),
    ({"method": "rattlie", "h": 0.01}, "c"), ({"method": "rattlie", "h": 0.01}, "numpy"),
    ({"method": "moreau_jean", "h": 0.01}, "c"),
])  # fmt: skip
def test_blocks_that_slide_to_rest_lose_their_kinetic_energy(options: dict[str, Any], backend: Backend) -> None:
    solution = sl.solve(blocks(backend), 3.0, **options)
    # In time stepping, the first step closes the contacts, and its friction is part of this impact.
    lost = solution.friction_losses["floor"] + sum(impact.energy_loss for impact in solution.impacts)
    assert abs(lost[-1] - MASS * SPEED**2 * 5 / 2) <= tolerances.FRICTION_LOSS
    assert np.abs(solution.outputs["energy"] + lost - lost[-1])[1:].max() <= tolerances.FRICTION_LOSS


@pytest.mark.parametrize(("make", "options"), [
    (bead, {"rtol": 1e-10}), (clutch, {"rtol": 1e-10}), (clutch, {"method": "taylor", "rtol": 1e-12}),
    (clutch, {"method": "bdf", "rtol": 1e-10}),
])  # fmt: skip
def test_friction_of_constraints_balances_the_energy(make: Any, options: dict[str, Any]) -> None:
    solution = sl.solve(make("c"), 3.0, **options)
    (loss,) = solution.friction_losses.values()
    energy = solution.outputs["energy"]
    assert loss[-1] > 1 and np.abs(energy + loss - energy[0]).max() <= tolerances.FRICTION_LOSS


def test_models_without_friction_have_no_losses_of_it() -> None:
    assert sl.solve(ball_model().derive().compile(), 1.0).friction_losses == {}


def test_losses_need_all_steps() -> None:
    solution = sl.solve(bead("c"), 1.0, record_every=5)
    with pytest.raises(ModelError, match="known from all states; solve without t_eval"):
        _ = solution.friction_losses


@functools.cache
def braked_oscillator() -> System:
    """An oscillator with weak dry friction."""
    model = sl.Model("loss_oscillator")
    mass = model.node("mass", "R1")
    model.kinetic_energy(mass.x_dot[0] ** 2 / 2)
    model.potential_energy(50 * mass.x[0] ** 2)
    model.friction("brake", limit=1e-3, slip=mass.x_dot[0])
    model.initial(mass, x=[1.0], x_dot=[0.0])
    return model.derive().compile()


def test_energy_that_friction_does_not_dissipate_is_reported() -> None:
    """The implicit Euler method damps the oscillation."""
    with pytest.warns(sl.SymlieWarning, match="with the losses of impacts and friction, which the model conserves"):
        sl.solve(braked_oscillator(), 5.0, method="bdf1", h=0.05)


@pytest.mark.parametrize("options", [{}, {"rtol": 1e-3}, {"method": "taylor"}, {"method": "bdf"}])
def test_energy_that_friction_dissipates_is_not_reported(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.solve(braked_oscillator(), 5.0, **options)
