r"""
Gripper from an MJCF file
=========================

A gripper of an MJCF file closes its fingers on a ball, lifts it and lets it slide out. With ``contacts=True``, the
spheres of the file touch each other and the floor with the friction of the file; with ``limits=True``, the limits of
the fingers are stops. All impacts are plastic. The inputs are the actuators of the file: a position servo of the
height, and the forces of both fingers.

Verification: the contacts transmit the grip force :math:`F`. The ball sticks if :math:`F > m g/(2\mu)`, otherwise it
slides and begins to fall with the acceleration :math:`g - 2\mu F/m`; the floor then carries its weight, and the fingers
rest at their stops.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

FILE = Path(sys.argv[0]).with_name("imported_gripper.xml")
MASS, FRICTION, GRAVITY = 0.5, 0.6, 9.81
GRIP, LOOSE, RELEASE, END = 6.0, 2.0, 2.0, 2.6

robot = sl.from_mjcf(FILE, contacts=True, limits=True)
print("inputs:", dict(robot.inputs))
sag = 0.7 * GRAVITY / 400  # the weight of palm and fingers, over the gain of the servo
system = robot.compile().with_input("height", [0, 0.4, 1.4], [sag, sag, 0.2])


def run(force: float) -> sl.Solution:
    """Return the motion with a force after the release."""
    held = system
    for finger in ("grip_left", "grip_right"):
        held = held.with_input(finger, [0, RELEASE], [GRIP, force], "hold")
    return sl.solve(held, END, rtol=1e-8)


# %%
# The grip force at which the ball begins to slide is between 4.0 N and 4.2 N.

threshold = MASS * GRAVITY / (2 * FRICTION)
for force in (4.2, 4.0):
    slides = any(event.name == "left_tip_ball_slip" for event in run(force).events)
    print(f"{force} N:", "slides" if slides else "sticks")
    assert slides == (force < threshold)

# %%
# With 2 N, the ball slides down between the fingers and drops when the fingers lose it.

solution = run(LOOSE)
for event in solution.events:
    print(f"{event.t:.4f} s: {event.name}")
outputs = solution.outputs
held = (solution.t > 0.1) & (solution.t < RELEASE)
assert np.abs(outputs["left_tip_ball_normal"][held] - GRIP).max() < 1e-6
slip = next(event for event in solution.events if event.name == "left_tip_ball_slip")
after = np.flatnonzero(solution.t == slip.t)[-1]
accelerations = solution.system.acceleration(solution.system.state(solution))[0]
fall = -accelerations[after, -1]  # the ball is the last body
print("acceleration of the ball:", fall, "m/s²")
assert abs(fall - (GRAVITY - 2 * FRICTION * LOOSE / MASS)) < 1e-6
assert abs(outputs["floor_ball_normal"][-1] - MASS * GRAVITY) < 1e-9
assert abs(outputs["left_finger"][-1] - robot.limits["left_finger"][1]) < 1e-9

# %%
figure, (above, below) = plt.subplots(2, 1, sharex=True, layout="constrained")
above.plot(solution.t, 0.05 + outputs["lift"], label="fingertips")
above.plot(solution.t, solution.field("ball", "x")[:, 2], label="ball")
above.set_ylabel("height, m")
above.legend()
below.plot(solution.t, outputs["left_tip_ball_normal"], label="normal force")
below.plot(solution.t, np.linalg.norm(outputs["left_tip_ball_friction"], axis=1), label="friction")
below.set(xlabel="time, s", ylabel="force at a fingertip, N")
below.legend()
_ = figure

# %%
# The view draws the shapes of the file.

solution.view()
