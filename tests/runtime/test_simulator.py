"""Simulations that are stepped from Python: the bits of `solve`, inputs, saved states, events, and bad input."""

from __future__ import annotations

import functools
import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    InconsistentInitialValuesError,
    ModelError,
    NotConvergedError,
    SmoothnessError,
    UnknownNameError,
    UnsupportedMethodError,
)
from symlie.options import Backend
from symlie.runtime.integrate.simulation.schedule import endless
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests.runtime.test_events import ball
from tests.runtime.test_events import pendulum as rod
from tests.systems import heavy_top_system

BACKENDS: tuple[Backend, ...] = ("c", "numpy")

FREE: dict[str, dict[str, Any]] = {
    "rkmk_dopri5": {"h": 2.0**-8},
    "rkmk_dopri5 adaptive": {"rtol": 1e-7},
    "bdf3": {"h": 2.0**-8},
    "generalized_alpha": {"h": 2.0**-8},
    "bdf": {"rtol": 1e-5},
    "taylor": {"rtol": 1e-9},
}
"""Runs of systems without constraints by method."""

CONSTRAINED: dict[str, dict[str, Any]] = {
    "half_explicit_5": {"h": 2.0**-8},
    "half_explicit_5 adaptive": {"rtol": 1e-7},
    "bdf3": {"h": 2.0**-8},
    "generalized_alpha": {"h": 2.0**-8},
    "bdf": {"rtol": 1e-5},
    "taylor": {"rtol": 1e-9},
}
"""Runs of systems with constraints by method."""


def run_of(name: str, runs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"method": name.split()[0], **runs[name]}


@functools.cache
def pushed(backend: Backend) -> System:
    """A pendulum with a rod as constraint, a force as input, and an input that is differentiated."""
    model = sl.Model("pushed_pendulum")
    bob = model.node("bob", "R3")
    push = model.input("push", 2, unit="N")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[2])
    model.generalized_force(bob, [push[0], push[1], 0])
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.output("pushed", push[0], unit="N")
    model.initial(bob, x=[0.6, 0, -0.8], x_dot=[0, 1, 0])
    return model.derive().compile(backend=backend)


@functools.cache
def driven(backend: Backend) -> System:
    """A cart without constraints, with a force as input and a rail whose position is an input."""
    model = sl.Model("driven_cart")
    cart, rail = model.node("cart", "R1"), model.node("rail", "R1")
    push, rest = model.input("push", unit="N"), model.input("rest", unit="m", interpolation="cubic")
    model.kinetic_energy(cart.x_dot[0] ** 2 / 2 + rail.x_dot[0] ** 2 / 2)
    model.potential_energy(20 * (cart.x[0] - rail.x[0]) ** 2)
    model.generalized_force(cart, [push])
    model.prescribe(rail, x=[rest])
    model.event("leaves", cart.x[0] - 0.5)
    model.event("passes", cart.x[0] - 0.1, terminal=False)
    model.initial(cart, x=[0.05], x_dot=[0.2])
    return model.derive().compile(backend=backend).with_input("rest", np.arange(8.0), np.zeros(8))


def are_equal(state: sl.State, solution: sl.Solution, k: int) -> bool:
    """Whether a state has the bits of a recorded one."""
    found = (np.array(state.t), state.q, state.v, state.multipliers)
    expected = (solution.t[k], solution.q[k], solution.v[k], solution.multipliers[k])
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def check_advance(system: System, options: dict[str, Any], times: Sequence[float]) -> None:
    solution = sl.solve(system, times[-1] + 0.01, t_eval=times, **options)
    sim = system.simulator(**options)
    for k, t in enumerate(times):
        sim.advance(t)
        assert are_equal(sim.state, solution, k)


def check_steps(system: System, options: dict[str, Any], end: float, count: int) -> None:
    solution = sl.solve(system, end, **options)
    count = min(count, len(solution.t) - 2)
    assert count > 0
    sim = system.simulator(**options)
    for k in range(count):
        sim.step()
        assert are_equal(sim.state, solution, k + 1)


TIMES = (0.011, 0.03, 0.0301, 0.05, 0.09)


def test_advance_has_the_bits_of_solve() -> None:
    check_advance(pushed("c"), {"rtol": 1e-7}, TIMES)
    check_advance(pushed("c"), {"h": 2.0**-8}, TIMES)


