"""
Minimal coordinates
===================

An arm consists of two links on a ball joint and a hinge. The example compares two formulations of one model: bodies
with constraints, and joint coordinates by ``sl.minimal_coordinates``. The rotation of the ball joint is an element of
SO(3), without singularities.

Verification: both formulations have the same motion. The first one has twelve velocities and also computes the forces
in the joints; the second one has four velocities.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

arm = sl.Model("arm")
upper = sl.RigidBody(arm, "upper", 2.0, [0.04, 0.04, 0.002], position=[0, 0, -0.25])
lower = sl.RigidBody(arm, "lower", 1.0, [0.013, 0.013, 0.001], position=[0, 0, -0.7])
shoulder = sl.SphericalJoint(arm, "shoulder", arm.ground, upper, at=[0, 0, 0])
elbow = sl.RevoluteJoint(arm, "elbow", upper, lower, at=[0, 0, -0.5], axis=[0, 1, 0])
sl.TorsionSpring(arm, "muscle", elbow, stiffness=2.0, rest=1.0, damping=0.05)
arm.gravity([0, 0, -9.81])
arm.output("hand", lower.point([0, 0, -0.2]), unit="m")
for body in upper, lower:  # both rotate about the shoulder as one rigid body
    rotation = np.array([3.0, 1.0, 2.0])
    arm.initial(body.node, Omega=rotation, x_dot=np.cross(rotation, [0, 0, -0.25 if body is upper else -0.7]))

# %%
# Two systems of one model:

systems = {
    "bodies": arm.derive().compile(),
    "joints": sl.minimal_coordinates(arm).derive().compile(),
}
times = np.linspace(0, 3, 301)
found = {name: sl.solve(system, 3, rtol=1e-10, t_eval=times) for name, system in systems.items()}
for name, solution in found.items():
    print(name, "have", solution.v.shape[1], "velocities, took", solution.statistics.steps, "steps")

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
axes[0].plot(times, np.degrees(found["bodies"].outputs["elbow_angle"]), label="bodies")
axes[0].plot(times, np.degrees(found["joints"].outputs["elbow_angle"]), "k:", label="joints")
axes[0].set(xlabel="time, s", ylabel="angle of the elbow, degrees")
axes[0].legend()
axes[1].plot(times, np.linalg.norm(found["bodies"].outputs["shoulder_force"], axis=1), label="shoulder")
axes[1].plot(times, np.linalg.norm(found["bodies"].outputs["elbow_force"], axis=1), label="elbow")
axes[1].set(xlabel="time, s", ylabel="force in the joint, N")
axes[1].legend()

apart = abs(found["bodies"].outputs["hand"] - found["joints"].outputs["hand"]).max()
print("largest difference of the hand:", apart, "m")
assert apart < 1e-7
assert found["bodies"].v.shape[1] == 12
assert found["joints"].v.shape[1] == 4

# %%
# 3-D view of the motion:

found["bodies"].view()
