"""``--freeze``: parameters as constants, from a shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import symlie as sl
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

TOP = ("heavy_top", "-o", "group=S3", "--backend", "numpy", "--h", "1e-3", "--t-end", "0.002")
NAMES = ["mass", "inertia", "lever", "gravity"]


def test_run_accepts_frozen_parameters(cli: Cli) -> None:
    result = cli("run", *TOP, "--freeze", "all", "--json")
    assert result.json["constants"] == NAMES
    again = cli("run", *TOP, "--freeze", "inertia,lever", "--set", "mass=15", "--json")
    assert again.json["constants"] == ["inertia", "lever"]
    assert "constants" not in cli("run", *TOP, "--json").json


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("run", *TOP, "--freeze", "all", "--set", "mass=16"),
        ("sweep", *TOP, "--freeze", "mass", "--over", "mass=15,16", "--record", "energy"),
        ("converge", *TOP[:5], "--steps", "1e-3,5e-4", "--t-end", "0.002", "--freeze", "mass", "--set", "mass=16"),
        ("export", "heavy_top", "--target", "c", "--freeze", "all", "--set", "mass=16", "--out", "top"),
    ],
    ids=lambda words: words[0],
)
def test_frozen_parameters_cannot_be_changed(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words)
    assert result.code == 1
    assert "Parameter 'mass' of 'heavy_top' is a compiled constant, 15, and cannot be changed" in result.err


def test_unknown_names_are_reported(cli: Cli) -> None:
    result = cli("run", *TOP, "--freeze", "weight")
    assert "Model 'heavy_top' has no parameter 'weight' to freeze; it has: mass, inertia, lever, gravity." in result.err


def test_generate_accepts_frozen_parameters(cli: Cli, tmp_path: Path) -> None:
    """The output is a separate folder; --check accepts the same arguments."""
    words = ("generate", "heavy_top", "-o", "group=S3", "--sets", "core", "--freeze", "inertia,lever")
    folder = "generated/heavy_top_S3_frozen-inertia-lever"
    assert cli(*words).out == f"{folder}\n"
    assert sl.load(tmp_path / folder, backend="numpy", trust=True).layout.frozen == ("inertia", "lever")
    assert "up to date" in cli(*words, "--check").out
    assert "not up to date" in cli(*words[:-1], "all", "--out", folder, "--check").err
    assert "--freeze" in cli("generate", "--all", "--freeze", "all").err
