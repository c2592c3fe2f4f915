"""Nearest solutions of large systems are as accurate as those of small ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import diags_array, eye_array

from symlie.runtime.linear.nearest import LARGEST_DENSE, Nearest
from tests import tolerances


@pytest.mark.parametrize("points", [100, 1000])
def test_nearest_line_is_the_regression_line(points: int) -> None:
    """Without second differences, whose smallest singular values are about 1e-5 for 1000 points."""
    assert (2 * points - 2 <= LARGEST_DENSE) == (points == 100)
    differences = diags_array([1.0, -2.0, 1.0], offsets=[0, 1, 2], shape=(points - 2, points))
    line = Nearest(differences.tocsr(), eye_array(points).tocsr())
    values, s = np.random.default_rng(0).standard_normal(points), np.linspace(-1, 1, points)
    expected = np.polyval(np.polyfit(s, values, 1), s)
    found = line.point(values, np.zeros(points - 2))
    np.testing.assert_allclose(found, expected, atol=tolerances.NEAREST)
