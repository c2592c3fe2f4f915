"""
Seven-axis arm from a URDF file
===============================

``sl.from_urdf`` imports an arm with seven hinges. A computed torque controller, which calls ``inverse_dynamics`` a
thousand times per second, moves all joints by quintic polynomials from rest to rest, and holds the goal.

Verification: at rest, the torques of the controller are those of ``inverse_dynamics``; the joints reach the goal, and
the tool is at the position that the product of the rotations of the joints gives.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import symlie as sl

FILE = Path(sys.argv[0]).with_name("seven_axis_arm.urdf")
GOAL = np.radians([60, 40, -30, 70, 45, -50, 90])
END = 2.0

robot = sl.from_urdf(FILE)
system = robot.compile()
print(robot, "with the joints", ", ".join(robot.joints))

# %%
# The set point s(t) GOAL has s = 10 x³ - 15 x⁴ + 6 x⁵ with x = t/END. The gains place two poles of each joint at -20/s.


def target(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return angles, rates and accelerations of the set point."""
    x = min(t / END, 1.0)
    s = 10 * x**3 - 15 * x**4 + 6 * x**5
    rate, acceleration = (30 * x**2 - 60 * x**3 + 30 * x**4) / END, (60 * x - 180 * x**2 + 120 * x**3) / END**2
    return s * GOAL, rate * GOAL, acceleration * GOAL


def torques(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the torques that correct the error of the joints."""
    angles, rates, accelerations = target(t)
    return system.inverse_dynamics(system.state(q, v, t=t), accelerations + 400 * (angles - q) + 40 * (rates - v))


controller = sl.Sampled(torques, period=1e-3, reads=["q", "v"], writes=["torques"])
solution = sl.solve(system, END + 0.5, h=1e-3, controllers=[controller])
error = np.abs(solution.q[-1] - GOAL).max()
print("error of the joints at the end:", error, "rad")
assert error < 1e-3

# %%
# The position of the tool follows from the rotations of the joints.

heights = (0.15, 0.19, 0.21, 0.19, 0.21, 0.19, 0.08)
axes = "zyzYzyz"
turn, place = Rotation.identity(), np.zeros(3)
for height, axis, angle in zip(heights, axes, solution.q[-1], strict=True):
    place = place + turn.apply([0, 0, height])
    turn = turn * Rotation.from_euler(axis.lower(), -angle if axis.isupper() else angle)
place = place + turn.apply([0, 0, 0.1])
print("tool at", solution.outputs["tool_position"][-1], "m")
assert np.abs(solution.outputs["tool_position"][-1] - place).max() < 1e-9

figure, (above, below) = plt.subplots(2, 1, sharex=True, layout="constrained")
above.plot(solution.t, np.degrees(solution.q), label=robot.joints)
above.set_ylabel("angle, deg")
above.legend(ncols=4, fontsize="small")
held = solution.system.inputs["torques"]
below.step(held.times, held.values, where="post")
below.set(xlabel="time, s", ylabel="torque, N m")
weights = system.inverse_dynamics(system.state(solution.q[-1], np.zeros(7)), np.zeros(7))
assert np.abs(held.values[-1] - weights).max() < 0.5
_ = figure

# %%
# The shapes of the file are part of the model.

solution.view()
