"""Rods on direct products: strains in axes of the cross section although velocities are in inertial axes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.errors import ModelError
from symlie.models import roll_up
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.rods import topologies
from tests.rods.problems import random_state
from tests.rods.test_balance import INERTIA, LENGTH, STENCIL

SEGMENTS = 4
STIFFNESS = np.array([500.0, 500, 500, 1e4, 1e4, 1e4])
STRAIGHT = np.array([0.0, 0, 0, 0, 0, 1])


@functools.cache
def rolled(constraint: str = "none", backend: str = "c", segments: int = SEGMENTS) -> System:
    """The roll-up on S³×R³."""
    return roll_up.build(segments, constraint, "S3xR3").derive().compile(backend=backend)


def strains(q: Array, length: float) -> Array:
    """[K; Rᵀ x'] in the middle of each segment, not from the kernels."""
    nodes = q.reshape(-1, 7)
    rotations = Rotation.from_quat(np.roll(nodes[:, :4], -1, axis=1))
    theta = (rotations[:-1].inv() * rotations[1:]).as_rotvec()
    middle = rotations[:-1] * Rotation.from_rotvec(theta / 2)
    return np.hstack([theta, middle.inv().apply(np.diff(nodes[:, 4:], axis=0))]) / length


@pytest.mark.slow
def test_elastic_energy_uses_strains_in_cross_section_axes() -> None:
    system, step = rolled(), LENGTH / SEGMENTS
    for seed in range(3):
        q, v = random_state(system, seed)
        kinetic, potential = system.kernels.energy(system.prepared, 0.0, q, v)[:2]
        e = strains(q, step) - STRAIGHT
        assert np.isclose(potential, step / 2 * np.sum(STIFFNESS * e**2), rtol=tolerances.ROD_BACKENDS)
        weight = step * np.array([0.5, 1, 1, 1, 0.5])[:, None]
        assert np.isclose(kinetic, np.sum(weight * INERTIA * v.reshape(-1, 6) ** 2) / 2, rtol=tolerances.ROD_BACKENDS)


@pytest.mark.slow
@pytest.mark.parametrize("constraint", ["none", "kirchhoff"])
def test_power_balance_holds(constraint: str) -> None:
    """d/dt(T + V) = power of the torque - Δs Σ ėᵀ 2D ė, with ė by central differences of strains."""
    system, step, h = rolled(constraint), LENGTH / SEGMENTS, 0.01
    kernels, p = system.kernels, system.prepared
    for seed in range(3):
        q, v = random_state(system, seed)
        if constraint == "none":
            mass, force = kernels.mass(p, 0.0, q), -kernels.force(p, 0.0, q, v)
            acceleration = system.algebra.solve_mass(mass, force)
        else:
            acceleration, _ = system.mechanics.index1(0.0, q, v)
        weight = step * np.array([0.5, 1, 1, 1, 0.5])[:, None]
        kinetic = float(np.sum(v.reshape(-1, 6) * weight * INERTIA * acceleration.reshape(-1, 6)))
        moved = {k: kernels.advance(q, k * h * v) for k in range(-4, 5)}
        potential = [kernels.energy(p, 0.0, moved[k], 0 * v)[1] for k in moved]
        e = [strains(moved[k], step) for k in moved]
        stored, rate = (
            sum(c * (found[4 + k] - found[4 - k]) for k, c in enumerate(STENCIL, 1)) / h for found in (potential, e)
        )
        lost = step * 200 * float(np.sum(rate**2))
        end = Rotation.from_quat(np.roll(q[-7:-3], -1))
        supplied = float(np.array([0, 2 * np.pi * 500 / LENGTH, 0]) @ end.apply(v[-6:-3]))
        scale = max(map(abs, (kinetic, float(stored), supplied, lost)))
        assert lost > 0.01 * scale
        assert abs(kinetic + float(stored) - supplied + lost) < tolerances.POWER_BALANCE * scale


@pytest.mark.slow
def test_roll_up_equilibrium_is_a_polygon() -> None:
    """Chords have the length of segments, so that it closes; bending moments are exact, and shear vanishes."""
    for segments in (3, 4):
        system = rolled("kirchhoff", segments=segments)
        a = 2 * np.pi * np.arange(segments + 1) / segments
        c, s, zero = np.cos(a / 2), np.sin(a / 2), 0 * a
        p = np.column_stack([c - s, zero, c + s, zero]) / np.sqrt(2)
        middle = (a[1:] + a[:-1]) / 2
        steps = np.column_stack([np.cos(middle), 0 * middle, -np.sin(middle)]) * LENGTH / segments
        x = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
        placed = system.with_initial("rod", p=p, x=x)
        state = placed.initial_state
        assert np.abs(placed.mechanics.index1(0.0, state.q, state.v)[0]).max() < tolerances.EQUILIBRIUM
        assert np.abs(x[-1]).max() < tolerances.EQUILIBRIUM
        still = sl.solve(placed, 2.0**-10, h=2.0**-10)
        force = still.field("rod", "section_force")[-1]
        expected = [0, 2 * np.pi * 500 / LENGTH, 0, 0, 0, 0]
        np.testing.assert_allclose(force, np.tile(expected, (segments, 1)), atol=tolerances.EQUILIBRIUM_FORCE)
        np.testing.assert_allclose(still.field("rod", "strain")[-1][:, 3:], 0, atol=tolerances.EQUILIBRIUM)


@pytest.mark.slow
def test_spatial_section_forces_balance_the_outer_part() -> None:
    """Next to the clamp of a hanging rod at rest, in axes of space: the weight, independent of the rotation of the
    sections."""
    model = sl.Model("hanging")
    rod = sl.CosseratRod(
        model, "rod", segments=3, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA, damping=0.01,
        position=lambda s: (s, 0, 0), orientation=topologies.leaning(np.pi / 2), constraint="kirchhoff",
        gravity=(0, 0, -1), group="S3xR3",
    )  # fmt: skip
    rod.clamp("start")
    system = model.derive().compile(backend="numpy")
    rest = system.static_equilibrium().q.reshape(-1, 7)
    still = sl.solve(system.with_initial("rod", p=rest[:, :4], x=rest[:, 4:]), 1e-6, h=1e-6)
    force = still.field("rod", "section_force", frame="space")[0, :, 3:]
    weights = 0.5 * np.array([5, 3, 1]) / 6
    np.testing.assert_allclose(force, np.outer(weights, [0, 0, -1]), atol=tolerances.EQUILIBRIUM_FORCE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
def test_both_backends_agree_and_a_free_rod_keeps_its_momenta() -> None:
    model = sl.Model("free")
    rod = sl.CosseratRod(
        model, "rod", segments=3, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA, damping=0.01,
        position=lambda s: (s, 0, 0), orientation=topologies.leaning(np.pi / 2), constraint="inextensible",
        group="S3xR3",
    )  # fmt: skip
    rod.nodes.initial(Omega=lambda k: (0.3 * k, 1, 0.5))
    runs = [sl.solve(model.derive().compile(backend=b), 0.04, h=2e-3) for b in ("c", "numpy")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=tolerances.ROD_BACKENDS)
    for name in ("linear_momentum", "angular_momentum"):
        momenta = runs[0].outputs[name]
        assert np.abs(momenta - momenta[0]).max() < tolerances.TOPOLOGY_INVARIANT
    assert np.abs(runs[0].outputs["angular_momentum"][0]).max() > 1e-3


def cantilever(group: str, segments: int) -> Array:
    """Position of the tip of a bent rod."""
    model = sl.Model("cantilever")
    orientation = Rotation.from_quat(np.roll(topologies.leaning(np.pi / 2), -1)).as_matrix()
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=1.0, stiffness=topologies.STIFFNESS, inertia=topologies.INERTIA,
        position=lambda s: (s, 0, 0), orientation=orientation, gravity=(1, 2, -3), group=group,
    )  # fmt: skip
    rod.clamp("start")
    found = model.derive().compile(backend="numpy").static_equilibrium()
    return found.q[-3:]


@pytest.mark.slow
def test_both_interpolations_converge_to_one_rod() -> None:
    """By the square of Δs."""
    apart = [np.linalg.norm(cantilever("SE3", n) - cantilever("SO3xR3", n)) for n in (4, 8)]
    assert apart[0] > 1e-4
    assert np.isclose(np.log2(apart[0] / apart[1]), 2, atol=tolerances.SPACE_ORDER)


def test_anisotropic_inertias_are_rejected_in_inertial_axes() -> None:
    given: dict[str, Any] = {"stiffness": topologies.STIFFNESS, "inertia": [1, 1, 1, 2, 3, 3]}
    with pytest.raises(
        ModelError,
        match=r"^The inertia of rod 'rod' has three different values of ρA, which are not defined on S3xR3, whose",
    ):
        sl.CosseratRod(
            sl.Model("broken"), "rod", segments=3, length=1.0, position=lambda s: (0, 0, s),
            orientation=topologies.UPRIGHT, group="S3xR3", **given,
        )  # fmt: skip
