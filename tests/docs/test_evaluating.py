"""The page on evaluation at given states, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/evaluating.md")

MASSES, CENTRES, INERTIAS, LENGTH = (3.0, 2.0), (0.25, 0.25), (0.07, 0.03), 0.5


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_arm_has_its_closed_form() -> None:
    """M, weights and the Jacobian of the arm with two links."""
    names = SESSION.after("Inverse dynamics")
    (m1, m2), (c1, c2), (i1, i2), (first, second) = MASSES, CENTRES, INERTIAS, (0.4, 0.7)
    m22 = i2 + m2 * c2**2
    m12 = m22 + m2 * LENGTH * c2 * np.cos(second)
    m11 = i1 + m1 * c1**2 + m2 * LENGTH**2 + 2 * m12 - m22
    lower = 9.81 * m2 * c2 * np.cos(first + second)
    weights = [9.81 * (m1 * c1 + m2 * LENGTH) * np.cos(first) + lower, lower]
    M = names["system"].mass_matrix(names["state"])
    np.testing.assert_allclose(M, [[m11, m12], [m12, m22]], rtol=0, atol=tolerances.BACKENDS)
    np.testing.assert_allclose(names["weights"], weights, rtol=0, atol=tolerances.EFFORTS)
    assert np.abs(names["held"]).max() < tolerances.EFFORTS
    np.testing.assert_allclose(names["torques"], [20, 5], rtol=0, atol=tolerances.EFFORTS)


@pytest.mark.slow
def test_twist_of_the_tip_is_known() -> None:
    names = SESSION.after("Jacobians of outputs")
    twist = names["J"] @ names["state"].v
    np.testing.assert_allclose(
        twist, [-0.5 * np.sin(1.1), 0, 0.5 * np.cos(1.1), 0, -1, 0], rtol=0, atol=tolerances.BACKENDS
    )


@pytest.mark.slow
def test_tip_reaches_its_target() -> None:
    names = SESSION.after("Inverse kinematics")
    bend = np.arccos((0.6**2 + 0.4**2 - 0.5) / 0.5)
    expected = [np.arctan2(0.4, 0.6) - bend / 2, bend]
    np.testing.assert_allclose(names["pose"].q[:2], expected, rtol=0, atol=tolerances.REDUCED)


@pytest.mark.slow
def test_controller_tracks_the_motion() -> None:
    """The error decays by exp(-20 t), from rates of 0.8 rad/s; the method has an error of h⁴."""
    names = SESSION.after("A loop of your own")
    assert np.abs(names["q"] - names["target"](1.0)[0]).max() < 1e-6
