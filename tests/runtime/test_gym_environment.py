"""Environments of Gymnasium: its own check, episodes, seeds, limits, and bad input."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import InconsistentInitialValuesError, MissingDependencyError, ModelError, UnknownNameError
from symlie.runtime.integrate.simulation.environment import Values
from symlie.runtime.system.system import System
from tests.runtime.test_simulator import pushed

PERIOD = 0.02


@functools.cache
def cart_pole() -> System:
    """A cart with a pole, in minimal coordinates, pushed by a force."""
    model = sl.Model("cart_pole")
    cart, pole = model.node("cart", "R1"), model.node("pole", "R1")
    force = model.input("force", unit="N")
    x, angle, speed, rate = cart.x[0], pole.x[0], cart.x_dot[0], pole.x_dot[0]
    model.kinetic_energy((1.1 * speed**2 + 0.1 * rate * (speed * sl.cos(angle) + 0.5 * rate / 2)) / 2)
    model.potential_energy(9.81 * 0.05 * sl.cos(angle))
    model.generalized_force(cart, [force])
    model.output("position", x, unit="m")
    model.output("angles", [angle, rate], unit="rad")
    model.event("falls", angle**2 - 0.2**2)
    model.initial(pole, x=[0.05], x_dot=[0])
    model.initial(cart, x=[0], x_dot=[0])
    return model.derive().compile(backend="c")


def reward(values: Values) -> float:
    angle = np.asarray(values["angles"])[0]
    return 1.0 - float(angle) ** 2 - 0.001 * float(values["force"]) ** 2


def tilted(random: np.random.Generator) -> dict[str, dict[str, object]]:
    return {"pole": {"x": [random.uniform(-0.1, 0.1)]}}


def environment(**changes: Any) -> Any:
    pytest.importorskip("gymnasium")
    options: dict[str, Any] = {
        "observation": ["position", "angles"], "action": ["force"], "reward": reward, "period": PERIOD,
        "limits": {"force": (-1.0, 1.0)}, "time_limit": 10 * PERIOD, "initial": tilted,
    }  # fmt: skip
    sim = changes.pop("simulator", None) or cart_pole().simulator(h=PERIOD / 4, record=True)
    return sl.gym_environment(sim, **{**options, **changes})


@pytest.mark.parametrize("changes", [{}, {"initial": None}, {"limits": None, "time_limit": None}])
def test_environment_passes_the_check_of_gymnasium(changes: dict[str, Any]) -> None:
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    with warnings.catch_warnings():
        # The spaces of outputs, and of inputs without limits, are unbounded, and the environment has no registration.
        warnings.filterwarnings("ignore", message=".*(infinity|is infinite|normalized space|spec|not a `gymnasium).*")
        checker.check_env(environment(**changes))


def test_episode_has_the_bits_of_a_simulation() -> None:
    env = environment()
    first, info = env.reset(seed=3)
    assert info == {"t": 0.0, "events": []}
    assert env.observation_space.contains(first)
    sim = cart_pole().simulator(h=PERIOD / 4)
    sim.set_state(pole={"x": [first[1]]})
    total = 0.0
    for k in range(10):
        action = np.array([np.sin(k)])
        found, gain, terminated, truncated, info = env.step(action)
        total += gain
        sim.inputs["force"] = action
        sim.advance((k + 1) * PERIOD)
        np.testing.assert_array_equal(found, [sim.outputs["position"], *sim.outputs["angles"]])
        assert gain == reward({"angles": sim.outputs["angles"], "force": float(action[0])})
        assert info["t"] == sim.t
        assert (terminated, truncated) == (False, k == 9)
    assert total < 10
    assert len(env.simulator.solution().t) == 41
    with pytest.raises(ModelError, match="begins with reset"):
        env.step(np.zeros(1))


def test_seeds_and_options_choose_the_initial_state() -> None:
    env = environment()
    starts = [env.reset(seed=seed)[0] for seed in (1, 1, 2, None)]
    np.testing.assert_array_equal(starts[0], starts[1])
    assert len({start[1] for start in starts}) == 3
    stated, _ = env.reset(options={"initial": {"cart": {"x": [0.3]}, "pole": {"x": [0.1]}}})
    np.testing.assert_array_equal(stated, [0.3, 0.1, 0.0])
    state = cart_pole().state(cart={"x": [0.2]}, t=1.5)
    stated, info = env.reset(options={"initial": state})
    np.testing.assert_array_equal(stated, [0.2, 0.05, 0.0])
    assert info["t"] == 1.5
    assert env.step(np.zeros(1))[4]["t"] == 1.5 + PERIOD
    with pytest.raises(UnknownNameError, match="no option 'state'"):
        env.reset(options={"state": state})
    assert environment(initial=None).reset(seed=5)[0][1] == 0.05


def test_terminal_event_terminates_an_episode() -> None:
    env = environment(time_limit=None)
    env.reset(seed=1)
    for _ in range(200):
        _, _, terminated, truncated, info = env.step(np.ones(1))
        assert not truncated
        if terminated:
            break
    assert info["events"] == ["falls"]
    assert info["t"] == env.simulator.t
    assert abs(env.simulator.outputs["angles"][0]) == pytest.approx(0.2, rel=1e-9)
    with pytest.raises(ModelError, match="begins with reset"):
        env.step(np.ones(1))
    env.reset(seed=1)
    assert not env.step(np.ones(1))[2]


def test_actions_are_clipped_and_split_among_inputs() -> None:
    env = environment(
        simulator=pushed("c").simulator(h=0.01), observation="pushed", action="push", reward=lambda values: values["t"],
        limits={"push": ([-1, -2], 3)}, initial=None,
    )  # fmt: skip
    np.testing.assert_array_equal(env.action_space.low, [-1, -2])
    np.testing.assert_array_equal(env.action_space.high, [3, 3])
    env.reset()
    observed, gain, *_ = env.step(np.array([-7.0, 5.0]))
    np.testing.assert_array_equal(env.simulator.inputs["push"], [-1, 3])
    assert observed == [-1.0]
    assert gain == PERIOD
    with pytest.raises(ModelError, match="An action has 2 numbers, for push, not 3"):
        env.step(np.zeros(3))
    with pytest.raises(ModelError, match="not finite"):
        env.step(np.array([np.nan, 0.0]))
    with pytest.raises(InconsistentInitialValuesError):
        env.reset(options={"initial": {"bob": {"x": [0, 0, 3]}}})


class Counter:
    """A controller with a state."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, t: float) -> float:
        self.count += 1
        return float(self.count)


