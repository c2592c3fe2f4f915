r"""
Rocking block
=============

A block is released on one of its lower corners. It rocks from corner to corner, loses energy in plastic impacts, and
comes to rest on both corners after infinitely many impacts in a finite time.

Verification: about a corner, the block is a pendulum, and each impact multiplies its angular velocity by :math:`r = 1 -
\tfrac{3}{2} \sin^2 α` with the angle α between the height and the diagonal. The times of impacts agree with this closed
form to 1e-9, and the time of rest to 1e-7.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import quad

import symlie as sl

WIDTH, HEIGHT, G = 0.4, 1.2, 9.81
alpha = np.arctan2(WIDTH, HEIGHT)
start = alpha / 2
turn = np.array([[np.cos(start), -np.sin(start)], [np.sin(start), np.cos(start)]])

model = sl.Model("rocking_block")
place = turn @ [WIDTH / 2, HEIGHT / 2]
block = sl.RigidBody(model, "block", 1.0, (WIDTH**2 + HEIGHT**2) / 12, position=place, orientation=start, group=sl.SE2)
model.gravity([0, -G])
sl.BoxPlaneContact(model, "floor", model.ground, block, size=[WIDTH, HEIGHT], friction=1.0)
model.output("angle", sl.atan2(block.node.R[1, 0], block.node.R[0, 0]))
solution = sl.solve(model.derive().compile(), 4, rtol=1e-11)

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
axes[0].plot(solution.t, np.degrees(solution.outputs["angle"]), lw=1.2)
axes[0].set(xlabel="time, s", ylabel="angle, °")
axes[1].plot(solution.t, solution.outputs["energy"], lw=1.2)
axes[1].set(xlabel="time, s", ylabel="energy, J")
assert abs(solution.outputs["angle"][-1]) < 1e-9 and np.abs(solution.v[-1]).max() < 1e-12

# %%
# Comparison with the pendulum about a corner, whose amplitudes decrease with each impact:

diagonal = np.hypot(WIDTH, HEIGHT) / 2
p = np.sqrt(3 * G / (4 * diagonal))
ratio = 1 - 1.5 * np.sin(alpha) ** 2


def fall(amplitude: float) -> float:
    """Time from rest at an amplitude to the impact."""
    height = np.cos(alpha - amplitude)

    def slowness(s: float) -> float:
        # The substitution θ = amplitude - s² removes the singularity at rest.
        return 2 * s / (p * np.sqrt(2 * (height - np.cos(alpha - amplitude + s * s)))) if s else 0.0

    return float(quad(slowness, 0, np.sqrt(amplitude), epsabs=1e-13, epsrel=1e-13)[0])


amplitude, impacts, end = start, [], fall(start)
for _ in range(3):
    impacts.append(end)
    lost = ratio**2 * (np.cos(alpha - amplitude) - np.cos(alpha))
    amplitude = alpha - np.arccos(np.cos(alpha) + lost)
    end += 2 * fall(amplitude)
touches = [impact.t for impact in solution.impacts[:3]]
for found, expected in zip(touches, impacts, strict=True):
    print(f"impact at {found:.9f} s: error {abs(found - expected):.1e}")
    assert abs(found - expected) < 1e-9
names = [f"floor_corner_{k}_state" for k in (0, 1)]
rests = min(t for t, *states in zip(solution.t, *(solution.outputs[n] for n in names), strict=True) if min(states) > 0)
print(f"rest at {rests:.7f} s: error {abs(rests - 3.56676226175):.1e}")
assert abs(rests - 3.56676226175) < 1e-7