def test_step_has_the_bits_of_solve() -> None:
    check_steps(pushed("c"), {"rtol": 1e-7}, 1.0, 6)
    check_steps(pushed("c"), {"h": 2.0**-8}, 1.0, 9)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CONSTRAINED)
def test_constrained_steps_have_the_bits_of_solve(name: str, backend: Backend) -> None:
    end = 1.0 if name == "taylor" else 0.0625
    for system in (pushed(backend), heavy_top_system("SE3", backend)):
        check_advance(system, run_of(name, CONSTRAINED), TIMES)
        check_steps(system, run_of(name, CONSTRAINED), end, 3)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FREE)
def test_free_steps_have_the_bits_of_solve(name: str, backend: Backend) -> None:
    for system in (driven(backend), heavy_top_system("SO3", backend)):
        check_advance(system, run_of(name, FREE), TIMES)
        check_steps(system, run_of(name, FREE), 2.0 if name == "taylor" else 0.25, 3)


def check_inputs(system: System, options: dict[str, Any], t0: float, *, by_steps: bool) -> None:
    """Values of an input that are set at several times have the bits of a table that holds them."""
    size = system.layout.inputs["push"][0]
    values, times = np.random.default_rng(0).uniform(-5, 5, (5, size)), []
    sim = system.simulator(t0, record=True, **options)
    for k, value in enumerate(values):
        times.append(sim.t)
        sim.inputs["push"] = value
        if by_steps:
            sim.step()
        else:
            sim.advance(t0 + (k + 1) * 0.0123)
    expected = sl.solve(system.with_input("push", times, values, "hold"), (t0, sim.t), **options)
    found = sim.solution()
    for name in ("t", "q", "v", "multipliers"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for name, output in expected.outputs.items():
        np.testing.assert_array_equal(found.outputs[name], output)


def test_inputs_have_the_bits_of_held_tables() -> None:
    check_inputs(pushed("c"), {"rtol": 1e-7}, 0.0, by_steps=False)
    check_inputs(pushed("c"), {"h": 0.001}, 0.37, by_steps=True)


@pytest.mark.slow
@pytest.mark.parametrize("t0", [0.0, 0.37])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CONSTRAINED)
def test_inputs_of_constrained_systems_have_the_bits_of_held_tables(name: str, backend: Backend, t0: float) -> None:
    options = run_of(name, CONSTRAINED)
    for by_steps in (False, True) if "h" in options else (False,):
        check_inputs(pushed(backend), options, t0, by_steps=by_steps)


@pytest.mark.slow
@pytest.mark.parametrize("t0", [0.0, 0.37])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FREE)
def test_inputs_of_free_systems_have_the_bits_of_held_tables(name: str, backend: Backend, t0: float) -> None:
    options = run_of(name, FREE)
    for by_steps in (False, True) if "h" in options else (False,):
        check_inputs(driven(backend), options, t0, by_steps=by_steps)


def test_steps_return_to_their_times_after_an_input() -> None:
    sim = pushed("c").simulator(h=0.1)
    times = []
    for k in range(12):
        if k in (0, 3, 4, 8):
            sim.inputs["push"] = [k, 0]
        sim.step()
        times.append(sim.t)
    assert times == [(k + 1) * 0.1 for k in range(12)]


@pytest.mark.parametrize("begin", [0.0, 0.37, -3.0, 1e5, 1e9 / 3])
def test_endless_segments_have_the_given_step_size(begin: float) -> None:
    for h in (1e-3, 0.1, 1 / 3, 2.0**-8, np.nextafter(2.0, 0)):
        end, steps = endless(begin, h)
        assert (end - begin) / steps == h
    with pytest.raises(ModelError, match="below the resolution"):
        endless(1e9, 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{"h": 0.01}, {"rtol": 1e-6}, {"method": "bdf", "rtol": 1e-5}])
def test_restored_simulation_has_the_same_bits(options: dict[str, Any], backend: Backend) -> None:
    check_restored(pushed(backend), options)


def test_restored_simulation_continues() -> None:
    check_restored(pushed("c"), {"h": 0.01})


