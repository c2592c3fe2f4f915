"""The page on joints: it is what its generator writes, and its examples run."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import ROOT, Session

SESSION = Session("docs/joints.md")

ROWS = {
    "rigid": 6, "revolute": 5, "prismatic": 5, "cylindrical": 4, "screw": 5, "spherical": 3, "universal": 4,
    "constant velocity": 4, "planar": 3, "point on line": 2, "in line": 3, "point on plane": 1, "orientation": 3,
    "distance": 1, "rolling": 3,
}  # fmt: skip
"""Number of motions that each kind removes."""


GENERATOR = runpy.run_path(str(ROOT / "docs" / "joints.py"))


def test_page_is_up_to_date() -> None:
    files: dict[Path, str] = GENERATOR["documents"]()
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python docs/joints.py"
    drawn = {path for path in files if path.suffix == ".svg"}
    assert {*(ROOT / "docs" / "joints").iterdir()} == drawn and len(drawn) == len(ROWS)
    assert [name for name, _ in GENERATOR["KINDS"].values()] == [*ROWS]


def test_arrows_show_the_free_motions() -> None:
    for kind, (name, _) in GENERATOR["KINDS"].items():
        rows = GENERATOR["rolling"].DISK if name == "rolling" else kind.space
        free = GENERATOR["allowed"](kind, rows)
        # The trace of a projector is a whole number for any rows.
        assert free.sum() == pytest.approx(6 - ROWS[name], abs=36 * tolerances.EPSILON), name


@pytest.mark.slow
def test_code_blocks_run() -> None:
    """Each example prints the number of free motions; the custom joint conserves energy and momentum and has a view."""
    names = SESSION.run()
    *printed, custom = SESSION.printed.splitlines()
    assert "2 degrees of freedom" in custom
    solution = names["solution"]
    # The slot is horizontal and has no friction.
    assert np.ptp(solution.outputs["energy"]) < tolerances.PAGE_SLOT
    assert np.ptp(solution.field("body", "x")[:, 0]) < tolerances.PAGE_SLOT
    assert np.ptp(solution.outputs["joint_travel"]) > 0.4
    assert "pin_in_slot.html" in SESSION.files
    (joint,) = solution.view().scene["solutions"][0]["joints"]
    assert [shape for shape, _ in joint["parts"]] == ["slider", "pin", "rail"]
    for line, rows in zip(printed, ROWS.values(), strict=True):
        left = 6 - rows
        assert f"{left} degree{'' if left == 1 else 's'} of freedom" in line and "too many" not in line
