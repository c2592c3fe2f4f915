"""Power series in high precision agree with the derived closed forms, which they share nothing with."""

from __future__ import annotations

import mpmath
import pytest
from mpmath import mpf

from symlie.groups.power_series import PowerSeries
from tests import tolerances
from tests.groups.numeric import (
    DIGITS,
    NumericGroup,
    add,
    derivative,
    matrix_distance,
    numeric,
    scaled,
    vector_of_length,
)
from tests.groups.samples import sample

GROUPS = ("SO3", "S3sR3", "SE2", "SO2", "SO3rvxR3", "R3", "Heisenberg")


def case(name: str, length: float) -> tuple[NumericGroup, list[mpf], list[mpf], PowerSeries]:
    """A group, θ of some length, w, and the series at θ."""
    group = NumericGroup(sample(name)) if name == "Heisenberg" else numeric(name)
    n = group.group.dimension
    theta, w = vector_of_length(length, n, 1), vector_of_length(2, n, 2)
    return group, theta, w, PowerSeries(group.group, theta, DIGITS)


@pytest.mark.parametrize("length", [0.0, 1e-7, 3.0, 5.0])
@pytest.mark.parametrize("name", GROUPS)
def test_power_series_values_are_accurate(name: str, length: float) -> None:
    group, theta, _, series = case(name, length)
    with mpmath.workdps(DIGITS):
        q = group.exp(theta)
        assert max(abs(a - b) for a, b in zip(series.exponential(), q, strict=True)) < tolerances.IDENTITY
        pairs = [
            (series.adjoint(), group.matrix_of(lambda x: group.adjoint(q, x))),
            (series.tangent_operator(), group.matrix_of(lambda x: group.tangent(theta, x))),
            (series.tangent_operator_inverse(), group.matrix_of(lambda x: group.tangent(theta, x, inverse=True))),
        ]
        for computed, expected in pairs:
            assert matrix_distance(mpmath.matrix(computed), expected) < tolerances.IDENTITY


@pytest.mark.parametrize("name", ["SE2", "SO3rvxR3", "SE3"])
def test_power_series_derivatives_are_accurate(name: str) -> None:
    group, theta, w, series = case(name, 2.5)
    with mpmath.workdps(DIGITS):
        for inverse, computed in (
            (False, series.tangent_operator_derivative(w)),
            (True, series.tangent_operator_inverse_derivative(w)),
        ):
            expected = group.matrix_of(
                lambda x, i=inverse: derivative(lambda h: group.tangent(add(theta, scaled(h, x)), w, inverse=i))
            )
            assert matrix_distance(mpmath.matrix(computed), expected) < tolerances.DIFFERENCE
