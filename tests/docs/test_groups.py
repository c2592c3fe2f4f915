"""The page on groups, run as it stands there."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.docs.pages import Session

SESSION = Session("docs/groups.md")


@pytest.mark.slow
def test_code_blocks_run() -> None:
    SESSION.run()


@pytest.mark.slow
def test_custom_groups_are_correct() -> None:
    """The flow of matrices in SL(2) keeps areas, and its energy."""
    names = SESSION.after("Custom groups")
    assert (names["poses"].name, names["poses"].dimension) == ("SE2_3", 9)
    assert names["heisenberg"].dimension == 3
    solution = names["solution"]
    X = solution.field("deformation", "X").reshape(-1, 2, 2)
    np.testing.assert_allclose(np.linalg.det(X), 1.0, rtol=0, atol=tolerances.PAGE_SPACES)
    assert np.ptp(solution.outputs["energy"]) < tolerances.PAGE_SPACES
    assert np.ptp(X[:, 0, 0]) > 0.1


@pytest.mark.slow
def test_function_of_ad_is_correct() -> None:
    """At the identity φ(ad log q) w = w/2!."""
    system = SESSION.after("Functions of ad")["model"].derive().compile(backend="numpy")
    energy = sl.solve(system, 0.1, h=0.01).outputs["energy"]
    assert energy[0] == pytest.approx((1 + 0.5**2) / 2 / 2**2, rel=1e-14)
    assert np.ptp(energy) < tolerances.PAGE_SPACES
