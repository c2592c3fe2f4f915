"""
Gravity compensation
====================

The motors of a Puma 560 carry its weight, so that a person can guide the tool with small forces. A function in Python
computes the torques from the measured angles by ``inverse_dynamics`` at rest, once per period; the torques are held
until the next sample. The tool is pushed for half a second with 25 N and then released.

Verification: without a push, the robot stays in place. The work of the push equals the kinetic energy after it, since
the work of the torques cancels that of the weights; the difference, which is due to the sampling, is proportional to
the period. Without compensation, the robot falls.
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
START = np.radians([0, 30, -60, 20, 40, 0])

model = sl.Model("guided_puma")
joints = sl.denavit_hartenberg_chain(model, LINKS)
hinges = [joint for joint in joints if isinstance(joint, sl.RevoluteJoint)]
motors = model.input("motors", 6, unit="N m")
push = model.input("push", 3, unit="N")
for k, hinge in enumerate(hinges):
    hinge.torque(motors[k])
model.gravity([0, 0, -9.81])
last = next(body for body in model.nodes if body.name == "link6")
tool = last.x + last.R * sl.vector(0, 0, 0.1)
model.force(push, at=tool)
model.output("tool", tool, unit="m")
robot = sl.minimal_coordinates(model).derive().compile()
for hinge, angle in zip(hinges, START, strict=True):
    robot = robot.with_initial(hinge.name, x=[angle])

# %%
# The controller reads the configuration, here the angles of the joints, and sets the torques.

PUSH, RELEASE, END = np.array([0.0, 15.0, 20.0]), 0.5, 1.5


def weights(t: float, q: np.ndarray) -> np.ndarray:
    """Return the torques that carry the weight at rest."""
    return robot.inverse_dynamics(robot.state(q), np.zeros(6))


def guided(period: float, force: np.ndarray) -> sl.Solution:
    """Push the tool, and release it."""
    pushed = robot.with_input("push", [0, RELEASE], [force, np.zeros(3)], "hold")
    controller = sl.Sampled(weights, period=period, reads=["q"], writes=["motors"])
    return sl.solve(pushed, END, h=1e-3, controllers=[controller])


still = guided(1e-3, np.zeros(3))
print("largest drift without a push:", abs(still.q - still.q[0]).max(), "rad")
assert abs(still.q - still.q[0]).max() < 1e-10

# %%
# The constant push works along the displacement of the tool until the release.

periods, errors = [8e-3, 4e-3, 2e-3, 1e-3], []
for period in periods:
    solution = guided(period, PUSH)
    at_release = np.searchsorted(solution.t, RELEASE)
    path = solution.outputs["tool"][at_release] - solution.outputs["tool"][0]
    kinetic = np.einsum("ni,nij,nj->n", solution.v, robot.mass_matrix(solution), solution.v) / 2
    errors.append(float(abs(kinetic[at_release:] - PUSH @ path).max()))
print("work:", PUSH @ path, "J; errors of the kinetic energy by period:", dict(zip(periods, errors, strict=True)))
assert 1 < PUSH @ path < 100
assert np.allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 1, atol=0.1)

falling = sl.solve(robot, 0.5, h=1e-3)
print("the tool falls by", falling.outputs["tool"][0, 2] - falling.outputs["tool"][-1, 2], "m in half a second")
assert falling.outputs["tool"][0, 2] - falling.outputs["tool"][-1, 2] > 0.2

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
torques = solution.system.inputs["motors"]
for k in range(3):
    axes[0].plot(solution.t, (solution.q[:, k] - solution.q[0, k]) / sl.deg, f"C{k}", label=f"joint {k + 1}")
    axes[1].step(torques.times, torques.values[:, k], f"C{k}", where="post")
axes[0].axvline(RELEASE, color="0.8", zorder=0)
axes[0].set(xlabel="time, s", ylabel="angle from the start, degrees")
axes[0].legend()
axes[1].set(xlabel="time, s", ylabel="torque, N m")
print("angle of joint 2 after 1.5 s:", (solution.q[-1, 1] - solution.q[0, 1]) / sl.deg, "degrees")

# %%
# View of the motion:

solution.view()
