"""Manifolds given by a frame of vector fields with known flows: methods without commutators keep their orders."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symlie as sl
from symlie.errors import GroupError, UnsupportedMethodError
from symlie.groups.homogeneous import HomogeneousSpace
from symlie.runtime.layout.layout import Array
from tests.tolerances import BACKENDS_OF_SPACES, ORDER

BACKENDS = ("c", "numpy")
START = (0.3, -0.2, 0.5)


def heisenberg() -> HomogeneousSpace:
    """∂x - y/2 ∂z, ∂y + x/2 ∂z, ∂z on R³."""
    return sl.frame_space(
        "heisenberg_frame",
        3,
        storage={"x": 3},
        flow=lambda a, y: y.x + a + sl.vector(0, 0, (y.x[0] * a[1] - y.x[1] * a[0]) / 2),
        origin=[0, 0, 0],
    )


@functools.cache
def system(backend: str) -> sl.System:
    """A field with coefficients that vary over the manifold."""
    model = sl.Model("along_a_frame")
    node = model.node("point", heisenberg())
    x, y, z = node.x
    model.field(node, [sl.sin(z) + 1, x * y - z, sl.cos(x) - y**2])
    model.initial(node, x=list(START))
    return model.derive().compile(backend=backend)


@functools.cache
def reference() -> Array:
    """The end at t = 1, by an integration of the components."""

    def rates(_: float, s: Array) -> list[float]:
        x, y, z = s
        a, b, c = np.sin(z) + 1, x * y - z, np.cos(x) - y**2
        return [a, b, c + (x * b - y * a) / 2]

    return np.asarray(solve_ivp(rates, (0, 1), START, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("method", "order"), [("lie_euler_heun", 2), ("cf32a", 3), ("cg3", 3), ("cf4", 4), ("cg4", 4)])
def test_methods_have_their_declared_order(method: str, order: int, backend: str) -> None:
    errors = [
        np.abs(sl.solve(system(backend), 1.0, method=method, h=1 / n).q[-1] - reference()).max() for n in (40, 80)
    ]
    assert np.log2(errors[0] / errors[1]) > order - ORDER


@pytest.mark.slow
def test_backends_agree_and_the_default_is_adaptive() -> None:
    ends = [sl.solve(system(b), 1.0, rtol=0, atol=1e-9) for b in BACKENDS]
    assert ends[0].method == "cf43"
    assert np.abs(ends[0].q[-1] - ends[1].q[-1]).max() < BACKENDS_OF_SPACES
    assert np.abs(ends[0].q[-1] - reference()).max() < 1e-7


def test_methods_with_commutators_are_rejected() -> None:
    for method in ("rkmk_rk44", "rkmk4_two_commutators", "half_explicit_5"):
        with pytest.raises(UnsupportedMethodError, match="needs commutators"):
            sl.solve(system("numpy"), 1.0, method=method, h=0.1)


def test_invalid_flows_are_rejected() -> None:
    def stated(flow: object, **more: object) -> None:
        keywords = {"storage": {"x": 2}, "origin": [0.0, 1.0]} | more
        sl.frame_space("plane", 2, flow=flow, **keywords)

    stated(lambda a, y: [y.x[0] + a[0], y.x[1] * sl.exp(a[1])])
    with pytest.raises(GroupError, match="twice the length"):
        stated(lambda a, y: [y.x[0] + a[0], y.x[1] * (1 + a[1])])
    with pytest.raises(GroupError, match="moves points at time zero"):
        stated(lambda a, y: [y.x[0] + a[0] + 1, y.x[1]])
    with pytest.raises(GroupError, match="leaves the manifold"):
        stated(lambda a, y: [y.x[0] + a[0], y.x[1]], relations=lambda y: [y.x[0]])
