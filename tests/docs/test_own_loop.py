"""The page on simulations in a loop in Python, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/own_loop.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_sampled_controller_reaches_its_target() -> None:
    names = SESSION.after("Sampled controllers")
    assert np.abs(names["controlled"].q[-1] - names["target"]).max() < 1e-4
    assert len(names["table"].times) == 2000
    np.testing.assert_array_equal(sl.solve(names["held"], 2).q, names["controlled"].q)
    sim = SESSION.after("Controllers of a simulation")["sim"]
    assert np.abs(sim.state.q - names["target"]).max() < 1e-4


@pytest.mark.slow
def test_environment_runs_an_episode() -> None:
    pytest.importorskip("gymnasium")
    env = SESSION.after("Reinforcement learning")["environment"]()
    env.reset(seed=1)
    results = [env.step(np.zeros(2)) for _ in range(100)]
    assert [truncated for *_, truncated, _ in results] == [False] * 99 + [True]
    assert results[-1][4]["t"] == 2.0


@pytest.mark.slow
def test_controller_reaches_its_target() -> None:
    """The slowest mode of the closed loop decays within 0.2 s."""
    names = SESSION.after("Your own loop")
    assert np.abs(names["state"].q - names["target"]).max() < 1e-4
    assert names["solution"].t[-1] == 2.0
    np.testing.assert_array_equal(names["same"].q, names["solution"].q)


@pytest.mark.slow
def test_larger_torques_raise_the_arm() -> None:
    angles = list(SESSION.after("States")["reached"].values())
    assert angles == sorted(angles)
    assert len(set(angles)) == 3


@pytest.mark.slow
def test_event_is_found_in_the_loop() -> None:
    event = SESSION.after("Events")["event"]
    assert event.name == "low"
    assert np.sin(event.q[0]) + np.sin(event.q.sum()) == pytest.approx(0.8, abs=tolerances.EVENT_TIME)
