"""Starts that compiled code completes directly, against starts that are fully analysed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlie as sl
from symlie.errors import SymlieError
from symlie.runtime.system.completion import consistent_initial_state
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import CONSTRAINED, heavy_top_system, large_model, large_system, spaghetti_system


def are_looked_at_closely(systems: list[System]) -> None:
    """No start of theirs is ordinary; those that begin have finite velocities."""
    for system in systems:
        assert system.ordinary_start is None
        try:
            state = system.initial_state
        except SymlieError:
            continue
        assert np.isfinite(state.v).all()


@given(rates=st.lists(st.floats(-50, 50), min_size=3, max_size=3), mass=st.floats(1e-3, 1e3))
@pytest.mark.parametrize("group", CONSTRAINED)
def test_fast_start_equals_full_analysis(group: str, rates: list[float], mass: float) -> None:
    system = heavy_top_system(group).with_parameters(mass=mass).with_initial("top", Omega=rates)
    found = system.ordinary_start
    assert found is not None
    expected = consistent_initial_state(system.mechanics, 0.0, system.stated_state())
    for name in ("q", "v", "multipliers"):
        a, b = getattr(found, name), getattr(expected, name)
        assert np.abs(a - b).max() <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max()))


@pytest.mark.slow
@given(rates=st.lists(st.floats(-9, 9), min_size=21, max_size=21), mass=st.floats(1e-2, 1e2))
def test_fast_start_of_large_systems_equals_full_analysis(rates: list[float], mass: float) -> None:
    """Open velocities follow from the constraints, by the elimination of a band matrix."""
    system = large_system().with_parameters(mass=mass)
    for k in range(7):
        system = system.with_initial(f"body{k}", Omega=rates[3 * k : 3 * k + 3])
    found = system.ordinary_start
    assert found is not None
    expected = consistent_initial_state(system.mechanics, 0.0, system.stated_state())
    for name in ("q", "v", "multipliers"):
        a, b = getattr(found, name), getattr(expected, name)
        assert np.abs(a - b).max() <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max()))


def test_special_starts_of_large_systems_are_analysed() -> None:
    large, rod = large_system(), spaghetti_system()
    quaternions = sl.solve(rod, 1e-3, h=1e-3).field("rod", "p")[0]
    speeds = np.zeros((4, 3))
    speeds[2] = 1.0
    wrong = [
        large.with_parameters(mass=0.0),
        large.with_parameters(mass=-1.0),
        large.with_initial("body6", x=[0, 0, -3.5]),
        large.with_initial("body6", R=np.diag([1.0, 1.0, -1.0])),
        large.with_initial("body1", p=[0, 0, 0, 0]),
        large.with_initial("body0", U=[0, 1.0, 0]),
        rod.with_initial("rod", p=1.1 * quaternions),
        rod.with_initial("rod", U=speeds, Omega=0 * speeds),
        rod.with_redundant("minimal_norm"),
        spaghetti_system("numpy"),
    ]
    assert large.ordinary_start is not None and rod.ordinary_start is not None
    are_looked_at_closely(wrong)


@pytest.mark.slow
def test_nearly_dependent_constraints_of_large_systems_are_analysed() -> None:
    for angle, is_ordinary in ((1.0, True), (1e-7, False), (0.0, False)):
        model = large_model()
        end = model.nodes[-1]
        # The last body is led along a line, by two planes that are nearly the same.
        tilt = model.parameter("tilt", angle)
        model.constraint("planes", sl.vector(end.x[0], end.x[0] + tilt * end.x[1]))
        for node in model.nodes:
            model.initial(node, Omega=[0, 0, 0])
        system = model.derive().compile(backend="c")
        assert not system.layout.is_fixed and (system.ordinary_start is not None) == is_ordinary


def test_special_starts_are_analysed() -> None:
    system = heavy_top_system("SO3xR3")
    wrong = [
        system.with_parameters(mass=0.0),
        system.with_parameters(mass=-1.0),
        system.with_parameters(inertia=[0.0, 1.0, 1.0]),
        system.with_initial("top", x=[0, 1, 0.1]),
        system.with_initial("top", R=np.diag([1.0, 1.0, -1.0])),
        system.with_initial("top", R=2 * np.eye(3)),
        system.with_initial("top", R=np.zeros((3, 3))),
        system.with_initial("top", x_dot=[0, 1.0, 0]),
        heavy_top_system("S3xR3").with_initial("top", p=[0, 0, 0, 0]),
    ]
    are_looked_at_closely(wrong)
    assert heavy_top_system("SO3xR3", "numpy").ordinary_start is None
    assert system.with_redundant("minimal_norm").ordinary_start is None


def test_nearly_dependent_constraints_are_analysed() -> None:
    for distance, is_ordinary in ((1.0, True), (1e-7, False), (0.0, False)):
        model = sl.Model("two_rows")
        node = model.node("point", "R3")
        model.kinetic_energy(node.x_dot.dot(node.x_dot))
        model.constraint("planes", sl.vector(node.x[0], node.x[0] + model.parameter("distance", distance) * node.x[1]))
        system = model.derive().compile(backend="c")
        assert (system.ordinary_start is not None) == is_ordinary
