"""The page about Taylor series: its blocks run, and its numbers are results of runs."""

from __future__ import annotations

import re

import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.docs.pages import ROOT, Session
from tests.systems import heavy_top_reference, heavy_top_system

SESSION = Session("docs/taylor.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    found = SESSION.run()["solution"]
    assert found.statistics.max_constraint_residual <= tolerances.HIDDEN_CONSTRAINT


def rows() -> list[tuple[float, int, float]]:
    """Tolerance, steps and error of q of the table."""
    page = (ROOT / "docs" / "taylor.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `rtol=(\S+)` \| (\d+) \| (\S+) \|", page, re.M)
    return [(float(rtol), int(steps), float(error)) for rtol, steps, error in found]


@pytest.mark.parametrize(("rtol", "steps", "error"), rows())
def test_table_matches_the_measurement(rtol: float, steps: int, error: float) -> None:
    """Steps within two of the page's, errors of the stored rotation of its size."""
    found = sl.solve(heavy_top_system("S3xR3"), 1.0, method="taylor", rtol=rtol, atol=rtol)
    assert abs(found.statistics.steps - steps) <= 2
    expected = heavy_top_reference("1.0")
    p = expected["p"] if "p" in expected else expected["quaternion"]
    assert min(np.abs(found.q[-1][:4] - sign * p).max() for sign in (1, -1)) <= 3 * error


def test_table_is_complete() -> None:
    assert len(rows()) == 3
