"""Events: accurate to rounding in both backends, terminal or not, and runs continued from them."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.system.system import System
from tests import tolerances

G = 9.81
BACKENDS = ("c", "numpy")
RUNS: tuple[dict[str, Any], ...] = ({"rtol": 1e-9}, {"h": 0.01})


@functools.cache
def ball(backend: str) -> System:
    """A ball thrown from one metre; the parabola is integrated exactly."""
    model = sl.Model("ball")
    q = model.node("ball", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(G * q.x[2])
    model.initial(q, x=[0, 0, 1], x_dot=[1, 0, 0])
    model.event("ground", q.x[2], direction="falling")
    model.event("apex", q.x_dot[2], terminal=False)
    model.event("passes", q.x[0] - 0.25, direction="falling", terminal=False)
    return model.derive().compile(backend=backend)


@functools.cache
def pendulum(backend: str) -> System:
    """A point mass on a massless rod, released horizontally: λ = 3 g cos φ for unit length and mass."""
    model = sl.Model("pendulum")
    q = model.node("bob", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(G * q.x[2])
    tension = model.constraint("rod", (q.x.dot(q.x) - 1) / 2)
    model.initial(q, x=[1, 0, 0], x_dot=[0, 0, 0])
    model.event("bottom", q.x[0], terminal=False)
    model.event("tension", tension[0] - 20, terminal=False, direction="rising")
    model.event("height", q.x[2] + 20 / (3 * G), terminal=False, direction="falling")
    model.event("alarm", model.t - 1.7, terminal=False)
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("run", RUNS)
def test_terminal_event_ends_at_its_time(run: dict[str, Any], backend: str) -> None:
    solution = sl.solve(ball(backend), 5.0, **run)
    fall = math.sqrt(2 / G)
    assert solution.status == "event"
    assert [e.name for e in solution.events] == ["ground"]
    assert solution.t[-1] == solution.events[0].t == pytest.approx(fall, abs=tolerances.EVENT_TIME)
    assert abs(solution.q[-1, 2]) <= tolerances.EVENT_TIME
    # The state just after the event: it has happened.
    assert solution.q[-1, 2] <= 0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("run", RUNS)
def test_bouncing_continues_from_the_event(run: dict[str, Any], backend: str) -> None:
    """After the velocity is reversed, apex and ground follow half a flight and a whole flight later."""
    system, fall = ball(backend), math.sqrt(2 / G)
    first = sl.solve(system, 5.0, **run)
    t = float(first.t[-1])
    again = system.with_initial("ball", x=first.q[-1], x_dot=first.v[-1] * [1, 1, -1])
    second = sl.solve(again, (t, 5.0), **run)
    assert [e.name for e in second.events] == ["apex", "ground"]
    np.testing.assert_allclose([e.t - t for e in second.events], [fall, 2 * fall], rtol=0, atol=tolerances.EVENT_TIME)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_continued_run_does_not_repeat_the_event(backend: str) -> None:
    first = sl.solve(ball(backend), 5.0, h=0.01)
    second = sl.solve(ball(backend), 5.0, h=0.01, start=first)
    assert second.events == () and second.t[-1] == 5.0


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("run", [{"rtol": 1e-11}, {"h": 2**-9}, {"h": 2**-9, "stabilize": "projection+velocity"}])
def test_nonterminal_events_are_recorded(run: dict[str, Any], backend: str) -> None:
    system = pendulum(backend)
    solution = sl.solve(system, 3.0, **run)
    assert solution.t[-1] == 3.0
    times = [e.t for e in solution.events]
    assert times == sorted(times)
    found = {
        name: [e.t for e in solution.events if e.name == name] for name in ("bottom", "tension", "height", "alarm")
    }
    # Quarter periods of the pendulum released at 90°: K(1/2) sqrt(L/g), K = Γ(1/4)²/(4 sqrt π).
    quarter = math.gamma(0.25) ** 2 / (4 * math.sqrt(math.pi * G))
    np.testing.assert_allclose(found["bottom"], [quarter, 3 * quarter, 5 * quarter], rtol=0, atol=1e-8)
    # The tension is 3 g cos φ, so both expressions cross at the same time.
    np.testing.assert_allclose(found["tension"], found["height"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found["alarm"], [1.7], rtol=0, atol=tolerances.EVENT_TIME)
    for event in solution.events:
        assert abs(event.q @ event.q - 1) <= 1e-10
        if event.name == "bottom":
            assert abs(event.q[0]) <= tolerances.EVENT_TIME


@pytest.mark.slow
def test_events_do_not_change_the_integration() -> None:
    """States of a run with events equal states of the same equations without events."""
    model = sl.Model("pendulum_without")
    q = model.node("bob", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(G * q.x[2])
    model.constraint("rod", (q.x.dot(q.x) - 1) / 2)
    model.initial(q, x=[1, 0, 0], x_dot=[0, 0, 0])
    plain = sl.solve(model.derive().compile(), 2.0, rtol=1e-8)
    watched = sl.solve(pendulum("c"), 2.0, rtol=1e-8)
    assert watched.t.tobytes() == plain.t.tobytes() and watched.q.tobytes() == plain.q.tobytes()


@pytest.mark.slow
def test_both_backends_find_the_same_events() -> None:
    c, plain = (sl.solve(pendulum(b), 2.0, h=2**-7) for b in BACKENDS)
    assert [(e.name, e.instance) for e in c.events] == [(e.name, e.instance) for e in plain.events]
    np.testing.assert_allclose([e.t for e in c.events], [e.t for e in plain.events], rtol=0, atol=1e-12)
    assert c.to_json()["events"][0] == {"name": "tension", "instance": 0, "t": c.events[0].t}
