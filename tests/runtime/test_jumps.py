"""Jumps and kinks of inputs: states at any time, times next to jumps, restarts of methods that take earlier steps."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlie as sl
from symlie.contract.constants import JUMP, KINK, Status
from symlie.runtime.integrate.dense import densely
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.segments import step_plan
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")

JUMPS = [0.0, 0.5, 0.8], [0.0, 1.0, -2.0]

EXACT_AT_CONSTANT_FORCES: list[tuple[str, dict[str, Any]]] = [
    ("half_explicit_5", {"rtol": 1e-10}), ("half_explicit_2", {"h": 0.1}), ("rkmk_dopri5", {"rtol": 1e-10}),
    ("rkmk_rk44", {"h": 0.1}), ("cf4", {"h": 0.1}), ("cg3", {"h": 0.1}), ("taylor", {"rtol": 1e-10}),
    ("taylor", {"h": 0.25}), ("rattlie", {"h": 0.01}), ("variational_midpoint", {"h": 0.01}), ("abmk3", {"h": 0.05}),
    ("generalized_alpha", {"h": 0.01}), ("generalized_alpha_index2", {"rtol": 1e-6}), ("bdf2", {"h": 0.05}),
    ("bdf4_index2", {"h": 0.05}), ("index1_dopri5", {"rtol": 1e-8}), ("ambient_rk4", {"h": 1e-3}),
]  # fmt: skip
"""Methods that are exact where forces are constant, with how their steps are taken."""


@functools.cache
def pushed(group: str, backend: str) -> sl.System:
    """A body on a line or a circle, pushed by the sum of two inputs."""
    model = sl.Model(f"pushed_{group}")
    body, inputs = model.node("body", group), [model.input("u"), model.input("w")]
    speed = body.x_dot[0] if group == "R1" else body.Omega[0]
    model.kinetic_energy(model.parameter("m", 1.0) * speed**2 / 2)
    model.generalized_force(body, [sum(inputs)])
    model.initial(body, **({"x": [0], "x_dot": [0]} if group == "R1" else {"Omega": [0]}))
    return model.derive().compile(backend=backend)


def held(group: str, backend: str) -> sl.System:
    return pushed(group, backend).with_input("u", *JUMPS, "hold")


def motion(times: Array, values: Array, interpolation: str, t: Array) -> tuple[Array, Array]:
    """Position and velocity from rest at time zero under a force by a table, at times."""
    found = np.zeros((2, len(t)))
    knots = np.unique(np.concatenate([[0.0], times[times > 0], t]))
    x = v = 0.0
    for k, at in enumerate(knots):
        if k:
            h, middle = at - knots[k - 1], (at + knots[k - 1]) / 2
            first, last = (np.interp([knots[k - 1], at], times, values) if interpolation == "linear"
                           else [values[max(np.searchsorted(times, middle, side="right") - 1, 0)]] * 2)  # fmt: skip
            x, v = x + v * h + (2 * first + last) * h * h / 6, v + (first + last) * h / 2
        found[:, t == at] = [[x], [v]]
    return found[0], found[1]


def position(group: str, q: Array) -> Array:
    return q[:, 0] if group == "R1" else np.arctan2(q[:, 1], q[:, 0])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("group", ["R1", "SO2"])
@pytest.mark.parametrize(("method", "steps"), EXACT_AT_CONSTANT_FORCES)
def test_solution_is_exact_between_steps_after_jumps(
    method: str, steps: dict[str, Any], group: str, backend: str
) -> None:
    run = sl.solve(held(group, backend), 1.0, method=method, **steps)
    t = np.random.default_rng(1).uniform(0, 1, 200)
    found = run(t)
    assert isinstance(found, sl.Solution)
    x, v = motion(np.array(JUMPS[0]), np.array(JUMPS[1]), "hold", t)
    assert np.abs(position(group, found.q) - x).max() <= tolerances.PUSHED
    assert np.abs(found.v[:, 0] - v).max() <= tolerances.PUSHED


def test_solution_at_a_jump_uses_the_right_limit() -> None:
    run = sl.solve(held("R1", "c"), 1.0, method="taylor", rtol=1e-9)
    drawn = densely(run)
    assert len(drawn.t) > 50 * len(run.t)
    x, _ = motion(np.array(JUMPS[0]), np.array(JUMPS[1]), "hold", drawn.t)
    assert np.abs(drawn.q[:, 0] - x).max() <= tolerances.PUSHED


@pytest.mark.parametrize("backend", BACKENDS)
def test_solution_is_constant_between_a_jump_and_the_next_step(backend: str) -> None:
    system = held("R1", backend)
    start = system.breakpoints[0.5]
    run = sl.solve(system, 1.0, h=0.1)
    times = np.linspace(0.5, start, 5)
    found = run(times)
    assert isinstance(found, sl.Solution) and np.array_equal(found.t, times)
    assert np.array_equal(found.q, np.repeat(run.q[run.t == 0.5], 5, axis=0)) and start > 0.5
    assert sl.solve(system, 0.5, h=0.1)(0.5).q[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("method", "steps"),
    [*EXACT_AT_CONSTANT_FORCES, ("bdf", {"rtol": 1e-8, "atol": 1e-8}), ("generalized_alpha", {"rtol": 1e-6})],
)
def test_times_near_a_jump_have_the_jump_state(method: str, steps: dict[str, Any], backend: str) -> None:
    """0.1 + 0.2 is next to 0.3, where steps after the jump have not begun; another jump there is part of it."""
    near = 0.1 + 0.2
    times = [near, 0.4, 0.5]
    one = pushed("R1", backend).with_input("u", [0, 0.3], [0, 1], "hold")
    two = one.with_input("w", [0, near, 2000], [0, 1, 1], "hold")
    for system, force in ((one, 1.0), (two, 2.0)):
        assert 0.3 < near < system.breakpoints[0.3]
        run = sl.solve(system, 0.5, method=method, t_eval=times, **steps)
        assert run.t.tolist() == times
        expected = force * np.array([0, 0.1, 0.2]) ** 2 / 2
        assert np.abs(run.q[:, 0] - expected).max() <= (1e-6 if "rtol" in steps else tolerances.NEAR_A_JUMP)
    ends = sl.solve(two, near, method=method, **steps)
    assert ends.t[-1] == near and ends.q[-1, 0] == 0
    on = sl.solve(two, (near, 0.5), method=method, start=ends, **steps)
    assert abs(on.q[-1, 0] - 0.04) <= (1e-6 if "rtol" in steps else tolerances.NEAR_A_JUMP)


def test_members_record_times_near_a_jump() -> None:
    near = 0.1 + 0.2
    system = pushed("R1", "c").with_input("u", [0, 0.3], [0, 1], "hold")
    words: dict[str, Any] = {"h": 0.1, "t_eval": [near, 0.4, 0.5]}
    masses = [1.0, 2.0, 3.0]
    for lanes in (1, 2):
        found = sl.ensemble(system, 0.5, parameters={"m": masses}, record=["body.x"], lanes=lanes, **words)
        for k, mass in enumerate(masses):
            alone = sl.solve(system.with_parameters(m=mass), 0.5, **words)
            assert found.arrays["body.x"][k].tobytes() == alone.q.tobytes()


def test_times_near_jumps_need_no_steps() -> None:
    plan = step_plan(0.0, 1.0, 0.25, [0.5, 0.5625, 0.75], {0.5: 0.625})
    assert plan.end == (0.5, 0.5625, 0.75, 1.0)
    assert plan.start == (0.0, 0.5625, 0.625, 0.75)
    assert plan.steps == (2, 0, 1, 1)
    assert plan.restarts == (0, 0, JUMP, 0)


def test_unresolved_times_have_no_steps() -> None:
    near = 0.1 + 0.2
    plan = step_plan(0.0, 1.0, None, [near, 0.5], {0.3: 0.3})
    assert plan.start == (0.0, near, near, 0.5) and plan.end == (0.3, near, 0.5, 1.0)
    assert plan.restarts == (0, 0, KINK, 0)


KNOTS = st.lists(st.integers(1, 19), min_size=1, max_size=4, unique=True)
TABLES = st.tuples(KNOTS, st.lists(st.floats(-2, 2), min_size=5, max_size=5), st.sampled_from(["hold", "linear"]))


def table(stated: tuple[list[int], list[float], str], shift: float) -> tuple[Array, Array, str]:
    knots, values, interpolation = stated
    times = np.array([0.0, *sorted(k / 20 + shift for k in knots)])
    return times, np.array(values[: len(times)]), interpolation


def check_random_tables(backend: str, method: str, first: Any, second: Any, shift: float) -> None:
    system, t = pushed("R1", backend), np.random.default_rng(3).uniform(0, 1, 50)
    t = np.sort([*t, *(np.arange(1, 10) * 0.1)])
    x, v = np.zeros((2, len(t)))
    for name, stated in (("u", table(first, 0.0)), ("w", table(second, shift))):
        system = system.with_input(name, *stated)
        of_input = motion(*stated, t)
        x, v = x + of_input[0], v + of_input[1]
    steps = {"h": 0.05} if method in ("rkmk_rk44", "bdf5", "abmk3") else {"rtol": 1e-9, "atol": 1e-9}
    run = sl.solve(system, 1.0, method=method, **steps)
    # Velocities between steps are rates of the positions, whose errors may differ by the tolerance at both ends.
    between = 4e-9 / np.diff(run.t)[np.searchsorted(run.t, t) - 1] if method == "bdf" else np.zeros(len(t))
    recorded = sl.solve(system, 1.0, method=method, t_eval=t, **steps)
    for found, of_rates in ((run(t), between), (recorded, np.zeros(len(t)))):
        assert isinstance(found, sl.Solution) and np.array_equal(found.t, t)
        assert np.abs(found.q[:, 0] - x).max() <= tolerances.ACROSS_KINKS
        assert np.all(np.abs(found.v[:, 0] - v) <= tolerances.ACROSS_KINKS + of_rates)


METHODS = st.sampled_from(["half_explicit_5", "rkmk_rk44", "taylor", "bdf", "bdf5", "abmk3"])
SHIFTS = st.sampled_from([0.0, 2.0**-55, 2.0**-50, 1e-9, 0.013])


@pytest.mark.slow
@given(METHODS, TABLES, TABLES, SHIFTS)
@settings(max_examples=30)
def test_random_tables_are_integrated_accurately(method: str, first: Any, second: Any, shift: float) -> None:
    check_random_tables("c", method, first, second, shift)


@pytest.mark.slow
@given(st.sampled_from(BACKENDS), METHODS, TABLES, TABLES, SHIFTS)
@settings(max_examples=400)
def test_many_random_tables_are_integrated_accurately(
    backend: str, method: str, first: Any, second: Any, shift: float
) -> None:
    check_random_tables(backend, method, first, second, shift)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("width", [1e-4, 1e-2, 0.1])
def test_bdf_restarts_at_kinks(width: float, backend: str) -> None:
    model_time, expected = 1.0, width / 2 + (0.5 - width)
    system = pushed("R1", backend).with_input("u", [0, 0.5, 0.5 + width, 2], [0, 0, 1, 1])
    for tolerance in (1e-5, 1e-8, 1e-11):
        run = sl.solve(system, model_time, method="bdf", rtol=tolerance, atol=tolerance, trace=True)
        assert abs(run.v[-1, 0] - expected) <= 2 * tolerance
        assert run.trace is not None
        at_kinks = run.trace.order[run.trace.accepted & np.isin(run.trace.t, [0.5, 0.5 + width])]
        assert at_kinks.tolist() == [1, 1]


RAMPS = st.tuples(st.floats(-5, -0.4), st.floats(0.05, 0.55), st.floats(-11, -3), st.floats(-1, 1))
"""Width, time and tolerance, the first and the last as powers of ten, and the force before."""


def check_ramp(backend: str, ramp: tuple[float, float, float, float]) -> None:
    """A force that rises by one; errors are at most two tolerances, and starts take few steps."""
    power, at, power_of_tolerance, before = ramp
    width, tolerance = 10**power, 10**power_of_tolerance
    system = pushed("R1", backend).with_input("u", [0, at, at + width, 2], [before, before, before + 1, before + 1])
    run = sl.solve(system, 1.0, method="bdf", rtol=tolerance, atol=tolerance)
    assert abs(run.v[-1, 0] - before - width / 2 - (1 - at - width)) <= 2 * tolerance
    assert run.statistics.steps <= 100


@given(RAMPS)
@settings(max_examples=12)
def test_bdf_meets_tolerances_across_ramps(ramp: tuple[float, float, float, float]) -> None:
    check_ramp("c", ramp)


@pytest.mark.slow
@given(st.sampled_from(BACKENDS), RAMPS)
@settings(max_examples=400)
def test_bdf_meets_tolerances_across_many_ramps(backend: str, ramp: tuple[float, float, float, float]) -> None:
    check_ramp(backend, ramp)


@pytest.mark.slow
def test_steps_after_a_kink_equal_a_new_run() -> None:
    """Cut at a kink, and with other parameters, a run begins anew; both backends find the same steps."""
    whole = {}
    for backend in BACKENDS:
        system = pushed("R1", backend).with_input("u", [0, 0.5, 0.75, 2], [0, 0, 1, 1])
        words: dict[str, Any] = {"method": "bdf", "rtol": 1e-7}
        whole[backend] = sl.solve(system, 1.0, **words)
        first = sl.solve(system, 0.5, **words)
        rest = sl.solve(system, (0.5, 1.0), start=first, **words)
        after = whole[backend].t > 0.5
        assert rest.q[1:].tobytes() == whole[backend].q[after].tobytes()
        other = sl.solve(system.with_input("w", [0], [3.0]), (0.5, 1.0), start=first, **words)
        assert abs(other.v[-1, 0] - first.v[-1, 0] - 0.375 - 1.5) <= 10 * 1e-7
    np.testing.assert_allclose(whole["c"].t, whole["numpy"].t, rtol=0, atol=tolerances.PUSHED)


def check_states_continue(system: System, t_end: float, method: str, steps: dict[str, Any]) -> None:
    """A run that begins anew from the captured state after each step has the bits of one run."""
    request = requested(system, t_end, RunOptions.of({"method": method, **steps}))
    state = beginning(system, request)
    run = Run(system, request.method, request.plan, request.control, 1, request.settings, system.timings, state)
    recorder, status = Recorder(system.layout), Status.BUDGET
    while status is Status.BUDGET:
        loop = run.loop(state)
        status = loop.advance(1)
        loop.drain(recorder)
        state = dataclasses.replace(loop.captured())
    assert status is Status.DONE
    whole = sl.solve(system, t_end, method=method, **steps)
    assert recorder.taken_states()[1].tobytes() == whole.q[1:].tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("method", "steps"), [("bdf", {"rtol": 1e-5}), ("bdf4", {"h": 0.05}), ("abmk3", {"h": 0.05})])
def test_runs_continued_from_any_state_are_bit_identical(method: str, steps: dict[str, Any], backend: str) -> None:
    system = held("R1", backend).with_input("w", [0, 0.25, 0.9], [0, 1, 2])
    check_states_continue(system, 1.0, method, steps)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bdf3", "bdf4", "bdf5", "abmk3", "abmk4"])
def test_fixed_steps_keep_their_order_across_kinks(method: str) -> None:
    system = pushed("R1", "c").with_input("u", [0, 0.5, 0.75, 2], [0, 0, 1, 1])
    runs = [sl.solve(system, 1.0, method=method, h=h) for h in (1 / 16, 1 / 32)]
    assert all(abs(run.v[-1, 0] - 0.375) <= tolerances.ACROSS_KINKS for run in runs)


@functools.cache
def driven_pendulum(backend: str) -> sl.System:
    """A pendulum on a constraint, with a force that jumps."""
    model = sl.Model("driven_pendulum")
    bob = model.node("bob", sl.real_space(2))
    force = model.input("force", 1, unit="N")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot))
    model.potential_energy(9.81 * 2 * bob.x[1])
    model.generalized_force(bob, x_dot=[force, 0.3 * force])
    model.constraint("rod", bob.x.dot(bob.x) - 1)
    model.initial(bob, x=[np.sin(0.5), -np.cos(0.5)], x_dot=[0, 0])
    system = model.derive().compile(backend)
    return system.with_input("force", [0, 0.4, 0.8], [1.0, -2.0, 3.0], "hold")


@pytest.mark.parametrize("backend", BACKENDS)
def test_half_explicit_steps_keep_their_order_at_jumps(backend: str) -> None:
    """λ jumps with the force; with λ from before the jump the order was four."""
    system, end = driven_pendulum(backend), 1.1
    reference = sl.solve(system, end, method="half_explicit_5", rtol=1e-13, atol=1e-13).q[-1]
    errors = [
        np.abs(sl.solve(system, end, h=h, method="half_explicit_5").q[-1] - reference).max() for h in (0.05, 0.025)
    ]
    assert np.log2(errors[0] / errors[1]) > 5 - tolerances.ORDER
