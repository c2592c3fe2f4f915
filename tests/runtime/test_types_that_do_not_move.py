"""Node types of which every node is prescribed or clamped have no increments, in all methods as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.kernels.c_tables import problem_tables
from symlie.runtime.system.system import System
from tests.tolerances import BACKENDS_OF_SPACES

GROUPS = {"bodies": "SO3", "platforms": "SE3", "points": "R3"}


def pulled(names: tuple[str, ...], count: int = 6, turns: float = 1.0) -> tuple[System, System]:
    """Points on springs and bodies between moving platforms, in C and in NumPy; the names are in the order of nodes."""
    model = sl.Model("pulled")
    arrays = {name: model.node_array(name, GROUPS[name], count) for name in names}
    bodies, platforms, points = (arrays[name] for name in GROUPS)
    bodies.initial(Omega=lambda k: [0.1 * k, 1, 0.2])
    points.initial(x=lambda k: [k, 0, 1], x_dot=[0, 0.1, 0.3])
    c, s = sl.cos(turns * model.t), sl.sin(turns * model.t)
    for k in range(count - 1):
        model.prescribe(platforms[k], R=[[c, -s, 0], [s, c, 0], [0, 0, 1]], x=[k, model.t**2, 0])
    platforms.fix(count - 1)
    pull = sl.ElementType("pull", body="SO3", platform="SE3", point="R3")
    body, platform, point = pull.body, pull.platform, pull.point
    pull.kinetic_energy((body.Omega.dot(sl.diag(1, 2, 3) * body.Omega) + point.x_dot.dot(point.x_dot)) / 2)
    apart = point.x - platform.x - platform.R * sl.vector(0.3, 0.2, 0.1)
    turned = body.R.T * platform.R
    pull.potential_energy(2.5 * apart.dot(apart) - 2 * (turned[0, 0] + turned[1, 1] + 2 * turned[2, 2]))
    model.add(pull, [(bodies[k], platforms[k], points[k]) for k in range(count)])
    derived = model.derive()
    return derived.compile(backend="c"), derived.compile(backend="numpy")


BETWEEN = ("bodies", "platforms", "points"), slice(0, 72)
BEFORE = ("platforms", "bodies", "points"), slice(36, 72)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "moving", "runs"),
    [
        (*BETWEEN, [("rkmk_rk44", {"map": "cayley"}), ("half_explicit_5", {})]),
        (*BEFORE, [("rkmk_rk44", {"commutators": 1}), ("rkmk_dopri5", {}), ("rkmk4_two_commutators", {})]),
    ],
)
def test_fixed_node_types_are_supported(
    names: tuple[str, ...], moving: slice, runs: list[tuple[str, dict[str, Any]]]
) -> None:
    systems = pulled(names)
    tables = problem_tables(systems[0].layout, integrates=True)
    assert tables.moving == moving and sorted(tables.moving_counts) == [0, 6, 6]
    for method, options in runs:
        steps = {"rtol": 1e-6} if method in ("half_explicit_5", "rkmk_dopri5") else {"h": 0.05}
        first, second = (sl.solve(s, 0.5, method=method, method_options=options, **steps) for s in systems)
        assert first.statistics.steps == second.statistics.steps
        for a, b in ((first.q[-1], second.q[-1]), (first.v[-1], second.v[-1])):
            assert np.abs(a - b).max() < BACKENDS_OF_SPACES * np.abs(b).max()


def test_prescribed_rotation_per_step_is_unlimited() -> None:
    """More than 2π in a step, which no increment could."""
    systems = pulled(BETWEEN[0], turns=200.0)
    for method in ("rkmk_dopri5", "half_explicit_5", "cf4"):
        first, second = (sl.solve(s, 0.2, method=method, h=0.1) for s in systems)
        assert np.abs(first.q[-1] - second.q[-1]).max() < BACKENDS_OF_SPACES * np.abs(second.q[-1]).max()


SEVERAL_BLOCKS = 40
"""Nodes of a type beyond those that C works on together."""


@pytest.mark.slow
@pytest.mark.parametrize("names", [BETWEEN[0], BEFORE[0]])
@pytest.mark.parametrize("method", ["half_explicit_5", "rkmk_dopri5", "rkmk4_two_commutators"])
def test_blocks_of_fixed_nodes_are_supported(names: tuple[str, ...], method: str) -> None:
    steps = {"h": 0.05} if method == "rkmk4_two_commutators" else {"rtol": 1e-6}
    first, second = (sl.solve(s, 0.25, method=method, **steps) for s in pulled(names, SEVERAL_BLOCKS))
    assert first.statistics.steps == second.statistics.steps
    for a, b in ((first.q[-1], second.q[-1]), (first.v[-1], second.v[-1])):
        assert np.abs(a - b).max() < BACKENDS_OF_SPACES * np.abs(b).max()
