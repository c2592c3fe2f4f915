"""The machine interface on models with arrays of nodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests import tolerances
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

ROLL_UP = ("run", "roll_up", "-o", "constraint=kirchhoff", "-o", "segments=4", "--h", "2**-8")
SPAGHETTI = ("run", "flying_spaghetti", "-o", "segments=4", "--h", "2**-8")
TIMES = ("--t-eval", "2**-7,2**-5,2**-4")


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_json_output_is_complete(cli: Cli, backend: str) -> None:
    result = cli(*ROLL_UP, *TIMES, "--backend", backend, "--json")
    assert (result.code, result.err) == (0, "")
    data = result.json
    assert data["status"] == "ok"
    assert data["options"] == {"constraint": "kirchhoff", "segments": 4}
    assert data["t"] == [2**-7, 2**-5, 2**-4]
    assert np.shape(data["q"]["rod"]) == (3, 5, 7), "the clamped node included"
    assert np.shape(data["v"]["rod"]) == (3, 5, 6)
    assert {name: np.shape(rows) for name, rows in data["multipliers"].items()} == {"rod_segment_strain": (3, 4, 2)}
    assert {name: np.shape(values) for name, values in data["outputs"].items()} == {
        "energy": (3,),
        "constraint_residual": (3,),
        "velocity_residual": (3,),
        "linear_momentum": (3, 3),
        "angular_momentum": (3, 3),
        "tip_distance": (3,),
        "tip_rotation": (3, 3),
    }
    q, v = np.array(data["q"]["rod"]), np.array(data["v"]["rod"])
    np.testing.assert_allclose(q[:, 0], [[0.5**0.5, 0, 0.5**0.5, 0, 0, 0, 0]] * 3, rtol=tolerances.EPSILON * 4)
    assert not v[:, 0].any()
    assert v[:, 4, 1].all(), "the torque turns the tip"
    assert max(data["outputs"]["constraint_residual"]) <= data["statistics"]["max_constraint_residual"]
    np.testing.assert_allclose(
        data["outputs"]["tip_distance"], np.linalg.norm(q[:, 4, 4:] - q[:, 0, 4:], axis=1), rtol=tolerances.LIBRARY
    )


def test_index1_multipliers_are_printed(cli: Cli) -> None:
    data = cli(*SPAGHETTI, "--t-end", "0.5", "--multipliers", "index1", "--json").json
    assert np.shape(data["multipliers"]["rod_segment_strain"]) == (1, 4, 2)
    assert np.shape(data["q"]["rod"]) == (1, 5, 7)
    stage = cli(*SPAGHETTI, "--t-end", "0.5", "--json").json
    assert stage["q"] == data["q"]
    assert stage["multipliers"] != data["multipliers"]


def test_rod_without_constraints_runs(cli: Cli) -> None:
    data = cli("run", "roll_up", "--h", "2**-8", "--t-end", "2**-6", "--method", "rkmk_rk44", "--json").json
    assert data["multipliers"] == {}
    assert set(data["outputs"]) == {"energy", "linear_momentum", "angular_momentum", "tip_distance", "tip_rotation"}


def test_parameters_can_be_set(cli: Cli) -> None:
    def energy(*words: str) -> float:
        return float(cli(*SPAGHETTI, "--t-end", "0.5", "--json", *words).json["outputs"]["energy"][0])

    assert energy() == energy("--set", "bending_stiffness=500")
    assert energy("--set", "bending_stiffness=5000") < energy() < energy("--set", "load_values=[0,400,0]")


def test_initial_values_can_be_set_for_all_or_single_nodes(cli: Cli) -> None:
    """A free rod without loads that moves as a rigid body keeps moving so."""
    words = (*SPAGHETTI, "--t-end", "0.25", "--set", "load_values=[0,0,0]", "--json")
    plain = cli(*words).json
    assert plain["outputs"]["energy"] == pytest.approx([0], abs=tolerances.ROD_AT_REST)
    shifted = [[1 + k, 2.0, 3.0] for k in range(5)]
    still = cli(*words, "--init", f"rod.x={json.dumps([[6 - 1.5 * k, 2 * k, 3] for k in range(5)])}").json
    x = np.array(plain["q"]["rod"])[0, :, 4:]
    lifted = x + np.array([0, 0, 3])
    np.testing.assert_allclose(np.array(still["q"]["rod"])[0, :, 4:], lifted, atol=tolerances.ROD_AT_REST)
    moving = cli(*words, "--init", "rod.U=[0,0,2]").json
    direction = np.array([-0.6, 0.8, 0])
    np.testing.assert_allclose(
        np.array(moving["q"]["rod"])[0, :, 4:], x + 0.25 * 2 * direction, atol=tolerances.ROD_AT_REST
    )
    assert moving["outputs"]["linear_momentum"][0] == pytest.approx(20 * direction, abs=tolerances.ROD_AT_REST)
    for value in ("[0,0]", json.dumps(shifted[:4])):
        result = cli(*words[:-1], "--init", f"rod.x={value}")
        assert result.code == 1
        assert "rod.x needs 5 × 3 or 3 components" in result.err


def test_clamped_nodes_do_not_move(cli: Cli) -> None:
    data = cli(*ROLL_UP, "--t-end", "2**-7", "--init", "rod.Omega=[0,0.1,0]", "--json").json
    assert not np.any(np.array(data["v"]["rod"])[:, 0])


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_solution_files_are_written(cli: Cli, tmp_path: Path, suffix: str) -> None:
    if suffix == ".nc":
        pytest.importorskip("netCDF4")
    data = cli(*ROLL_UP, *TIMES, "--json", "--out", f"rod{suffix}").json
    shapes = {"rod_p": (3, 5, 4), "rod_x": (3, 5, 3), "rod_Omega": (3, 5, 3), "rod_U": (3, 5, 3)}
    dimensions, values = _read(tmp_path / f"rod{suffix}", [*shapes, "multipliers_rod_segment_strain"])
    for name, shape in shapes.items():
        assert dimensions[name] == ("time", "rod_node", f"component_{shape[-1]}")
        assert values[name].shape == shape
    np.testing.assert_array_equal(np.concatenate([values["rod_p"], values["rod_x"]], axis=2), data["q"]["rod"])
    np.testing.assert_array_equal(np.concatenate([values["rod_Omega"], values["rod_U"]], axis=2), data["v"]["rod"])
    name = "multipliers_rod_segment_strain"
    assert dimensions[name] == ("time", "rod_segment_instance", f"component_{values[name].shape[-1]}")
    np.testing.assert_array_equal(values[name], data["multipliers"]["rod_segment_strain"])


def _read(path: Path, names: list[str]) -> tuple[dict[str, tuple[str, ...]], dict[str, np.ndarray]]:
    if path.suffix == ".npz":
        with np.load(path) as file:
            described = json.loads(file["variables"].item())
            return {n: tuple(described[n]["dimensions"]) for n in names}, {n: file[n] for n in names}
    import netCDF4

    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {n: file[n].dimensions for n in names}, {n: np.array(file[n][...]) for n in names}


def test_many_multipliers_are_abbreviated(cli: Cli) -> None:
    def printed(segments: int) -> str:
        out = cli(*SPAGHETTI, "-o", f"segments={segments}", "--t-end", "2**-4").out
        (line,) = [line for line in out.splitlines() if line.startswith("  λ rod_segment_strain")]
        return line

    assert len(printed(2).split()) == 2 + 4
    data = cli(*SPAGHETTI, "-o", "segments=16", "--t-end", "2**-4", "--json").json
    largest = np.abs(data["multipliers"]["rod_segment_strain"]).max()
    assert printed(16).endswith(f"16 × 2 values, largest |λ| = {largest:.9g}")


@pytest.mark.slow
def test_plot_of_a_run_is_written(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = cli(*SPAGHETTI, "--t-end", "1", "--plot", "spaghetti.png")
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "spaghetti.png").read_bytes().startswith(b"\x89PNG")
