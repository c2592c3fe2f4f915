"""Logarithms of groups of matrices with rotations in diagonal blocks: at all angles below π, bases in any order."""

from __future__ import annotations

import functools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from sympy import Matrix

import symlie as sl
from symlie.groups.power_series import PowerSeries
from tests import tolerances
from tests.evaluation import distance
from tests.groups.numeric import NumericGroup, random_vector
from tests.groups.samples import rotations, turn, unit

TURNS: dict[str, dict[int, int]] = {
    "Galilei": {0: 1, 1: 1, 2: 1},
    "ReorderedGalilei": {7: 1, 2: 1, 9: 1},
    "ScaledSim3": {2: 2, 1: 2, 0: 2},
    "PlaneMotions": {1: -3},
}
"""Components of θ that turn, and how fast."""


@functools.cache
def group(name: str) -> NumericGroup:
    galilei = [
        *rotations(5),
        *[unit(5, i, 3) for i in range(3)],
        *[unit(5, i, 4) for i in range(3)],
        unit(5, 3, 4),
    ]
    scale = unit(4, 0, 0) + unit(4, 1, 1) + unit(4, 2, 2)
    bases: dict[str, list[Matrix]] = {
        "Galilei": galilei,
        "ReorderedGalilei": [galilei[k] for k in (9, 3, 1, 5, 4, 8, 6, 0, 7, 2)],
        "ScaledSim3": [*[2 * r for r in rotations(4)], *[unit(4, i, 3) for i in range(3)], scale],
        "PlaneMotions": [unit(3, 0, 2), 3 * turn(3, 1, 0), unit(3, 1, 2)],
    }
    return NumericGroup(sl.matrix_group(name, bases[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", TURNS)
@settings(max_examples=30)
@given(angle=st.one_of(st.floats(0, math.pi - 1e-6), st.floats(3.05, math.pi - 1e-6)), seed=st.integers(0, 100))
def test_logarithm_inverts_exp(name: str, angle: float, seed: int) -> None:
    theta = random_vector(group(name).group.dimension, seed)
    size = math.sqrt(sum((float(theta[k]) * rate) ** 2 for k, rate in TURNS[name].items()))
    theta = [x * mpf(angle / size) if k in TURNS[name] else x for k, x in enumerate(theta)]
    element = PowerSeries(group(name).group, theta, 50).exponential()
    assert distance(group(name).log(element), theta) < tolerances.MATRIX_LOGARITHM
