"""
Torques of a robot by inverse dynamics
======================================

A Puma 560 moves under controllers of its joints. ``inverse_dynamics`` of the same robot without controllers computes
the torques from the recorded motion, for all states in one call; they equal those of the controllers. The torques at
rest compensate gravity, and the remaining torques accelerate the links.

Verification: the torques agree with the efforts of the controllers; with the torques of gravity compensation, the robot
has no acceleration in any recorded configuration; the Jacobian of the tool maps the joint rates to its velocity.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

ROWS = (  # d and a in m, alpha in right angles, mass in kg, centre of mass in m, inertia in kg m²
    (0.0, 0.0, 1, 20.0, (0.0, 0.0, 0.0), (0.2, 0.35, 0.2)),
    (0.0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (0.15005, 0.0203, -1, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.06)),
    (0.4318, 0.0, 1, 0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.0, 0.0, -1, 0.34, (0.0, 0.0, 0.0), (3e-4, 4e-4, 3e-4)),
    (0.0, 0.0, 0, 0.09, (0.0, 0.0, 0.032), (1.5e-4, 1.5e-4, 4e-5)),
)
LINKS = [
    sl.DenavitHartenbergLink(d, a, alpha * np.pi / 2, mass=mass, center=center, inertia=inertia)
    for d, a, alpha, mass, center, inertia in ROWS
]
GOAL = np.radians([-120, 60, -200, 90, 90, 45])
GAINS = ((4e4, 400), (4e4, 400), (4e4, 100), (100, 1), (100, 1), (10, 0.1))  # N m/rad, N m s/rad
TOOL = (0.0, 0.0, 0.1)


def puma(name: str, *, has_controllers: bool) -> sl.System:
    """Build the robot in minimal coordinates, with controllers or with motors as inputs."""
    model = sl.Model(name)
    joints = sl.denavit_hartenberg_chain(model, LINKS)
    hinges = [joint for joint in joints if isinstance(joint, sl.RevoluteJoint)]
    motors = None if has_controllers else model.input("motors", 6, unit="N m")
    for k, hinge in enumerate(hinges):
        if motors is not None:
            hinge.torque(motors[k])
        else:
            target = sl.two_parabolas(model, f"profile{k + 1}", 0.0, GOAL[k])
            sl.JointController(model, f"control{k + 1}", hinge, P=GAINS[k][0], D=GAINS[k][1], target=target)
    model.gravity([0, 0, -9.81])
    tool = next(body for body in model.nodes if body.name == "link6")
    model.output("tool", tool.x + tool.R * sl.vector(*TOOL), unit="m")
    model.output("tool_R", tool.R)
    return sl.minimal_coordinates(model).derive().compile()


controlled, robot = (puma(name, has_controllers=name == "controlled") for name in ("controlled", "robot"))
solution = sl.solve(controlled, 1, method="rkmk_dopri5", h=2.0**-11)
acceleration, _ = controlled.acceleration(solution)
names = [f"joint{k}" for k in range(1, 7)]
angles, rates = (np.hstack([part(name) for name in names]) for part in (solution.configuration, solution.velocity))
states = robot.state(angles, rates)
torques = robot.inverse_dynamics(states, acceleration)
efforts = np.column_stack([solution.outputs[f"control{k}_effort"] for k in range(1, 7)])
print("largest difference:", abs(torques - efforts).max(), "N m")
assert abs(torques - efforts).max() < 1e-9 * abs(efforts).max()

# %%
# At rest, M v' + g is the torque of gravity alone. Applied as an input, it keeps the robot in place.

rest = robot.state(angles)
weights = robot.inverse_dynamics(rest, np.zeros_like(rates))
held = [robot.acceleration(state, inputs={"motors": w})[0] for state, w in zip(rest, weights, strict=True)]
print("largest acceleration:", np.abs(held).max(), "rad/s²")
assert np.abs(held).max() < 1e-9

figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
for k in range(3):
    axes.plot(solution.t, torques[:, k], f"C{k}", label=f"joint {k + 1}")
    axes.plot(solution.t, weights[:, k], f"C{k}--")
axes.set(xlabel="time, s", ylabel="torque (dashed: gravity), N m")
axes.legend()

# %%
# The geometric Jacobian of the tool maps joint rates to its velocity. Its smallest singular value shows how far the
# robot is from a singular configuration.

jacobians = robot.output_jacobian(states, ["tool", "tool_R"], frame="space")
velocities = np.einsum("nij,nj->ni", jacobians, rates)[:, :3]
positions = robot.outputs(states, ["tool"])["tool"]
differences = (positions[2:] - positions[:-2]) / (solution.t[2:] - solution.t[:-2])[:, None]
figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.semilogy(solution.t, np.linalg.svd(jacobians, compute_uv=False)[:, -1])
axes.set(xlabel="time, s", ylabel="smallest singular value", ylim=(1e-4, 1))
print("velocity of the tool differs by", abs(velocities[1:-1] - differences).max(), "m/s from difference quotients")
assert abs(velocities[1:-1] - differences).max() < 1e-2
