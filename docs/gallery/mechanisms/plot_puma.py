"""
Puma 560 with controllers
=========================

A robot consists of six links on revolute joints and is defined by its Denavit–Hartenberg table with masses, centres of
mass and moments of inertia. A controller of each joint follows a profile of two parabolas. The unknowns are those of
the bodies, and the forces in the joints are part of the solution.

Verification: the angles after one second agree with the recursive Newton–Euler algorithm in six joint angles, with a
method of order six in 80-bit arithmetic. Data: Holzinger, Arnold and Gerstmayr, Multibody Syst. Dyn., 2024, section
4.4.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

LINKS = (  # d and a in m, twist in right angles, mass in kg, centre of mass in m, inertia in kg m²
    (0.0, 0.0, 1, 20.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0)),
    (0.0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (0.15005, 0.0203, -1, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.4318, 0.0, 1, 0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.0, 0.0, -1, 0.34, (0.0, 0.0, 0.0), (3e-4, 4e-4, 3e-4)),
    (0.0, 0.0, 0, 0.09, (0.0, 0.0, 0.032), (1.5e-4, 1.5e-4, 4e-5)),
)
GOAL = np.radians([-120, 60, -200, 90, 90, 45])
GAINS = ((4e4, 400), (4e4, 400), (4e4, 100), (100, 1), (100, 1), (10, 0.1))  # N m/rad, N m s/rad

puma = sl.Model("puma")
end = sl.Marker(puma.ground, [0, 0, 0], axis=[0, 0, 1], across=[1, 0, 0])
R, x, joints = np.eye(3), np.zeros(3), []
for k, (d, a, twist, mass, centre, inertia) in enumerate(LINKS):
    x = x + R @ [a, 0, d]
    along, up = 1 - abs(twist), twist
    R = R @ [[1, 0, 0], [0, along, -up], [0, up, along]]
    link = sl.RigidBody(puma, f"link{k + 1}", mass, inertia, position=x + R @ centre, orientation=R)
    start = sl.Marker(link, np.array([-a, -d * up, -d * along]) - centre, axis=[0, up, along], across=[1, 0, 0])
    joint = sl.RevoluteJoint(puma, f"joint{k + 1}", end, start)
    target = sl.two_parabolas(puma, f"profile{k + 1}", 0.0, GOAL[k])
    sl.JointController(puma, f"control{k + 1}", joint, P=GAINS[k][0], D=GAINS[k][1], target=target)
    joints.append(joint)
    end = sl.Marker(link, [-c for c in centre], axis=[0, 0, 1], across=[1, 0, 0])
puma.gravity([0, 0, -9.81])
puma.output("angles", [joint.angle for joint in joints], unit="rad")

# %%
# The model has 36 velocities and 30 constraint equations. The controllers are stiff, so that the step size is below one
# millisecond.

solution = sl.solve(puma.derive().compile(), 1, method="half_explicit_5", h=2.0**-11)

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
axes[0].plot(solution.t, np.degrees(solution.outputs["angles"]), label=range(1, 7))
axes[0].set(xlabel="time, s", ylabel="angle of the joint, degrees")
axes[0].legend(title="joint", ncols=2)
for k in range(3):
    axes[1].plot(solution.t, np.linalg.norm(solution.outputs[f"joint{k + 1}_force"], axis=1), label=k + 1)
axes[1].set(xlabel="time, s", ylabel="force in the joint, N")
axes[1].legend(title="joint")

known = [-2.094970601023622, 1.0468379358918567, -3.4909198136317814]
known += [1.5713785805647098, 1.5707326084156803, 0.7853717388342085]
print("largest error:", abs(solution.outputs["angles"][-1] - known).max(), "rad")
assert np.allclose(solution.outputs["angles"][-1], known, atol=1e-9)
assert abs(solution.outputs["angles"][-1] - GOAL).max() < 1e-2  # the controllers nearly reach their goals

# %%
# 3-D view of the motion:

solution.view()
