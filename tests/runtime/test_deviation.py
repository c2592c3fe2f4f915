"""Warnings about last configurations that deviate from the constraints."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ConstraintDriftError
from symlie.runtime.integrate.monitors.deviation import LIMIT

DEVIATES = "The last configuration of node 'bob' deviates from the constraints by"


def pendulum(metre: float = 1.0) -> sl.System:
    """A bob on a rod of 0.4 m in a unit of length that is `metre` of a metre."""
    model = sl.Model("pendulum_in_units")
    bob = model.node("bob", "R2")
    length, gravity = model.parameter("length", 0.4 / metre), model.parameter("gravity", 9.81 / metre)
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(gravity * bob.x[1])
    model.constraint("rod", (bob.x.dot(bob.x) - length**2) / 2)
    model.initial(bob, x=[0.4 / metre, 0])
    return model.derive().compile(backend="numpy")


def deviation_of(solution: sl.Solution) -> float:
    """Distance to the circle at the end, relative to its radius."""
    radius = np.hypot(*solution.q[0])
    return abs(float(np.hypot(*solution.q[-1]) / radius) - 1)


def warned(system: sl.System, **options: Any) -> tuple[sl.Solution, bool]:
    """A run, and whether it warns of a deviation."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = sl.solve(system, 3.0, method="half_explicit_3", **options)
    return solution, any(str(c.message).startswith(DEVIATES) for c in caught)


@pytest.mark.parametrize("metre", [1.0, 1e-3, 1e6])
def test_warning_is_independent_of_units(metre: float) -> None:
    """Large steps leave the circle by some per cent; lengths in metres, millimetres and megametres."""
    solution, is_warned = warned(pendulum(metre), h=1 / 16)
    assert 2 * LIMIT < deviation_of(solution) < 10 * LIMIT
    assert is_warned


@pytest.mark.parametrize("options", [{"h": 1 / 128}, {"h": 1 / 16, "stabilize": "projection"}])
def test_small_deviations_give_no_warning(options: dict[str, Any]) -> None:
    solution, is_warned = warned(pendulum(), **options)
    assert deviation_of(solution) < LIMIT
    assert not is_warned


def test_all_runs_with_large_deviations_are_reported() -> None:
    """Either by an error or by a warning, for steps from fine to coarse."""
    system = pendulum()
    for steps in range(24, 200, 8):
        try:
            solution, is_warned = warned(system, h=3.0 / steps)
        except ConstraintDriftError:
            continue
        deviation = deviation_of(solution)
        assert is_warned == (deviation > LIMIT) or abs(deviation - LIMIT) < LIMIT / 5
