"""Angles of joints over many turns: in outputs, energies, torques and gears alike."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from tests import tolerances

STIFFNESS, RATIO, SPIN, MOMENT = 0.01, -0.37, 20.0, 0.2


@pytest.mark.slow
def test_geared_clock_spring_counts_turns() -> None:
    """Two wheels, a gear and a spring on the second: an oscillator whose amplitude is many turns."""
    model = sl.Model("clock")
    joints = []
    for k, rate in enumerate((SPIN, RATIO * SPIN)):
        place = [float(k), 0, 0]
        wheel = sl.RigidBody(
            model,
            f"wheel{k}",
            1.0,
            [0.1, 0.1, MOMENT],
            position=place,
            velocity=[0, 0, 0],
            angular_velocity=[0, 0, rate],
        )
        joints.append(sl.RevoluteJoint(model, f"axle{k}", model.ground, wheel, at=place, axis=[0, 0, 1]))
    sl.GearJoint(model, "gear", *joints, RATIO)
    sl.TorsionSpring(model, "clock", joints[1], stiffness=STIFFNESS)
    system = model.derive().compile(backend="numpy")
    solution = sl.solve(system, 2.0, h=0.02, method="half_explicit_5")
    first, second = solution.outputs["axle0_angle"], solution.outputs["axle1_angle"]
    assert first[-1] > 6 * 2 * np.pi
    np.testing.assert_allclose(second, RATIO * first, atol=tolerances.HELD_CONSTRAINT)
    frequency = np.sqrt(STIFFNESS * RATIO**2 / (MOMENT * (1 + RATIO**2)))
    np.testing.assert_allclose(first, SPIN / frequency * np.sin(frequency * solution.t), rtol=0, atol=1e-9)
    energy = solution.outputs["energy"]
    assert np.ptp(energy) <= tolerances.TOPOLOGY_INVARIANT * energy[0]


def test_reactions_balance_in_any_axes() -> None:
    """A pendulum that is held at an angle: its weight and the moment of the weight, on either body and in its axes."""
    model = sl.Model("held")
    turn = sl.rotation(axis=[0, 1, 0], angle=-0.3)
    place = [0.5 * np.sin(0.3), 0, -0.5 * np.cos(0.3)]
    rod = sl.RigidBody(model, "rod", 2.0, [0.1, 0.1, 0.1], "S3xR3", position=place, orientation=turn)
    weld = sl.RigidJoint(model, "weld", model.ground, rod, at=[0, 0, 0])
    model.gravity([0, 0, -10])
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.01, h=0.01, method="half_explicit_5")
    np.testing.assert_allclose(weld.force(solution)[0], [0, 0, 20], atol=1e-9)
    np.testing.assert_allclose(weld.force(solution, model.ground)[0], [0, 0, -20], atol=1e-9)
    inside = weld.force(solution, axes=rod)[0]
    np.testing.assert_allclose(inside, [20 * np.sin(0.3), 0, 20 * np.cos(0.3)], atol=1e-9)
    # The weld holds against r × m g about its point.
    np.testing.assert_allclose(weld.moment(solution, rod)[0], [0, -20 * place[0], 0], atol=1e-9)
    with pytest.raises(ModelError, match="Joint 'weld' does not join 'other'"):
        weld.force(solution, sl.RigidBody(model, "other", 1.0, [1, 1, 1]))


def test_planar_reactions_balance() -> None:
    """The same in the plane, where axes of a body are rotated by its angle."""
    model = sl.Model("held_in_the_plane")
    rod = sl.RigidBody(model, "rod", 2.0, 0.1, "SE2", position=[0.5, 0], orientation=0.3)
    weld = sl.RigidJoint(model, "weld", rod, model.ground, at=[0, 0])
    model.gravity([0, -10])
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.01, h=0.01, method="half_explicit_5")
    np.testing.assert_allclose(weld.force(solution, rod)[0], [0, 20], atol=1e-9)
    np.testing.assert_allclose(weld.force(solution, rod, rod)[0], [20 * np.sin(0.3), 20 * np.cos(0.3)], atol=1e-9)
    np.testing.assert_allclose(weld.moment(solution, rod)[0], 10.0, atol=1e-9)