def test_controllers_of_an_environment_begin_anew() -> None:
    model = sl.Model("two_forces")
    cart = model.node("cart", "R1")
    model.kinetic_energy(cart.x_dot[0] ** 2 / 2)
    model.generalized_force(cart, [model.input("drive", unit="N") + model.input("load", unit="N")])
    model.output("speed", cart.x_dot[0], unit="m/s")
    sim = model.derive().compile(backend="numpy").simulator(
        h=0.01, method="rkmk_rk44", controllers=sl.Sampled(Counter(), period=0.02, writes="load")
    )  # fmt: skip
    options: dict[str, Any] = {"observation": "speed", "reward": lambda values: 0, "limits": None, "initial": None}
    env = environment(simulator=sim, action="drive", **options)
    for _ in range(2):
        env.reset()
        speeds = [float(env.step(np.zeros(1))[0][0]) for _ in range(3)]
        np.testing.assert_allclose(speeds, [0.02, 0.06, 0.12], rtol=1e-12)
    with pytest.raises(ModelError, match="'load' is written by the controller 'Counter'"):
        environment(simulator=sim, action=["drive", "load"], **options)


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"observation": ["speed"]}, UnknownNameError, "no output 'speed' to observe; the model has: energy"),
        ({"action": ["torque"]}, UnknownNameError, "no input 'torque'; it has: force"),
        ({"action": []}, ModelError, "argument action of an environment must be different names"),
        ({"period": 0.0}, ModelError, "period of an environment must be a positive number of seconds, not 0.0"),
        ({"time_limit": -1.0}, ModelError, "time limit of an environment must be a positive number"),
        ({"reward": 1.0}, ModelError, "argument reward of an environment must be a function, not 1.0"),
        ({"limits": {"force": (1.0, -1.0)}}, ModelError, "limits of 'force' must be increasing pairs"),
        ({"limits": {"force": 1.0}}, ModelError, "limits of 'force' must be a lowest and a highest value"),
        ({"limits": {"push": (0, 1)}}, UnknownNameError, "limits of 'push' belong to no action"),
        ({"simulator": object()}, ModelError, "needs a simulation from system.simulator, not a object"),
    ],
)
def test_refused_arguments_of_an_environment_are_named(
    changes: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        environment(**changes)


def test_reward_must_be_a_number() -> None:
    env = environment(reward=lambda values: None)
    env.reset()
    with pytest.raises(ModelError, match=r"reward at t = 0.02 must be a finite number, not None"):
        env.step(np.zeros(1))
    with pytest.raises(ModelError, match="begins with reset"):
        environment().step(np.zeros(1))


def test_missing_gymnasium_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symlie.utilities.packages.is_present", lambda module: False)
    monkeypatch.delitem(sys.modules, "gymnasium", raising=False)
    with pytest.raises(MissingDependencyError, match=r'An environment needs gymnasium; .*"symlie\[gym\]"'):
        sl.gym_environment(
            cart_pole().simulator(h=0.01), observation=["position"], action=["force"], reward=reward, period=0.01
        )
