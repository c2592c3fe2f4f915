"""
Inverse kinematics of a closed chain
====================================

A planar robot with five bars has two motors at the ground, and its tool is the pin in the middle. ``assembled`` finds
the configuration of the closed chain for each point of a circle, starting from the previous one; inverse dynamics then
yields the torques that hold the robot against gravity.

Verification: the angles of both cranks agree with the law of cosines, and with these torques the robot has no
acceleration.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

PINS = np.array([(-0.5, 0.0), (-0.9, 0.8), (0.0, 1.5), (0.9, 0.8), (0.5, 0.0)])
CRANK, ROD = np.linalg.norm(PINS[1] - PINS[0]), np.linalg.norm(PINS[2] - PINS[1])

model = sl.Model("five_bars")
before: sl.Connectable = model.ground
motors = model.input("motors", 2, unit="N m")
for k, (a, b) in enumerate(itertools.pairwise(PINS)):
    length, turn = float(np.linalg.norm(b - a)), float(np.arctan2(*(b - a)[::-1]))
    bar = sl.RigidBody(model, f"bar{k}", 1.0, length**2 / 12, "SE2", position=(a + b) / 2, orientation=turn)
    pin = sl.RevoluteJoint(model, f"pin{k}", before, bar, at=a)
    if k == 0:
        pin.torque(motors[0])
    if k == 1:
        model.output("tool", bar.point([length / 2, 0]), unit="m")
    before = bar
right = sl.RevoluteJoint(model, "pin4", model.ground, before, at=PINS[4])
right.torque(motors[1])
model.gravity([0, -9.81])
system = model.derive().compile()

# %%
# Each configuration is the start of the search for the next one.

turns = np.linspace(0, 2 * np.pi, 49)
path = np.array([0.0, 1.2]) + 0.3 * np.column_stack([np.cos(turns), np.sin(turns)])
states = []
for point in path:
    system = system.assembled(targets={"tool": point})
    states.append(system.state())
configurations = system.state([state.q for state in states])
outputs = system.outputs(configurations, ["tool", "pin0_angle", "pin4_angle"])
print("largest distance from the path:", abs(outputs["tool"] - path).max(), "m")
assert abs(outputs["tool"] - path).max() < 1e-12


def crank_angle(base: np.ndarray, side: int) -> np.ndarray:
    """Return the angle of a crank from its first position by the law of cosines."""
    across = path - base
    distance = np.linalg.norm(across, axis=1)
    opening = np.arccos((CRANK**2 + distance**2 - ROD**2) / (2 * CRANK * distance))
    start = PINS[1 if side > 0 else 3] - base
    angle = np.arctan2(across[:, 1], across[:, 0]) + side * opening - np.arctan2(start[1], start[0])
    return np.asarray(np.remainder(angle + np.pi, 2 * np.pi) - np.pi)


known = np.column_stack([crank_angle(PINS[0], 1), crank_angle(PINS[4], -1)])
angles = np.column_stack([outputs["pin0_angle"], outputs["pin4_angle"]])
print("largest error of the angles:", abs(angles - known).max(), "rad")
assert abs(angles - known).max() < 1e-11

# %%
# The torques of both motors follow from the balance of forces, together with the reactions of all pins.

at_rest = np.zeros_like(configurations.v)
torques, reactions = system.inverse_dynamics(configurations, at_rest, ["motors"])
held = [system.acceleration(x, inputs={"motors": u})[0] for x, u in zip(configurations, torques, strict=True)]
print("largest acceleration:", np.abs(held).max())
assert np.abs(held).max() < 1e-9

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained")
for state in states[::8]:
    centres = np.array([state.field(f"bar{k}", "x") for k in range(4)])
    tool = system.outputs(state, ["tool"])["tool"]
    pins = [PINS[0], 2 * centres[0] - PINS[0], tool, 2 * centres[3] - PINS[4], PINS[4]]
    axes[0].plot(*np.transpose(pins), "o-", color="0.7", markersize=3)
axes[0].plot(*path.T)
axes[0].set(xlabel="x, m", ylabel="y, m", aspect="equal")
axes[1].plot(np.degrees(turns), torques, label=["left motor", "right motor"])
axes[1].set(xlabel="angle on the circle, degrees", ylabel="torque, N m")
axes[1].legend()
print("torques between", torques.min(), "and", torques.max(), "N m")
