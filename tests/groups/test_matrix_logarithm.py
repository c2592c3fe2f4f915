"""Logarithms of groups of matrices with rotations in diagonal blocks: at all angles below π, bases in any order."""

from __future__ import annotations

import functools
import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy.linalg import expm
from sympy import Matrix

import symlie as sl
from symlie.groups.power_series import PowerSeries
from symlie.groups.representation import NODES, QUADRATURE
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


def test_nodes_integrate_rotations_below_pi() -> None:
    """The sum is off by less than the iterations remove, for distances from π between 1e-14 and π."""
    distances = 10.0 ** np.linspace(-14, math.log10(math.pi), 20000)
    cotangent = 1 / np.tan(distances / 2)
    total = sum(2 * float(w) * cotangent / (1 + (float(s) * cotangent) ** 2) for s, w in NODES)
    assert np.abs(total - (math.pi - distances)).max() < QUADRATURE


BASIS = [turn(4, i, j) for i in range(4) for j in range(i)]
"""Generators of rotations in four dimensions."""


@functools.cache
def rotations_of_four() -> NumericGroup:
    return NumericGroup(sl.matrix_group("Turns", BASIS))


@settings(max_examples=30, deadline=None)
@given(distance_from_pi=st.sampled_from([2.0, 0.3, 0.09, 1e-3, 1e-6, 1e-9, 1e-12]), seed=st.integers(0, 100))
def test_logarithm_of_series_groups_reaches_rotations_by_pi(distance_from_pi: float, seed: int) -> None:
    """SO(4) has no closed forms. Its logarithm has the condition number π/δ for a rotation by π - δ."""
    theta = random_vector(6, seed)
    generator = np.sum(
        [float(x) * np.array(m.tolist(), dtype=float) for x, m in zip(theta, BASIS, strict=True)], axis=0
    )
    largest = float(np.abs(np.linalg.eigvals(generator).imag).max())
    theta = [x * (mpf(math.pi) - mpf(distance_from_pi)) / largest for x in theta]
    element = PowerSeries(rotations_of_four().group, theta, 60).exponential()
    allowed = tolerances.GENERAL_FUNCTION * math.pi / distance_from_pi
    assert distance(rotations_of_four().log(element), theta) < allowed


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_models_evaluate_the_logarithm_near_pi(backend: Literal["c", "numpy"]) -> None:
    model = sl.Model("turned")
    node = model.node("turned", rotations_of_four().group)
    model.kinetic_energy(node.v.dot(node.v) / 2)
    model.output("log", node.log())
    system = model.derive().compile(backend=backend)
    draw, basis = np.random.default_rng(0), [np.array(m.tolist(), dtype=float) for m in BASIS]
    for distance_from_pi in (0.05, 1e-3, 1e-6, 1e-10, 1e-13):
        theta = draw.normal(size=6)
        turns = np.linalg.eigvals(np.tensordot(theta, basis, 1)).imag
        theta *= (math.pi - distance_from_pi) / np.abs(turns).max()
        moved = system.with_initial("turned", X=expm(np.tensordot(theta, basis, 1)))
        found = moved.kernels.outputs(moved.prepared, 0.0, moved.stated_state().q, np.zeros(6), np.zeros(0))
        part = moved.layout.outputs["log"][0]
        allowed = 16 * tolerances.EPSILON * math.pi / distance_from_pi
        assert np.abs(found[part] - theta).max() <= allowed, distance_from_pi
