"""The tutorial of a custom group: the steady rotation is exact, and the commands accept the group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symlie.cli import main
from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/tutorial_group.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert names["poses"].dimension == 9
    assert names["steady"] == pytest.approx(0.672, abs=5e-4)
    assert names["error"] < tolerances.PAGE_STEADY
    assert names["solution"].statistics.steps == 5
    tumbling = names["tumbling"]
    assert np.ptp(tumbling.outputs["momentum"], axis=0).max() < tolerances.PAGE_SPACES
    assert np.ptp(tumbling.outputs["energy"]) < tolerances.PAGE_SPACES
    assert np.ptp(names["lengths"]) > 0.1
    assert float(SESSION.printed.split()[-1]) == 0.0  # the same code


@pytest.mark.slow
def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Bounds of the page hold."""
    pytest.importorskip("flint")
    monkeypatch.chdir(tmp_path)
    Path("poses.py").write_text(SESSION.block("Group"), encoding="utf-8")
    assert main(["verify", "poses.py:poses"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    bounds = [float(row[row.index("eps") - 1]) for row in rows if row]
    assert 2.2 < max(bounds) < 6
    upper = [float(row[row.index("eps") - 1]) for row in rows if row and "2π" not in row]
    assert max(upper) < 2.2
    assert main(["operators", "poses.py:poses", "--target", "c", "--out", "poses_c"]) == 0
    assert {"poses.c", "poses_selftest.c"} <= {p.name for p in Path("poses_c").iterdir()}
