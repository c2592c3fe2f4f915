"""``symlie equilibrium``, ``symlie modes`` and ``--assemble``."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest

from tests import tolerances
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

TOP = ("heavy_top", "-o", "group=SE3", "--backend", "numpy")


def test_equilibrium_is_printed(cli: Cli) -> None:
    result = json.loads(cli("equilibrium", *TOP, "--json").out)
    assert result["status"] == "ok" and result["model"] == "heavy_top" and result["options"]["group"] == "SE3"
    assert result["q"]["top"][9:] == pytest.approx([0, 0, -1], abs=tolerances.EQUILIBRIUM)
    assert result["multipliers"]["fixed_point"] == pytest.approx([0, 147.15, 0], abs=tolerances.EQUILIBRIUM_OF_A_ROD)
    assert result["potential_energy"] == pytest.approx(-147.15) and result["iterations"] > 1
    assert result["neutral_directions"] == 1  # about the vertical


@pytest.mark.slow
def test_rod_equilibrium_is_printed_as_a_table(cli: Cli) -> None:
    result = cli("equilibrium", "roll_up", "-o", "segments=4", "--backend", "numpy")
    assert result.code == 0 and "rod[4].x" in result.out and "potential energy [J]" in result.out
    assert max(map(len, result.out.splitlines())) < 120


@pytest.mark.slow
def test_failures_are_reported_in_one_sentence(cli: Cli) -> None:
    rod = ("flying_spaghetti", "-o", "segments=2", "--backend", "numpy")
    result = cli("equilibrium", *rod, "--t", "1", "--max-iterations", "5")
    assert result.code == 1 and "out of balance at velocity component" in result.err and "Traceback" not in result.err
    result = cli("equilibrium", *TOP, "--load-steps", "0")
    assert result.code == 1 and "load_steps must be" in result.err
    with pytest.raises(SystemExit):
        cli("modes", *TOP, "--count", "0")


def test_modes_are_printed(cli: Cli) -> None:
    result = json.loads(cli("modes", *TOP, "--count", "3", "--json").out)
    expected = math.sqrt(15 * 9.81 / (15 + 0.234375)) / (2 * math.pi)
    assert result["frequencies"] == pytest.approx([0, 0, expected, expected], rel=tolerances.FREQUENCY)
    assert result["stable"] is True and result["damping_ratios"] == [0, 0, 0, 0] and result["modes"] == [0, 1, 2]
    assert len(result["shapes"]) == 4 and len(result["shapes"][0]["top"]["real"]) == 6
    assert result["zero_modes"] == [0, 1] and result["resolved"] is True
    table = cli("modes", *TOP).out
    assert "2 eigenvalues are zero, within" in table
    assert "frequency [Hz]" in table and f"{expected:.8g}" in table and "unstable" not in table
    assert "Of each pair of conjugate eigenvalues one is shown." in table


def test_modes_at_the_initial_configuration_are_printed(cli: Cli) -> None:
    """Upright, the top falls."""
    upright = ("--init", "top.R=[1,0,0,0,0,-1,0,1,0]", "--init", "top.x=[0,0,1]", "--init", "top.Omega=[0,0,0]")
    result = cli("modes", *TOP, *upright, "--at-initial")
    assert "It is unstable" in result.out and "initial configuration" in result.out


@pytest.mark.slow
def test_modes_at_a_steady_motion_are_printed(cli: Cli) -> None:
    """A sleeping top needs spin² > 4 J m g l/J₃², here 202 rad/s; nutation is not a steady motion."""
    sleeping = ("--init", "top.R=[1,0,0,0,0,-1,0,1,0]", "--init", "top.x=[0,0,1]", "--motion", "--json")
    for spin, stable in ((210, True), (195, False)):
        result = json.loads(cli("modes", *TOP, *sleeping, "--init", f"top.Omega=[0,{spin},0]").out)
        assert result["stable"] is stable
    assert json.loads(cli("modes", *TOP, "--motion", "--json").out)["status"] == "SteadyMotionError"
    turned = cli("modes", *TOP, *sleeping, "--init", "top.Omega=[0,210,0]", "--frame", "top=[0,210,0,0,0,0]")
    assert "B at row 1 of constraint 'fixed_point'" in json.loads(turned.out)["message"]
    assert cli("modes", *TOP, "--motion", "--frame", "top").code == 1


def test_assemble_prints_the_configuration(cli: Cli) -> None:
    run = ("run", *TOP, "--init", "top.x=[0,1.1,0.2]", "--h", "1e-3", "--t-end", "2e-3", "--json")
    assert json.loads(cli(*run).out)["status"] == "InconsistentInitialValuesError"
    result = cli(*run, "--assemble")
    found = json.loads(result.out)
    assert found["status"] == "ok" and 0.05 < found["assembly"]["top"] < 0.2
    assert result.err.startswith("symlie: Assembled; moved top by 0.")


@pytest.mark.slow
def test_path_is_printed(cli: Cli) -> None:
    """The mass of a top that hangs changes nothing but the force in its support."""
    path = ("--path", "mass", "--until", "20")
    result = json.loads(cli("equilibrium", *TOP, *path, "--json").out)
    assert result["status"] == "ok" and result["end"] == "until" and result["values"][-1] == pytest.approx(20)
    assert set(result["unstable"]) == {0} and result["critical"] == []
    assert "unstable directions" in cli("equilibrium", *TOP, *path).out
    assert "give --until VALUE" in cli("equilibrium", *TOP, "--path", "mass").err
