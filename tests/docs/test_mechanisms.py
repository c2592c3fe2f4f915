"""Tests of the examples of `docs/mechanisms.md` against known values."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.docs.pages import ROOT, Session, blocks_of

SESSION = Session("docs/mechanisms.md")
"""Examples run in the order of the page, so that quick tests belong to examples at its start."""

LONGEST_BLOCK = 30
"""Lines."""

# One linkage has redundant constraints, which each run reports.
pytestmark = pytest.mark.filterwarnings("ignore:The .. constraint equations of:symlie.warnings.SymlieWarning")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


def test_blocks_are_short() -> None:
    for block in blocks_of(ROOT / "docs" / "mechanisms.md"):
        assert block.text.count("\n") <= LONGEST_BLOCK, block.place


@pytest.mark.slow
def test_follower_torque_matches_closed_form() -> None:
    names = SESSION.after("Body with a follower torque")
    spin = names["spun"].field("body", "Omega")
    np.testing.assert_allclose(spin, names["exact"], rtol=0, atol=tolerances.ADAPTIVE_ENERGY)
    assert names["angle"][-1] > 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rkmk_dopri5", "half_explicit_5"])
def test_reaction_wheels_rotate_the_satellite(method: str) -> None:
    names = SESSION.after("Satellite with reaction wheels")
    solution = sl.solve(names["pulse"], 30, method=method, rtol=1e-10)
    assert abs(solution.outputs["momentum"]).max() <= tolerances.PROJECTED_VELOCITY
    assert abs(solution.v[-1]).max() <= tolerances.PROJECTED_VELOCITY
    # Torques of 0.1 N m and -0.1 N m for 10 s each rotate by 0.1 · 10²/J about a principal axis.
    p = solution.field("body", "p")[-1]
    assert 2 * np.arctan2(np.linalg.norm(p[1:]), p[0]) == pytest.approx(1.0, abs=tolerances.ADAPTIVE_ENERGY)
    assert abs(p[2:]).max() <= tolerances.PROJECTED_VELOCITY


@pytest.mark.slow
def test_pid_controller_removes_the_error() -> None:
    names = SESSION.after("Arm with a PID controller")
    pid, pd = names["pid"], names["pd"]
    assert pid.outputs["error"][-1] <= tolerances.SETTLED
    # Without the integral, P e balances the moment of gravity about the pivot.
    for solution, gain, error in ((pid, 150.0, 0.0), (pd, 0.0, pd.outputs["error"][-1] / 1000)):
        R, x = solution.field("arm", "R")[-1], solution.field("arm", "x")[-1]
        moment = R.T @ np.cross(x, [0, 0, -2 * 9.81])
        proportional = 60 * np.cross([0, 0, 1], R.T @ [np.sin(0.5), 0, np.cos(0.5)])
        torque = proportional + gain * solution.field("states", "x")[-1, :3]
        assert np.linalg.norm(proportional) == pytest.approx(60 * error, abs=tolerances.SETTLED)
        assert np.linalg.norm(torque + moment) <= tolerances.SETTLED * np.linalg.norm(moment)


@pytest.mark.slow
def test_planar_four_bar_matches_closed_form() -> None:
    names = SESSION.after("Planar four-bar linkage")
    angle = names["four_bar"].outputs["hinge3_angle"]
    np.testing.assert_allclose(angle, names["exact"], rtol=0, atol=tolerances.HELD_CONSTRAINT)
    assert np.ptp(angle) > 0.5


@pytest.mark.slow
def test_motor_balances_energy() -> None:
    names = SESSION.after("DC motor")
    solution, times = names["run"], names["times"]
    assert solution.method == "half_explicit_5"
    assert abs(names["balance"]).max() <= tolerances.ADAPTIVE_ENERGY * solution.outputs["energy"].max()
    assert abs(times[-1] - times[-2]) <= tolerances.LAST_LAP * times[-1]


@pytest.mark.slow
def test_four_bar_with_a_spherical_joint_matches_planar_linkage() -> None:
    names = SESSION.after("Four-bar linkage with a spherical joint")
    assert names["spatial"].mobility().degrees_of_freedom == 0
    np.testing.assert_allclose(
        names["moved"].outputs["hinge3_angle"], names["planar"], rtol=0, atol=tolerances.HELD_CONSTRAINT
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "run", "output", "exact"),
    [
        ("Spatial four-bar linkage", "moved", "output_angle", "np.arcsin(B / A)"),
        ("Cardan shaft", "turning", "speed", "w * ratio"),
    ],
)
def test_transmission_matches_closed_form(heading: str, run: str, output: str, exact: str) -> None:
    names = SESSION.after(heading)
    values = names[run].outputs[output]
    np.testing.assert_allclose(values, eval(exact, names), rtol=0, atol=tolerances.MECHANISM_OF_A_PAGE)
    assert np.ptp(values) > 0.3


@pytest.mark.slow
def test_three_bar_linkage_moves_like_a_rigid_body() -> None:
    first, second = SESSION.after("Closed three-bar linkage")["ends"]
    np.testing.assert_allclose(first, second, rtol=0, atol=tolerances.SPIN_OF_BARS)
    assert np.ptp(second[:, 1]) > 0.1


@pytest.mark.slow
def test_squeezing_mechanism_matches_reference() -> None:
    names = SESSION.after("Andrews' squeezing mechanism")
    angle = names["beta"] + names["squeezed"].outputs["crank_angle"][-1]
    assert angle == pytest.approx(15.81077119629904, abs=tolerances.SQUEEZER)


@pytest.mark.slow
def test_spherical_double_pendulum_conserves_invariants() -> None:
    outputs = SESSION.after("Spherical double pendulum")["swinging"].outputs
    assert np.ptp(outputs["vertical_momentum"]) < tolerances.MECHANISM_OF_A_PAGE
    assert np.ptp(outputs["energy"]) < tolerances.MECHANISM_OF_A_PAGE


@pytest.mark.slow
def test_governor_matches_closed_form() -> None:
    """The compliance of the bushings is m l ω²/k = 3e-4 m; arms up to the links have 0.1 m."""
    names = SESSION.after("Flyball governor")
    assert names["cosine"] == pytest.approx(9.81 * 0.4 / (0.04 * 144), abs=tolerances.GOVERNOR)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "run"),
    [
        ("Floating bodies", "drifting"),
        ("Satellite with a manipulator", "moved"),
        ("Dual-spin satellite", "spun"),
        ("Satellite with solar panels", "unfolded"),
    ],
)
def test_free_bodies_conserve_momenta(heading: str, run: str) -> None:
    names = SESSION.after(heading)
    momentum = names[run].outputs["angular_momentum"]
    assert np.ptp(momentum, axis=0).max() < tolerances.MECHANISM_OF_A_PAGE
    assert abs(names[run].v[-1]).max() > 0.1
    if run == "spun":
        assert names[run].field("platform", "Omega")[-1, 2] == pytest.approx(names["spin"], abs=1e-9)
    if run == "drifting":
        assert np.ptp(names[run].outputs["momentum"], axis=0).max() < tolerances.PROJECTED_VELOCITY
    if run in ("drifting", "unfolded"):
        assert np.ptp(names[run].outputs["energy"]) < tolerances.MECHANISM_OF_A_PAGE


@pytest.mark.slow
def test_delta_robot_matches_closed_form() -> None:
    names = SESSION.after("Delta robot")
    working = names["working"]
    height = working.field("platform", "x")[:, 2]
    np.testing.assert_allclose(height, names["height"], rtol=0, atol=tolerances.HELD_CONSTRAINT)
    np.testing.assert_allclose(working.field("platform", "R") - np.eye(3), 0, atol=tolerances.HELD_CONSTRAINT)


@pytest.mark.slow
def test_crane_balances_energy() -> None:
    """At jumps of the acceleration, the trapezoidal rule has an error of half a step times the jump of the power."""
    names = SESSION.after("Crane")
    energy, power = names["energy"], names["power"]
    assert abs(energy[1:] - energy[0] - names["work"]).max() < 2 * np.abs(np.diff(power)).max() * 2e-3
    assert energy[-1] - energy[0] > 0.1


@pytest.mark.slow
def test_chain_approximates_rope() -> None:
    """The difference between N links and a rope is of order 1/N²."""
    names = SESSION.after("Chain of links")
    frequency = 2 * np.pi * min(names["frequencies"])
    assert frequency == pytest.approx(2.404826 / 2 * np.sqrt(9.81 / 2), rel=1 / names["N"] ** 2)
