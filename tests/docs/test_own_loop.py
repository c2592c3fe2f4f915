"""The page on simulations in a loop in Python, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/own_loop.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_controller_reaches_its_target() -> None:
    """The slowest mode of the closed loop decays within 0.2 s."""
    names = SESSION.after("A sampled controller")
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
