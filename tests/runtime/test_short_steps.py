"""States shortly after a step: methods divide hidden constraints by the length of a step, which
amplifies rounding in short ones."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from tests import tolerances

METHODS = ("half_explicit_5", "generalized_alpha", "bdf3", "bdf2_increments", "rattlie")
LENGTHS = (1e-3, 1e-6, 1e-9, 1e-12, 3e-16)
"""Times after the start of a step, in s."""


def pendulum(backend: str, *, late: float | None = None, with_state: bool = False) -> sl.System:
    """A pendulum, with an event shortly after t = 1/2 or with a first-order state."""
    model = sl.Model("pendulum_at_short_times")
    bob = model.node("bob", "R2")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[1])
    model.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
    model.initial(bob, x=[1, 0])
    if late is not None:
        model.event("late", model.t - model.parameter("late", 0.5 + late), terminal=True)
    if with_state:
        delayed = model.state("delayed", 1)
        model.vector_field(delayed, [bob.x[1] - delayed.x[0]])
    return model.derive().compile(backend=backend)


def errors(system: sl.System, found: sl.Solution) -> np.ndarray:
    """Differences of the multipliers from those of the acceleration-level system."""
    states = zip(found.t, found.q, found.v, strict=True)
    return np.array([system.mechanics.index1(*state)[1] for state in states]) - found.multipliers


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("method", METHODS)
def test_states_at_events_shortly_after_a_step_are_accurate(method: str, backend: str) -> None:
    for length in LENGTHS[1:-1]:
        system = pendulum(backend, late=length)
        found = sl.solve(system, 1.0, method=method, h=1 / 32)
        assert found.status == "event"
        assert np.abs(errors(system, found)[-1]).max() <= tolerances.SHORT_STEPS
        acceleration, _ = system.mechanics.index1(found.t[-2], found.q[-2], found.v[-2])
        expected = found.v[-2] + length * acceleration
        assert np.abs(found.v[-1] - expected).max() <= 100 * length**2 + tolerances.SHORT_STEPS


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("method", ["half_explicit_5", "generalized_alpha", "bdf3", "bdf2_increments"])
def test_multipliers_of_dense_output_shortly_after_a_step_are_accurate(method: str, backend: str) -> None:
    system = pendulum(backend, with_state=True)
    found = sl.solve(system, 0.5, method=method, h=1 / 32)
    times = np.sort((found.t[1:-1, None] + np.array(LENGTHS)).ravel())
    between = found(times)
    is_inside = ~np.isin(times, found.t)
    assert is_inside.sum() > len(times) / 2
    assert np.abs(errors(system, between)[is_inside]).max() <= tolerances.SHORT_STEPS


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("method", ["half_explicit_5", "generalized_alpha", "bdf3", "bdf2_increments"])
def test_velocities_of_dense_output_shortly_after_a_step_are_accurate(method: str, backend: str) -> None:
    """They differ from those of the step by its violation of the hidden constraint, in forms of index 3."""
    system = pendulum(backend, with_state=True)
    found = sl.solve(system, 0.5, method=method, h=1 / 32)
    for length in LENGTHS[2:]:
        between = found(found.t[1:-1] + length)
        difference = np.linalg.norm(between.v[:, :2] - found.v[1:-1, :2], axis=1)
        violation = np.abs(np.sum(found.q[1:-1, :2] * found.v[1:-1, :2], axis=1))
        assert np.all(difference <= violation + 100 * length + tolerances.SHORT_STEPS)
