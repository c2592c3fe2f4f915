"""The tutorial of a mechanism: vibrations, motion and power of its slider-crank agree with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

pytest.importorskip("matplotlib")

SESSION = Session("docs/tutorial_mechanism.md")


def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert SESSION.files == {"engine.png", "engine.html"}
    assert names["system"].mobility().degrees_of_freedom == 1
    eigenvalues, omega = names["linear"].eigenvalues, names["omega"]
    assert abs(eigenvalues) == pytest.approx(omega, rel=tolerances.PAGE_LINKAGE)
    assert -eigenvalues.real == pytest.approx(0.05 / 2 / names["inertia"], rel=tolerances.PAGE_LINKAGE)
    # Half a period of finite amplitude is longer than one of small amplitude.
    halves = np.diff(names["times"])
    assert np.pi / omega < halves[-1] < halves[-2] < halves[-3] < 1.1 * np.pi / omega
    assert names["error"] < tolerances.PAGE_LINKAGE_POSITION
    assert names["work"] == pytest.approx(names["received"], rel=tolerances.PAGE_LINKAGE_WORK)
