"""Sampled controllers: the bits of held tables, in `solve` and in simulations; delays, saved states, and bad input."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    CheckpointError,
    CodeNotLoadedError,
    ControllerError,
    FormatError,
    InterruptedIntegrationError,
    ModelError,
    SmoothnessError,
    UnknownNameError,
)
from symlie.options import Backend
from symlie.runtime.integrate.checkpoint import checkpoint_notes
from symlie.runtime.integrate.simulation.clock import Clock
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces
from tests.runtime.test_events import ball
from tests.runtime.test_simulator import BACKENDS, CONSTRAINED, FREE, driven, pushed, run_of

PERIOD = 2.0**-6
"""Period of controllers, in s."""


def law(t: float, state: sl.State) -> Array:
    """A force for each input of the test systems."""
    return np.array([np.sin(9 * t) - 3 * state.v[0], -2 * state.q[-1]])[: len(state.v) - 1]


def sampled(**changes: Any) -> sl.Sampled:
    options: dict[str, Any] = {"period": PERIOD, "reads": ["state"], "writes": ["push"]}
    return sl.Sampled(law, **{**options, **changes})


class Integral:
    """A controller with a state."""

    def __init__(self) -> None:
        self.sum = 0.0

    def __call__(self, t: float, state: sl.State) -> list[float]:
        self.sum += PERIOD * float(state.q[0])
        return [-5 * self.sum, t]


def check_same(found: Solution, expected: Solution) -> None:
    for name in ("t", "q", "v", "multipliers"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def of_table(found: Solution, system: System, options: dict[str, Any], stops: Array | None = None) -> Solution:
    """The run with the inputs of a solution as tables."""
    table = found.system.inputs["push"]
    span = float(found.t[0]), float(found.t[-1])
    return sl.solve(system.with_input("push", table.times, table.values, "hold"), span, t_eval=stops, **options)


def check_controlled(system: System, options: dict[str, Any], t0: float) -> None:
    """The three ways to run a controller have the bits of a table of its values."""
    end = t0 + 0.25
    found = sl.solve(system, (t0, end), controllers=[sampled()], **options)
    assert len(found.system.inputs["push"].times) == 16
    assert np.ptp(found.system.inputs["push"].values) > 0.1
    expected = of_table(found, system, options)
    check_same(found, expected)
    work = [{k: n for k, n in vars(x.statistics).items() if "seconds" not in k} for x in (found, expected)]
    assert work[0] == work[1]
    whole, single = (system.simulator(t0, record=True, controllers=[sampled()], **options) for _ in range(2))
    whole.advance(end)
    check_same(whole.solution(), expected)
    while single.t < end - PERIOD:
        single.step()
    count = len(single.solution().t)
    assert count > 10
    for name in ("t", "q", "v"):
        np.testing.assert_array_equal(getattr(single.solution(), name), getattr(expected, name)[:count])


def test_sampled_controller_has_the_bits_of_a_held_table() -> None:
    check_controlled(pushed("c"), {"rtol": 1e-7}, 0.0)
    check_controlled(pushed("c"), {"h": 2.0**-8}, 0.37)
    check_controlled(driven("numpy"), {"h": 2.0**-8, "method": "rkmk_rk44"}, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("t0", [0.0, 0.37])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CONSTRAINED)
def test_sampled_controller_of_a_constrained_system_has_the_bits_of_a_table(
    name: str, backend: Backend, t0: float
) -> None:
    check_controlled(pushed(backend), run_of(name, CONSTRAINED), t0)


@pytest.mark.slow
@pytest.mark.parametrize("t0", [0.0, 0.37])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FREE)
def test_sampled_controller_of_a_free_system_has_the_bits_of_a_table(name: str, backend: Backend, t0: float) -> None:
    check_controlled(driven(backend), run_of(name, FREE), t0)


@pytest.mark.parametrize("options", [{"h": 2.0**-8}, {"rtol": 1e-6}])
def test_output_times_of_controlled_runs_are_exact(options: dict[str, Any]) -> None:
    times = np.array([0.0, 0.01, PERIOD, 0.1001, 0.2])
    found = sl.solve(pushed("c"), 0.2, controllers=[sampled()], t_eval=times, **options)
    np.testing.assert_array_equal(found.t, times)
    check_same(found, of_table(found, pushed("c"), options, times))


@pytest.mark.parametrize("options", [{"h": PERIOD / 4}, {"rtol": 1e-6}])
def test_delayed_values_are_those_of_earlier_samples(options: dict[str, Any]) -> None:
    """Values take effect by the delay later; before, the input has its constant value."""
    seen: list[tuple[float, float]] = []

    def follow(t: float, state: sl.State) -> float:
        seen.append((t, float(state.v[0])))
        return -3 * float(state.v[0])

    system, delay = driven("c").with_input("push", 0.0, 0.7), 2.5 * PERIOD
    controller = sl.Sampled(follow, period=PERIOD, reads="state", writes="push", delay=delay)
    found = sl.solve(system, 0.25, controllers=[controller], **options)
    table = found.system.inputs["push"]
    np.testing.assert_array_equal([t for t, _ in seen], np.arange(16) * PERIOD)
    count = len(table.times) - 1
    assert count == 14
    np.testing.assert_array_equal(table.times, [0.0, *(np.arange(count) * PERIOD + delay)])
    np.testing.assert_array_equal(table.values[:, 0], [0.7, *(-3 * v for _, v in seen[:count])])
    stops = np.array([t for t, _ in seen] + [0.25])
    at_samples = sl.solve(system, 0.25, controllers=[controller], t_eval=stops, **options)
    check_same(at_samples, of_table(found, system, options, stops))
    sim = system.simulator(record=True, controllers=[controller], **options)
    sim.advance(0.25)
    np.testing.assert_array_equal(sim.solution().q[-1], found.q[-1])


def test_delay_of_whole_periods_coincides_with_samples() -> None:
    clock = Clock([sampled(period=0.1, delay=0.3)], 0.7)
    times, applied = clock.until(3.0)
    assert len(times) == 23
    assert applied == [times[3:]]


def test_controllers_of_several_periods_read_the_state_before_the_sample() -> None:
    """The order of the controllers has no influence, and times that differ by rounding are one time."""
    model = sl.Model("two_inputs")
    cart = model.node("cart", "R2")
    first, second = model.input("first", unit="N"), model.input("second", unit="N")
    model.kinetic_energy(cart.x_dot.dot(cart.x_dot) / 2)
    model.generalized_force(cart, [first, second])
    model.output("first_force", first, unit="N")
    model.output("second_force", second, unit="N")
    system = model.derive().compile(backend="numpy")
    seen: dict[str, list[tuple[float, float]]] = {"first": [], "second": []}

    def reading(name: str) -> Callable[[float, float], float]:
        def function(t: float, other: float) -> float:
            seen[name].append((t, other))
            return len(seen[name])

        return function

    controllers = [
        sl.Sampled(reading("first"), period=0.1, reads="second_force", writes="first"),
        sl.Sampled(reading("second"), period=0.3, reads="first_force", writes="second"),
    ]
    results = []
    for order in (controllers, controllers[::-1]):
        seen["first"].clear()
        seen["second"].clear()
        solution = sl.solve(system, 1.0, h=0.1, method="rkmk_rk44", controllers=order)
        results.append((solution.q.tobytes(), {name: [*values] for name, values in seen.items()}))
        assert [other for _, other in seen["first"]] == [0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
        assert [other for _, other in seen["second"]] == [0, 3, 6, 9]
        assert len(solution.t) == 11
    assert results[0] == results[1]


def test_controller_reads_outputs_as_arrays_and_numbers() -> None:
    given: list[tuple[object, ...]] = []

    def function(t: float, *values: object) -> list[float]:
        given.append(values)
        return [1.0, 2.0]

    sl.solve(
        pushed("c"), 0.02, h=0.01,
        controllers=[sl.Sampled(function, period=0.01, reads=["pushed", "energy", "state"], writes=["push"])],
    )  # fmt: skip
    assert [values[0] for values in given] == [0.0, 1.0]
    assert isinstance(given[0][1], float)
    assert isinstance(given[0][2], sl.State)
    assert given[0][2].t == 0.0


def test_controller_writes_several_inputs() -> None:
    model = sl.Model("two_forces")
    cart = model.node("cart", "R3")
    one, two = model.input("one", unit="N"), model.input("two", 2, unit="N")
    model.kinetic_energy(cart.x_dot.dot(cart.x_dot) / 2)
    model.generalized_force(cart, [one, two[0], two[1]])
    system = model.derive().compile(backend="numpy")

    def run(function: Callable[[float], object]) -> Solution:
        return sl.solve(
            system, 1.0, h=0.5, method="rkmk_rk44",
            controllers=sl.Sampled(function, period=0.5, writes=["one", "two"]),
        )  # fmt: skip

    np.testing.assert_allclose(run(lambda t: (1.0, [2.0, 3.0])).v[-1], [1, 2, 3], rtol=1e-14)
    for wrong in (1.0, (1.0,), "12", {"one": 1.0, "two": 2.0}):
        with pytest.raises(ControllerError, match="must return 2 values, of one, two"):
            run(lambda t, wrong=wrong: wrong)


def test_state_of_a_controller_is_saved_and_restored() -> None:
    sim = pushed("c").simulator(
        h=PERIOD, record=True,
        controllers=[sl.Sampled(Integral(), period=2 * PERIOD, reads="state", writes="push", delay=PERIOD)],
    )  # fmt: skip
    sim.advance(5 * PERIOD)
    saved, expected = sim.save(), None
    for _ in range(3):
        sim.advance(17.3 * PERIOD)
        sim.step()
        solution, integral = sim.solution(), sim.controllers[0].function.sum
        if expected is None:
            expected = solution, integral
        check_same(solution, expected[0])
        assert integral == expected[1]
        sim.restore(saved)
    once = pushed("c").simulator(h=PERIOD, controllers=[sl.Sampled(iter_law(), period=PERIOD, writes="push")])
    with pytest.raises(ModelError, match="'Counting' cannot be copied"):
        once.save()


class Counting:
    """A controller that cannot be copied or pickled."""

    def __init__(self) -> None:
        self.values = (float(k) for k in range(9))

    def __call__(self, t: float) -> list[float]:
        return [next(self.values), 0.0]


def iter_law() -> Counting:
    return Counting()


def test_set_state_begins_the_samples_anew() -> None:
    times: list[float] = []

    def function(t: float) -> float:
        times.append(t)
        return 0.0

    sim = driven("c").simulator(h=0.01, controllers=[sl.Sampled(function, period=0.02, writes="push")])
    sim.advance(0.05)
    sim.set_state(t=1.001)
    sim.advance(1.025)
    sim.step()
    np.testing.assert_allclose(times, [0.0, 0.02, 0.04, 1.001, 1.021], rtol=1e-14)
    assert sim.t == pytest.approx(1.033, rel=1e-14)


def test_event_ends_a_controlled_run() -> None:
    calls: list[float] = []

    def function(t: float, state: sl.State) -> float:
        calls.append(t)
        return 15.0

    controller = sl.Sampled(function, period=0.1, reads="state", writes="push")
    found = sl.solve(driven("c"), 3.0, h=0.01, controllers=[controller])
    assert found.status == "event"
    assert found.events[-1].name == "leaves"
    assert calls[-1] < found.t[-1] <= calls[-1] + 0.1
    table = found.system.inputs["push"]
    held = driven("c").with_input("push", table.times, table.values, "hold")
    check_same(found, sl.solve(held, 3 * 0.1, h=0.01))


def test_continued_run_samples_from_its_start() -> None:
    options: dict[str, Any] = {"h": 2.0**-8, "controllers": [sampled()]}
    first = sl.solve(pushed("c"), 0.125, **options)
    second = sl.solve(pushed("c"), 0.25, start=first, **options)
    table = second.system.inputs["push"]
    np.testing.assert_array_equal(table.times, np.arange(8) * PERIOD + 0.125)
    held = pushed("c").with_input("push", table.times, table.values, "hold")
    check_same(second, sl.solve(held, 0.25, start=first, h=2.0**-8))


class Delayed(Integral):
    """A controller that fails when it is pickled later."""

    def __call__(self, t: float, state: sl.State) -> list[float]:
        if t > 5 * PERIOD:
            self.unusable = (k for k in range(3))
        return super().__call__(t, state)


CONTROLLED: dict[str, dict[str, Any]] = {
    "fixed": {"h": PERIOD / 2},
    "adaptive": {"rtol": 1e-7, "trace": True},
    "history": {"method": "bdf", "rtol": 1e-4},
    "output times": {"rtol": 1e-6, "t_eval": [0.011, PERIOD, 0.1, 0.25]},
}


def check_resumed(backend: Backend, options: dict[str, Any], folder: Path) -> None:
    def controllers() -> list[sl.Sampled]:
        return [sl.Sampled(Integral(), period=PERIOD, reads="state", writes="push", delay=PERIOD)]

    system, path = pushed(backend), folder / "run.checkpoint"
    expected = sl.solve(system, 0.25, controllers=controllers(), **options)
    assert interrupted(system, 0.25, 2, path, controllers=controllers(), **options).t[-1] < 0.25
    for resumed in (resumed_in_pieces(path, 4), sl.resume(path, trust=True)):
        assert content(resumed) == content(expected)
        for found, known in zip(resumed.system.inputs.values(), expected.system.inputs.values(), strict=True):
            np.testing.assert_array_equal(found.times, known.times)
            np.testing.assert_array_equal(found.values, known.values)


@pytest.mark.usefixtures("often")
def test_resumed_controlled_run_is_bit_identical(tmp_path: Path) -> None:
    check_resumed("c", CONTROLLED["fixed"], tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CONTROLLED)
def test_resumed_controlled_runs_are_bit_identical(name: str, backend: Backend, tmp_path: Path) -> None:
    check_resumed(backend, CONTROLLED[name], tmp_path)


@pytest.mark.usefixtures("often")
def test_checkpoint_runs_no_controller_without_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.checkpoint"
    controller = sl.Sampled(Integral(), period=PERIOD, reads="state", writes="push")
    interrupted(pushed("c"), 0.25, 2, path, h=PERIOD, controllers=[controller], checkpoint_notes={"a": 1})
    loaded: list[object] = []
    monkeypatch.setattr(pickle, "loads", lambda data: loaded.append(data))
    assert checkpoint_notes(path) == {"a": 1}
    with pytest.raises(CodeNotLoadedError, match="trust=True"):
        sl.resume(path)
    assert not loaded
    with pytest.raises(FormatError, match="is damaged"):
        sl.resume(path, trust=True)
    assert len(loaded) == 1
    monkeypatch.undo()
    monkeypatch.delattr("tests.runtime.test_sampled.Integral")
    with pytest.raises(FormatError, match=r"controllers of the checkpoint cannot be loaded .*modules can be imported"):
        sl.resume(path, trust=True)


@pytest.mark.usefixtures("often")
def test_controller_that_cannot_be_pickled_has_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    nested = sl.Sampled(lambda t: [0.0, 0.0], period=PERIOD, writes="push")
    with pytest.raises(ModelError, match="'<lambda>' cannot be stored in a checkpoint"):
        sl.solve(pushed("c"), 0.25, h=PERIOD, controllers=[nested], checkpoint=path)
    assert not path.exists()
    later = sl.Sampled(Delayed(), period=PERIOD, reads="state", writes="push")
    with pytest.raises(CheckpointError, match=r"'Delayed' cannot be stored .* solution so far is attached") as caught:
        sl.solve(pushed("c"), 0.25, h=PERIOD, controllers=[later], checkpoint=path, checkpoint_seconds=0)
    assert isinstance(caught.value.solution, sl.Solution)
    assert caught.value.solution.t[-1] >= 5 * PERIOD


def failing(error: Exception | None = None, value: object = None, at: float = 0.0) -> sl.Sampled:
    def broken(t: float) -> object:
        if t < at:
            return [0.0, 0.0]
        if error is not None:
            raise error
        return value

    return sl.Sampled(broken, period=PERIOD, writes="push")


@pytest.mark.parametrize("at", [0.0, 4 * PERIOD])
@pytest.mark.parametrize(
    ("controller", "message"),
    [
        ({"error": ValueError("no")}, r"'broken' failed at t = [0-9.]+ with ValueError: no"),
        ({"value": None}, "'broken' returned nothing at .*return the value of push"),
        (
            {"value": [1.0, np.nan]},
            r"'broken' returned \[1.0, nan\] at t = .*: The value of input 'push' .* is not finite",
        ),
        ({"value": 1.0}, "'broken' returned 1.0 at t = .*: Input 'push' .* needs 2 numbers, not 1"),
        (
            {"value": "fast"},
            "'broken' returned 'fast' at t = .*: The value of input 'push' must be numbers, not 'fast'",
        ),
    ],
)
def test_failure_of_a_controller_carries_the_solution(controller: dict[str, Any], message: str, at: float) -> None:
    broken, system = failing(at=at, **controller), pushed("c")
    with pytest.raises(ControllerError, match=message) as caught:
        sl.solve(system, 1.0, h=PERIOD / 2, controllers=[broken])
    assert caught.value.__cause__ is controller.get("error") or "error" not in controller
    assert isinstance(caught.value.solution, sl.Solution)
    assert caught.value.solution.t[-1] == at
    assert caught.value.solution.status == "ControllerError"
    if at > 0:
        check_same(caught.value.solution, of_table(caught.value.solution, system, {"h": PERIOD / 2}))
    sim = system.simulator(h=PERIOD / 2, record=True, controllers=[broken])
    with pytest.raises(ControllerError, match=message) as caught:
        sim.advance(1.0)
    assert isinstance(caught.value.solution, sl.Solution)
    assert caught.value.solution.t[-1] == sim.t == at
    with pytest.raises(ModelError, match="where a controller failed; continue by jump"):
        sim.step()


def test_interruption_in_a_controller_keeps_the_solution() -> None:
    def interrupted_at_once(t: float) -> list[float]:
        if t >= 4 * PERIOD:
            raise KeyboardInterrupt
        return [t, 0.0]

    controller = sl.Sampled(interrupted_at_once, period=PERIOD, writes="push")
    with pytest.raises(InterruptedIntegrationError, match=r"Interrupted at t = 0\.0625") as caught:
        sl.solve(pushed("c"), 1.0, h=PERIOD / 2, controllers=[controller])
    assert caught.value.solution is not None
    assert len(caught.value.solution.t) == 9


def test_memory_of_a_controlled_simulation_does_not_grow() -> None:
    sim = pushed("c").simulator(h=PERIOD, controllers=[sampled(delay=PERIOD)])

    def go_on() -> float:
        for _ in range(200):
            sim.step()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    go_on()
    first = go_on()
    grown = go_on() - first
    tracemalloc.stop()
    assert grown < 2000


def test_refused_controllers_are_named() -> None:
    system = driven("c")

    def refused(
        kind: type[Exception], message: str, *controllers: object, options: dict[str, Any] | None = None
    ) -> None:
        given: Any = controllers
        for run in (
            lambda: sl.solve(system, 1.0, **(options or {"h": 0.01}), controllers=given),
            lambda: system.simulator(**(options or {"h": 0.01}), controllers=given),
        ):
            with pytest.raises(kind, match=message):
                run()

    refused(UnknownNameError, "has no input 'pull'; it has: push, rest", sampled(writes=["pull"]))
    refused(UnknownNameError, "'law' reads 'speed', but .* has no output of this name.*state", sampled(reads=["speed"]))
    refused(SmoothnessError, r"'rest'.*differentiated", sampled(writes=["rest"]))
    refused(ModelError, "'law' and 'law' both write the input 'push'", *2 * [sampled(period=0.02)])
    refused(ModelError, "period .* 1e-12 s, is not a multiple of the step", sampled(period=1e-12))
    refused(ModelError, "must be an sl.Sampled, not <function", law)
    refused(ModelError, "period of the controller 'law', 0.015 s, is not a multiple of the step", sampled(period=0.015))
    refused(ModelError, "period .* 0.005 s, is not a multiple of the step size h = 0.01 s", sampled(period=0.005))
    refused(ModelError, "delay .* 0.015 s, is not a multiple of the step", sampled(period=0.02, delay=0.015))
    with pytest.raises(ModelError, match=r"more than 10000000 samples with the period 1e-09 s"):
        sl.solve(system, 1.0, controllers=[sampled(period=1e-9)])
    for message, changes in {
        "period of the controller 'law' must be a positive number": {"period": 0.0},
        "delay of the controller 'law' must not be negative": {"delay": -0.1},
        "reads of the controller 'law' must be different names": {"reads": ["state", "state"]},
        "'law' writes no input": {"writes": []},
    }.items():
        with pytest.raises(ModelError, match=message):
            sampled(**changes)
    unusable: Any = 3.0
    with pytest.raises(ModelError, match="must be a function, not 3"):
        sl.Sampled(unusable, period=1.0, writes="push")
    sim = system.simulator(h=PERIOD, controllers=sampled())
    with pytest.raises(ModelError, match="Input 'push' is written by the controller 'law'"):
        sim.inputs["push"] = 1.0
    assert repr(sampled()) == "Sampled(law; period=0.015625 s; reads=state; writes=push; delay=0 s)"


def test_system_of_a_table_refuses_a_controller() -> None:
    with pytest.raises(ModelError, match="table of several points"):
        sl.solve(driven("c").with_input("push", [0, 1], [0, 1]), 1.0, controllers=[sampled()])
    unusable: Any = "system"
    with pytest.raises(ModelError, match="cannot be integrated"):
        sl.solve(unusable, 1.0, controllers=[sampled()])
    assert ball("c").simulator(h=0.01).controllers == ()
