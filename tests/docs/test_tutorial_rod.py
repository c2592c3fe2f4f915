"""The tutorial of a rod: its cantilever agrees with the roll-up, the elastica and the beam of Euler and Bernoulli."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

pytest.importorskip("matplotlib")

SESSION = Session("docs/tutorial_rod.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    names = SESSION.run()
    assert SESSION.files == {"cantilever.png", "cantilever.html"}
    assert names["x"] == pytest.approx(2 / np.pi, abs=tolerances.PAGE_ROLL_UP)
    assert names["z"] == pytest.approx(-2 / np.pi, abs=tolerances.PAGE_ROLL_UP)
    assert -names["bent"].q[-1] == pytest.approx(0.30172, rel=tolerances.PAGE_ELASTICA)
    omega, eigenvalue = names["omega"], names["linear"].eigenvalues[0]
    assert abs(eigenvalue) == pytest.approx(omega, rel=tolerances.PAGE_CANTILEVER)
    assert -eigenvalue.real == pytest.approx(0.01 * omega**2 / 2, rel=2 * tolerances.PAGE_CANTILEVER)
    assert names["period"] == pytest.approx(2 * np.pi / abs(eigenvalue.imag), abs=0.005 / 3)
    assert names["decay"] == pytest.approx(-eigenvalue.real, rel=tolerances.PAGE_CANTILEVER)
