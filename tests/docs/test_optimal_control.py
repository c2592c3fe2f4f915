"""The page *Optimal control*: its blocks run, and the turn of the satellite has its closed form."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/optimal_control.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert names["found"].cost == pytest.approx(6 * 2.0**2 * np.pi**2 / 5.0**3, rel=tolerances.OPTIMAL_COST)
    turned = names["finer"].rotation("body")[-1].magnitude()
    assert abs(turned - np.pi) < tolerances.OPTIMAL_END
    best, slope = names["best"], names["slope"]
    assert best.cost == pytest.approx(10 / 11, rel=tolerances.OPTIMAL_LOSS)
    assert abs(slope.array).max() < tolerances.OPTIMAL_INPUTS * abs(best.values["force"]).max()
    assert names["several"].cost == pytest.approx(names["found"].cost, rel=tolerances.OPTIMAL_LOSS)
