"""``symlie run``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests import tolerances
from tests.cli.conftest import Outcome

GROUPS = ("SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3", "S3")
TOP = ("run", "heavy_top", "-o", "group=SE3", "--h", "2**-11")
KEYS = [
    "model",
    "options",
    "method",
    "backend",
    "status",
    "t",
    "q",
    "v",
    "multipliers",
    "outputs",
    "statistics",
    "warnings",
]
STATISTICS = {
    "steps", "accepted", "rejected", "rhs_evaluations", "newton_iterations", "jacobians", "factorisations",
    "back_substitutions", "refreshes", "halvings", "rounding_floor", "most_newton_iterations", "slowest_step",
    "slowest_row", *(f"steps_of_order_{k}" for k in range(1, 6)), "max_constraint_residual",
    "max_velocity_residual", "cpu_seconds", "derive_seconds", "emit_seconds", "compile_seconds",
}  # fmt: skip

Cli = Callable[..., Outcome]


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_json_output_is_complete(cli: Cli, backend: str) -> None:
    result = cli(*TOP, "--t-end", "2**-6", "--backend", backend, "--json")
    assert result.code == 0
    assert result.err == ""
    data = result.json
    assert list(data) == KEYS
    assert [data[k] for k in KEYS[:6]] == [
        "heavy_top",
        {"group": "SE3"},
        "half_explicit_5",
        backend,
        "ok",
        [2**-6],
    ]
    assert np.shape(data["q"]["top"]) == (1, 12)
    assert np.shape(data["v"]["top"]) == (1, 6)
    assert np.shape(data["multipliers"]["fixed_point"]) == (1, 3)
    assert {name: np.shape(values) for name, values in data["outputs"].items()} == {
        "energy": (1,),
        "constraint_residual": (1,),
        "velocity_residual": (1,),
        "center_of_mass": (1, 3),
        "rotation": (1, 9),
    }
    assert set(data["statistics"]) == STATISTICS
    assert data["statistics"]["steps"] == 2**5


def test_defaults_of_options_are_recorded(cli: Cli) -> None:
    assert cli("run", "heavy_top", "--h", "0.01", "--t-end", "0.01", "--json").json["options"]["group"] == "SO3xR3"


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_reference_errors_are_printed(cli: Cli, group: str) -> None:
    method = "rkmk_dopri5" if group in ("SO3", "S3") else "half_explicit_5"
    words = ("run", "heavy_top", "-o", f"group={group}", "--method", method, "--h", "2**-11", "--reference")
    errors = cli(*words, "--t-end", "0.5", "--json").json["reference_error"]
    assert set(errors) == {"center_of_mass", "rotation"} | ({"multipliers"} if method == "half_explicit_5" else set())
    assert max(errors.values()) < tolerances.HEAVY_TOP_RUN
    assert "rotation" in cli(*words, "--t-end", "0.5").out.split("reference solution")[1]


def test_reference_requires_its_model_option(cli: Cli) -> None:
    words = ("run", "rotor", "-o", "data=printed", "--t-end", "0.1", "--h", "1e-5", "--reference")
    outcome = cli(*words)
    assert outcome.code and "is valid only for the option data=derived" in outcome.err


def test_times_parameters_and_initial_values_can_be_set(cli: Cli) -> None:
    plain = cli(*TOP, "--t-eval", "0.01,0.02", "--json").json
    assert plain["t"] == [0.01, 0.02]
    changed = cli(*TOP, "--t-eval", "0.01,0.02", "--set", "gravity=[0,0,0]", "--set", "mass=20", "--json").json
    assert changed["options"] == plain["options"]
    energy = changed["outputs"]["energy"]
    assert energy[0] == pytest.approx(energy[1], rel=tolerances.HEAVY_TOP_RUN)
    spin = cli(*TOP, "--t-end", "0.01", "--set", "gravity=[0,0,0]", "--init", "top.Omega=[0,3,0]", "--json").json
    assert spin["v"]["top"][0] == pytest.approx([0, 3, 0, 0, 0, 0], abs=tolerances.HEAVY_TOP_RUN)


@pytest.mark.slow
def test_initial_quantities_can_be_set(cli: Cli) -> None:
    words = ("run", "pendulum_chain", "-o", "links=3", "--rtol", "1e-10", "--t-end", "0.5", "--backend", "numpy")
    words = (*words, "--set", "masses=[1,2,3]", "--init", "angular_velocities=[[0,1,0],[0,2,0],[0,3,0]]", "--json")
    first, second = (cli(*words, "-o", f"formulation={f}").json for f in ("lagrangian", "hamiltonian"))
    pairs = zip(second["outputs"]["positions"][0], first["outputs"]["positions"][0], strict=True)
    assert all(found == pytest.approx(expected, abs=tolerances.BOTH_FORMS) for found, expected in pairs)
    again = cli(*words, "-o", "formulation=hamiltonian", "--init", "links.momenta=[0,1,0]")
    assert again.code == 1 and "cannot start from both angular_velocities and momenta" in again.out
    unknown = cli(*words, "-o", "formulation=hamiltonian", "--init", "spins=[0,1,0]")
    assert unknown.code == 1 and "No node of 'pendulum_chain' has a field 'spins'." in unknown.out


def test_index1_multipliers_are_printed(cli: Cli) -> None:
    words = ("run", "heavy_top", "-o", "group=SE3", "--h", "2**-9", "--method", "half_explicit_2", "--t-end", "2**-6")
    stage, index1 = cli(*words, "--json").json, cli(*words, "--multipliers", "index1", "--json").json
    assert stage["q"] == index1["q"]
    assert stage["multipliers"] != index1["multipliers"]


def test_table_is_printed(cli: Cli) -> None:
    out = cli(*TOP, "--t-eval", "0.01,0.02").out
    for word in (
        "heavy_top group=SE3",
        "t = 0.01 s",
        "t = 0.02 s",
        "energy (J)",
        "λ fixed_point",
        "largest |Φ|",
        "steps",
    ):
        assert word in out


def test_unknown_panels_are_rejected_before_the_run(cli: Cli, tmp_path: Path) -> None:
    files = ("--plot", str(tmp_path / "top.png"), "--out", str(tmp_path / "top.npz"))
    result = cli(*TOP, "--t-end", "2**-6", *files, "--panels", "snapshots,energies")
    assert (result.code, list(tmp_path.iterdir())) == (1, [])
    assert "'energies' cannot be drawn versus time; draw energy, residuals" in result.err
    assert result.err.rstrip().endswith("snapshots.")


def test_progress_is_printed_on_request(cli: Cli) -> None:
    result = cli(*TOP, "--t-end", "0.1", "--progress", "--json")
    assert result.json["status"] == "ok"
    assert "heavy_top: 100%" in result.err
    assert "t = 0.1 s, h = " in result.err and "iterations" not in result.err


def test_newton_iterations_are_printed(cli: Cli) -> None:
    """In the table with the slowest component, and in the lines of progress."""
    command = ("run", "heavy_top", "-o", "group=SE3", "--method", "generalized_alpha", "--h", "1e-3", "--t-end", "0.1")
    result = cli(*command, "--progress")
    assert result.code == 0
    for pattern in (
        r"Newton iterations  [\d.]+ per step, at most \d",
        r"slowest +velocity component \d of node 'top', in the step after t = [\d.]+ s",
        r"fresh matrices +[\d.]+ per step",
        r"halvings +0 per step",
    ):
        assert re.search(pattern, result.out), pattern
    assert re.search(r"h = 0.001 s, [\d.]+ iterations per step", result.err)
    statistics = cli(*command, "--json").json["statistics"]
    assert statistics["newton_iterations"] == statistics["back_substitutions"] >= 100
    assert statistics["slowest_row"].endswith("of node 'top'")


def test_failed_run_saves_the_partial_solution(cli: Cli) -> None:
    result = cli("run", "heavy_top", "-o", "group=SE3", "--h", "0.05", "--json")
    assert result.code == 1
    assert result.err == ""
    data = result.json
    assert list(data) == [*KEYS, "message"]
    assert data["status"] == "OutsideChartError"
    assert data["t"] == [0.0]
    assert data["v"]["top"][0][1] == 150
    assert "smaller step" in data["message"]


def _accept_interrupts() -> None:
    # Shells start jobs in the background with interrupts ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupted_run_saves_the_solution(tmp_path: Path) -> None:
    out = tmp_path / "top.npz"
    command = [
        *TOP[:4],
        "--h",
        "1e-6",
        "--t-end",
        "1e4",
        "--t-eval",
        "1e-6,1e4",
        "--progress",
        "--json",
        "--out",
        str(out),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "symlie", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ,
        preexec_fn=_accept_interrupts,
    ) as process:
        assert process.stderr is not None and process.stdout is not None
        # Stages before the run may have separate lines.
        assert any(b"0%" in line for line in iter(process.stderr.readline, b""))
        process.send_signal(signal.SIGINT)
        text, errors = process.stdout.read(), process.stderr.read()
    assert process.returncode == 130
    assert b"Traceback" not in errors
    data = Outcome(process.returncode, text.decode(), "").json
    assert data["status"] == "InterruptedIntegrationError"
    assert len(data["t"]) == 2
    assert out.exists()


def test_redundant_constraints_are_accepted_on_request(cli: Cli, tmp_path: Path) -> None:
    """The error names the remedy; with it the rank is reported, and a checkpoint stores the option."""
    (tmp_path / "twice.py").write_text(TWICE, encoding="utf-8")
    words = ("run", "twice.py", "--h", "1/16", "--t-end", "1/4", "--backend", "numpy")
    refused = cli(*words)
    assert refused.code != 0 and "integrate with redundant='minimal_norm'" in refused.err
    run = cli(*words, "--redundant", "minimal_norm", "--checkpoint", "run.checkpoint", "--json")
    assert run.code == 0 and "have rank 1" in run.err
    np.testing.assert_allclose(
        np.ravel(run.json["multipliers"]["height"]), [-0.5, -0.5], rtol=0, atol=tolerances.RESIDUAL
    )
    assert cli("resume", "run.checkpoint", "--json", "--trust").json["multipliers"] == run.json["multipliers"]


TWICE = """
import symlie as sl


def build():
    model = sl.Model("twice")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.generalized_force(q, x_dot=[1, -1])
    model.constraint("height", [q.x[1], q.x[1]])
    model.initial(q, x=[0, 0], x_dot=[0, 0])
    return model
"""
