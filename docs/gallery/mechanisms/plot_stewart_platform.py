"""
Stewart platform
================

Six cylinders, on universal joints below and spherical joints above, move a platform. Drives prescribe the lengths of
the cylinders for a desired motion of the platform. The efforts of the drives are the forces of the cylinders.

Verification: the platform follows the desired motion, and the work of the cylinders equals the change of energy.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import cumulative_simpson

import symlie as sl

stewart = sl.Model("stewart_platform")
t = stewart.t
shift, turn = sl.vector(0.1 * sl.sin(2 * t), 0.1 * (1 - sl.cos(2 * t)), 1.0), 0.2 * sl.sin(3 * t)
c, s = sl.cos(turn), sl.sin(turn)
plate = sl.RigidBody(stewart, "plate", 10.0, [1.0, 1.0, 2.0], position=[0, 0, 1])
power = 0
for k in range(6):
    angles = np.pi / 3 * k + np.array([0.4 * (-1) ** k, 0])
    low, high = (r * np.array([np.cos(x), np.sin(x), 0]) for r, x in zip((1.0, 0.6), angles, strict=True))
    top = high + np.array([0, 0, 1])
    length = np.linalg.norm(top - low)
    along = (top - low) / length
    across = np.cross(along, [0, 0, 1])
    thin = 0.03 * np.eye(3) - 0.029 * np.outer(along, along)  # the inertia of a cylinder
    below = sl.RigidBody(stewart, f"cylinder{k}", 1.0, thin, position=low + 0.3 * along)
    above = sl.RigidBody(stewart, f"piston{k}", 1.0, thin, position=top - 0.3 * along)
    sl.UniversalJoint(stewart, f"foot{k}", stewart.ground, below, at=low, axis=[np.cross(along, across), across])
    cylinder = sl.PrismaticJoint(stewart, f"leg{k}", below, above, at=low, axis=along)
    sl.SphericalJoint(stewart, f"head{k}", above, plate, at=top)
    reach = shift + sl.vector(c * high[0] - s * high[1], s * high[0] + c * high[1], 0) - sl.vector(*low)
    drive = cylinder.drive(sl.sqrt(reach.dot(reach)) - length)
    power += drive.effort * cylinder.speed
stewart.gravity([0, 0, -9.81])
stewart.output("power", power, unit="W")
system = stewart.derive().compile(backend="numpy")
print(system.mobility().line)

# %%
# The model has thirteen bodies and 78 constraint equations, and no degree of freedom.

solution = sl.solve(system, 1.5, method="half_explicit_5", h=0.02)
time = solution.t
desired = np.column_stack([0.1 * np.sin(2 * time), 0.1 * (1 - np.cos(2 * time)), 1 + 0 * time])
R = solution.field("plate", "R")
rotation = np.arctan2(R[:, 1, 0], R[:, 0, 0])
efforts = np.column_stack([solution.outputs[f"leg{k}_drive_effort"] for k in range(6)])

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
axes[0].plot(time, np.column_stack([solution.outputs[f"leg{k}_displacement"] for k in range(6)]))
axes[0].set(xlabel="time, s", ylabel="stroke of the cylinders, m")
axes[1].plot(time, efforts)
axes[1].set(xlabel="time, s", ylabel="thrust of the cylinders, N")

print("error of the position:", abs(solution.field("plate", "x") - desired).max(), "m")
assert np.allclose(solution.field("plate", "x"), desired, atol=1e-6)
assert np.allclose(rotation, 0.2 * np.sin(3 * time), atol=1e-6)
energy = solution.outputs["energy"]
work = cumulative_simpson(solution.outputs["power"], x=time, initial=0)
print("difference of work and energy:", abs(energy - energy[0] - work).max(), "J of", np.ptp(energy))
assert np.allclose(energy - energy[0], work, atol=1e-3)

# %%
# 3-D view of the motion:

solution.view()
