"""Functions that turn many times within a step: each reported event is a zero, and none is lost; in both backends."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.written import hoist as hoist_model

BACKENDS = ("c", "numpy")


@functools.cache
def hoist(backend: str) -> System:
    return hoist_model.build().derive().compile(backend=backend)


@functools.cache
def drum(backend: str) -> System:
    """A drum that turns evenly; each function turns at most three times as often as the drum."""
    model = sl.Model("drum")
    p = model.node("drum", sl.SO2)
    model.kinetic_energy(p.Omega[0] ** 2 / 2)
    model.event("side", p.p[1], terminal=False)
    model.event("mark", p.p[0] - 0.3, terminal=False)
    model.event("thirds", p.p[1] * (3 - 4 * p.p[1] ** 2) + 0.6, terminal=False)
    model.initial(p, Omega=[1.0])
    return model.derive().compile(backend=backend)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "side": np.sin,
    "mark": lambda angle: np.cos(angle) - 0.3,
    "thirds": lambda angle: np.sin(3 * angle) + 0.6,
}


@functools.cache
def spring(backend: str) -> System:
    """An oscillator with steps so long that interpolated states differ strongly from states of shorter steps."""
    model = sl.Model("spring")
    q = model.node("point", "R1")
    x = q.x[0]
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.generalized_force(q, x_dot=[-30 * x])
    model.event("middle", x, terminal=False)
    model.event("fast", sl.sin(10 * x), terminal=False)
    model.initial(q, x=[1.0], x_dot=[0.5])
    return model.derive().compile(backend=backend)


@functools.cache
def runner(backend: str, frequency: int) -> System:
    """A point that moves evenly past a pole and a jump, and a function that turns often."""
    model = sl.Model("runner")
    q = model.node("point", "R1")
    x = q.x[0]
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.event("fast", sl.sin(frequency * x), terminal=False)
    model.event("pole", 1 / (x - 0.37), terminal=False)
    model.event("jump", sl.select(x - 0.4, 2, -1), terminal=False)
    model.initial(q, x=[0.0], x_dot=[1.0])
    return model.derive().compile(backend=backend)


def times(solution: Solution, name: str) -> list[float]:
    return [e.t for e in solution.events if e.name == name]


def sign_changes(values: Array) -> int:
    return int(np.count_nonzero(values[1:] * values[:-1] < 0))


def assert_same(c: Solution, plain: Solution) -> None:
    """Both backends decide the same on the way to the same events."""
    assert c.statistics.rhs_evaluations == plain.statistics.rhs_evaluations
    assert [e.name for e in c.events] == [e.name for e in plain.events]
    np.testing.assert_allclose([e.t for e in c.events], [e.t for e in plain.events], rtol=0, atol=tolerances.EVENT_TIME)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_fast_rotations_between_output_times_are_resolved(backend: str) -> None:
    """The drum of the hoist turns by 28 rad in the last step."""
    t_eval = [1.0, 2.0, 3.0]
    solution, whole = (sl.solve(hoist(backend), 3.0, rtol=1e-4, **o) for o in ({"t_eval": t_eval}, {}))
    assert len(solution.events) == len(whole.events) == 8
    np.testing.assert_allclose([e.q[1] for e in solution.events], 0, rtol=0, atol=tolerances.EVENT_TIME)
    assert all(e.q[0] > 0 for e in solution.events)


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "runs", "fastest"), [("c", 150, 65), ("numpy", 1, 30)])
def test_events_in_large_rotations_are_found(runs: int, fastest: float, backend: str) -> None:
    """As many zeros as fine samples of the closed forms change sign; no function turns twice within 1/64 of a step."""
    random = np.random.default_rng(5)
    for speed in random.uniform(0.5, fastest, runs):
        t_eval = np.cumsum(random.uniform(0.2, 1, 3))
        end = float(t_eval[-1])
        system = drum(backend).with_initial("drum", Omega=[speed])
        solution = sl.solve(system, end, h=end) if speed < 20 else sl.solve(system, end, t_eval=t_eval)
        angles = speed * np.linspace(0, end, 20001)[1:]
        for name, function in FUNCTIONS.items():
            found = times(solution, name)
            assert np.abs(function(speed * np.array(found))).max(initial=0.0) <= 3 * speed * tolerances.EVENT_TIME
            assert len(found) == sign_changes(function(angles))


@pytest.mark.slow
def test_misrepresented_states_are_recomputed() -> None:
    """Steps to a time take precedence over interpolated states that they contradict."""
    c, plain = (sl.solve(spring(backend), 1.0, h=0.5) for backend in BACKENDS)
    assert_same(c, plain)
    assert len(c.events) > 10
    for event in c.events:
        value = event.q[0] if event.name == "middle" else np.sin(10 * event.q[0])
        assert abs(value) <= 10 * tolerances.EVENT_TIME


@pytest.mark.parametrize("options", [{}, {"h": 0.3}, {"h": 1.0}])
def test_events_of_too_fast_functions_are_zeros(options: dict[str, Any]) -> None:
    """Zeros may be missed where a function turns more often than is promised; those that are reported are zeros."""
    solution = sl.solve(runner("c", 3000), 1.0, **options)
    assert solution.events
    values = [np.sin(3000 * e.q[0]) for e in solution.events if e.name == "fast"]
    np.testing.assert_allclose(values, 0, rtol=0, atol=3000 * tolerances.EVENT_TIME)


@pytest.mark.slow
def test_jump_is_an_event_but_pole_is_not() -> None:
    for options in ({}, {"h": 0.3}, {"h": 1.0}):
        c, plain = (sl.solve(runner(backend, 2), 1.0, **options) for backend in BACKENDS)
        assert_same(c, plain)
        np.testing.assert_allclose(times(c, "jump"), [0.4], rtol=0, atol=tolerances.EVENT_TIME)
        assert times(c, "pole") == []
