"""Nearest solutions of large systems are as accurate as those of small ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, eye_array

from symlie.runtime.linear.least_change import LeastChange
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


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_least_change_of_large_systems_is_independent_of_units(unit: float) -> None:
    """Equations of a chain, some of them redundant; the pseudoinverse of the scaled matrix is exact."""
    draw, links = np.random.default_rng(0), 30
    matrix = np.zeros((5 * links, 6 * links))
    for k in range(links):
        matrix[5 * k : 5 * k + 5, max(0, 6 * k - 6) : 6 * k + 6] = draw.standard_normal((5, 12 if k else 6))
    matrix = np.vstack([matrix, draw.standard_normal((3, 5 * links)) @ matrix])
    inertia = np.tile([0.1, 0.2, 0.3, 1, 1, 1], links) * unit
    change = LeastChange(csr_array(matrix), diags_array(inertia).tocsr())
    values = matrix @ draw.standard_normal(6 * links)
    expected = inertia**-0.5 * (np.linalg.pinv(matrix * inertia**-0.5) @ values)
    np.testing.assert_allclose(change.inverse(values), expected, rtol=0, atol=tolerances.NEAREST)
    along = change.along(draw.standard_normal(6 * links))
    np.testing.assert_allclose(matrix @ along, 0, atol=tolerances.NEAREST)
