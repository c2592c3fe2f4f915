"""The page on bodies and joints, run as it stands there."""

from __future__ import annotations

import numpy as np

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/bodies.md")


def test_blocks() -> None:
    SESSION.run()


def test_the_motor_is_dragged_along() -> None:
    """Energy falls with the power -0.1 rate² of the motor's friction, and the hinges' points stay together."""
    solution = SESSION.after("Bodies and joints")["solution"]
    energy, rate = solution.outputs["energy"], solution.outputs["motor_rate"]
    power = -0.1 * rate**2
    steps = np.diff(solution.t)
    lost = (steps * (power[1:] + power[:-1]) / 2).sum()
    np.testing.assert_allclose(energy[-1] - energy[0], lost, rtol=2e-2)
    assert solution.statistics.max_constraint_residual < 1e-6


def test_a_club() -> None:
    club = SESSION.after("Bodies")["club"]
    assert club.mass == 0.7
    np.testing.assert_allclose(club.center, [0, 0, 0.5 * 0.15 / 0.7])


def test_a_driven_slider_crank() -> None:
    """The slider is where it must be; the drive does the work, by the trapezoidal rule, that the energy needs."""
    names = SESSION.after("Joints")
    driven, exact = names["driven"], names["exact"]
    np.testing.assert_allclose(driven.outputs["guide_displacement"], exact, rtol=0, atol=tolerances.HELD_CONSTRAINT)
    power, energy = driven.outputs["power"], driven.outputs["energy"]
    work = 1e-3 * (power[:-1] + power[1:]) / 2
    np.testing.assert_allclose(energy[1:] - energy[0], np.cumsum(work), rtol=0, atol=1e-3 * np.ptp(energy))


def test_a_four_bar_has_one_motion() -> None:
    found = SESSION.after("Mobility")["four_bar"].derive().compile(backend="numpy").mobility()
    comments = [line[2:] for line in SESSION.block("Mobility").splitlines() if line.startswith("# ")]
    assert str(found).splitlines() == comments


def test_a_joint_of_your_own() -> None:
    path = SESSION.after("A joint of your own")["path"]
    assert np.ptp(path.outputs["energy"]) < tolerances.PAGE_DRIFT
    assert list(path.named_multipliers()) == ["ring"]


def test_a_servo() -> None:
    """At rest the controller misses its target by effort over gain, which holds the beam against weight and spring."""
    raised = SESSION.after("Forces")["raised"]
    angle, effort = raised.outputs["shoulder_angle"][-1], raised.outputs["control_effort"][-1]
    np.testing.assert_allclose(1.5 - angle, effort / 4000, rtol=1e-4)
    weight = 3.0 * 9.81 * 0.5 * np.cos(angle)
    middle = 0.5 * np.array([np.cos(angle), np.sin(angle)])
    d = np.array([0.0, 1.0]) - middle
    pull = 100 * (np.linalg.norm(d) - np.sqrt(1.25)) * d / np.linalg.norm(d)
    np.testing.assert_allclose(effort, weight - (middle[0] * pull[1] - middle[1] * pull[0]), rtol=1e-4)
