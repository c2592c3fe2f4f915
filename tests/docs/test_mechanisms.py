"""The mechanisms of ``docs/mechanisms.md``, run as they are printed, judged by what is known of them."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/mechanisms.md")

# The linkage has rows that depend on each other, and each run says so.
pytestmark = pytest.mark.filterwarnings("ignore:The 30 constraint equations of 'bricard':symlie.warnings.SymlieWarning")


def test_blocks() -> None:
    SESSION.run()


def test_rolling_disk() -> None:
    solution = SESSION.after("A rolling disk")["solution"]
    energy = solution.outputs["energy"]
    assert abs(energy - energy[0]).max() <= tolerances.ADAPTIVE_ENERGY * abs(energy[0])
    inclination = solution.outputs["inclination"]
    assert abs(inclination - inclination[0]).max() <= tolerances.ADAPTIVE_ENERGY
    assert solution.statistics.max_velocity_residual <= tolerances.PROJECTED_VELOCITY
    # Steady rolling: the centre goes round in a circle, |x - c|² = ρ².
    x = solution.field("disk", "x")[:, :2]
    rows = np.column_stack([2 * x, np.ones(len(x))])
    fitted, *_ = np.linalg.lstsq(rows, (x**2).sum(axis=1), rcond=None)
    np.testing.assert_allclose(rows @ fitted, (x**2).sum(axis=1), rtol=0, atol=tolerances.ADAPTIVE_ENERGY)
    assert np.ptp(x[:, 0]) > 0.1


def test_shaken_pivot_keeps_the_pendulum_upright() -> None:
    names = SESSION.after("A pendulum on a shaken pivot")
    assert names["shaken"].outputs["height"].min() > 0.9
    assert names["slow"].outputs["height"].min() < -0.9
    assert names["shaken"].statistics.max_constraint_residual <= tolerances.SHAKEN_ROD


def test_tippe_top_turns_over() -> None:
    solution = SESSION.after("A tippe top")["solution"]
    upright, jellett, energy = (solution.outputs[name] for name in ("upright", "jellett", "energy"))
    assert upright[0] > 0.99 and upright[-1] < -0.9
    assert abs(jellett - jellett[0]).max() <= tolerances.ADAPTIVE_ENERGY * abs(jellett[0])
    # Friction takes energy; the stiff plane gives back what it stored.
    assert energy[-1] < 0.9 * energy[0]
    assert np.diff(energy[:: len(energy) // 50]).max() <= tolerances.STORED_BY_A_PLANE * energy[0]


def test_four_bar_linkage() -> None:
    solution = SESSION.after("A four-bar linkage in the plane")["solution"]
    pin, energy = solution.outputs["crank_pin"], solution.outputs["energy"]
    np.testing.assert_allclose((pin**2).sum(axis=1), 1.0, rtol=0, atol=tolerances.PROJECTED_VELOCITY)
    assert abs(energy - energy[0]).max() <= tolerances.LINKAGE_ENERGY * abs(energy[0])
    angle = np.unwrap(np.arctan2(pin[:, 1], pin[:, 0]))
    assert angle[-1] - angle[0] > 4 * np.pi


def test_motor_on_the_linkage() -> None:
    names = SESSION.after("A DC motor on the linkage")
    solution, laps = names["driven"], names["laps"]
    assert solution.method == "half_explicit_5"
    assert abs(names["balance"]).max() <= tolerances.ADAPTIVE_ENERGY * solution.outputs["energy"].max()
    assert abs(laps[-1] - laps[-2]) <= tolerances.LAST_LAP * laps[-1]


def test_arm_under_a_controller() -> None:
    names = SESSION.after("A pivoted arm under a PID controller")
    pid, pd = names["pid"], names["pd"]
    assert pid.outputs["miss"][-1] <= tolerances.SETTLED
    # Without the integral P e is in balance with the moment of gravity about the pivot.
    for solution, gain, error in ((pid, 150.0, 0.0), (pd, 0.0, pd.outputs["miss"][-1] / 1000)):
        R, x = solution.field("arm", "R")[-1], solution.field("arm", "x")[-1]
        moment = R.T @ np.cross(x, [0, 0, -2 * 9.81])
        torque = 60 * np.cross([0, 0, 1], R.T @ [np.sin(0.5), 0, np.cos(0.5)])
        held = torque + gain * solution.field("memory", "x")[-1, :3]
        assert np.linalg.norm(torque) == pytest.approx(60 * error, abs=tolerances.SETTLED)
        assert np.linalg.norm(held + moment) <= tolerances.SETTLED * np.linalg.norm(moment)


@pytest.mark.parametrize("method", ["rkmk_dopri5", "half_explicit_5"])
def test_satellite_with_wheels(method: str) -> None:
    names = SESSION.after("A satellite with reaction wheels")
    solution = sl.solve(names["pulse"], 30, method=method, rtol=1e-10)
    assert abs(solution.outputs["momentum"]).max() <= tolerances.PROJECTED_VELOCITY
    assert abs(solution.v[-1]).max() <= tolerances.PROJECTED_VELOCITY
    # A pulse of 0.1 N m for 10 s one way and 10 s the other turns by 0.1 · 10²/J about a principal axis.
    p = solution.field("body", "p")[-1]
    assert 2 * np.arctan2(np.linalg.norm(p[1:]), p[0]) == pytest.approx(1.0, abs=tolerances.ADAPTIVE_ENERGY)
    assert abs(p[2:]).max() <= tolerances.PROJECTED_VELOCITY


def test_bricard_linkage() -> None:
    solution = SESSION.after("A Bricard linkage")["ring"]
    assert solution.warnings[0].startswith("The 30 constraint equations of 'bricard' have rank 29: ")
    energy = solution.outputs["energy"]
    assert abs(energy - energy[0]).max() <= tolerances.ADAPTIVE_ENERGY * abs(solution.v).max() ** 2
    assert solution.statistics.max_constraint_residual <= tolerances.ADAPTIVE_DRIFT
    assert np.ptp(solution.field("bars", "x")[:, 2, 2]) > 0.1