def check_restored(system: System, options: dict[str, Any]) -> None:
    sim = system.simulator(record=True, **options)

    def go_on() -> list[Array]:
        sim.step()
        sim.inputs["push"] = [-2.0, 0.3]
        sim.step()
        sim.advance(sim.t + 0.05)
        sim.step()
        found = sim.solution()
        return [found.t, found.q, found.v, found.multipliers, found.outputs["pushed"]]

    sim.inputs["push"] = [1.0, 0.0]
    for _ in range(3):
        sim.step()
    sim.inputs["push"] = [3.0, 0.0]
    saved = sim.save()
    expected = go_on()
    for _ in range(2):
        sim.restore(saved)
        assert sim.t == saved.t
        assert list(sim.inputs["push"]) == [3.0, 0.0]
        for found, values in zip(go_on(), expected, strict=True):
            np.testing.assert_array_equal(found, values)


def test_state_is_set_like_initial_values() -> None:
    system = pushed("c")
    sim = system.simulator(h=0.01)
    sim.advance(0.05)
    for is_named in (False, True):
        if is_named:
            sim.set_state(t=0.2, bob={"x": [0, 0.6, 0.8], "x_dot": [2, 0, 0]})
        else:
            sim.set_state(system.state([0, 0.6, 0.8], [2, 0, 0], t=0.2))
        changed = system.with_initial("bob", x=[0, 0.6, 0.8], x_dot=[2, 0, 0])
        expected = sl.solve(changed, (0.2, 0.25), h=0.01)
        assert are_equal(sim.state, expected, 0)
        sim.advance(0.25)
        assert are_equal(sim.state, expected, -1)
    with pytest.raises(InconsistentInitialValuesError, match="rod"):
        sim.set_state(system.state([0, 0.6, 0.9]))
    with pytest.raises(ModelError, match="one state, not from states of the shape"):
        sim.set_state(system.state(np.zeros((2, 3))))
    with pytest.raises(ModelError, match="belongs to another system"):
        sim.set_state(ball("c").state())
    with pytest.raises(ModelError, match="omit t"):
        sim.set_state(system.state(), t=1.0)
    assert sim.t == 0.25


@pytest.mark.parametrize("backend", BACKENDS)
def test_terminal_event_ends_a_simulation(backend: Backend) -> None:
    expected = sl.solve(ball(backend), 5.0, h=0.01, t_eval=[0.3, 5.0])
    sim = ball(backend).simulator(h=0.01)
    before = sim.save()
    sim.advance(0.3)
    assert not sim.events
    assert not sim.is_done
    sim.advance(5.0)
    assert [e.name for e in sim.events] == ["ground"]
    assert not sim.events
    assert sim.t == expected.t[-1]
    for go_on in (sim.step, lambda: sim.advance(6.0)):
        with pytest.raises(ModelError, match=r"ended at t = 0.4515.* by the event 'ground'; continue .* set_state or"):
            go_on()
    sim.set_state(t=sim.t, ball={"x": [0, 0, 0.2], "x_dot": [1, 0, 1]})
    sim.step()
    sim.restore(before)
    sim.advance(0.3)
    sim.advance(5.0)
    assert sim.t == expected.t[-1]


def test_events_are_those_of_solve() -> None:
    expected = sl.solve(rod("c"), 2.0, h=0.01)
    sim = rod("c").simulator(h=0.01, record=True)
    found: list[sl.Event] = []
    for _ in range(200):
        sim.step()
        found += sim.events
    assert [(e.name, e.t) for e in found] == [(e.name, e.t) for e in expected.events]
    assert len(sim.solution().events) == len(found) > 3


def test_failed_step_keeps_the_last_state() -> None:
    sim = pushed("c").simulator(method="generalized_alpha", h=0.01)
    sim.advance(0.1)
    before = sim.state
    sim.inputs["push"] = [1e12, 0]
    with pytest.raises(NotConvergedError) as caught:
        sim.step()
    solution = caught.value.solution
    assert isinstance(solution, sl.Solution)
    assert are_equal(before, solution, -1)
    assert sim.t == before.t
    with pytest.raises(ModelError, match=r"ended at t = 0.1, where a step failed"):
        sim.step()
    sim.inputs["push"] = [0, 0]
    sim.set_state(bob={"x": [0, 0.6, 0.8], "x_dot": [2, 0, 0]})
    sim.step()
    assert sim.t == pytest.approx(0.11)


