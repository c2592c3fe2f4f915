"""``symlie operators``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

GROUPS = """
import symlie as sl
G = sl.semidirect_product(sl.SO2, sl.group_from_name("R2"), lambda a: a.R, name="Plane")
shears = sl.matrix_group("SL2", [[[1, 0], [0, -1]], [[0, 1], [0, 0]], [[0, 0], [1, 0]]])
number = 1
"""


def test_default_folder_and_prefix_are_used(cli: Cli, tmp_path: Path) -> None:
    result = cli("operators", "R2xR1")
    assert result.code == 0, result.err
    assert sorted(p.name for p in (tmp_path / "r2xr1").iterdir()) == [
        "README.md", "certificate.json", "r2xr1.c", "r2xr1.h", "r2xr1_selftest.c",
    ]  # fmt: skip
    assert "r2xr1_selftest.c" in result.out


@pytest.mark.slow
def test_custom_group_is_reported_as_json(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GROUPS, encoding="utf-8")
    words = ("operators", "mine.py:G", "--target", "numpy", "--real", "float", "--prefix", "plane", "--out", "out")
    assert cli(*words, "--json").json == {
        "group": "mine.py:G",
        "target": "numpy",
        "real": "float",
        "prefix": "plane",
        "folder": "out",
        "files": ["plane.py", "plane_selftest.py", "README.md", "certificate.json"],
        "status": "ok",
    }
    assert "def plane_tangent_operator(theta):" in (tmp_path / "out" / "plane.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("SE4",), "Unknown group 'SE4'"),
        (("SE2", "--prefix", "a b"), "--prefix se3"),
        (("mine.py",), "Select a group of mine.py as mine.py:NAME"),
        (("mine.py:H",), "it defines: G, shears"),
        (("mine.py:number",), "it defines: G, shears"),
        (("nowhere.py:G",), "no Python file nowhere.py"),
        (("mine.txt:G",), "mine.txt is not a Python file"),
        (("broken.py:G",), "broken.py:1: ZeroDivisionError"),
        (("R1", "--out", "mine.py"), "mine.py"),
    ],
)
def test_invalid_input_is_reported(cli: Cli, tmp_path: Path, words: tuple[str, ...], hint: str) -> None:
    (tmp_path / "mine.py").write_text(GROUPS, encoding="utf-8")
    (tmp_path / "broken.py").write_text("1 / 0", encoding="utf-8")
    result = cli("operators", *words)
    assert (result.code, result.out) == (1, "")
    assert hint in result.err
    assert result.err.count("\n") == 1
