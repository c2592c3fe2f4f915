"""The README's ten minutes, block by block as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import tolerances

README = Path(__file__).parents[1] / "README.md"


def test_ten_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """State, derive, compile, run, and all that is shown of running."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("netCDF4")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks[:2]:
        exec(block, names)
    written = {"pendulum.png", "histories.png", "steps.png", "pendulum.nc", "orders.png"}
    assert {p.name for p in tmp_path.iterdir()} == written
    assert len(capsys.readouterr().out.splitlines()) == 3
    solution, accurate = names["solution"], names["accurate"]
    lowest = [event.t for event in solution.events]
    assert len(lowest) == 10
    np.testing.assert_allclose(lowest, [e.t for e in accurate.events], atol=tolerances.README_EVENT)
    assert np.ptp(accurate.outputs["energy"]) < tolerances.README_DRIFT
    assert names["kept"].statistics.max_constraint_residual <= tolerances.PROJECTED
    assert names["further"].t[0] == 10.0
    assert names["reported"].t.tolist() == [2.5, 5.0, 10.0]
    assert np.linalg.norm(names["middle"].field("bob", "x")) == pytest.approx(1.0)
