"""Angles of joints over many turns: in outputs, energies, torques and gears alike."""

from __future__ import annotations

import numpy as np

import symlie as sl
from tests import tolerances

STIFFNESS, RATIO, SPIN, MOMENT = 0.01, -0.37, 20.0, 0.2


def test_a_clock_spring_behind_a_gear() -> None:
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
