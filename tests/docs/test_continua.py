"""The page on continua: its blocks run and reproduce known results of a string, a bar and a beam."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/continua.md")

LONGEST_STATEMENT = 15
"""Lines of the statement of a continuum."""


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_model_definitions_are_short() -> None:
    for heading in ("A string", "A torsion bar", "A planar beam"):
        lines = SESSION.block(heading).splitlines()
        first = next(k for k, line in enumerate(lines) if "sl.Continuum" in line)
        last = next(k for k, line in enumerate(lines) if "discretize" in line)
        assert last - first < LONGEST_STATEMENT


@pytest.mark.slow
def test_string_has_its_fundamental_frequency() -> None:
    """Across, a discrete string has ω_k = 2 c/Δs sin(kπ/2K); its tension at rest is 10 N."""
    modes = SESSION.after("A string")["vibrations"]
    c, n = np.sqrt(10 / 0.01), 32
    exact = 2 * c * n * np.sin(np.array([1, 1, 2, 2]) * np.pi / (2 * n)) / (2 * np.pi)
    np.testing.assert_allclose(np.sort(modes.frequencies[modes.modes])[:4], exact, rtol=tolerances.LINEAR_CONTINUUM)


@pytest.mark.slow
def test_beam_deflection_matches_theory() -> None:
    """At rest the clamp carries the load and the weight, whose moment about it corresponds to the curvature there."""
    found = SESSION.after("A planar beam")
    system, bent = found["system"], found["bent"]
    x = np.array(bent.q).reshape(41, 4)[:, 2:]
    weights = np.full(41, 1 / 40)
    weights[[0, -1]] /= 2
    moment = 20 * x[-1, 0] - 0.3 * 9.81 * weights @ x[:, 0]
    turned = np.arctan2(*np.array(bent.q).reshape(41, 4)[1, 1::-1])
    assert np.isclose(2 * turned * 40, moment, rtol=1 / 20)
    assert x[-1, 1] > 0.5 and system.name == "planar_beam"
