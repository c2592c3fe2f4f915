"""``symlie export``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symlie.runtime.system.system import System
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

TOP = ("export", "heavy_top", "-o", "group=SE3", "--target", "c")


@pytest.mark.slow
def test_c_is_written_with_given_values(cli: Cli, tmp_path: Path) -> None:
    words = ("--set", "mass=16", "--init", "top.Omega=[0,140,0]", "--h", "2**-9", "--prefix", "top", "--out", "folder")
    assert cli(*TOP, *words).out == "folder\n"
    source = (tmp_path / "folder" / "top.c").read_text(encoding="utf-8")
    assert "16.0, /* mass */" in source and "0.0, 140.0, " in source
    assert "64 steps of 0.001953125 s" in (tmp_path / "folder" / "top_selftest.c").read_text(encoding="utf-8")
    found = cli(*TOP, *words, "--json").json
    assert found["out"] == "folder" and "top.h" in found["files"]


def test_wrong_methods_are_refused(cli: Cli) -> None:
    result = cli(*TOP, "--method", "taylor", "--real", "float", "--out", "folder")
    assert result.code == 1 and "cannot be exported with floats" in result.err


def test_rotating_states_need_model_exchange(cli: Cli) -> None:
    words = ("export", "heavy_top", "--target", "fmu2", "--states", "corotating", "--out", "top.fmu")
    result = cli(*words)
    assert result.code == 1 and "Only units for model exchange have co-rotating states" in result.err


@pytest.mark.parametrize(("target", "out"), [("c", "heavy_top_export"), ("fmu3", "heavy_top.fmu")])
def test_names_of_outputs_follow_the_target(
    cli: Cli, target: str, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default follows the name of the model."""

    def export(self: System, target: str, out: str, **words: object) -> Path:
        return tmp_path / out

    monkeypatch.setattr(System, "export", export)
    assert cli("export", "heavy_top", "--target", target).out == f"{tmp_path / out}\n"
