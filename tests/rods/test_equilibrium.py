"""The exact circle of the roll-up: an equilibrium for every number of segments, and where the motion ends."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.models import roll_up
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances

LENGTH = 10.0
BENDING_STIFFNESS = 500.0
CONSTRAINTS = ("none", "kirchhoff", "inextensible")


@functools.cache
def circle(segments: int, constraint: str, backend: str) -> System:
    """The roll-up that starts on the exact static solution: a polygon inscribed in the circle, without strain Γ."""
    model = roll_up.build(segments, constraint)
    a = 2 * np.pi * np.arange(segments + 1) / segments
    c, s = np.cos(a / 2), np.sin(a / 2)
    zero = np.zeros(segments + 1)
    p = np.column_stack([c - s, zero, c + s, zero]) / np.sqrt(2)
    x = np.column_stack([np.sin(a), zero, np.cos(a) - 1]) * LENGTH / (2 * np.pi)
    (nodes,) = model.arrays
    nodes.initial(p=p, x=x)
    return model.derive().compile(backend=backend)


def acceleration(system: System) -> Array:
    """v' at the initial state."""
    p, state = system.prepared, system.initial_state
    if system.layout.rows:
        return system.mechanics.index1(0.0, state.q, state.v)[0]
    force = -system.kernels.force(p, 0.0, state.q, state.v)
    return system.algebra.solve_mass(system.kernels.mass(p, 0.0, state.q), force)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize(
    ("segments", "tolerance"),
    [(3, tolerances.EQUILIBRIUM), (8, tolerances.EQUILIBRIUM), (64, tolerances.EQUILIBRIUM_FINE)],
)
def test_circle_is_an_equilibrium(segments: int, tolerance: float, constraint: str, backend: str) -> None:
    """No locking and no error of discretisation: even three segments close to a triangle without shear or extension."""
    system = circle(segments, constraint, backend)
    state = system.initial_state
    assert np.abs(acceleration(system)).max() < tolerance
    assert np.abs(state.multipliers).max(initial=0.0) < tolerances.EQUILIBRIUM_FORCE
    energy = system.kernels.energy(system.prepared, 0.0, state.q, state.v)
    assert energy[0] == 0
    expected = LENGTH * BENDING_STIFFNESS * (2 * np.pi / LENGTH) ** 2 / 2
    assert energy[1] == pytest.approx(expected, rel=tolerances.EQUILIBRIUM_ENERGY)


def test_residual_detects_a_micrometre() -> None:
    """Any stiffness has the same circle, as its torque is 2π EI/L; a displaced node is out of balance."""
    system = circle(8, "none", "c")
    other = system.with_parameters(bending_stiffness=700.0, extension_stiffness=3e4)
    assert np.abs(acceleration(other)).max() < tolerances.EQUILIBRIUM
    x = system.initial_state.q.reshape(9, 7)[:, 4:].copy()
    x[4, 0] += 1e-6
    assert np.abs(acceleration(system.with_initial("rod", x=x))).max() > 1e-3


@pytest.mark.parametrize(
    ("constraint", "h"),
    [("none", 2.0**-8), ("inextensible", 2.0**-6), pytest.param("kirchhoff", 2.0**-8, marks=pytest.mark.slow)],
)
def test_damped_rod_closes_to_a_ring(constraint: str, h: float) -> None:
    """From the straight rod with nearly the largest stable step: after 100 s both ends meet, one turn apart."""
    system = roll_up.build(8, constraint).derive().compile()
    solution = sl.solve(system, 100.0, h=h, record_every=0)
    assert solution.outputs["tip_distance"][-1] < tolerances.CLOSED_RING
    p = solution.field("rod", "p")[-1]
    assert p[0] @ p[-1] == pytest.approx(-1.0, abs=tolerances.CLOSED_RING)
