"""The mechanisms of ``docs/benchmark_mechanisms.md`` and ``docs/machines.md``, run as they are printed."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import ROOT, Session, blocks_of

BENCHMARKS = Session("docs/benchmark_mechanisms.md")
MACHINES = Session("docs/machines.md")

# Two linkages have rows that depend on each other, and their runs say so.
pytestmark = pytest.mark.filterwarnings("ignore:The .. constraint equations of:symlie.warnings.SymlieWarning")


@pytest.mark.slow
def test_blocks() -> None:
    BENCHMARKS.run()
    MACHINES.run()


def test_statements_are_short() -> None:
    for page in (*BENCHMARKS.pages, *MACHINES.pages):
        for block in blocks_of(ROOT / page):
            assert block.text.count("\n") <= 30, block.place


def test_follower_torque() -> None:
    names = BENCHMARKS.after("A rotating body with a follower torque")
    spin = names["turned"].field("body", "Omega")
    np.testing.assert_allclose(spin, names["exact"], rtol=0, atol=tolerances.ADAPTIVE_ENERGY)
    assert names["angle"][-1] > 1


@pytest.mark.slow
def test_spherical_double_pendulum() -> None:
    outputs = BENCHMARKS.after("A spherical double pendulum")["swinging"].outputs
    assert np.ptp(outputs["vertical_momentum"]) < tolerances.MECHANISM_OF_A_PAGE
    assert np.ptp(outputs["energy"]) < tolerances.MECHANISM_OF_A_PAGE


@pytest.mark.slow
def test_governor() -> None:
    """Bushings give way by m l ω²/k = 3e-4 m of arms of 0.1 m to the links."""
    names = BENCHMARKS.after("A flyball governor with compliant joints")
    assert names["cosine"] == pytest.approx(9.81 * 0.4 / (0.04 * 144), abs=tolerances.GOVERNOR)


@pytest.mark.slow
def test_bricard() -> None:
    names = BENCHMARKS.after("An orthogonal Bricard mechanism")
    assert names["linkage"].mobility().degrees_of_freedom == 1
    assert np.ptp(names["folding"].outputs["energy"]) < tolerances.MECHANISM_OF_A_PAGE
    assert np.ptp(names["folding"].field("bar2", "x")[:, 2]) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "run"),
    [
        ("A satellite with an arm", "moved"),
        ("Floating bodies", "drifting"),
        ("A dual-spin satellite", "spun"),
        ("Three bodies with two revolutes", "unfolded"),
    ],
)
def test_momentum_of_what_floats(heading: str, run: str) -> None:
    names = BENCHMARKS.after(heading)
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
def test_three_bars_are_a_triangle() -> None:
    first, second = BENCHMARKS.after("A closed spherical three-bar linkage")["ends"]
    np.testing.assert_allclose(first, second, rtol=0, atol=tolerances.SPIN_OF_BARS)
    assert np.ptp(second[:, 1]) > 0.1


@pytest.mark.slow
def test_squeezer() -> None:
    names = BENCHMARKS.after("Andrews' squeezing mechanism")
    found = names["beta"] + names["squeezed"].outputs["crank_angle"][-1]
    assert found == pytest.approx(15.81077119629904, abs=tolerances.SQUEEZER)


def test_planar_four_bar() -> None:
    names = MACHINES.after("A planar four-bar linkage")
    angle = names["four_bar"].outputs["hinge3_angle"]
    np.testing.assert_allclose(angle, names["turned"], rtol=0, atol=tolerances.HELD_CONSTRAINT)
    assert np.ptp(angle) > 0.5


@pytest.mark.slow
def test_four_bar_with_a_spherical_joint() -> None:
    names = MACHINES.after("A four-bar linkage with one spherical joint")
    assert names["spatial"].mobility().degrees_of_freedom == 0
    np.testing.assert_allclose(
        names["ball"].outputs["hinge3_angle"], names["same"], rtol=0, atol=tolerances.HELD_CONSTRAINT
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "run", "found", "known"),
    [
        ("A spatial four-bar linkage", "moved", "output_angle", "np.arcsin(B / A)"),
        ("A cardan shaft", "turning", "speed", "w * ratio"),
    ],
)
def test_ratios(heading: str, run: str, found: str, known: str) -> None:
    names = MACHINES.after(heading)
    values = names[run].outputs[found]
    np.testing.assert_allclose(values, eval(known, names), rtol=0, atol=tolerances.MECHANISM_OF_A_PAGE)
    assert np.ptp(values) > 0.3


@pytest.mark.slow
def test_robots() -> None:
    names = MACHINES.after("A Delta robot")
    working = names["working"]
    height = working.field("platform", "x")[:, 2]
    np.testing.assert_allclose(height, names["height"], rtol=0, atol=tolerances.HELD_CONSTRAINT)
    np.testing.assert_allclose(working.field("platform", "R") - np.eye(3), 0, atol=tolerances.HELD_CONSTRAINT)
    names = MACHINES.after("A Stewart platform")
    np.testing.assert_allclose(names["lifted"].field("plate", "x"), names["wanted"], atol=tolerances.DRIVEN_PLATE)
    turned = np.arctan2(names["R"][-1, 1, 0], names["R"][-1, 0, 0])
    assert turned == pytest.approx(0.2 * np.sin(3), abs=tolerances.DRIVEN_PLATE)


@pytest.mark.slow
def test_double_wishbone() -> None:
    names = MACHINES.after("A double wishbone")
    known = np.angle((names["top"] - names["ball"]) / (names["d"] - names["c"]))
    np.testing.assert_allclose(names["camber"], known, rtol=0, atol=tolerances.CAMBER)
    assert np.ptp(known) > 0.01


@pytest.mark.slow
def test_hanging_chain() -> None:
    """Of N links off those of a rope by terms 1/N²."""
    names = MACHINES.after("A chain of N links")
    found = 2 * np.pi * min(names["frequencies"])
    assert found == pytest.approx(2.404826 / 2 * np.sqrt(9.81 / 2), rel=1 / names["N"] ** 2)


@pytest.mark.slow
def test_crane() -> None:
    """The trapezoidal rule is off where the acceleration jumps, by the jump of the power times half a step."""
    names = MACHINES.after("A crane with a cable and a hook")
    energy, power = names["energy"], names["power"]
    assert abs(energy[1:] - energy[0] - names["work"]).max() < 2 * np.abs(np.diff(power)).max() * 2e-3
    assert energy[-1] - energy[0] > 0.1