def test_refused_arguments_are_named() -> None:
    sim = driven("c").simulator(h=0.01)
    with pytest.raises(UnknownNameError, match="has no input 'pull'; it has: push, rest"):
        sim.inputs["pull"] = 1.0
    with pytest.raises(ModelError, match="needs 1 numbers, not 2"):
        sim.inputs["push"] = [1.0, 2.0]
    with pytest.raises(ModelError, match="not finite"):
        sim.inputs["push"] = np.nan
    with pytest.raises(SmoothnessError, match=r"'rest'.*differentiated"):
        sim.inputs["rest"] = 1.0
    assert dict(sim.inputs) == {"push": 0.0}
    sim.advance(0.1)
    mistakes: dict[Any, str] = {0.05: "cannot advance to t = 0.05", np.nan: "finite number", "later": "finite number"}
    for until, message in mistakes.items():
        with pytest.raises(ModelError, match=message):
            sim.advance(until)
    with pytest.raises(ModelError, match="leaves the table 'rest'"):
        sim.advance(100.0)
    with pytest.raises(ModelError, match="does not record"):
        sim.solution()
    with pytest.raises(ModelError, match="another simulation"):
        sim.restore(driven("c").simulator(h=0.01).save())
    with pytest.raises(ModelError, match="table of several points"):
        driven("c").with_input("push", [0, 1], [0, 1]).simulator(h=0.01).inputs["push"] = 1.0
    with pytest.raises(ModelError, match="step size must be positive"):
        driven("c").simulator(h=-1.0)
    unusable: Any = "short"
    with pytest.raises(ModelError, match="step size must be a number"):
        driven("c").simulator(h=unusable)
    with pytest.raises(ModelError, match="time of a simulation"):
        driven("c").simulator(np.inf)
    with pytest.raises(UnsupportedMethodError):
        driven("c").simulator(method="bdf3")


def test_constant_table_is_a_start_value() -> None:
    sim = driven("c").with_input("push", 0.0, 3.0).simulator(h=0.01)
    assert sim.inputs["push"] == 3.0
    sim.inputs["push"] = 4.0
    assert sim.inputs["push"] == 4.0


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{"h": 0.01}, {"rtol": 1e-6}])
def test_breakpoints_of_tables_are_those_of_solve(options: dict[str, Any], backend: Backend) -> None:
    """Jumps and kinks of tables that the simulation does not hold end steps."""
    times = np.array([0.033, 0.05, 0.0777])
    for interpolation in ("hold", "linear"):
        system = driven(backend).with_input("push", times, [0.0, 8.0, -8.0], interpolation)
        expected = sl.solve(system, 0.1, **options)
        sim = system.simulator(**options, record=True)
        sim.advance(0.1)
        assert np.array_equal(sim.solution().q, expected.q)
        sim = system.simulator(**options, record=True)
        while sim.t < 0.07:
            sim.step()
        count = len(sim.solution().t)
        assert np.array_equal(sim.solution().q, expected.q[:count])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{"h": 0.004}, {"rtol": 1e-7}, {"method": "bdf", "rtol": 1e-5}])
def test_breakpoints_of_periodic_tables_are_those_of_solve(options: dict[str, Any], backend: Backend) -> None:
    model = sl.Model("shaken")
    cart = model.node("cart", "R1")
    model.kinetic_energy(cart.x_dot[0] ** 2 / 2)
    model.generalized_force(cart, [model.smooth_table("force", [0, 0.01, 0.02, 0.05], [0, 1, -1, 0], end="periodic")])
    system = model.derive().compile(backend=backend)
    expected = sl.solve(system, 0.333, **options)
    whole, single = system.simulator(record=True, **options), system.simulator(record=True, **options)
    whole.advance(0.333)
    while single.t < 0.3:
        single.step()
    for found in (whole.solution(), single.solution()):
        np.testing.assert_array_equal(found.t, expected.t[: len(found.t)])
        np.testing.assert_array_equal(found.q, expected.q[: len(found.t)])


@pytest.mark.parametrize("options", [{"h": 0.001}, {"rtol": 1e-6}])
def test_memory_does_not_grow(options: dict[str, Any]) -> None:
    sim = pushed("c").simulator(**options)

    def go_on() -> None:
        for _ in range(200):
            sim.step()
            sim.inputs["push"] = [0.1, 0.0]
            sim.step()
            sim.advance(sim.t + 0.001)

    go_on()
    tracemalloc.start()
    go_on()
    first = tracemalloc.get_traced_memory()[0]
    go_on()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 2000
