"""Multi-turn angles: accumulated over every step, independently of recorded times, and preserved in continued runs."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import UnknownNameError
from symlie.runtime.plot.panels import panels
from symlie.runtime.solution.solution import Solution, StateAt
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
SPIN, TORQUE, TURN = 50.0, 500.0, -20.0
METHODS: tuple[dict[str, Any], ...] = (
    {"method": "half_explicit_4"},
    {"method": "rkmk_dopri5"},
    {"method": "rkmk_rk44", "method_options": {"map": "second_kind"}},
    {"method": "rkmk_rk44", "method_options": {"map": "cayley"}},
    {"method": "rkmk4_two_commutators"},
    {"method": "cf43"},
    {"method": "cg3"},
    {"method": "ambient_dopri5"},
)


@functools.cache
def wheels(backend: str) -> System:
    """A wheel at a constant rate, one accelerated by a torque, a free plate, and a pair whose second part rotates."""
    model = sl.Model("wheels")
    wheel, driven = model.node("wheel", sl.SO2), model.node("driven", sl.SO2)
    plate, pair = model.node("plate", sl.SE2), model.node("pair", "SO2xR1xSO2")
    model.kinetic_energy((wheel.Omega[0] ** 2 + driven.Omega[0] ** 2 + plate.Omega[0] ** 2 + plate.U.dot(plate.U)) / 2)
    model.kinetic_energy((pair.Omega1[0] ** 2 + pair.x_dot[0] ** 2 + pair.Omega3[0] ** 2) / 2)
    model.torque(TORQUE, on=driven)
    model.event("tenth", wheel.p[1], terminal=False, direction="rising")
    model.event("stop", model.t - model.parameter("stop", 1e9), terminal=True)
    model.initial(wheel, Omega=[SPIN])
    model.initial(plate, x=[1, 2], Omega=[TURN], U=[1, 0.5])
    model.initial(pair, Omega1=[0.0], x_dot=[0.0], Omega3=[SPIN])
    return model.derive().compile(backend=backend)


@functools.cache
def guided(backend: str) -> System:
    """An array of three wheels: one clamped, one prescribed, one free."""
    model = sl.Model("guided")
    nodes = model.node_array("wheels", "SO2", 3)
    wheel = sl.ElementType("wheel", node=sl.SO2)
    wheel.kinetic_energy(wheel.node.Omega[0] ** 2 / 2)
    model.add(wheel, [(nodes[k],) for k in range(3)])
    nodes.fix(0)
    angle = 100 * model.t**2 + sl.sin(30 * model.t)
    model.prescribe(nodes[1], p=[sl.cos(angle), sl.sin(angle)])
    nodes.initial(Omega=[[0], [0], [SPIN]])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_turns_between_records_are_counted(backend: str) -> None:
    times = np.linspace(0, 3, 31)
    solution = sl.solve(wheels(backend), 3.0, t_eval=times)
    np.testing.assert_allclose(solution.angle("wheel"), SPIN * times, rtol=0, atol=tolerances.COUNTED_ANGLE)
    np.testing.assert_allclose(solution.angle("plate"), TURN * times, rtol=0, atol=tolerances.COUNTED_ANGLE)
    np.testing.assert_allclose(solution.angle("pair", "p3"), SPIN * times, rtol=0, atol=tolerances.COUNTED_ANGLE)
    drawn = next(p for p in panels(solution) if p.title == "wheel: rotation angle")
    assert drawn.series[0].values.tobytes() == solution.angle("wheel").tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", METHODS, ids=lambda o: "-".join(map(str, o.values())))
def test_all_turns_of_an_accelerating_wheel_are_counted(options: dict[str, Any], backend: str) -> None:
    """From 0 to 500 rad/s, recorded at its two ends, in steps of up to 1.25 rad."""
    solution = sl.solve(wheels(backend), 1.0, h=2.5e-3, record_every=0, **options)
    error = 0.5 if "ambient_dopri5" in options.values() or "method_options" in options else tolerances.COUNTED_ANGLE
    assert len(solution.t) == 2
    assert solution.angle("driven")[-1] == pytest.approx(TORQUE / 2, abs=error)
    assert solution.angle("plate")[-1] == pytest.approx(TURN, abs=error)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_steps_above_half_a_turn_are_counted(backend: str) -> None:
    """Steps of 5 rad, and the dense output between them; it ends where the next step begins, also the plate's."""
    solution, times = sl.solve(wheels(backend), 1.0, h=0.1), np.array([0.26, 0.87])
    between = solution(times)
    assert isinstance(between, Solution)
    np.testing.assert_allclose(solution.angle("wheel"), SPIN * solution.t, rtol=0, atol=tolerances.COUNTED_ANGLE)
    np.testing.assert_allclose(between.angle("wheel"), SPIN * times, rtol=0, atol=tolerances.COUNTED_ANGLE)
    np.testing.assert_allclose(between.angle("plate"), TURN * times, rtol=0, atol=tolerances.COUNTED_ANGLE)
    state = solution(0.26)
    assert isinstance(state, StateAt) and state.angle("wheel") == pytest.approx(13.0)
    slow = sl.solve(wheels(backend), 1.0, h=0.2)
    before = slow(float(slow.t[2]) - 1e-9)
    assert isinstance(before, StateAt)
    np.testing.assert_allclose(before.q, slow.q[2], rtol=0, atol=tolerances.COUNTED_ANGLE)
    assert before.angle("plate") == pytest.approx(2 * 0.2 * TURN)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_events_and_continued_runs_count_turns(backend: str) -> None:
    system = wheels(backend).with_parameters(stop=0.7)
    first = sl.solve(system, 2.0, h=2.0**-6)
    assert first.t[-1] == pytest.approx(0.7) and first.angle("wheel")[-1] == pytest.approx(SPIN * 0.7)
    turns = [e.carried[system.layout.carried["turns"]][0] for e in first.events if e.name == "tenth"]
    assert turns == list(range(len(turns))) and len(turns) == 1 + math.floor(SPIN * 0.7 / (2 * math.pi))
    second = sl.solve(system, 2.0, h=2.0**-6, start=first)
    assert second.angle("wheel")[-1] == pytest.approx(SPIN * 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_prescribed_and_clamped_wheels_have_angles(backend: str) -> None:
    """The prescribed wheel turns 34 times within the longest of these steps."""
    solution = sl.solve(guided(backend), 2.0, t_eval=[0.5, 1.0, 2.0], h=1.0)
    t = solution.t
    expected = np.column_stack([0 * t, 100 * t**2 + np.sin(30 * t), SPIN * t])
    np.testing.assert_allclose(solution.angle("wheels"), expected, rtol=0, atol=tolerances.COUNTED_ANGLE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_prescribed_and_clamped_wheels_have_angles_between_steps(backend: str) -> None:
    """Many times in any order, several within one step, in which the prescribed wheel turns up to four times."""
    solution = sl.solve(guided(backend), 1.0, h=0.125)
    t = np.random.default_rng(8).uniform(0, 1, 40)
    between = solution(t)
    assert isinstance(between, Solution)
    expected = np.column_stack([0 * t, 100 * t**2 + np.sin(30 * t), SPIN * t])
    np.testing.assert_allclose(between.angle("wheels"), expected, rtol=0, atol=tolerances.COUNTED_ANGLE)


@pytest.mark.parametrize("ending", ["npz", "nc"])
def test_files_preserve_multiturn_angles(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"wheels.{ending}"
    system = wheels("c").with_parameters(stop=1.5)
    solution = sl.solve(system, 2.0, t_eval=[0, 1, 2])
    solution.save(path)
    loaded = sl.load_solution(path, trust=True)
    assert loaded.carried.tobytes() == solution.carried.tobytes()
    assert [e.carried.tobytes() for e in loaded.events] == [e.carried.tobytes() for e in solution.events]
    further = sl.solve(loaded.system, 3.0, start=loaded)
    assert further.angle("wheel")[-1] == pytest.approx(SPIN * 3.0)
    assert loaded.to_json()["angles"]["pair.p3"] == solution.angle("pair", "p3").tolist()


def test_angles_are_found_by_name() -> None:
    solution = sl.solve(wheels("c"), 0.1, h=0.1)
    with pytest.raises(UnknownNameError, match="one of: p1, p3"):
        solution.angle("pair")
    with pytest.raises(UnknownNameError, match="one of: p"):
        solution.angle("wheel", "R")
    assert solution.angle("pair", "p1").tolist() == [0, 0]
