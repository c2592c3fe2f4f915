"""The page on bodies and joints, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/bodies.md")


def work(t: Array, power: Array) -> tuple[Array, float]:
    """The integral of a power by splines, and its change with every other point: sixteen times its error."""
    fine, coarse = (CubicSpline(t[::n], power[::n]).antiderivative() for n in (1, 2))
    done = fine(t) - fine(t[0])
    return done, float(np.abs(done - coarse(t) + coarse(t[0]))[: len(t) - 1].max())


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_motor_friction_dissipates_energy() -> None:
    """Energy falls with the power -0.1 rate² of the motor's friction, and the hinges' points stay together."""
    solution = SESSION.after("Bodies and joints")["solution"]
    energy, rate = solution.outputs["energy"], solution.outputs["motor_rate"]
    lost, error = work(solution.t, -0.1 * rate**2)
    np.testing.assert_allclose(energy - energy[0], lost, rtol=0, atol=error)
    assert error < 1e-3 * np.ptp(energy)
    assert solution.statistics.max_constraint_residual < 1e-8, "the tolerance of the run"


@pytest.mark.slow
def test_club_example_is_correct() -> None:
    club = SESSION.after("Bodies")["club"]
    assert club.mass == 0.7
    np.testing.assert_allclose(club.center, [0, 0, 0.5 * 0.15 / 0.7])


@pytest.mark.slow
def test_driven_slider_crank_example_is_correct() -> None:
    """The slider is where it must be; the drive does the work, that the energy needs."""
    names = SESSION.after("Joints")
    driven, exact = names["driven"], names["exact"]
    np.testing.assert_allclose(driven.outputs["guide_displacement"], exact, rtol=0, atol=tolerances.HELD_CONSTRAINT)
    power, energy = driven.outputs["power"], driven.outputs["energy"]
    done, error = work(driven.t, power)
    np.testing.assert_allclose(energy - energy[0], done, rtol=0, atol=error)
    assert error < 1e-6 * np.ptp(energy)


@pytest.mark.slow
def test_four_bar_has_mobility_one() -> None:
    found = SESSION.after("Mobility")["four_bar"].derive().compile(backend="numpy").mobility()
    comments = [line[2:] for line in SESSION.block("Mobility").splitlines() if line.startswith("# ")]
    assert str(found).splitlines() == comments


@pytest.mark.slow
def test_user_defined_joint_is_satisfied() -> None:
    path = SESSION.after("Custom joints")["path"]
    assert np.ptp(path.outputs["energy"]) < tolerances.PAGE_DRIFT
    assert list(path.named_multipliers()) == ["ring"]


@pytest.mark.slow
def test_servo_offset_equals_effort_over_gain() -> None:
    """At rest the controller misses its target by effort over gain, which holds the beam against weight and spring."""
    raised = SESSION.after("Forces")["raised"]
    angle, effort = raised.outputs["shoulder_angle"][-1], raised.outputs["control_effort"][-1]
    rates = raised.outputs["shoulder_rate"][-10:]
    np.testing.assert_allclose(
        effort, 4000 * (1.5 - angle) - 200 * rates[-1], rtol=0, atol=4 * 4000 * tolerances.EPSILON
    )
    weight = 3.0 * 9.81 * 0.5 * np.cos(angle)
    middle = 0.5 * np.array([np.cos(angle), np.sin(angle)])
    d = np.array([0.0, 1.0]) - middle
    pull = 100 * (np.linalg.norm(d) - np.sqrt(1.25)) * d / np.linalg.norm(d)
    # What is left of the motion needs its inertia, 1 kg m², times rates and the frequency √(4000 N m/rad / 1 kg m²).
    rest = np.sqrt(4000) * np.abs(rates).max()
    np.testing.assert_allclose(effort, weight - (middle[0] * pull[1] - middle[1] * pull[0]), rtol=0, atol=rest)
    assert rest < 1e-4
