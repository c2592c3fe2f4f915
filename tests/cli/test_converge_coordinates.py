"""``symlie converge --coordinates``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

TOP = ("converge", "heavy_top", "-o", "group=SO3", "--t-end", "0.02", "--steps", "1e-3,2.5e-4")
BOTH = ("--coordinates", "lie,euler_angles", "--output", "center_of_mass", "--reference", "rkmk_rk44:1e-5")


@pytest.mark.slow
def test_command_compares_coordinates(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    pictures = ("--plot", "errors.png", "--plot-iterations", "iterations.png")
    found = cli(*TOP, *BOTH, "--methods", "generalized_alpha", *pictures, "--repeat", "2")
    assert found.code == 0 and "errors at t = 0.02 s against rkmk_rk44:1e-5" in found.out
    lines = found.out.splitlines()
    assert lines[1].split() == [
        "method",
        "coordinates",
        "h",
        "outputs",
        "largest",
        "|Φ|",
        "steps",
        "iterations",
        "time",
        "loop",
    ]
    assert [line.split()[1:3] for line in lines[2:6]] == [
        [name, h] for name in ("lie", "euler_angles") for h in ("0.001", "0.00025")
    ]
    assert "failed" in lines[4] and any("euler_angles, h = 0.001: NotConvergedError" in line for line in lines)
    assert (tmp_path / "errors.png").stat().st_size > 0 and (tmp_path / "iterations.png").stat().st_size > 0
    rows = cli(*TOP, *BOTH, "--methods", "generalized_alpha", "--json").json["rows"]
    assert rows[2]["failure"].startswith("NotConvergedError") and set(rows[2]["error"].values()) == {None}
    assert rows[1]["newton_iterations_per_step"] >= 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--coordinates", "lie,cardan"), "Unknown coordinates 'cardan'"),
        (("--coordinates", "lie", "-o", "coordinates=lie"), "Coordinates are given twice, by -o and by --coordinates."),
        (("--output", "tip"), "'heavy_top' has no output 'tip'"),
        (
            ("-o", "formulation=TSO3", "--coordinates", "quaternion"),
            "formulation TSO3 of the top does not support the coordinates",
        ),
    ],
)
def test_invalid_commands_are_reported(cli: Callable[..., Outcome], words: tuple[str, ...], sentence: str) -> None:
    found = cli(*TOP, "--backend", "numpy", "--methods", "rkmk_rk44", *words)
    assert found.code != 0 and sentence in found.err, found.err


def test_coordinates_and_grids_exclude_each_other(cli: Callable[..., Outcome]) -> None:
    found = cli("converge", "roll_up", "--over", "segments=2,4", "--h", "0.01", "--output", "tip")
    assert found.code != 0 and "can be used with --steps only, not with --over" in found.err


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ((), "angular_velocity"),
        (("--method", "rkmk_rk44"), "angular_velocity"),
        (("--method", "generalized_alpha"), None),
        (("--method", "rkmk_rk44", "-o", "form=parameter_rates"), "parameter_rates"),
        (("--method", "rkmk_rk44", "-o", "step=lie"), None),
    ],
)
def test_angular_velocities_are_used_with_supporting_methods(
    cli: Callable[..., Outcome], words: tuple[str, ...], form: str | None
) -> None:
    run = ("run", "heavy_top", "-o", "group=SO3", "-o", "coordinates=euler_angles", "--backend", "numpy", "--json")
    found = cli(*run, "--h", "1e-4", "--t-end", "1e-3", *words)
    assert found.code == 0, found.err
    assert found.json["options"].get("form") == form


def test_numeric_form_names_are_deprecated(cli: Callable[..., Outcome]) -> None:
    run = ("run", "heavy_top", "-o", "group=SO3", "-o", "coordinates=euler_angles", "--backend", "numpy")
    found = cli(*run, "--h", "1e-4", "--t-end", "1e-3", "-o", "form=1")
    assert found.code == 0 and "form=1 is an old name of form='angular_velocity'" in found.err, found.err


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("euler_angles:3", "have no form 3; use one of angular_velocity, parameter_rates"),
        ("euler_angles:spin", "have no form 'spin'"),
        ("euler_parameters:angular_velocity", "Euler parameters have the form parameter_rates only"),
        ("lie:angular_velocity", "The coordinates lie have no form"),
    ],
)
def test_unknown_forms_are_rejected(cli: Callable[..., Outcome], word: str, sentence: str) -> None:
    found = cli(*TOP, "--backend", "numpy", "--methods", "rkmk_rk44", "--coordinates", word)
    assert found.code != 0 and sentence in found.err, found.err
