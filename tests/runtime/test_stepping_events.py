"""Events of models in time stepping with contacts: closed forms, changes of the state, and equal backends."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symlie as sl
from symlie.options import Backend
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.heaps import gaps
from tests.runtime.test_contacts import BACKENDS

G, FRICTION, SPEED, WALL = 9.81, 0.1, 3.0, 1.0


def block(backend: Backend, change: str = "") -> System:
    """A block slides on a floor to a wall, where it is reversed or clamped, or which it passes."""
    model = sl.Model(f"contact_block_{change or 'passes'}")
    body = model.node("block", "R2")
    model.kinetic_energy(body.x_dot.dot(body.x_dot))
    model.potential_energy(2 * G * body.x[1])
    model.contact("floor", body.x[1], slip=body.x_dot[0], friction=FRICTION)
    model.event("wall", body.x[0] - WALL, "rising", terminal=False)
    model.event("clock", model.t - 0.123, "rising", terminal=False)
    if change == "reversed":
        model.reset("wall", body, x_dot=[-body.x_dot[0] / 2, body.x_dot[1]])
    elif change == "clamped":
        model.constraint("clamp", body.x[0] - WALL)
        model.engage("clamp", "wall")
    model.initial(body, x_dot=[SPEED, 0])
    return model.derive().compile(backend=backend)


def time_at_wall() -> float:
    """Time after which the block reaches the wall."""
    a = FRICTION * G
    return (SPEED - math.sqrt(SPEED**2 - 2 * a * WALL)) / a


@pytest.mark.parametrize("method", ["rattlie", "moreau_jean"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_events_while_contacts_are_closed_have_the_times_of_the_closed_form(backend: Backend, method: str) -> None:
    solution = sl.solve(block(backend), 0.5, method=method, h=0.01)
    found = {e.name: e for e in solution.events}
    assert abs(found["wall"].t - time_at_wall()) <= tolerances.STEPPED_EVENT
    assert abs(found["clock"].t - 0.123) <= tolerances.STEPPED_EVENT
    assert abs(found["wall"].q[0] - WALL) <= tolerances.STEPPED_EVENT and len(found) == len(solution.events) == 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_reset_in_a_step_leaves_closed_contacts_closed(backend: Backend) -> None:
    """The rest of the step starts with the new velocity, and the floor has no impact."""
    solution = sl.solve(block(backend, "reversed"), 0.5, method="rattlie", h=0.01)
    t, a = time_at_wall(), FRICTION * G
    rest, speed = 0.5 - t, (SPEED - a * t) / 2
    assert abs(solution.v[-1, 0] + speed - a * rest) <= tolerances.STEPPED_EVENT
    assert abs(solution.q[-1, 0] - WALL + speed * rest - a * rest**2 / 2) <= tolerances.STEPPED_EVENT
    assert gaps(solution).min() >= -tolerances.PENETRATION
    assert [e.name for e in solution.events] == ["clock", "wall"]
    assert len(solution.t) == 53 and [i.t for i in solution.impacts] == [0.01]
    assert solution.outputs["floor_state"][1:].tolist() == [1] * 52


@pytest.mark.parametrize("backend", BACKENDS)
def test_event_engages_a_constraint_beside_closed_contacts(backend: Backend) -> None:
    solution = sl.solve(block(backend, "clamped"), 0.5, method="rattlie", h=0.01)
    after = solution.t > time_at_wall() + tolerances.STEPPED_EVENT
    assert np.abs(solution.q[after, 0] - WALL).max() <= tolerances.STEPPED_EVENT
    assert np.abs(solution.v[after]).max() <= tolerances.STEPPED_EVENT
    assert np.abs(solution.outputs["floor_normal"][1:] - 2 * G).max() <= tolerances.CONTACT


@pytest.mark.parametrize("method", ["rattlie", "moreau_jean"])
def test_stepped_events_of_backends_agree_through_impacts(method: str) -> None:
    """States within a step that contains an impact are those of shorter steps."""
    runs = []
    for backend in BACKENDS:
        model = sl.Model("contact_ball_with_events")
        ball = model.node("ball", "R1")
        model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
        model.potential_energy(G * ball.x[0])
        model.contact("floor", ball.x[0], restitution=0.8)
        model.event("top", ball.x_dot[0], "falling", terminal=False)
        model.event("low", ball.x[0] - 0.01, terminal=False)
        model.initial(ball, x=[0.5], x_dot=[0.2])
        runs.append(sl.solve(model.derive().compile(backend=backend), 1.5, method=method, h=0.01))
    a, b = ([(e.name, e.t) for e in run.events] for run in runs)
    assert [name for name, _ in a][:8] == ["top", *["low", "low", "top"] * 2, "low"]
    assert [name for name, _ in a] == [name for name, _ in b]
    assert max(abs(s - t) for (_, s), (_, t) in zip(a, b, strict=True)) <= tolerances.STEPPED_EVENT
    assert abs(a[0][1] - 0.2 / G) <= tolerances.STEPPED_EVENT


def test_terminal_event_ends_at_a_state_without_penetration_from_which_a_run_continues() -> None:
    model = sl.Model("contact_rod_with_end")
    rod = sl.RigidBody(model, "rod", 1.0, [0.1, 0.1, 0.1], position=[0.5, 0, 1])
    joint = sl.RevoluteJoint(model, "hinge", model.ground, rod, at=[0, 0, 1], axis=[0, 1, 0])
    tip = rod.x + rod.R * sl.vector(0.5, 0, 0)
    model.gravity([0, 0, -G])
    model.contact("floor", tip[2] - 0.2, restitution=0.5)
    model.event("up", tip[2] - 0.3, "rising")
    assert joint is not None
    solution = sl.solve(model.derive().compile(), 3.0, method="rattlie", h=1e-2)
    phi = solution.system.mechanics.constraint(solution.t[-1], solution.q[-1])
    assert [e.name for e in solution.events] == ["up"] and solution.t[-1] < 1
    assert np.abs(phi).max() <= tolerances.STEPPED_CONSTRAINTS and gaps(solution).min() >= -tolerances.PENETRATION
    later = sl.solve(solution.system, 3.0, method="rattlie", h=1e-2, start=solution)
    assert later.t[-1] > solution.t[-1] and gaps(later).min() >= -tolerances.PENETRATION
