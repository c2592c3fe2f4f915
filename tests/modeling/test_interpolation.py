"""Points between two nodes: on the way, with exact derivatives."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.system.system import System
from tests import tolerances

GROUPS = ("R3", "SO2", "SO3", "S3", "SE2", "SE3", "S3sR3", "SO3xR3", "SO3rvxR3")


@functools.cache
def between(group: str) -> System:
    """Two nodes whose distance from the point between them, as constraint rows, determines its position."""
    model = sl.Model("between")
    a, b, c = (model.node(name, group) for name in "abc")
    xi = model.parameter("xi", 0.25)
    model.kinetic_energy(sum(n.v.dot(n.v) for n in (a, b, c)) / 2)
    model.constraint("way", (c.inverse() * sl.interpolate(a, b, xi)).log())
    return model.derive().compile(backend="numpy")


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), xi=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_interpolated_path_and_derivatives_are_correct(group: str, seed: int, xi: float) -> None:
    """q_n∘exp(ξ θ), and B against differences along all components."""
    system = between(group).with_parameters(xi=xi)
    kernels, mechanics, n = system.kernels, system.mechanics, system.layout.dimension // 3
    random = np.random.default_rng(seed)
    start = system.initial_state.q
    first, theta = random.uniform(-1, 1, n), random.uniform(-0.8, 0.8, n)

    def moved(q: np.ndarray, *steps: np.ndarray) -> np.ndarray:
        return np.asarray(kernels.advance(q, np.concatenate(steps)))

    q = moved(moved(start, first, first, first), 0 * theta, theta, xi * theta)
    assert np.abs(mechanics.constraint(0.0, q)).max() <= tolerances.CLOSED
    B = mechanics.algebra.jacobian_matrix(mechanics.jacobian(0.0, q, np.zeros(3 * n)))
    d = 2.0**-14
    for k in range(3 * n):
        unit = d * (np.arange(3 * n) == k)
        ahead, behind = (mechanics.constraint(0.0, np.asarray(kernels.advance(q, s * unit))) for s in (1, -1))
        assert np.abs((ahead - behind) / (2 * d) - B[:, k]).max() <= tolerances.WAY_DIFFERENCE


def test_invalid_interpolations_are_rejected() -> None:
    model = sl.Model("none")
    a, b, x = model.node("a", "SE3"), model.node("b", "SE3"), model.node("x", "R3")
    with pytest.raises(ModelError, match="elements of the same group"):
        sl.interpolate(a, x, 0.5)  # two groups
    with pytest.raises(ModelError, match="a number or a scalar, not an array of 3 entries"):
        sl.interpolate(a, b, a.x)
    with pytest.raises(ModelError, match="ends of interpolate must be nodes or group elements, not RigidBody"):
        sl.interpolate(sl.RigidBody(model, "body", 1.0, [1, 1, 1]), b, 0.5)
