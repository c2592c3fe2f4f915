"""Tables of the matrix of implicit steps: rows of T without their zeros."""

import numpy as np
import pytest

from symlie.models.heavy_top import build
from symlie.runtime.integrate.iteration import iteration_of


@pytest.mark.parametrize(
    ("group", "first", "width"),
    [("SE3", [0] * 6, [3, 3, 3, 6, 6, 6]), ("S3xR3", [0, 0, 0, 3, 4, 5], [3, 3, 3, 1, 1, 1])],
)
def test_rows_of_the_tangent_operator_have_no_zeros_at_their_ends(
    group: str, first: list[int], width: list[int]
) -> None:
    system = build(group).derive().compile(backend="numpy")
    tables = iteration_of(system, has_eta=False).tables
    assert tables["TANGENT_WIDTH"].tolist() == width
    assert (tables["TANGENT_ROW"] - 6 * np.arange(6)).tolist() == first
    theta = np.array([0.3, -0.2, 0.5, 0.7, -0.4, 0.6])
    T = np.array([system.kernels.tangent_operator(theta, unit) for unit in np.eye(6)]).T
    outside = (np.arange(6) < np.array(first)[:, None]) | (np.arange(6) >= np.add(first, width)[:, None])
    assert np.all(T[outside] == 0)
    assert np.all(T[~outside] != 0)
