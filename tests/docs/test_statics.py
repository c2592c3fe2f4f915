"""The page on equilibria, vibrations and assembly, run as it stands there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/statics.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_cable_hangs_as_a_catenary() -> None:
    a = brentq(lambda a: 2 * a * math.sinh(0.3 / a) - 1, 0.05, 5.0, xtol=1e-15)
    x = SESSION.after("Equilibria")["q"].reshape(-1, 3)
    assert len(x) == 1001
    assert np.abs(x[:, 2] - a * (np.cosh(x[:, 0] / a) - math.cosh(0.3 / a))).max() < 1e-6


@pytest.mark.slow
def test_truss_snaps_through() -> None:
    names = SESSION.after("Paths of equilibria")
    limit = 0.5 / math.sqrt(3)
    expected = -2 * limit * (limit**2 - 0.25)
    assert names["limit_loads"] == pytest.approx([expected, -expected], rel=tolerances.PATH)
    assert len(names["figure"].axes[0].lines) == 3


@pytest.mark.slow
def test_slowest_mode_of_the_cable_is_lateral() -> None:
    """Out of plane it swings as a chain whose shape η_y = z - z0 is exact for small sag; here near it."""
    names = SESSION.after("Vibrations")
    linear = names["cable_modes"]
    assert linear.is_stable and len(linear.frequencies) == 12 and len(linear.modes) == 6
    assert np.all(np.diff(linear.frequencies) >= 0)
    shape = names["shape"]
    assert shape.shape == (1001, 3) and np.abs(shape[:, 1]).max() == pytest.approx(1)
    assert np.abs(shape[:, [0, 2]]).max() < 1e-6


@pytest.mark.slow
def test_ball_circles_on_the_turntable() -> None:
    """2/7 of the turntable's rate, and the transfer function of x₂ to the push as of a charge in a magnetic field."""
    names = SESSION.after("Steady motions")
    assert np.sort_complex(names["linear"].eigenvalues)[[0, -1]] == pytest.approx([-0.2j, 0.2j], abs=1e-12)
    A, B, C, D = (names[name] for name in "ABCD")
    s = 0.3 + 0.4j
    transfer = C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D
    # 7/5 (x'' - 2/7 Ω e_z × x') = push
    assert transfer[0, 0] == pytest.approx(5 / 7 * 0.2 / (s * (s**2 + 0.2**2)), rel=1e-10)


@pytest.mark.slow
def test_pendulum_is_assembled() -> None:
    names = SESSION.after("Assembly")
    assembled = names["assembled"]
    assert np.abs(assembled.initial_state.q - [0.6, 0, -0.8]).max() <= tolerances.REDUCED
    assert names["solution"].status == "ok"
