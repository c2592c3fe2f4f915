"""The page of ten minutes: its blocks run, and its gyroscope precesses as fast gyroscopes do."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

pytest.importorskip("matplotlib")
pytest.importorskip("netCDF4")

SESSION = Session("docs/ten_minutes.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert SESSION.files == {"gyroscope.png", "gyroscope.nc"}
    assert len(SESSION.printed.splitlines()) == 5
    solution, moon = names["solution"], names["moon"]
    assert np.ptp(solution.outputs["energy"]) < tolerances.PAGE_GYROSCOPE_ENERGY
    fast = 2.0 * 9.81 * 0.2 / (names["inertia"][0, 0] * 150.0)
    assert names["azimuth"][-1] / solution.t[-1] == pytest.approx(fast, rel=tolerances.PAGE_GYROSCOPE)
    periods = np.diff([event.t for event in solution.events])
    assert len(periods) == 8 and periods == pytest.approx(1 / 3, rel=tolerances.PAGE_GYROSCOPE)
    assert solution.outputs["height"].min() < moon.outputs["height"].min() < 0
