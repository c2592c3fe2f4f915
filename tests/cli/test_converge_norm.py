"""``symlie converge --norm l2``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

ROLL_UP = ("converge", "roll_up", "--t-end", "2**-5", "--backend", "numpy")
GRIDS = ("--over", "segments=2,3,8", "--h", "2**-7", "--norm", "l2")


@pytest.mark.slow
def test_command_uses_the_norm(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    found = cli(*ROLL_UP, *GRIDS, "--at", "0,10")
    assert found.code == 0 and "L² errors up to t = 0.03125 s against segments = 8" in found.out
    rows = cli(*ROLL_UP, *GRIDS, "--at", "0,10", "--json").json["rows"]
    run = ("run", "roll_up", "-o", "segments=8", "--t-end", "2**-5", "--h", "2**-7", "--backend", "numpy")
    assert cli(*run, "--out", "fine.nc").code == 0
    against = ("--over", "segments=2,3", *GRIDS[2:], "--at", "0,10", "--reference", "fine.nc", "--trust", "--json")
    saved = cli(*ROLL_UP, *against).json["rows"]
    assert [row["error"] for row in saved] == [row["error"] for row in rows]
    assert [row["order"] for row in saved] == [row["order"] for row in rows]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--norm", "l3"), "Unknown norm 'l3'; use end or max or l2."),
        (("--at", "1,2"), "Arc lengths require the norm l2"),
        (("--norm", "l2", "--at", "1,2"), "'heavy_top' has no rod or other curve"),
    ],
)
def test_invalid_commands_are_reported(cli: Callable[..., Outcome], words: tuple[str, ...], sentence: str) -> None:
    found = cli("converge", "heavy_top", "--steps", "0.01", "--backend", "numpy", *words)
    assert found.code != 0 and sentence in found.err
